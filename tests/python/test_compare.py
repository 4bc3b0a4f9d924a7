"""`acklab compare`: alternatives for any key, ranked, with intervals and a sentence to act on."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path

import polars as pl
import pytest

from acklab.study.compare import Compared, Comparison, compare, from_file
from acklab.study.compare_page import chart, facts, plain, report
from acklab.study.grammar import StudyError
from acklab.study.intervals import Sample
from acklab.study.metrics import metric
from acklab.study.reading import Case, case
from acklab.study.seeds import Seeds
from acklab.study.statistics import Rules, difference, rank
from front import Acklab

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
    assert comparison(cases=each, sets=["link.1.queue.packets=400", "link.1.delay=9ms"]).without_effect() == {
        "link.1.queue.packets=400": ["a", "b"]
    }


def test_the_better_case_is_first_and_told_apart(told) -> None:  # noqa: ANN001
    alone, with_upload = told.rankings
    assert (alone.situation, with_upload.situation) == ("alone", "with an upload")
    assert [row.case for row in with_upload.rows] == ["fast", "slow"]
    best, worst = with_upload.rows
    assert (best.verdict, worst.verdict) == ("first", "worse")
    assert worst.beside is not None and worst.beside.interval is not None and worst.beside.interval.high < 1
    assert best.samples["wait"].value < worst.samples["wait"].value
    assert alone.row("slow").samples["upload"] is None, "an upload that never starts has no goodput"


def test_cases_are_paired_by_seed(told) -> None:  # noqa: ANN001
    values = told.values
    assert len(values) == 2 * 2 * 6
    again = compare(comparison(situations=[case("alone: flow.up.start=1000s"), case("with an upload")]), threads=1)
    assert str(again.values) == str(values), "the same on any number of threads"


def test_ack_share_counts_the_acks_that_cross_the_link() -> None:
    metrics = [metric(text.replace("overhead", "share")) for text in METRICS]
    one = compare(comparison(situations=[case("alone: flow.up.start=1000s")], spread_starts_s=0.0, metrics=metrics))
    shares = one.rankings[0].row("slow").samples["ACKs"].values
    assert not one.random and all(0 < share <= 100 for share in shares)


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


def test_more_seeds_until_the_differences_are_narrow() -> None:
    told = lossy("reno", SACK, seeds={"at_least": 5, "at_most": 400, "half_width": 0.05})
    row = told.rankings[0].rows[1]
    assert 5 < told.seeds < 400 and row.beside.interval.half_width <= 0.05
    assert row.beside.interval.level == pytest.approx(0.975), "the interval that decides has been looked at"
    assert len(told.values) == 2 * told.seeds


def test_seeds_are_added_until_the_verdict_is_decided() -> None:
    told = lossy("reno", SACK, seeds={"at_least": 5, "at_most": 640, "decide": True})
    assert told.seeds in (10, 20, 40, 80, 160, 320, 640) and told.findings[0].verdict != "undecided"
    assert lossy("reno", SACK, seeds=told.seeds // 2).rankings[0].rules.level < told.rankings[0].rules.level


def test_an_adaptive_comparison_keeps_its_runs(tmp_path: Path, acklab_command: Acklab) -> None:
    (tmp_path / "lossy.toml").write_text(LOSSY)
    command = ["compare", str(tmp_path / "lossy.toml"), "--case", "reno", "--case", SACK, "--metric", "completion",
               "--seeds", "5..60", "--half-width", "0.05", "--json"]  # fmt: skip
    kept, plain = acklab_command(*command, "--out", str(tmp_path / "out")), acklab_command(*command)
    assert kept.returncode == 0 and kept.stdout == plain.stdout
    assert json.loads(plain.stdout)["seeds"] > 5
    again = from_file(tmp_path / "out" / "cases.toml")
    assert again["seeds"] == Seeds(5, 60, 0.05)


def test_the_family_is_all_pairs_in_all_situations() -> None:
    told = lossy("reno", SACK, "every: flow.0.receiver.ack.policy=every", metrics=("completion", "timeouts", "acks_sent"),
                 situations=[case("near"), case("far: link.0.delay=100ms")], seeds=5)  # fmt: skip
    ranking = told.rankings[0]
    assert (ranking.rules.family, ranking.further.family) == (6, 12)
    assert ranking.rows[1].beside.interval.level == pytest.approx(1 - 0.05 / 6)


# ---- findings ------------------------------------------------------------------------------------------------------


def around(mean: float, spread: float = 0.01) -> list[float]:
    """Six values of that mean; those of two means vary independently."""
    draw = random.Random(str(mean))
    steps = [draw.gauss(0, spread) for _ in range(6)]
    return [mean * (1 + step - sum(steps) / 6) for step in steps]


def test_a_case_says_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text(
        '[[case]]\nname = "a"\nabout = "as it is"\n[[case]]\nname = "b"\nset = { "link.0.delay" = "9ms" }\n',
        encoding="utf-8",
    )
    found = from_file(tmp_path / "c.toml")["cases"]
    assert [one.about for one in found] == ["as it is", ""]
    assert "\na     as it is" in compare(comparison(cases=found, seeds=2)).text


def with_values(values: dict[str, dict[str, list[float]]], **more: object) -> Compared:
    """A comparison of one situation whose runs are given, by metric and case; a case without runs has no value."""
    metrics = [metric(text) for text in values]
    names = list(next(iter(values.values())))
    given = Comparison(ACCESS, "given", [Case(name) for name in names], metrics=metrics, seeds=6, **more)  # type: ignore[arg-type]
    samples = {
        one.name: {name: Sample.of(run) if run else None for name, run in values[text].items()}
        for text, one in zip(values, metrics, strict=True)
    }
    runs = {
        ("", name, seed): [(values[text][name] or [math.nan] * 6)[seed - 1] for text in values]
        for name in names
        for seed in range(1, 7)
    }
    rankings = [rank("", metrics, samples, objectives=given.objectives, margin=given.margin)]
    return Compared(given, "given", rankings, runs, 6)


def verdicts(told: Compared) -> dict[tuple[str, str], str]:
    return {(row.case, row.metric): row.verdict for row in told.findings}


def test_each_verdict_is_what_the_seeds_decide() -> None:
    noisy = around(20.0, 0.3)
    values = {
        "download: goodput@d": {"base": around(20.0), "more": around(41.0), "near": around(20.1), "noisy": noisy, "none": []},
        "wait: completion": {"base": around(1.0), "more": around(0.5), "near": around(2.0), "noisy": around(1.0), "none": []},
        "busy: utilisation@R->S": {"base": around(27.0), "more": around(11.0), "near": around(27.0), "noisy": around(27.0), "none": []},
    }  # fmt: skip
    told = with_values(values, margin=0.05)
    assert verdicts(told) == {
        ("more", "download"): "better", ("more", "wait"): "better", ("more", "busy"): "differs",
        ("near", "download"): "equivalent", ("near", "wait"): "worse", ("near", "busy"): "equivalent",
        ("noisy", "download"): "undecided", ("noisy", "wait"): "equivalent", ("noisy", "busy"): "equivalent",
        ("none", "download"): "no-value", ("none", "wait"): "no-value", ("none", "busy"): "no-value",
    }  # fmt: skip
    assert told.lossless == ["more"], "neither a loss, nor an undecided metric, nor a missing value"
    row = next(row for row in told.findings if (row.case, row.metric) == ("more", "download"))
    assert row.change == pytest.approx(41 / 20 - 1, rel=1e-3) and row.low < row.change < row.high
    assert (row.finished, row.base_finished, row.runs) == (6, 6, 6)
    missing = next(row for row in told.findings if row.case == "none")
    assert (missing.finished, missing.loses, missing.value) == (0, True, None)
    text = told.text
    assert "0 of 6 finished" in text and "nan" not in text


def test_the_order_of_objectives_changes_no_verdict() -> None:
    values = {
        "upload: goodput@u": {"fifo": around(12.1), "filter": around(14.4), "aqm": around(12.2)},
        "latency: completion": {"fifo": around(0.261), "filter": around(0.261), "aqm": around(0.096)},
    }
    one, other = (
        with_values(values, objective_names=names) for names in (["upload", "latency"], ["latency", "upload"])
    )
    assert verdicts(one) == verdicts(other)
    named = {f.values["metric"]: f.values["case"] for f in facts(one, one.findings) if f.kind == "best"}
    assert named == {"upload": "filter", "latency": "aqm"}, "the best of each metric, whatever was named first"
    assert named == {f.values["metric"]: f.values["case"] for f in facts(other, other.findings) if f.kind == "best"}


def test_what_no_run_finished_is_worse_than_any_value() -> None:
    told = with_values({"wait: completion": {"stalls": [], "bbr": around(3.17)}})
    (row,) = told.findings
    assert (row.verdict, row.finished, row.base_finished, row.loses) == ("no-value", 6, 0, False)
    (row,) = with_values({"wait: completion": {"bbr": around(3.17), "stalls": []}}).findings
    assert row.loses


def test_deterministic_runs_and_few_seeds_have_no_verdict() -> None:
    plain_ = compare(comparison(spread_starts_s=0.0))
    assert not plain_.random and {row.verdict for row in plain_.findings} == {"one-run"}
    assert [fact.kind for fact in facts(plain_, plain_.findings)] == ["study", "one-run"] and "±" not in plain_.text
    few = compare(comparison(seeds=4))
    assert {row.verdict for row in few.findings} == {"too-few-seeds"} and "±" not in few.text
    assert all(row["metrics"]["download"]["low"] is None for row in plain(few)["situations"][0]["ranking"])


def test_the_bold_mean_is_the_best_of_its_column() -> None:
    values = {"goodput": {"a": around(1.0), "b": around(3.0), "c": around(2.0)}}
    (table, *_) = report(with_values(values)).tables
    bold = [row[0] for row in table.rows for cell in row if getattr(cell, "mark", "").endswith("best")]
    assert bold == ["b"]


def test_what_cannot_be_set_is_marked(tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text(
        '[[case]]\nname = "a"\n[[case]]\nname = "b"\nsettable = false\nset = { "link.0.delay" = "9ms" }\n'
    )
    told = compare(comparison(cases=from_file(tmp_path / "c.toml")["cases"], seeds=2))
    (table, *_) = report(told).tables
    assert table.heads[1] == "settable" and [row[1] for row in table.rows] == ["yes", "no"]
    (tmp_path / "c.toml").write_text('[[case]]\nname = "a"\nsettable = "no"\n')
    with pytest.raises(StudyError, match='settable = "no": true or false'):
        from_file(tmp_path / "c.toml")


def test_the_page_is_the_tables(told) -> None:  # noqa: ANN001
    page = report(told, "<svg></svg>").page().replace("\u00a0", " ").replace("\u2212", "-")
    for table in report(told).tables:
        for row in table.rows:
            assert all(f">{getattr(cell, 'text', cell)}<" in page for cell in row[:1])
    assert "<svg" in page and "With an upload" in page.replace("with an upload", "With an upload")


def test_equivalence_needs_a_margin() -> None:
    told = lossy("reno", SACK, seeds=100, margin=0.2)
    assert told.rankings[0].rows[1].verdict == "equivalent"
    found = told.rankings[0].rows[1].beside
    assert found.interval.level == pytest.approx(0.9) and 1 / 1.2 < found.interval.low < found.interval.high < 1.2, (
        "the interval that decides is the one shown"
    )
    assert lossy("reno", SACK, seeds=100, margin=0.0).rankings[0].rows[1].verdict != "equivalent"


def test_a_case_that_changes_nothing_is_equivalent() -> None:
    told = lossy("a", "b: flow.0.start=0s", seeds=5)
    assert told.rankings[0].rows[1].verdict == "same" and {row.verdict for row in told.findings} == {"equivalent"}


def test_what_was_set_stands_beside_a_title_that_may_state_another_value() -> None:
    def titled(*sets: str) -> str:
        return compare(comparison(seeds=2, sets=sets)).title

    assert titled() == "access link"
    assert titled("title=short", "link.0.delay=5ms") == "short"


def test_links_of_other_lengths_make_a_deterministic_scenario_vary() -> None:
    told = compare(comparison(spread_starts_s=0.0, spread_delays=0.01, seeds=5))
    assert told.random and told.lossless == ["fast"]
    line = json.loads(comparison(spread_delays=0.01).seeded(next(iter(comparison().trees().values())), 3))
    lengths = [float(way["delay"].removesuffix("s")) / 0.005 for link in line["link"] for way in (link, link["back"])]
    assert lengths[0] == lengths[1] != lengths[2] == lengths[3] and all(1 < length < 1.01 for length in lengths)


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
        (
            ("--seeds", "1..9", "--half-width", "0.1"),
            "seeds.at_least = 1: a whole number from 5 to 1,000,000; fewer seeds have no interval",
        ),
        (("--half-width", "2"), "seeds.half_width = 2.0: a share of the mean"),
        (("--half-width", "0.1", "--decide"), "--decide and --half-width are two rules; give one"),
    ],
)
def test_margins_and_widths_that_are_none(
    acklab_command: Acklab, two_hops: Path, arguments: tuple[str, ...], said: str
) -> None:
    result = acklab_command("compare", str(two_hops), "--case", "a", "--case", "b: flow.0.sender.window=4", *arguments)
    assert result.returncode == 2 and said in result.stderr and result.stdout == ""


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
    with pytest.raises(StudyError) as raised:
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
    with pytest.raises(StudyError, match=said):
        case(text)


@pytest.mark.parametrize("text", ["speed", "goodput@", "queue-delay"])
def test_a_metric_that_is_none(text: str) -> None:
    with pytest.raises(StudyError):
        metric(text)


def test_a_comparison_file(tmp_path: Path) -> None:
    file = tmp_path / "buffers.toml"
    file.write_text(
        'scenario = "access.toml"\nseeds = 3\nspread_starts = "200ms"\nspread_delays = "1%"\nmetrics = ["goodput@up"]\nfor = ["goodput of up"]\n'
        '[[case]]\nname = "as it is"\n[[case]]\nname = "small"\nset = { "link.1.back.queue.packets" = 20 }\n'
        '[[situation]]\nname = "now"\n'
    )
    found = from_file(file)
    assert found["scenario"] == tmp_path / "access.toml" and found["seeds"] == Seeds(3, 3)
    assert found["spread_starts_s"] == pytest.approx(0.2)
    assert (found["spread_delays"], found["objective_names"]) == (0.01, ["goodput of up"])
    assert found["cases"] == [Case("as it is"), Case("small", ("link.1.back.queue.packets=20",))]
    file.write_text('seeds = { at_least = 6, at_most = 9, half_width = 0.1 }\nmargin = "5%"\n')
    assert from_file(file) == {"seeds": Seeds(6, 9, 0.1), "margin": 0.05}
    for wrong, said in (
        ("cases = 1", "no key cases; did you mean case"), ('seeds = "x"', "a whole number"), ("case = 3", "tables"),
        ("seeds = { half_width = '3' }", 'seeds.half_width = "3": a share'), ("seeds = { at_least = 6 }", "half_width = null: a share"), ("seeds = { decide = false }", "seeds.decide = false: true, or leave it out"),
        ("margin = 2", "margin = 2: a share from 0 to less than 1"), ("for = 3", "for = 3: has to be a list of texts"),
    ):  # fmt: skip
        file.write_text(wrong)
        with pytest.raises(StudyError, match=said):
            from_file(file)


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
    assert [row["verdict"] for row in printed["findings"] if row["metric"] == "download"] == ["better"]
    ranking = printed["situations"][0]["ranking"]
    assert [row["rank"] for row in ranking] == [1, 2]
    runs = pl.read_parquet(out / "runs.parquet")
    assert runs.columns == ["situation", "case", "seed", "metric", "unit", "value"] and len(runs) == 2 * 5 * 5
    shown = ranking[0]["metrics"]["download"]
    assert shown["mean"] == pytest.approx(sum(shown["values"]) / 5)
    page = (out / "comparison.html").read_text()
    assert page.count('<figure class="plot"') == 1


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


def test_a_stored_comparison_answers_again(tmp_path: Path) -> None:
    """Another metric, base, situation or order of objectives is read from the runs that are there."""
    made: list[int] = []

    class Count:
        def __init__(self, total: int) -> None:
            pass

        def __call__(self, done: int) -> None:
            made.append(done)

        def close(self) -> None:
            pass

    situations = [case("near"), case("far: link.0.delay=40ms")]
    base = {"situations": situations, "metrics": [metric("goodput"), metric("rtt")], "seeds": 5, "sets": ["stop.at=2s"]}

    def answer(out: Path | None, **keys: object) -> Compared:
        return compare(comparison(**{**base, **keys}), out=out, meter=Count)

    where = tmp_path / "out"
    answer(where)
    stored = (where / "runs.jsonl.gz").read_bytes()
    assert sum(made) == 5 * len(CASES) * len(situations)
    for keys in (
        {"metrics": [metric("timeouts@down"), metric("rtt")]},
        {"cases": [case(text) for text in CASES[::-1]]},
        {"situations": situations[1:]},
        {"objective_names": ["rtt", "goodput"]},
    ):
        made.clear()
        again = answer(where, **keys)
        assert not made and (where / "runs.jsonl.gz").read_bytes() == stored, keys
        assert plain(again) == plain(answer(None, **keys)), keys
    made.clear()
    answer(where, seeds=6)
    assert sum(made) == len(CASES) * len(situations)


def test_one_value_that_would_flatten_the_others_makes_its_panel_logarithmic() -> None:
    values = {
        "latency: completion": {"a": around(0.1), "b": around(0.12), "c": around(3.0)},
        "goodput": {"a": around(1.0), "b": around(2.0), "c": around(3.0)},
    }
    panels = chart(with_values(values)).panels
    assert [panel.log for panel in panels] == [True, False]
    lost = values | {"latency: completion": {"a": around(0.1), "b": [0.0] * 6, "c": around(3.0)}}
    assert not chart(with_values(lost)).panels[0].log, "0 has no place on it"
