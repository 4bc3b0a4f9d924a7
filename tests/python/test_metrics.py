"""Metrics of comparisons and sweeps: what is added up, what is averaged, and what the reference says of it."""

from __future__ import annotations

import math
import re
from pathlib import Path

import polars as pl
import pytest

import acklab
from acklab.results.columns import FLOWS, LINKS, MORE, NEITHER, WORDS
from acklab.study.grammar import StudyError
from acklab.study.metrics import AGGREGATES, QUANTITIES, aggregate, metric, schema
from front import TWO_HOPS, Acklab


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
    assert (
        drops["G->R"] > 0
        and read("drops", summary) == sum(drops.values())
        and read("drops@G->R", summary) == drops["G->R"]
    )
    assert read("acks_sent", summary) == sum(row["acks_sent"] for row in summary["flows"])
    assert read("mean(acks_sent)", summary) == pytest.approx(read("acks_sent", summary) / 3)


def test_sweep_adds_up_both_directions(tmp_path: Path) -> None:
    """It once averaged them: 3.5 drops where 7 were."""
    plan = {"scenario": TWO_HOPS, "vary": {"link.1.queue.packets": [8]}, "metrics": ["drops", "drops@G->R"]}
    every, one = acklab.sweep(plan).summary["mean"].to_list()
    assert every == one > 0


def test_what_does_not_add_up_needs_a_place_or_an_aggregate(summary: dict) -> None:
    for name in ("mean_queue_packets", "max_queue_packets", "rate_bps"):
        with pytest.raises(StudyError, match=re.escape(f"write {name}@FROM->TO, or max({name})")):
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


def test_seconds_are_told_in_milliseconds_where_the_name_asks(summary: dict) -> None:
    told = metric("wait (ms): max(completion)@[ab]")
    assert (told.name, told.label, told.quantity.unit) == ("wait", "wait (ms)", "ms")
    assert told.read(summary) == 1e3 * read("max(completion)@[ab]", summary)
    with pytest.raises(StudyError, match=r"`goodput` is not in seconds, so no \(ms\)"):
        metric("speed (ms): goodput")


def test_names_of_both_a_quantity_and_a_column(summary: dict) -> None:
    resent, sent = (sum(row[key] for row in summary["flows"]) for key in ("retransmits", "segments_sent"))
    assert (
        read("retransmits", summary) == pytest.approx(100 * resent / sent)
        and read("sum(retransmits)", summary) == resent
    )
    share = read("max(utilisation)", summary)
    assert read("utilisation@G->R", summary) == pytest.approx(100 * share) and 0.5 < share <= 1
    bytes_ = next(row["bytes"] for row in summary["links"] if (row["from"], row["to"]) == ("G", "R"))
    assert read("bytes@G->R", summary) == bytes_ and read("bytes", summary) == sum(
        row["bytes"] for row in summary["flows"]
    )


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
    with pytest.raises(StudyError, match=re.escape(said)):
        metric(text)
    with pytest.raises(StudyError, match=re.escape(said)):
        acklab.sweep(scenario=TWO_HOPS, vary={"flow.0.sender.window": [4]}, metrics=[text])


def test_a_column_that_ranks_nothing_is_refused(acklab_command: Acklab, two_hops: Path) -> None:
    cases = ("--case", "a", "--case", "b: flow.0.sender.window=4")
    result = acklab_command("compare", str(two_hops), *cases, "--metric", "cwnd_segments")
    assert result.returncode == 2 and "metric cwnd_segments: neither more nor less of it is better" in result.stderr
    assert (
        acklab_command("compare", str(two_hops), *cases, "--metric", "timeouts", "--metric", "cwnd_segments").returncode
        == 0
    )


def test_every_number_of_a_summary_is_a_metric() -> None:
    for table, columns in (("flows", FLOWS), ("links", LINKS)):
        kinds = schema(table).items()
        assert list(columns) == [name for name, kind in kinds if kind.is_numeric() or kind == pl.Boolean]
        for column in columns.values():
            assert column.aggregate in AGGREGATES and column.better in WORDS
            assert column.about.endswith(".") and column.why and not column.why.endswith(".")


def test_what_has_a_direction() -> None:
    """A count that grows with what is carried has none; a column of both tables may have one of the flows alone."""
    directions = {name: it.better for name, it in QUANTITIES.items()}
    assert {name for name, better in directions.items() if better == NEITHER} == {"utilisation", "ack-share"}
    assert {name for name, better in directions.items() if better == MORE} == {"goodput", "transfer-rate", "fairness"}
    for name in ("utilisation@S->G", "max(utilisation)", "ack-share@S->G", "sum(retransmits)", "acks_sent", "drops"):
        assert not metric(name).ranks
    assert (FLOWS["bytes"].better, LINKS["bytes"].better) == (MORE, NEITHER), "delivered, and load"
    assert (FLOWS["min_rtt_s"].aggregate, LINKS["max_queue_packets"].aggregate) == ("min", "max")
    assert (FLOWS["retransmits"].aggregate, FLOWS["repair_s"].aggregate) == ("sum", "mean")


def test_units_follow_from_names() -> None:
    units = {name: it.unit for name, it in (FLOWS | LINKS).items()}
    ends = {
        "goodput_bps": "b/s",
        "repair_s": "s",
        "bytes": "bytes",
        "ack_bytes": "bytes",
        "max_queue_packets": "packets",
    }
    assert {**units, **ends} == units and units["timeouts"] == units["utilisation"] == units["segments_sent"] == ""


# ---- queue-delay: the wait of what is transmitted ----------------------------------------------------------------------
def waits(run: acklab.Run, link: str) -> tuple[float, float]:
    """Mean wait in ms of the packets that the ``packets`` table says were transmitted, and the summed wait in s of those dropped."""
    came: dict[tuple, list[float]] = {}
    sent, dropped = [], 0.0
    for row in run.packets.to_polars().filter(pl.col("link").cast(pl.String) == link).iter_rows(named=True):
        packet = (row["flow"], row["seq"], row["ack"], row["ts_val"])
        if row["event"] == "enqueue":
            came.setdefault(packet, []).append(row["time_s"])
        elif row["event"] == "dequeue":
            sent.append(row["time_s"] - came[packet].pop(0))
        elif row["event"] in ("drop", "filter"):
            dropped += row["time_s"] - came[packet].pop(0)
    return 1e3 * sum(sent) / len(sent), dropped


QUEUES = {
    "drop-tail": {"kind": "drop-tail", "packets": 60},
    "drop-head": {"kind": "drop-tail", "packets": 60, "drop": "longest-front", "scheduler": "round-robin"},
    "red": {"kind": "red"},
    "docsis-pie": {"kind": "docsis-pie", "buffer": "150kB"},
    **{
        kind: {"kind": kind}
        for kind in ("codel", "fq-codel", "cobalt", "fq-cobalt", "cake", "dual-pi2", "pie", "fq-pie")
    },
}
SERVERS = {
    "constant": "10Mbps",
    "token bucket": {"kind": "token-bucket", "mean": "10Mbps", "burst": "20kB", "peak": "40Mbps"},
    "grants": {"kind": "docsis", "rate": "10Mbps", "map_interval": "2ms", "map_advance": "4ms"},
}


def one_link(queue: object, rate: object = "10Mbps", **more: object) -> dict:
    link = {"between": ["S", "R"], "rate": rate, "delay": "10ms", "queue": queue, "back": {"rate": "10Mbps"}}
    flow = {"from": "S", "to": "R", "count": 12, "stagger": "20ms", "sender": {"stack": "linux"}}
    return {"stop": {"at": "4s"}, "link": [link], "flow": [flow], **more}


@pytest.mark.parametrize("server", SERVERS)
@pytest.mark.parametrize("queue", QUEUES)
def test_queue_delay_is_the_wait_of_what_was_transmitted(queue: str, server: str) -> None:
    """What was dropped after a wait once counted as if transmitted packets had waited for it, by a factor up to 1.8."""
    scenario = one_link(QUEUES[queue], SERVERS[server])
    run = acklab.run({**scenario, "record": {"packets": True}})
    summary = run.summary()
    sent, dropped = waits(run, "S->R")
    link = summary["links"][0]
    assert link["drops"] > 10 and sent > 0
    assert read("queue-delay@S->R", summary) == pytest.approx(sent, rel=1e-9)
    assert link["removed_wait_s"] == pytest.approx(dropped, rel=1e-9, abs=1e-9)
    assert (dropped > 0) == (queue in ("drop-head", "codel", "fq-codel", "cobalt", "fq-cobalt", "cake", "dual-pi2"))
    assert acklab.run(scenario).summary() == summary, "booked ahead or event by event: the same bytes"


def test_waits_are_those_of_the_queue_rows_on_a_wlan() -> None:
    """Two directions leave one station; its queue's integral is the wait of both."""
    scenario = {
        "stop": {"when": "flows-complete"},
        "wlan": [
            {
                "ap": "AP",
                "stations": ["B", "C"],
                "mac": {"phy": "802.11n"},
                "queue": {"kind": "drop-tail", "packets": 40},
            }
        ],
        "flow": [{"from": "AP", "to": to, "size": {"segments": 400}} for to in ("B", "C")],
    }
    summary = acklab.run(scenario).summary()
    down = [link for link in summary["links"] if link["from"] == "AP" and link["packets"]]
    area = down[0]["mean_queue_packets"] * summary["end_s"]
    assert len(down) == 2 and area > 0 and sum(link["drops"] for link in down) > 0
    assert sum(link["sent_wait_s"] + link["removed_wait_s"] for link in down) == pytest.approx(area, rel=1e-3)
    both = sum(link["sent_wait_s"] for link in down) / sum(link["packets"] for link in down)
    assert read("queue-delay@AP->*", summary) == pytest.approx(1e3 * both)


# ---- ack-share: of the time of any server ------------------------------------------------------------------------------


def test_ack_overhead_is_relative_to_the_data(summary: dict) -> None:
    there, back = (
        next(row for row in summary["links"] if (row["from"], row["to"]) == ends) for ends in (("G", "R"), ("R", "G"))
    )
    assert read("ack-overhead@R->G", summary) == pytest.approx(
        100 * back["ack_bytes"] / (there["bytes"] - there["ack_bytes"])
    )
    assert 1 < read("ack-overhead@R->G", summary) < 4, "40 bytes for one or two segments of 1,500"


def test_twice_the_download_is_no_cost_of_acks() -> None:
    """The share of the return path doubles with what it serves; the overhead does not."""
    found = []
    for rate in ("5Mbps", "10Mbps"):
        scenario = one_link({"kind": "drop-tail", "packets": 1000}, rate)
        scenario["flow"] = [{"from": "S", "to": "R", "sender": {"stack": "linux", "window": "200kB"}}]
        found.append(acklab.run(scenario).summary())
    shares, overheads = ([read(f"{name}@R->S", one) for one in found] for name in ("ack-share", "ack-overhead"))
    assert shares[1] / shares[0] == pytest.approx(2, rel=0.1) and overheads[1] / overheads[0] == pytest.approx(
        1, rel=0.05
    )
