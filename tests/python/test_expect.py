"""Expectations of a scenario (`[[expect]]`): what the command says of them, and its exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import acklab
from acklab.engines import kernel
from acklab.results.expected import of_rows
from acklab.scenario import Expect, Flow, Link, Scenario
from front import Acklab

EXAMPLE = "examples/expect.toml"
#: A packet of 1500 bytes takes 1.2 ms at 10 Mb/s; the queue holds 60 ms.
SMALL = {"link": [{"between": ["S", "R"], "rate": "10Mbps", "delay": "20ms"}], "flow": [{"name": "f", "from": "S", "to": "R"}],
         "stop": {"at": "1s"}}  # fmt: skip


def expecting(**expect: object) -> dict[str, object]:
    return {**SMALL, "expect": [{"flow": "f", **expect}]}


def test_the_example_holds_and_its_command_succeeds(acklab_command: Acklab, tmp_path: Path) -> None:
    done = acklab_command("run", EXAMPLE, "--out", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    assert "expectations: 6 of 6 hold" in done.stdout
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert [check["holds"] for check in summary["checks"]] == [True] * 6
    acklab.load(tmp_path / "out").check()


def test_what_does_not_hold_is_said_with_expected_and_found(acklab_command: Acklab) -> None:
    done = acklab_command("run", EXAMPLE, "--set", "expect.0.equals=recovery", "--set", "expect.4.equals=3")
    assert done.returncode == 1
    assert "expectations: 4 of 6 hold" in done.stdout
    assert done.stderr.splitlines() == [
        "acklab: flow f at 0.3 s: state is slow-start; expected: recovery",
        "acklab: flow f: timeouts is 0; expected: 3",
    ]


def test_json_and_batches_have_the_checks(acklab_command: Acklab) -> None:
    done = acklab_command("run", EXAMPLE, "--json", "--set", "expect.4.equals=3")
    check = json.loads(done.stdout)["checks"][4]
    told = {"subject": "flow f", "at_s": None, "what": "timeouts", "expected": "3", "found": "0", "holds": False}
    assert (done.returncode, check) == (1, told)
    lines = "".join(json.dumps(expecting(what="bytes", above=least)) + "\n" for least in (1, 1e12))
    done = acklab_command("run", "--batch", "-", stdin=lines)
    assert done.returncode == 1
    assert [json.loads(line)["checks"][0]["holds"] for line in done.stdout.splitlines()] == [True, False]


def test_python_raises_what_does_not_hold() -> None:
    run = acklab.run(expecting(what="goodput_bps", below="1kbps"))
    assert run.checks[0]["expected"] == "below 1000"
    with pytest.raises(AssertionError, match=r"flow f: goodput_bps is \d+\.?\d*; expected: below 1000"):
        run.check()
    built = Scenario(links=[Link(between=("S", "R"), rate="10Mbps", delay="20ms")], flows=[Flow(name="f", from_="S", to="R")], stop={"at": "1s"},
                     expect=[Expect(flow="f", what="retransmits", equals=0)])  # fmt: skip
    acklab.run(built).check()
    acklab.run(SMALL).check()


def test_a_time_after_the_run_has_nothing_to_show() -> None:
    scenario = {**expecting(what="bytes", at="900ms", above=1), "stop": {"when": "flows-complete"}}
    scenario["flow"] = [{**SMALL["flow"][0], "size": {"segments": 3}}]  # type: ignore[dict-item]
    (check,) = acklab.run(scenario).checks
    assert not check["holds"] and check["found"].startswith("nothing: the run ended at ")


def test_mistakes_are_told_at_their_place() -> None:
    for expect, told in (
        ({"what": "cwnd", "above": 1}, "expect[0].what"),
        ({"what": "bytes", "above": 1, "below": 2}, "needs one of `above`, `below`, `equals` and `within`"),
        ({"what": "bytes", "over": 2}, "expect[0].over: unknown key"),
        ({"what": "bytes", "above": [2]}, "expect[0].above"),
    ):
        with pytest.raises(acklab.ScenarioError) as error:
            acklab.run(expecting(**expect))
        assert told in str(error.value)


@pytest.mark.parametrize(
    "verb", [("compare", "--case", "a", "--case", "b: flow.f.start=1ms"), ("sweep", "--vary", "flow.f.start=1ms,2ms")]
)
def test_many_runs_say_that_they_do_not_check(acklab_command: Acklab, tmp_path: Path, verb: tuple[str, ...]) -> None:
    (tmp_path / "s.json").write_text(json.dumps(expecting(what="bytes", below=1)))
    done = acklab_command(verb[0], str(tmp_path / "s.json"), *verb[1:])
    assert done.returncode == 0 and "s.json: [[expect]] is not checked" in done.stderr


KERNELS = {
    "flows": [{"name": "f", "timeouts": 2, "completed": True, "goodput_bps": None}],
    "links": [{"from": "S", "to": "R", "drops": 3}],
}


@pytest.mark.parametrize(
    ("expect", "holds"),
    [
        ({"what": "timeouts", "equals": 2.0}, True),
        ({"what": "timeouts", "above": 2.0}, False),
        ({"what": "timeouts", "below": 3.0}, True),
        ({"what": "timeouts", "within": [2.0, 2.5]}, True),
        ({"what": "completed", "equals": False}, False),
        ({"what": "goodput_bps", "above": 1.0}, None),
        ({"what": "cwnd_segments", "above": 1.0}, None),
        ({"what": "timeouts", "at": "0.5s", "above": 1.0}, None),
        ({"flow": None, "link": "S->R", "what": "drops", "below": 3.0}, False),
        ({"flow": "g", "what": "timeouts", "above": 1.0}, None),
    ],
)
def test_what_a_run_between_kernels_knows_is_checked(expect: dict[str, object], holds: bool | None) -> None:
    table = {key: value for key, value in {"flow": "f", **expect}.items() if value is not None}
    (check,) = of_rows([table], KERNELS)
    assert check["holds"] is holds and check["at_s"] == (0.5 if "at" in expect else None)


@pytest.mark.skipif(not kernel.place().is_file(), reason="no kernel: make kernel")
@pytest.mark.parametrize(
    ("expect", "status"),
    [
        ({"what": "completed", "equals": True}, 0),
        ({"what": "completed", "equals": False}, 1),
        ({"what": "cwnd_segments", "at": "100ms", "above": 1}, 3),
    ],
)
def test_a_kernels_run_ends_with_its_expectations_status(
    acklab_command: Acklab, tmp_path: Path, expect: dict[str, object], status: int
) -> None:
    ends = {"sender": {"stack": "linux"}, "receiver": {"stack": "linux"}, "size": {"segments": 3}}
    scenario = {**expecting(**expect), "flow": [{**SMALL["flow"][0], **ends}]}  # type: ignore[index]
    (tmp_path / "s.json").write_text(json.dumps(scenario))
    assert acklab_command("run", str(tmp_path / "s.json"), "--virtual").returncode == status
