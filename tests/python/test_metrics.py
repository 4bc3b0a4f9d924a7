"""Metrics of comparisons and sweeps: what is added up, what is averaged, and what the reference says of it."""

from __future__ import annotations

import math
import re
from pathlib import Path

import polars as pl
import pytest

import acklab
from acklab.compare import CompareError, metric
from acklab.compare.aggregate import NAMES, aggregate
from acklab.compare.columns import FLOWS, LINKS
from acklab.compare.quantities import QUANTITIES
from acklab.sweep import SweepError
from acklab.sweep.metrics import schema
from front import TWO_HOPS, Acklab

REFERENCE = Path(__file__).parents[2] / "docs" / "reference" / "metrics.md"
BETTER = {1: "more", -1: "less", 0: "neither"}


@pytest.fixture(scope="module")
def summary() -> dict:
    """Three flows over two hops, one of which does not finish."""
    scenario = {
        "stop": {"at": "12s"},
        "link": [{"between": ["S", "G"], "rate": "10Mbps", "delay": "2ms"},
                 {"between": ["G", "R"], "rate": "1.5Mbps", "delay": "48ms", "queue": {"kind": "drop-tail", "packets": 8}}],
        "flow": [{"name": name, "from": "S", "to": "R", "size": {"segments": size}}
                 for name, size in (("a", 40), ("b", 80), ("c", 100_000))],
    }  # fmt: skip
    return acklab.run(scenario).summary()


def read(text: str, summary: dict) -> float:
    return metric(text).read(summary)


def test_counts_add_up(summary: dict) -> None:
    drops = {f"{row['from']}->{row['to']}": row["drops"] for row in summary["links"]}
    assert drops["G->R"] > 0 and read("drops", summary) == sum(drops.values()) and read("drops@G->R", summary) == drops["G->R"]
    assert read("acks_sent", summary) == sum(row["acks_sent"] for row in summary["flows"])
    assert read("mean(acks_sent)", summary) == pytest.approx(read("acks_sent", summary) / 3)


def test_sweep_adds_up_both_directions(tmp_path: Path) -> None:
    """It once averaged them: 3.5 drops where 7 were."""
    plan = {"scenario": TWO_HOPS, "vary": {"link.1.queue.packets": [8]}, "metrics": ["drops", "drops@G->R"]}
    every, one = acklab.sweep(plan).summary["mean"].to_list()
    assert every == one > 0


def test_what_does_not_add_up_needs_a_place_or_an_aggregate(summary: dict) -> None:
    for name in ("mean_queue_packets", "max_queue_packets", "rate_bps"):
        with pytest.raises(CompareError, match=re.escape(f"write {name}@FROM->TO, or max({name})")):
            metric(name)
        assert metric(f"{name}@G->R").read(summary) == next(
            row[name] for row in summary["links"] if (row["from"], row["to"]) == ("G", "R")
        )
    assert read("max(max_queue_packets)", summary) == max(row["max_queue_packets"] for row in summary["links"])


def test_fairness_is_jains_index(summary: dict) -> None:
    a, b = (row["goodput_bps"] for row in summary["flows"] if row["name"] in "ab")
    assert read("fairness@[ab]", summary) == pytest.approx((a + b) ** 2 / 2 / (a * a + b * b))
    assert 0.5 < read("fairness@[ab]", summary) < 1 and math.isnan(read("fairness@a", summary))


def test_unfinished_transfers_count_as_the_longest(summary: dict) -> None:
    times = sorted(row["completion_s"] for row in summary["flows"] if row["completed"])
    assert len(times) == 2
    assert math.isnan(read("completion", summary)) and math.isnan(read("p99(completion)", summary))
    assert (read("p30(completion)", summary), read("p50(completion)", summary)) == tuple(times)
    assert read("max(completion)@[ab]", summary) == times[1]


def test_names_of_both_a_quantity_and_a_column(summary: dict) -> None:
    resent, sent = (sum(row[key] for row in summary["flows"]) for key in ("retransmits", "segments_sent"))
    assert read("retransmits", summary) == pytest.approx(100 * resent / sent) and read("sum(retransmits)", summary) == resent
    share = read("max(utilisation)", summary)
    assert read("utilisation@G->R", summary) == pytest.approx(100 * share) and 0.5 < share <= 1
    bytes_ = next(row["bytes"] for row in summary["links"] if (row["from"], row["to"]) == ("G", "R"))
    assert read("bytes@G->R", summary) == bytes_ and read("bytes", summary) == sum(row["bytes"] for row in summary["flows"])


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("sum", [1.0, 2.0, 4.0], 7.0),
        ("mean", [1.0, 2.0, 6.0], 3.0),
        ("min", [3.0, 1.0, math.inf], 1.0),
        ("max", [3.0, 1.0, math.inf], math.nan),
        ("p50", [4.0, 1.0, 3.0, 2.0], 2.0),
        ("p99", list(map(float, range(1, 101))), 99.0),
        ("p99.9", list(map(float, range(1, 1001))), 999.0),
        ("p1", [5.0], 5.0),
        ("mean", [], math.nan),
        ("min", [1.0, math.nan], math.nan),
    ],
)
def test_aggregates(name: str, values: list[float], expected: float) -> None:
    assert aggregate(name, values) == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("median(completion)", "no aggregate `median`; there are sum, mean, min, max, pN"),
        ("p100(completion)", "no aggregate `p100`"),
        ("p0(completion)", "no aggregate `p0`"),
        ("p50(goodput)", "a run has one `goodput`; p50() takes a column, or completion, transfer-rate, rtt"),
        ("sum(name)", "no quantity `name`"),
        ("timeuots", "did you mean `timeouts`?"),
        ("drops@", "after @ comes a flow's name or a link"),
        ("utilisation", "`utilisation` is of a link direction; write utilisation@FROM->TO"),
    ],
)
def test_a_metric_that_is_none(text: str, said: str) -> None:
    with pytest.raises(CompareError, match=re.escape(said)):
        metric(text)
    with pytest.raises(SweepError, match=re.escape(said)):
        acklab.sweep(scenario=TWO_HOPS, vary={"flow.0.sender.window": [4]}, metrics=[text])


def test_a_column_that_ranks_nothing_is_refused(acklab_command: Acklab, two_hops: Path) -> None:
    cases = ("--case", "a", "--case", "b: flow.0.sender.window=4")
    result = acklab_command("compare", str(two_hops), *cases, "--metric", "cwnd_segments")
    assert result.returncode == 2 and "metric cwnd_segments: neither more nor less of it is better" in result.stderr
    assert acklab_command("compare", str(two_hops), *cases, "--metric", "timeouts", "--metric", "cwnd_segments").returncode == 0


def test_every_numeric_column_is_a_metric_and_the_reference_tells_its_aggregate() -> None:
    for table, columns in (("flows", FLOWS), ("links", LINKS)):
        kinds = schema(table).items()
        assert list(columns) == [name for name, kind in kinds if kind.is_numeric() or kind == pl.Boolean]
    rows = [row.strip("|").split(" | ") for row in REFERENCE.read_text(encoding="utf-8").split("\n") if row.startswith("| `")]
    told = [[cell.strip().strip("`") for cell in row] for row in rows]
    assert told == [
        *([q.name, q.unit, q.about, BETTER[q.better]] for q in QUANTITIES.values()),
        *([name, about] for name, about in NAMES.items()),
        *([name, one.aggregate, BETTER[one.better]] for columns in (FLOWS, LINKS) for name, one in columns.items()),
    ]
