"""`acklab compare`: alternatives for any key, ranked, with intervals and a sentence to act on."""

from __future__ import annotations

import json
import random
import re
import signal
import subprocess
import time
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from acklab.compare.advice import advice
from acklab.compare import Case, Compared, CompareError, Comparison, case, compare, from_file, metric
from acklab.compare.numbers import number
from acklab.compare.rank import rank
from acklab.compare.result import as_text
from acklab.figures.stats import Sample
from front import COMMAND, Acklab, contents

ACCESS = """\
title = "access link"
stop = { at = "20s" }

[[link]]
between = ["S", "A"]
rate = "1Gbps"
delay = "5ms"

[[link]]
between = ["A", "C"]
rate = "5Mbps"
delay = "5ms"
back = { rate = "1Mbps", queue = { kind = "drop-tail", packets = 20 } }

[[flow]]
name = "down"
from = "S"
to = "C"

[[flow]]
name = "up"
from = "C"
to = "S"
"""
METRICS = ["download: goodput@down*", "upload: goodput@up", "wait: queue-delay@C->A", "ACKs: ack-share@C->A"]
CASES = ["slow", "fast: link.1.rate=20Mbps; link.1.back.rate=4Mbps"]


def comparison(**changes: object) -> Comparison:
    given: dict = {
        "cases": [case(text) for text in CASES],
        "metrics": [metric(text) for text in METRICS],
        "seeds": 4,
        "spread_starts_s": 0.5,
        **changes,
    }
    return Comparison(ACCESS, "access.toml", **given)


@pytest.fixture(scope="module")
def told():  # noqa: ANN201
    return compare(comparison(situations=[case("alone: flow.up.start=1000s"), case("with an upload")]))


def test_the_better_case_is_first_and_told_apart(told) -> None:  # noqa: ANN001
    alone, with_upload = told.rankings
    assert (alone.situation, with_upload.situation) == ("alone", "with an upload")
    assert [row.case for row in with_upload.rows] == ["fast", "slow"]
    best, worst = with_upload.rows
    assert (best.verdict, worst.verdict) == ("first", "worse")
    assert worst.behind is not None and worst.behind.low > 0
    assert best.samples["wait"].value < worst.samples["wait"].value
    assert alone.row("slow").samples["upload"] is None, "an upload that never starts has no goodput"


def test_the_sentence_says_what_to_do_with_numbers_and_costs(told) -> None:  # noqa: ANN001
    said = told.advice
    assert said.startswith("Use fast instead of slow: ")
    row = told.rankings[1].row("fast")
    assert f"with an upload, download {row.samples['download'].value:.3g} Mb/s instead of " in said
    assert "ACKs" in said and said.endswith("percentage points less).")


def test_cases_are_paired_by_seed(told) -> None:  # noqa: ANN001
    values = told.values
    assert len(values) == 2 * 2 * 4
    again = compare(comparison(situations=[case("alone: flow.up.start=1000s"), case("with an upload")]), threads=1)
    assert str(again.values) == str(values), "the same on any number of threads"


def test_the_text_has_units_intervals_and_ranks(told) -> None:  # noqa: ANN001
    text = as_text(told)
    assert "4 seeds" in text and "download (Mb/s)" in text and "wait (ms)" in text and "±" in text
    assert text.rstrip().endswith(told.advice)
    assert number(94.619123, 0.00097) == "94.62" and number(28.34, 13.2) == "28" and number(0.0, 0.0) == "0"


def test_ack_share_counts_the_acks_that_cross_the_link() -> None:
    one = compare(comparison(situations=[case("alone: flow.up.start=1000s")], spread_starts_s=0.0))
    shares = one.rankings[0].row("slow").samples["ACKs"].values
    assert not one.random and all(0 < share <= 100 for share in shares)


def test_nothing_random_is_said() -> None:
    plain = compare(comparison(spread_starts_s=0.0))
    assert not plain.random
    text = as_text(plain)
    assert "all 4 seeds gave the same results: one deterministic run each, without intervals" in text and "±" not in text
    assert plain.advice == (
        "One deterministic run each, best download first: fast (19.1 Mb/s), slow (4.72 Mb/s). "
        "A nudge of the start times can change the order: --spread-starts TIME tries that."
    )


LOSSY = """\
title = "losses"
stop = { when = "flows-complete" }
link = [{ between = ["S", "R"], rate = "1.5Mbps", delay = "50ms", loss = { rate = 0.02 } }]
flow = [{ name = "f", from = "S", to = "R", size = { segments = 200 }, sender = { recovery = "newreno" } }]
"""


def lossy(*cases: str, metrics: tuple[str, ...] = ("completion",), **more: object):  # noqa: ANN201
    given: dict = {"cases": [case(text) for text in cases], "metrics": [metric(text) for text in metrics], **more}
    return compare(Comparison(LOSSY, "lossy.toml", **given))


SACK = "sack: flow.0.sender.recovery=rfc6675"


def test_what_the_seeds_do_not_decide_is_not_called_equal() -> None:
    told = lossy("reno", SACK, seeds=10)
    second = told.rankings[0].rows[1]
    assert second.verdict == "undecided" and second.behind.low <= 0 <= second.behind.high
    ends = f"{second.behind.low:.2f} to {second.behind.high:.2f} s"
    first = told.rankings[0].best
    assert told.advice.startswith(
        f"Undecided between reno and sack by completion: that of {second.case} minus that of {first.case} is {ends} ({first.case}: "
    )
    if second.needed is not None:
        assert " seeds would show a difference of 5 % with a chance of 80 %, if seeds vary as these 10 do." in told.advice
    text = as_text(told)
    assert f"2?  {second.case}" in text and "? : undecided" in text
    for claim in ("as well", "told apart", "equal", "equivalent", "same"):
        assert claim not in told.advice


def test_the_seeds_needed_are_told_with_what_they_assume() -> None:
    told = lossy("reno", "every: flow.0.receiver.ack.policy=every", seeds=4)
    row = told.rankings[0].rows[1]
    assert row.verdict == "undecided" and row.needed > 4
    assert "seeds would show a difference of 5 % with a chance of 80 %, if seeds vary as these 4 do." in told.advice
    assert "seeds needed" in as_text(told)


def test_equivalence_needs_a_margin() -> None:
    told = lossy("reno", SACK, seeds=100, margin=0.2)
    assert told.rankings[0].rows[1].verdict == "equivalent"
    assert told.advice.startswith("reno and sack are equivalent within 20 % by completion: that of ")
    assert "= : equivalent, neither mean more than 20 % above the other (two one-sided tests)" in as_text(told)
    assert lossy("reno", SACK, seeds=100).rankings[0].rows[1].verdict != "equivalent"


def test_what_is_the_same_in_every_seed_is_said_so() -> None:
    told = lossy("a", "b: flow.0.start=0s", seeds=3)
    assert told.rankings[0].random and told.rankings[0].rows[1].verdict == "same"
    assert told.advice == "a and b have the same completion in every seed."


def test_more_seeds_until_the_differences_are_narrow() -> None:
    told = lossy("reno", SACK, seeds=400, at_least=5, half_width=0.05)
    row = told.rankings[0].rows[1]
    assert 5 < told.seeds < 400 and row.behind.half_width <= 0.05 * told.rankings[0].best.samples["completion"].value
    assert row.behind.level == pytest.approx(0.975), "the interval that decides has been looked at"
    assert len(told.values) == 2 * told.seeds and f"{told.seeds} seeds, the same for every case" in as_text(told)


def test_an_adaptive_comparison_keeps_its_runs(tmp_path: Path, acklab_command: Acklab) -> None:
    (tmp_path / "lossy.toml").write_text(LOSSY)
    command = ["compare", str(tmp_path / "lossy.toml"), "--case", "reno", "--case", SACK, "--metric", "completion",
               "--seeds", "5..60", "--half-width", "0.05", "--json"]  # fmt: skip
    kept, plain = acklab_command(*command, "--out", str(tmp_path / "out")), acklab_command(*command)
    assert kept.returncode == 0 and kept.stdout == plain.stdout
    assert json.loads(plain.stdout)["seeds"] > 5
    again = from_file(tmp_path / "out" / "cases.toml")
    assert (again["at_least"], again["seeds"], again["half_width"]) == (5, 60, 0.05)


def test_the_family_is_all_pairs_in_all_situations() -> None:
    told = lossy("reno", SACK, "every: flow.0.receiver.ack.policy=every", metrics=("completion", "timeouts", "acks_sent"),
                 situations=[case("near"), case("far: link.0.delay=100ms")], seeds=4)  # fmt: skip
    ranking = told.rankings[0]
    assert (ranking.rules.family, ranking.further.family) == (6, 12)
    assert ranking.rows[1].behind.level == pytest.approx(1 - 0.05 / 6)
    assert "paired differences, 95 % for all 6 together (Bonferroni); another 95 % for the other metrics" in as_text(told)


def made_up(draw: random.Random) -> Compared:
    """A comparison whose runs are made up: alike, apart, without spread, without a value, in several situations."""
    names, places = ["a", "b", "c"][: draw.randint(2, 3)], ["", "x"][: draw.randint(1, 2)]
    metrics = [metric(text) for text in ("completion", "goodput", "cwnd_segments")[: draw.randint(1, 3)]]
    given = Comparison("", "made up", [Case(name) for name in names], [Case(place) for place in places], metrics,
                       seeds=6, margin=draw.choice([0.0, 0.05]))  # fmt: skip

    def values(spread: float) -> Sample | None:
        middle = draw.choice([0.0, 1.0, 1.0, 1.02, 3.0])
        return None if draw.random() < 0.1 else Sample.of([middle + spread * draw.gauss(0, 1) for _ in range(6)])

    rankings = []
    for place in places:
        spread = draw.choice([0.0, 0.01, 0.5])
        samples = {one.name: {name: values(spread) for name in names} for one in metrics}
        rankings.append(rank(place, metrics, samples, random=spread > 0 or draw.random() < 0.5, margin=given.margin, situations=len(places)))
    return Compared(given, "made up", rankings, {}, 6)


def test_no_sentence_says_more_than_the_seeds_decide() -> None:
    draw = random.Random(11)
    seen: dict[str, int] = {}
    for _ in range(3000):
        told = made_up(draw)
        told = replace(told, advice=advice(told))
        said, text = told.advice, as_text(told)
        assert said.endswith(".") and said in text and not re.search(r"nan|inf\b|None|  ", said), said
        seen[said.split()[0]] = seen.get(said.split()[0], 0) + 1
        first = told.comparison.metrics[0]
        if use := re.match(r"Use (\w+) instead of (\w+): ", said):
            signs = [ranking.better(first, use[1], use[2]) for ranking in told.rankings]
            assert max(signs) == 1 and min(signs) == 0 or set(signs) == {1}, said
        if stay := re.match(r"Stay with (\w+): (?!every)[\w ]+ (?:is|are) worse", said):
            assert all(row.verdict == "worse" for r in told.rankings for row in r.rows if row.case != stay[1]), said
        if alike := re.match(r"([\w, ]+) are equivalent within 5 %", said):
            cases = set(re.findall(r"\b[abc]\b", alike[1]))
            assert told.comparison.margin and len(cases) > 1
            assert not any(row.verdict in ("undecided", "worse") for r in told.rankings for row in r.rows if row.case in cases)
        if not told.random:
            assert said.startswith("One deterministic run each, ")
    assert {"Use", "Stay", "Undecided", "One", "No", "Only"} <= seen.keys()


def test_the_page_has_the_verdict_as_its_headline(told) -> None:  # noqa: ANN001
    from html import escape

    from acklab.compare.page import page

    text = page(told, "<svg></svg>", [])
    head, _, numbers = told.advice.partition(": ")
    assert f"<h1>{escape(head)}.</h1>" in text and escape(numbers[1:]) in text
    assert "<title>slow and fast by download: access link</title>" in text
    assert "<strong>fast</strong>, best" in text and "behind by (Mb/s)</th>" in text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--margin", "5"), '`5` is no share of the mean; write one as "5%" or "0.05"'),
        (("--margin", "lots"), "`lots` is no share of the mean"),
        (("--seeds", "5..9"), "how many seeds depends on --half-width"),
        (("--seeds", "1..9", "--half-width", "0.1"), "at_least = 1: from 2 to seeds = 9"),
        (("--half-width", "2"), "half_width = 2: a share of the mean"),
    ],
)
def test_margins_and_widths_that_are_none(acklab_command: Acklab, two_hops: Path, arguments: tuple[str, ...], said: str) -> None:
    result = acklab_command("compare", str(two_hops), "--case", "a", "--case", "b: flow.0.sender.window=4", *arguments)
    assert result.returncode == 2 and said in result.stderr and result.stdout == ""


def test_staying_with_the_first_case_is_an_answer() -> None:
    told = compare(comparison(cases=[case(text) for text in reversed(CASES)]))
    assert told.advice.startswith("Stay with fast: slow is worse by download")


def test_cases_as_they_are_written() -> None:
    assert case('a: link.0.queue={kind="red",min=3}; seed=2') == Case("a", ('link.0.queue={kind="red",min=3}', "seed=2"))
    assert case('a: title="x; y"').sets == ('title="x; y"',)
    assert case("seed=3") == Case("seed=3", ("seed=3",))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"cases": [Case("a")]}, "at least two cases; there is 1"),
        ({"cases": [Case("a"), Case("a")]}, "two cases are called 'a'"),
        ({"cases": [Case("reno"), Case("sack")]}, "cases 'reno' and 'sack' set nothing; give one of them keys: 'NAME: KEY=VALUE'"),
        ({"cases": [Case("a", ("seed=2",)), Case("b", ("seed=2",))]}, "cases 'a' and 'b' set the same keys"),
        ({"seeds": 1}, "seeds = 1: at least 2"),
        ({"metrics": [metric("goodput"), metric("goodput")]}, "two metrics have one name"),
        ({"cases": [Case("a"), Case("b", ("link.1.rat=2Mbps",))]}, "case 'b': access.toml: link[1].rat: unknown key"),
        ({"metrics": [metric("goodput@down7")]}, "no flow `down7`; there are down, up"),
        ({"metrics": [metric("queue-delay@A->X")]}, "no link direction `A->X`; there are S->A, A->S"),
        ({"metrics": [metric("completion")]}, "a transfer does not finish"),
    ],
)
def test_what_can_not_be_compared_is_refused(changes: dict, said: str) -> None:
    with pytest.raises(CompareError) as raised:
        compare(comparison(**changes))
    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: b", "`b` sets nothing"),
        (" : seed=1", "needs a name"),
    ],
)
def test_a_case_that_is_none(text: str, said: str) -> None:
    with pytest.raises(CompareError, match=said):
        case(text)


@pytest.mark.parametrize("text", ["speed", "goodput@", "queue-delay"])
def test_a_metric_that_is_none(text: str) -> None:
    with pytest.raises(CompareError):
        metric(text)


def test_a_comparison_file(tmp_path: Path) -> None:
    file = tmp_path / "buffers.toml"
    file.write_text(
        'scenario = "access.toml"\nseeds = 3\nspread_starts = "200ms"\nmetrics = ["goodput@up"]\n'
        '[[case]]\nname = "as it is"\n[[case]]\nname = "small"\nset = { "link.1.back.queue.packets" = 20 }\n'
        '[[situation]]\nname = "now"\n'
    )
    found = from_file(file)
    assert found["scenario"] == tmp_path / "access.toml" and found["seeds"] == 3
    assert found["spread_starts_s"] == pytest.approx(0.2)
    assert found["cases"] == [Case("as it is"), Case("small", ("link.1.back.queue.packets=20",))]
    file.write_text('seeds = { at_least = 4, at_most = 9, half_width = 0.1 }\nmargin = "5%"\n')
    assert from_file(file) == {"at_least": 4, "seeds": 9, "half_width": 0.1, "margin": 0.05}
    for wrong, said in (
        ("cases = 1", "no key cases; did you mean case"), ('seeds = "x"', "a whole number"), ("case = 3", "tables"),
        ("seeds = { half_width = '3' }", "'3' is no share"), ("seeds = { at_least = 4 }", "a whole number, at least 2, or {"),
        ("margin = 2", "`2` is no share of the mean"),
    ):  # fmt: skip
        file.write_text(wrong)
        with pytest.raises(CompareError, match=said):
            from_file(file)


def test_the_command_writes_tables_a_chart_and_a_page(acklab_command: Acklab, tmp_path: Path) -> None:
    scenario, out = tmp_path / "access.toml", tmp_path / "out"
    scenario.write_text(ACCESS)
    cases = [argument for text in CASES for argument in ("--case", text)]
    measured = [argument for text in METRICS for argument in ("--metric", text)]
    result = acklab_command(
        "compare", str(scenario), *cases, *measured, "--seeds", "2", "--spread-starts", "500ms", "--out", str(out), "--json"
    )
    assert (result.returncode, result.stderr) == (0, "")
    printed = json.loads(result.stdout)
    assert printed == json.loads((out / "comparison.json").read_text())
    assert printed["advice"].startswith("Use fast")
    ranking = printed["situations"][0]["ranking"]
    assert [row["rank"] for row in ranking] == [1, 2]
    runs = pl.read_parquet(out / "runs.parquet")
    assert runs.columns == ["situation", "case", "seed", "metric", "unit", "value"] and len(runs) == 2 * 2 * 4
    shown = ranking[0]["metrics"]["download"]
    assert shown["mean"] == pytest.approx(sum(shown["values"]) / 2)
    assert (out / "comparison.png").stat().st_size > 5000
    page = (out / "comparison.html").read_text()
    assert "<svg" in page and "http://" not in page.replace("http://www.w3.org", "")


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--case", "a"),
        ("--case", "a", "--case", "b: seed"),
        ("--case", "a", "--case", "b", "--metric", "speed"),
        ("--case", "a", "--case", "b", "--threads", "0"),
        ("--case", "a", "--case", "b", "--spread-starts", "2"),
        ("--cases", "no-such-file.toml"),
    ],
)
def test_a_bad_command_line_exits_with_2(acklab_command: Acklab, two_hops: Path, arguments: tuple[str, ...]) -> None:
    result = acklab_command("compare", str(two_hops), *arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert len(result.stderr.splitlines()) <= 2 and "Traceback" not in result.stderr


def test_an_interrupted_comparison_goes_on_to_the_same_files(tmp_path: Path, acklab_command: Acklab) -> None:
    (tmp_path / "access.toml").write_text(ACCESS.replace("20s", "2s"))

    def command(out: str, *more: str) -> list[str]:
        cases = [part for text in CASES for part in ("--case", text)]
        return ["compare", str(tmp_path / "access.toml"), *cases, "--spread-starts", "500ms", "--out", str(tmp_path / out), *more]

    assert acklab_command(*command("whole", "--seeds", "100")).returncode == 0
    out = tmp_path / "stopped"
    for kind in (signal.SIGKILL, signal.SIGINT):
        process = subprocess.Popen([COMMAND, *command("stopped", "--seeds", "100")], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
        journal = out / ".acklab" / "runs.jsonl"
        before = journal.stat().st_size if journal.exists() else 0
        while process.poll() is None and (not journal.exists() or journal.stat().st_size < before + 20_000):
            time.sleep(0.002)
        process.send_signal(kind)
        said = process.communicate(timeout=60)[1].decode()
        assert process.returncode in (-9, 130) and "Traceback" not in said and journal.stat().st_size > before
    refused = acklab_command(*command("stopped", "--seeds", "99"))
    assert refused.returncode == 2 and "holds other work: what is run has changed" in refused.stderr
    done = acklab_command(*command("stopped", "--seeds", "100"))
    assert done.returncode == 0, done.stderr
    assert contents(out) == contents(tmp_path / "whole")
