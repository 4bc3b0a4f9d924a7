"""`acklab compare`: alternatives for any key, ranked, with intervals and a sentence to act on."""

from __future__ import annotations

import json
import math
import random
import re
import signal
import subprocess
import time
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from acklab.experiments.compare import Case, Compared, CompareError, Comparison, case, compare, from_file, metric
from acklab.experiments.compare.advice import advice, recommended
from acklab.experiments.compare.decision import Decision, moved
from acklab.experiments.compare.difference import Rules, difference, moves
from acklab.experiments.compare.headline import headline
from acklab.experiments.compare.numbers import number
from acklab.experiments.compare.output import chart, plain
from acklab.experiments.compare.rank import rank
from acklab.experiments.compare.text import as_text, changed
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
METRICS = [
    "download: goodput@down*",
    "upload: goodput@up",
    "wait: queue-delay@C->A",
    "ACKs: ack-overhead@C->A",
    "busy: utilisation@C->A",
]
CASES = ["slow", "fast: link.1.rate=20Mbps; link.1.back.rate=4Mbps"]


def comparison(**changes: object) -> Comparison:
    given: dict = {
        "cases": [case(text) for text in CASES],
        "metrics": [metric(text) for text in METRICS],
        "seeds": 6,
        "spread_starts_s": 0.5,
        **changes,
    }
    return Comparison(ACCESS, "access.toml", **given)


@pytest.fixture(scope="module")
def told():  # noqa: ANN201
    return compare(comparison(situations=[case("alone: flow.up.start=1000s"), case("with an upload")]))


def test_a_key_that_every_case_replaces_is_named() -> None:
    each = [case('a: link.1.queue={kind="codel"}'), case('b: link.1.queue={kind="drop-tail",packets=9}')]
    assert comparison(cases=each, sets=["link.1.queue.packets=400", "link.1.delay=9ms"]).without_effect() == [
        "link.1.queue.packets=400"
    ]


def test_the_better_case_is_first_and_told_apart(told) -> None:  # noqa: ANN001
    alone, with_upload = told.rankings
    assert (alone.situation, with_upload.situation) == ("alone", "with an upload")
    assert [row.case for row in with_upload.rows] == ["fast", "slow"]
    best, worst = with_upload.rows
    assert (best.verdict, worst.verdict) == ("first", "worse")
    assert worst.beside is not None and worst.beside.interval is not None and worst.beside.interval.high < 1
    assert best.samples["wait"].value < worst.samples["wait"].value
    assert alone.row("slow").samples["upload"] is None, "an upload that never starts has no goodput"


def test_the_sentence_says_what_to_do_with_numbers_and_costs(told) -> None:  # noqa: ANN001
    said = told.advice
    means = [told.rankings[1].row(case).samples["download"].value for case in ("fast", "slow")]
    assert said.startswith(
        f"Use fast instead of slow: with an upload, download is {means[0]:.3g} Mb/s instead of {means[1]:.3g} Mb/s, "
    )
    assert re.search(r", 3\d\d\.?\d* to 3\d\d\.?\d* % more \(6 seeds\)\.", said), "percent, like every other change"


def test_every_metric_that_moves_is_in_the_table_with_its_verdict(told) -> None:  # noqa: ANN001
    head, heads, rows = changed(told)
    assert (
        head
        == "From slow to fast, every metric whose mean moves by more than 2 % (neither: no value of it is better than another):"
    )
    assert heads == ["situation", "metric", "slow", "fast", "change", "interval", "verdict"]
    found = {(row[0], row[1]): row[-1] for row in rows}
    assert found["with an upload", "download (Mb/s)"] == "better" and found["with an upload", "wait (ms)"] in (
        "better",
        "undecided",
    )
    assert {verdict for (_, name), verdict in found.items() if name == "busy (%)"} <= {"neither"}
    for ranking in told.rankings:
        for one in told.comparison.metrics:
            means = [ranking.row(case).samples[one.name] for case in ("slow", "fast")]
            if None not in means:
                moved = moves(means[0].value, means[1].value, 0.02)
                assert moved == ((ranking.situation, one.label) in found), (ranking.situation, one.name)
    printed = as_text(told)
    assert head in printed and all(row[-2] in printed for row in rows)


def test_cases_are_paired_by_seed(told) -> None:  # noqa: ANN001
    values = told.values
    assert len(values) == 2 * 2 * 6
    again = compare(comparison(situations=[case("alone: flow.up.start=1000s"), case("with an upload")]), threads=1)
    assert str(again.values) == str(values), "the same on any number of threads"


def test_the_text_has_units_intervals_and_ranks(told) -> None:  # noqa: ANN001
    text = as_text(told)
    assert "6 seeds" in text and "download (Mb/s)" in text and "wait (ms)" in text and "±" in text
    assert f"\n{told.advice}\n" in text
    assert number(94.619123, 0.00097) == "94.62" and number(28.34, 13.2) == "28" and number(0.0, 0.0) == "0"


def test_ack_share_counts_the_acks_that_cross_the_link() -> None:
    metrics = [metric(text.replace("overhead", "share")) for text in METRICS]
    one = compare(comparison(situations=[case("alone: flow.up.start=1000s")], spread_starts_s=0.0, metrics=metrics))
    shares = one.rankings[0].row("slow").samples["ACKs"].values
    assert not one.random and all(0 < share <= 100 for share in shares)


def test_nothing_random_is_said() -> None:
    plain = compare(comparison(spread_starts_s=0.0))
    assert not plain.random
    text = as_text(plain)
    assert (
        "6 seeds: every seed gave the same result, so these seeds tell nothing of chance; one deterministic run each, without intervals"
        in text
        and "±" not in text
    )
    assert plain.advice == (
        "One deterministic run each, best download first: fast (19.1 Mb/s), slow (4.72 Mb/s). "
        "A nudge of the delays can change the order: --spread-delays 1% tries that."
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
    assert second.verdict == "undecided" and second.beside.interval.low <= 1 <= second.beside.interval.high
    said = r"Undecided between reno and sack by completion: with sack, completion may be from [\d.]+ % less to [\d.]+ % more "
    assert re.match(said + r"\([\d.]+ s with reno, 10 seeds\)", told.advice)
    if second.beside.needed is not None:
        assert re.search(
            r" seeds would show a difference of [\d.]+ % with a chance of 80 %, if seeds vary as these 10 do\.",
            told.advice,
        )
    text = as_text(told)
    assert (
        f"2?  {second.case}" in text
        and "?: not distinguished from the first row: the interval has 0 in it, or the values differ by no more than 2 %"
        in text
    )
    for claim in ("as well", "told apart", "equal", "equivalent", "same"):
        assert claim not in told.advice


def test_the_seeds_needed_are_told_with_what_they_assume() -> None:
    told = lossy("reno", "every: flow.0.receiver.ack.policy=every", seeds=5)
    row = told.rankings[0].rows[1]
    assert row.verdict == "undecided" and row.beside.needed > 5
    assert re.search(
        r"seeds would show a difference of [\d.]+ % with a chance of 80 %, if seeds vary as these 5 do\.", told.advice
    )
    assert "seeds needed" in as_text(told)


def test_a_difference_that_every_seed_shows_is_decided() -> None:
    """Five seeds with 0.66 s in each and 1.19 s in each, beside a case that varies."""
    slow, quick = Sample.of([1.18713] * 5), Sample.of([0.65996] * 5)
    found = difference(slow, quick, Rules(family=3))
    assert (found.verdict, found.constant, found.interval, found.needed) == ("different", True, None, None)
    shifted = Sample.of([2.0, 3.0, 4.0, 5.0, 6.0])
    few = difference(shifted.over(0.5), shifted, Rules())
    assert (few.verdict, few.needed) == ("undecided", 6), "a constant ratio of values that vary has its sign alone"
    # A larger family needs more of them: 2 / 4^n is at most its share of the error.
    assert difference(slow, quick, Rules(family=100)).needed == 6
    assert difference(Sample.of([1.18713] * 6), Sample.of([0.65996] * 6), Rules(family=100)).verdict == "different"
    assert difference(Sample.of([1.01] * 5), Sample.of([1.0] * 5), Rules()).verdict == "equivalent"


def test_the_seeds_needed_are_for_the_difference_that_was_measured() -> None:
    """Few seeds are needed for a large difference: not those of 5 %."""
    wide = difference(Sample.of([3.18, 6.36, 0.72, 0.66, 0.71]), Sample.of([0.66] * 5), Rules())
    assert wide.verdict == "undecided" and wide.effect == pytest.approx(
        math.prod([3.18, 6.36, 0.72, 0.66, 0.71]) ** 0.2 / 0.66 - 1
    )
    assert 5 < wide.needed < 30
    near = difference(Sample.of([1.5, 0.7, 1.4, 0.7, 1.02]), Sample.of([1.0] * 5), Rules())
    assert near.effect == pytest.approx(0.05) and near.needed > 100


def test_a_case_that_no_seed_changes_is_said_so() -> None:
    told = lossy("clean: link.0.loss.rate=0", "slow: link.0.loss.rate=0; link.0.rate=1Mbps", SACK, seeds=5)
    text, slow = as_text(told), told.rankings[0].row("slow")
    assert "clean and slow: every seed gave the same result, so these seeds tell nothing of chance" in text
    assert slow.verdict == "worse" and slow.beside.constant and "no two cases" not in text


def test_equivalence_needs_a_margin() -> None:
    told = lossy("reno", SACK, seeds=100, margin=0.2)
    assert told.rankings[0].rows[1].verdict == "equivalent"
    assert told.advice == "reno and sack are equivalent within 20 % by completion."
    assert (
        "=: equivalent to the first row: neither is more than 20 % above the other (two one-sided tests; the row has their narrower interval)"
        in as_text(told)
    )
    found = told.rankings[0].rows[1].beside
    assert found.interval.level == pytest.approx(0.9) and 1 / 1.2 < found.interval.low < found.interval.high < 1.2, (
        "the interval that decides is the one shown"
    )
    assert lossy("reno", SACK, seeds=100, margin=0.0).rankings[0].rows[1].verdict != "equivalent"


def test_what_is_the_same_in_every_seed_is_said_so() -> None:
    told = lossy("a", "b: flow.0.start=0s", seeds=5)
    assert told.rankings[0].random and told.rankings[0].rows[1].verdict == "same"
    assert told.advice == "a and b have the same completion in every seed."


def test_more_seeds_until_the_differences_are_narrow() -> None:
    told = lossy("reno", SACK, seeds=400, at_least=5, half_width=0.05)
    row = told.rankings[0].rows[1]
    assert 5 < told.seeds < 400 and row.beside.interval.half_width <= 0.05
    assert row.beside.interval.level == pytest.approx(0.975), "the interval that decides has been looked at"
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
                 situations=[case("near"), case("far: link.0.delay=100ms")], seeds=5)  # fmt: skip
    ranking = told.rankings[0]
    assert (ranking.rules.family, ranking.further.family) == (6, 12)
    assert ranking.rows[1].beside.interval.level == pytest.approx(1 - 0.05 / 6)
    said = "the intervals of all 6 comparisons by an objective hold together with 95 % (Bonferroni); those of the other metrics hold together with another 95 %"
    assert said in as_text(told)


# ---- objectives ------------------------------------------------------------------------------------------------------
def with_values(values: dict[str, dict[str, list[float]]], **more: object) -> Compared:
    """A comparison of one situation whose runs are given, by metric and case."""
    metrics = [metric(text) for text in values]
    cases = [Case(name) for name in next(iter(values.values()))]
    given = Comparison(ACCESS, "given", cases, metrics=metrics, seeds=6, **more)  # type: ignore[arg-type]
    samples = {
        one.name: {name: Sample.of(run) if run else None for name, run in values[text].items()}
        for text, one in zip(values, metrics, strict=True)
    }
    told = Compared(
        given, "given", [rank("", metrics, samples, objectives=given.objectives, margin=given.margin)], {}, 6
    )
    return replace(told, advice=advice(told))


def around(mean: float, spread: float = 0.01) -> list[float]:
    """Six values of that mean; those of two means vary independently."""
    draw = random.Random(str(mean))
    steps = [draw.gauss(0, spread) for _ in range(6)]
    return [mean * (1 + step - sum(steps) / 6) for step in steps]


UP_AND_DOWN = {
    "latency: completion": {"fifo": around(0.25), "aqm": around(0.05)},
    "download: goodput@d": {"fifo": around(20.0), "aqm": around(41.0)},
    "upload: goodput@u": {"fifo": around(4.43), "aqm": around(3.44)},
}


def test_a_loss_by_an_objective_forbids_a_recommendation() -> None:
    assert with_values(UP_AND_DOWN).advice.startswith(
        "Use aqm instead of fifo: latency is 0.0500 s instead of 0.250 s, "
    )
    told = with_values(UP_AND_DOWN, objective_names=["upload", "download", "latency"])
    assert told.rankings[0].by.name == "upload" and told.rankings[0].best.case == "fifo"
    assert told.advice.startswith("aqm is a trade: latency is 0.0500 s instead of 0.250 s, "), "its largest gain"
    assert "; but upload is 3.44 Mb/s instead of 4.43 Mb/s, " in told.advice
    assert told.advice.endswith(" No case is better than fifo without a shown or possible loss.")
    assert recommended(told) is None
    noisy = UP_AND_DOWN | {"upload: goodput@u": {"fifo": around(4.43, 0.3), "aqm": around(3.44, 0.3)}}
    told = with_values(noisy, objective_names=["latency", "upload"])
    assert re.search(
        "; but upload is 3.44 Mb/s instead of 4.43 Mb/s, from [0-9]+ % less to [0-9]+ % more [(]6 seeds[)]", told.advice
    ), told.advice
    assert recommended(told) is None, "a possible loss by an objective is no case to recommend"


def test_every_gain_by_an_objective_is_told_the_largest_first() -> None:
    values = {
        "upload: goodput@u": {"fifo": around(4.43), "aqm": around(4.43)},
        "download: goodput@d": {"fifo": around(20.0), "aqm": around(28.0)},
        "latency: completion": {"fifo": around(0.5), "aqm": around(0.125)},
    }
    told = with_values(values, objective_names=["upload", "download", "latency"])
    use = r"Use aqm instead of fifo: latency is 0.125 s instead of 0.5\d* s, 7\d[\d.]* to 7\d[\d.]* % less; download is 28 Mb/s instead of 20 Mb/s, "
    assert re.match(use, told.advice), told.advice
    assert headline(told)[0].startswith("Use aqm instead of fifo: latency 0.125 instead of 0.5"), (
        "the larger one, though declared last"
    )
    assert " and download 28 instead of 20 Mb/s" in headline(told)[0]
    wide = values | {
        "latency: completion": {"fifo": around(0.5, 0.1), "aqm": around(0.125, 0.1)},
        "download: goodput@d": {"fifo": around(20.0), "aqm": around(76.0)},
    }
    told = with_values(wide, objective_names=["upload", "download", "latency"])
    gains = [one.name for _, one in moved(Decision(told), "aqm", "fifo", 1)]
    assert gains[0] == "download", "by what is shown at least, not by the mean"


def test_the_text_says_what_was_run(told) -> None:  # noqa: ANN001
    lines = told.text.split("\n")
    assert lines[1].startswith(
        "path: down 5 Mb/s, drop-tail 1000 packets; up 1 Mb/s without grants, drop-tail 20 packets; delay 10 ms one way"
    ), lines[1]
    assert lines[2] == "flows: alone: down S->C; with an upload: the same and up C->S"
    assert lines[3].startswith(
        "runs: 2 cases, each compared with slow, the first, in 2 situations, with 6 seeds; 20 s each"
    )
    assert lines[3].endswith("a seed starts each flow up to 0.5 s later, in all cases alike")
    assert (
        lines[4].startswith("metrics: download is goodput of down*; ") and plain(told)["experiment"]["runs"] in lines[3]
    )


def test_a_case_says_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text(
        '[[case]]\nname = "a"\nabout = "as it is"\n[[case]]\nname = "b"\nset = { "link.0.delay" = "9ms" }\n',
        encoding="utf-8",
    )
    found = from_file(tmp_path / "c.toml")["cases"]
    assert [one.about for one in found] == ["as it is", ""]
    assert "cases:\n  a  as it is\n\n" in as_text(compare(comparison(cases=found, seeds=2)))


def test_a_cost_by_another_metric_is_in_the_advice_also_undecided() -> None:
    said = with_values(UP_AND_DOWN).advice
    assert re.search(r"Worse, but no objective: upload -22\S* % \(-\d\S* to -\d\S* %\)\.", said), said
    noisy = UP_AND_DOWN | {"upload: goodput@u": {"fifo": around(4.43, 0.3), "aqm": around(3.44, 0.3)}}
    told = with_values(noisy)
    assert re.search(r"Undecided: upload -22 % \(-\d+ to \d+ %\)\.", told.advice), told.advice
    assert ["upload (Mb/s)", "4.43", "3.44"] in [row[:3] for row in changed(told)[2]]
    assert next(row[-1] for row in changed(told)[2] if row[0] == "upload (Mb/s)") == "undecided"


def test_what_rounds_to_equal_is_no_gain() -> None:
    told = with_values({"goodput": {"a": around(43.57, 1e-5), "b": around(43.61, 1e-5)}})
    assert told.advice == "a and b are equivalent within 2 % by goodput." and told.rankings[0].silent
    told = with_values({"goodput": {"a": around(43.57, 1e-5), "b": around(43.61, 1e-5)}}, margin=0.0001)
    assert told.advice.startswith("Use b instead of a: goodput is 43.61 Mb/s instead of 43.57 Mb/s, 0.0")


def test_an_objective_that_does_not_respond_ranks_nothing_silently() -> None:
    values = {
        "latency: completion": {"a": around(0.0500), "b": around(0.0501), "c": around(0.0499)},
        "upload: goodput@u": {"a": around(1.0), "b": around(2.0), "c": around(3.0)},
    }
    alone = with_values(values)
    assert "by latency no two cases are shown to differ by more than 2 %" in as_text(alone)
    both = with_values(values, objective_names=["latency", "upload"])
    assert both.rankings[0].by.name == "upload" and [row.case for row in both.rankings[0].rows] == ["c", "b", "a"]
    assert "ranked by upload; by latency no two cases are shown to differ by more than 2 %" in as_text(both)
    assert both.advice.startswith("Use c instead of a: upload is 3 Mb/s instead of 1 Mb/s, ")
    assert both.advice.endswith(
        "No two cases are shown to differ by more than 2 % in latency; the widest interval is -4.0 to 3.8 % (from a to c)."
    )
    alike = with_values(
        values | {"latency: completion": {name: [0.05] * 6 for name in "abc"}}, objective_names=["latency", "upload"]
    )
    assert alike.advice.endswith("latency does not respond to what the cases change: all are equivalent within 2 %.")
    none = with_values(
        values | {"latency: completion": {name: [] for name in "abc"}}, objective_names=["latency", "upload"]
    )
    assert none.advice.endswith("No two cases have a value of latency.")


def test_utilisation_is_no_cost_and_no_gain() -> None:
    values = {
        "goodput": {"a": around(10.0), "b": around(11.0)},
        "uplink: utilisation@R->S": {"a": around(27.3), "b": around(11.1)},
    }
    told = with_values(values)
    assert told.advice.startswith("Use b instead of a: goodput") and "uplink" not in told.advice
    assert [row[0::5] for row in changed(told)[2]] == [["goodput (Mb/s)", "better"], ["uplink (%)", "neither"]]
    panels = {panel.title: panel.better for panel in chart(told).panels}
    assert chart(told).name == "comparison", "an id of the page, never a case's name"
    assert panels == {"goodput (Mb/s)": "→", "uplink (%)": ""}


@pytest.mark.parametrize("seeds", [2, 4])
def test_fewer_than_five_seeds_sell_no_interval_and_recommend_nothing(seeds: int) -> None:
    told = compare(comparison(seeds=seeds))
    text = as_text(told)
    assert told.advice.startswith(f"Too few seeds: {seeds} give no interval and no recommendation, at least 5 do")
    assert (
        "±" not in text
        and not re.search(r"\d to \d", text.partition("seeds, the same")[2])
        and recommended(told) is None
        and told.configure == []
    )
    assert f"{seeds} seeds, the same for every case: too few for an interval (at least 5)" in text
    assert all(row["metrics"]["download"]["low"] is None for row in plain(told)["situations"][0]["ranking"])


def test_what_was_set_stands_beside_a_title_that_may_state_another_value() -> None:
    def titled(*sets: str) -> str:
        return compare(comparison(seeds=2, sets=sets)).title

    assert titled() == "access link"
    assert titled("link.0.delay=5ms") == "access link; changed: link.0.delay=5ms"
    assert titled("title=short", "link.0.delay=5ms") == "short"


def test_links_of_other_lengths_make_a_deterministic_scenario_vary() -> None:
    told = compare(comparison(spread_starts_s=0.0, spread_delays=0.01, seeds=5))
    assert told.random and told.advice.startswith("Use fast instead of slow")
    line = json.loads(comparison(spread_delays=0.01).seeded(next(iter(comparison().trees().values())), 3))
    lengths = [float(way["delay"].removesuffix("s")) / 0.005 for link in line["link"] for way in (link, link["back"])]
    assert lengths[0] == lengths[1] != lengths[2] == lengths[3] and all(1 < length < 1.01 for length in lengths)


def test_the_page_has_the_verdict_as_its_headline(told) -> None:  # noqa: ANN001
    from html import escape

    from acklab.experiments.compare.page import page

    text = page(told, "<svg></svg>", []).replace("\u00a0", " ").replace("\u2212", "-")
    means = [told.rankings[1].row(case).samples["download"].value for case in ("fast", "slow")]
    assert (
        f"<h1>Use fast instead of slow: download {means[0]:.3g} instead of {means[1]:.3g} Mb/s with an upload</h1>"
        in text
    )
    assert escape(told.advice.partition(": with")[2]) in text, "with its interval below"
    assert (
        "<h2>From slow to fast</h2>" in text
        and "Every metric whose mean moves by more than 2 % (neither: no value of it is better than another):" in text
        and ">verdict</th>" in text
    )
    assert "<title>slow and fast by download: access link</title>" in text
    assert (
        "<strong>fast</strong>, best, recommended" in text
        and "<strong>slow</strong>, compared with" in text
        and "behind by</th>" in text
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--margin", "5"), '`5` is no share, from 0 to less than 1; write one as "5%" or "0.05"'),
        (("--margin", "lots"), "`lots` is no share"),
        (("--spread-delays=-1%",), "`-1%` is no share"),
        (("--for", "latency"), "for: no metric latency; there are goodput"),
        (("--for", "goodput,goodput"), "for = goodput, goodput: each metric once"),
        (
            ("--metric", "goodput", "--metric", "drops", "--for", "drops"),
            "metric drops: neither more nor less of it is better",
        ),
        (("--seeds", "5..9"), "how many seeds depends on --half-width"),
        (("--seeds", "1..9", "--half-width", "0.1"), "at_least = 1: from 5 to seeds = 9; fewer have no interval"),
        (("--half-width", "2"), "half_width = 2: a share of the mean"),
    ],
)
def test_margins_and_widths_that_are_none(
    acklab_command: Acklab, two_hops: Path, arguments: tuple[str, ...], said: str
) -> None:
    result = acklab_command("compare", str(two_hops), "--case", "a", "--case", "b: flow.0.sender.window=4", *arguments)
    assert result.returncode == 2 and said in result.stderr and result.stdout == ""


def test_staying_with_the_first_case_is_an_answer() -> None:
    told = compare(comparison(cases=[case(text) for text in reversed(CASES)]))
    assert told.advice.startswith("Stay with fast: with slow, download is ")


def test_cases_as_they_are_written() -> None:
    assert case('a: link.0.queue={kind="red",min=3}; seed=2') == Case(
        "a", ('link.0.queue={kind="red",min=3}', "seed=2")
    )
    assert case('a: title="x; y"').sets == ('title="x; y"',)
    assert case("seed=3") == Case("seed=3", ("seed=3",))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"cases": [Case("a")]}, "at least two cases; there is 1"),
        ({"cases": [Case("a"), Case("a")]}, "two cases are called 'a'"),
        (
            {"cases": [Case("reno"), Case("sack")]},
            "cases 'reno' and 'sack' set nothing; give one of them keys: 'NAME: KEY=VALUE'",
        ),
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
        'scenario = "access.toml"\nseeds = 3\nspread_starts = "200ms"\nspread_delays = "1%"\nmetrics = ["goodput@up"]\nfor = ["goodput of up"]\n'
        '[[case]]\nname = "as it is"\n[[case]]\nname = "small"\nset = { "link.1.back.queue.packets" = 20 }\n'
        '[[situation]]\nname = "now"\n'
    )
    found = from_file(file)
    assert found["scenario"] == tmp_path / "access.toml" and found["seeds"] == 3
    assert found["spread_starts_s"] == pytest.approx(0.2)
    assert (found["spread_delays"], found["objective_names"]) == (0.01, ["goodput of up"])
    assert found["cases"] == [Case("as it is"), Case("small", ("link.1.back.queue.packets=20",))]
    file.write_text('seeds = { at_least = 4, at_most = 9, half_width = 0.1 }\nmargin = "5%"\n')
    assert from_file(file) == {"at_least": 4, "seeds": 9, "half_width": 0.1, "margin": 0.05}
    for wrong, said in (
        ("cases = 1", "no key cases; did you mean case"), ('seeds = "x"', "a whole number"), ("case = 3", "tables"),
        ("seeds = { half_width = '3' }", "'3' is no share"), ("seeds = { at_least = 4 }", "a whole number, at least 2, or {"),
        ("margin = 2", "`2` is no share"), ("for = 3", "for has to be a list of texts"),
    ):  # fmt: skip
        file.write_text(wrong)
        with pytest.raises(CompareError, match=said):
            from_file(file)


@pytest.mark.pictures
def test_the_command_writes_tables_a_chart_and_a_page(acklab_command: Acklab, tmp_path: Path) -> None:
    scenario, out = tmp_path / "access.toml", tmp_path / "out"
    scenario.write_text(ACCESS)
    cases = [argument for text in CASES for argument in ("--case", text)]
    measured = [argument for text in METRICS for argument in ("--metric", text)]
    result = acklab_command(
        "compare",
        str(scenario),
        *cases,
        *measured,
        "--seeds",
        "5",
        "--spread-starts",
        "500ms",
        "--out",
        str(out),
        "--json",
    )
    assert (result.returncode, result.stderr) == (0, "")
    printed = json.loads(result.stdout)
    assert printed == json.loads((out / "comparison.json").read_text())
    assert printed["advice"].startswith("Use fast")
    ranking = printed["situations"][0]["ranking"]
    assert [row["rank"] for row in ranking] == [1, 2]
    runs = pl.read_parquet(out / "runs.parquet")
    assert runs.columns == ["situation", "case", "seed", "metric", "unit", "value"] and len(runs) == 2 * 5 * 5
    shown = ranking[0]["metrics"]["download"]
    assert shown["mean"] == pytest.approx(sum(shown["values"]) / 5)
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
        return [
            "compare",
            str(tmp_path / "access.toml"),
            *cases,
            "--spread-starts",
            "500ms",
            "--out",
            str(tmp_path / out),
            *more,
        ]

    assert acklab_command(*command("whole", "--seeds", "100")).returncode == 0
    out = tmp_path / "stopped"
    for kind in (signal.SIGKILL, signal.SIGINT):
        process = subprocess.Popen(
            [COMMAND, *command("stopped", "--seeds", "100")], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL
        )
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


def test_the_page_of_several_trades_has_a_table_of_them_and_sets_up_each() -> None:
    from acklab.experiments.compare.headline import headline, trades

    values = {
        "download: goodput@d": {"fifo": around(20.0), "aqm": around(41.0), "fair": around(30.0), "worst": around(10.0)},
        "upload: goodput@u": {"fifo": around(4.43), "aqm": around(3.44), "fair": around(4.2), "worst": around(3.0)},
    }
    told = with_values(values, objective_names=["download", "upload"])
    assert headline(told)[0].startswith("2 trades, none without a loss: with "), headline(told)[0]
    heads, rows = trades(told)
    assert heads == ["case", "better", "perhaps better", "worse", "perhaps worse"] and [row[0] for row in rows] == [
        "fair",
        "aqm",
    ], "the least loss is first; worst gains nothing"
    assert (
        re.fullmatch(r"download \+105\S* % \(\S+ to \S+ %\)", rows[1][1])
        and rows[1][3].startswith("upload -22")
        and rows[1][2] == rows[1][4] == ""
    )
    one = with_values(
        {name: {case: run for case, run in cases.items() if case in ("fifo", "aqm")} for name, cases in values.items()},
        objective_names=["upload", "download"],
    )
    assert headline(one)[0] == "aqm is a trade: better by download, worse by upload"


def test_equivalent_cases_are_chosen_by_what_else_they_differ_in() -> None:
    values = {
        "goodput": {"second": around(35.0), "each": around(35.1), "tenth": around(34.9)},
        "ACK share: ack-share@up": {"second": around(13.0), "each": around(26.0), "tenth": around(2.7)},
    }
    told = with_values(values, margin=0.1)
    assert re.match(
        r"second, each and tenth are equivalent within 10 % by goodput; with tenth, ACK share is 2.70 % instead of 13 %, 7[89][\d.]* to 79[\d.]* % less \(6 seeds\)\.$",
        told.advice,
    ), told.advice
    assert Decision(told).subject == "tenth" and headline(told)[0].startswith(
        "second, each and tenth are equivalent"
    ), "not the best by a mean that decides nothing"


def test_a_trade_tells_every_gain_and_the_one_that_may_lose_least_is_first() -> None:
    values = {
        "upload: goodput@u": {"fifo": around(4.43), "filter": around(4.8), "aqm": around(3.6)},
        "download: goodput@d": {"fifo": around(30.0), "filter": around(20.0), "aqm": around(41.0)},
        "latency: completion": {"fifo": around(0.26), "filter": around(0.2601), "aqm": around(0.12)},
    }
    told = with_values(values, objective_names=["upload", "download", "latency"])
    assert Decision(told).trades == ["aqm", "filter"], "not by the first objective alone"
    said = r"aqm is a trade: latency is 0.120 s instead of 0.260 s, [^;]*; download is 41 Mb/s instead of 30 Mb/s, [^;]*; but upload is 3.60 Mb/s instead of 4.43 Mb/s, "
    assert re.match(said, told.advice), told.advice


def test_many_rows_that_are_the_same_are_one() -> None:
    given = {name: around(48.0) for name in ("fifo", "a", "b", "c")}
    told = with_values({"goodput": given | {"d": around(60.0)}})
    text = as_text(told)
    assert "\na, b and c: every value as with fifo, in every seed\n" in text and not re.search(
        r"^\d=? +a ", text, re.M
    ), text
    assert "what the cases change has no effect on these metrics here" in as_text(with_values({"goodput": given}))
    assert "every value" not in as_text(
        with_values({"goodput": {"fifo": around(48.0), "a": around(48.0), "d": around(60.0)}})
    ), "two rows stay"


def test_one_value_that_would_flatten_the_others_makes_its_panel_logarithmic() -> None:
    values = {
        "latency: completion": {"a": around(0.1), "b": around(0.12), "c": around(3.0)},
        "goodput": {"a": around(1.0), "b": around(2.0), "c": around(3.0)},
    }
    panels = chart(with_values(values)).panels
    assert [panel.log for panel in panels] == [True, False]
    lost = values | {"latency: completion": {"a": around(0.1), "b": [0.0] * 6, "c": around(3.0)}}
    assert not chart(with_values(lost)).panels[0].log, "0 has no place on it"
