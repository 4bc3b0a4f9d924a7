"""What the command says: examples that are there to be tried, and answers to what people mistype."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from acklab import cli

ROOT = Path(__file__).parents[2]
ALLMAN = "examples/allman1998.toml"


@pytest.mark.parametrize("verb", (*cli.NAMES, *cli.brought()))
def test_the_files_of_the_examples_are_there(verb: str) -> None:
    helps = next(action for action in cli.parser([verb])._actions if action.dest == "verb").choices
    assert helps is not None
    files = re.findall(r"examples/[\w./-]+", helps[verb].format_help())  # type: ignore[call-overload]
    assert not [file for file in files if not (ROOT / file).is_file()]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([], "usage: acklab"),
        (["rn", ALLMAN], "acklab: no verb rn; did you mean run?"),
        ([ALLMAN], f"to run it: acklab run {ALLMAN}"),
        (["examples/captures/linux-receiver.pcap"], "to read it: acklab analyze examples/captures/linux-receiver.pcap"),
        (["run", ALLMAN, "--outt"], "acklab run: unknown: --outt"),
        (["run", "examples/queue.toml"], "\n  this is a plan: acklab sweep examples/queue.toml"),
        (["run", "examples/access/filters.toml"], "\n  this has cases: acklab compare SCENARIO --cases"),
        (["run", "examples/captures/linux-receiver.pcap"], "\n  this is a capture: acklab analyze"),
        (["run", "examples/access/tune.toml"], "\n  this is a plan of a search: acklab tune examples/access/tune.toml"),
        (
            ["sweep", "examples/infer/sender.toml"],
            "\n  this is a plan of a search: acklab infer examples/infer/sender.toml",
        ),
        (["analyze", ALLMAN], f"\n  this is a scenario: acklab run {ALLMAN}"),
        (["fit", "examples/queue.toml"], "\n  this is a plan: acklab sweep examples/queue.toml"),
        (["run", ALLMAN, "--set", "flow.g.start=1s"], "or by name: `f`"),
        (["run", ALLMAN, "--set", "flow.f.receiver.ack={policy=every}"], "texts in it stand in quotes"),
        (["run", ALLMAN, "--set", "flow.f.receiver.ack.policy=every"], 'flow[0].receiver.ack={policy="every"}'),
        (["analyze", "no.pcap"], "no.pcap: No such file or directory (see"),
        (["run", "examples/allman1988.toml"], "No such file or directory; did you mean examples/allman1998.toml? (see"),
        (["run", "nowhere/at-all.toml"], "nowhere/at-all.toml: No such file or directory (see"),
        (["compare", ALLMAN], "--case 'NAME: KEY=VALUE' for each, or --cases FILE"),
        (["sweep", ALLMAN, "--vary", "flow.0.sender.window=4,8", "--metric", "timeout"], "; did you mean `timeouts`?"),
        (
            ["sweep", ALLMAN, "--vary", "flow.0.sender.window=4-8"],
            ": at flow.0.sender.window=4-8: flow[0].sender.window",
        ),
        (["run", ALLMAN, "--set", "seed=1", "--set", "seed=2"], "acklab run: --set: seed is given twice; give it once"),
        (
            ["run", ALLMAN, "--set", "flow[0].start=1s", "--set", "flow.0={}"],
            "--set: flow.0 replaces flow.0.start, which is given before it",
        ),
        (["run", ALLMAN, "--seed", "1", "--set", "seed=2"], "--seed and --set seed=... both set the seed"),
        (["run", ALLMAN, "--seed", "1", "--seed", "2"], "argument --seed: is given twice, 1 and 2; give it once"),
        (["run", "--path", "dsl", "--set", "down=5Mbps", "--set", "link.1.rate=6Mbps"], "--set: down is given twice"),
        (["compare", ALLMAN, "--case", "a", "--case", "b: seed=1; seed=2"], "case 'b': seed is given twice"),
        (
            ["fit", "x.pcap", "--what-if", "link.0.rate=1Mbps", "--what-if", "link.0.rate=2Mbps"],
            "--what-if: link.0.rate is given twice",
        ),
        (["run", "--path", "docsis"], "no path docsis; did you mean docsis30, docsis31 or docsis31-ll?"),
        (["run", "--path", "LTE"], "no path LTE; did you mean lte?"),
        (
            ["run", "--path", "dsl", "--set", "down=50"],
            'dsl.toml: down = 50: `50` has no unit; write a rate as "1.5Mbps"',
        ),
        (["sweep", "--path", "dsl", "--vary", "down=50,60"], "dsl.toml: at down=50: down = 50: `50` has no unit"),
        (
            ["compare", "--path", "dsl", "--case", "a", "--case", "b: down=5mbps"],
            'dsl.toml: down = "5mbps": `5mbps` has an unknown unit',
        ),
        (
            ["run", "--path", "dsl", "--set", "rtt=40ms"],
            "no key rtt; delay is the access link's, one way (link.1.delay): a round trip takes",
        ),
        (
            ["run", ALLMAN, "--set", "rtt=40ms"],
            "rtt: unknown key; a link has a `delay`, one way (link.0.delay): a round trip takes each link's delay twice",
        ),
        (["run", ALLMAN, "--set", "link.0.rtt=40ms"], "link[0].rtt: unknown key; a link has a `delay`, one way"),
        (["run", ALLMAN, "--set", f"seed={2**64}"], "must be a whole number from 0 to 18446744073709551615"),
        (
            ["run", ALLMAN, "--set", f"link.1.queue.packets={2**64}"],
            "must be a whole number from 1 to 18446744073709551615",
        ),
        (
            ["run", ALLMAN, "--set", "flow.f.sender.control=kubic"],
            "`kind` of a table, or `python` in a table; did you mean `cubic`?",
        ),
        (
            ["compare", "examples/access/filters.toml"],
            "\n  this has cases: acklab compare SCENARIO --cases examples/access/filters.toml",
        ),
        (["compare", ALLMAN, "--cases", ALLMAN], f"\n  this is a scenario: acklab compare {ALLMAN} --cases FILE"),
        (["run", "examples/live.toml", "--virtual", "--linux", "9.9"], "argument --linux: there is no kernel 9.9 in"),
        (["run", "examples/live.toml", "--virtual", "--linux", "S=9.9"], "argument --linux: there is no kernel 9.9 in"),
        (
            ["run", ALLMAN, "--out", f"{ALLMAN}/x"],
            f"acklab: {ALLMAN}/x: {ALLMAN} is a file, no directory; give another name",
        ),
        (["run", ALLMAN, "--out", 300 * "x"], "the name is too long (most file systems allow 255 bytes)"),
        (["new", 300 * "x"], "the name is too long (most file systems allow 255 bytes); nothing was written"),
        (["run", "--live", "examples/live.toml", "--for", "3"], 'acklab: --for = "3": `3` has no unit'),
        (
            ["sweep", ALLMAN, "--vary", "link.1.queue.packets=4..24,32"],
            "`4..24,32`: a range stands alone; write 4..24,",
        ),
        (["sweep", ALLMAN, "--vary", "flow.0.sender.window=4,8", "--metric", "upload"], "such as goodput@up"),
        (
            ["compare", ALLMAN, "--case", "a", "--case", "b: seed=2", "--metric", "completion.p99"],
            "no quantity `completion.p99`; did you mean `p99(completion)`?",
        ),
        (["run", ALLMAN, "--set", "size=2000"], ": flow.0.size, as --set 'flow.0.size={ segments = 200 }'"),
        (["run", ALLMAN, "--set", "flow.f.size=2000"], "\n  as an option: --set 'flow.f.size={ segments = 2000 }'"),
        (["plot", "nowhere"], "acklab: nowhere: no such directory or file"),
        (["merge", "a"], "it is an option of a sweep: acklab sweep --join"),
        (["sweep", "--join", "a"], "--join goes with --out DIR"),
    ],
    ids=lambda value: " ".join(value)[:80] if isinstance(value, list) else "",
)
def test_a_slip_is_answered(
    given: list[str], said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    try:
        status = cli.main(given)
    except SystemExit as ended:
        status = int(ended.code or 0)
    out, err = capsys.readouterr()
    assert (status, out) == (2, "")
    assert said in err


@pytest.mark.parametrize(
    ("given", "work", "said"),
    [
        (["run", ALLMAN], "cli.run._single", "stopped; a run that did not end leaves nothing"),
        (
            ["run", ALLMAN, "examples/t1.toml"],
            "cli.run._several",
            "stopped; what was printed holds; a run that did not end leaves nothing",
        ),
        (
            ["fit", "examples/captures/linux-receiver.pcap"],
            "cli.fit._fitted",
            "stopped; a fit is kept when it is done, and this one was not",
        ),
    ],
)
def test_an_interrupt_says_what_is_kept(
    given: list[str], work: str, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(f"acklab.{work}", interrupted)
    with pytest.raises(KeyboardInterrupt):
        cli.main(given)
    assert capsys.readouterr() == ("", f"acklab: {said}\n")


def test_an_interrupt_that_became_another_error_on_its_way_says_what_is_kept() -> None:
    program = """
import signal
from acklab import cli
from acklab.cli import run

def broken(*_):
    try:
        signal.raise_signal(signal.SIGINT)
    except BaseException:
        raise RuntimeError("of a library") from None

run._single = broken
cli.main(["run", "examples/t1.toml"])
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "acklab: stopped; a run that did not end leaves nothing\n")


def test_packaged_examples_are_called_as_they_are_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit):
        cli.main(["tune", "examples/queue.toml"])
    assert "acklab: examples/queue.toml:4:1: no key metrics" in capsys.readouterr().err
    assert cli.main(["analyze", "examples/captures/linux-receiver.pcap"]) == 0
    assert capsys.readouterr().out.startswith("examples/captures/linux-receiver.pcap: 130 packets")
