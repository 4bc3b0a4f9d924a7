"""Episodes of loss recovery, set beside the packets of runs with listed losses; and as a metric of comparisons."""

from __future__ import annotations

import math

import polars as pl
import pytest

import acklab
from acklab.study.metrics import metric

TEXT = """
record = {{ packets = true }}
[[link]]
between = ["S", "R"]
rate  = "8Mbps"
delay = "50ms"
loss  = {{ list = {losses} }}
[[flow]]
name = "f"
from = "S"
to   = "R"
size = {{ segments = 120 }}
sender = {{ recovery = "{recovery}", initial_window = 10 }}
receiver = {{ ack = {{ policy = "every" }} }}
"""
RECOVERIES = ("tahoe", "reno", "newreno", "sack", "rfc6675", "fack", "rack")


def episodes(run: acklab.Run) -> list[tuple[float, float]]:
    """Beginnings and ends, from the packets alone: from a retransmission to the ACK of all that had been sent by the last
    reduction. Without timeouts the first retransmission is that."""
    packets = pl.DataFrame(run.packets)
    sent = packets.filter((pl.col("link") == "S->R") & (pl.col("event") == "enqueue"))
    acks = packets.filter((pl.col("link") == "R->S") & (pl.col("event") == "deliver"))
    found: list[tuple[float, float]] = []
    for (began,) in sent.filter("retransmit").select("time_s").iter_rows():
        if not found or began > found[-1][1]:
            before = sent.filter((pl.col("time_s") <= began) & ~pl.col("retransmit"))
            most = before.select((pl.col("seq") + pl.col("len")).max()).item()
            ended = acks.filter((pl.col("ack") >= most) & (pl.col("time_s") > began))["time_s"].min()
            assert isinstance(ended, float)
            found.append((began, ended))
    return found


@pytest.mark.parametrize("recovery", RECOVERIES)
@pytest.mark.parametrize("losses", [[], [40], [30, 90]])
def test_listed_losses_are_episodes_of_these_lengths(recovery: str, losses: list[int]) -> None:
    run = acklab.run(TEXT.format(losses=losses, recovery=recovery))
    (flow,) = run.summary()["flows"]
    found = episodes(run)
    assert flow["timeouts"] == 0 and flow["recoveries"] == len(found) == len(losses)
    assert flow["repair_s"] == pytest.approx(sum(ended - began for began, ended in found), abs=1e-12)


def test_a_timeout_extends_an_episode() -> None:
    run = acklab.run(TEXT.format(losses=[40, 41], recovery="reno"))
    (flow,) = run.summary()["flows"]
    assert (flow["fast_retransmits"], flow["timeouts"], flow["recoveries"]) == (1, 1, 1)
    packets = pl.DataFrame(run.packets)
    sent = packets.filter((pl.col("link") == "S->R") & (pl.col("event") == "enqueue"))
    began, timeout = sent.filter("retransmit")["time_s"].sort()[:2]
    most = sent.filter(pl.col("time_s") < timeout).select((pl.col("seq") + pl.col("len")).max()).item()
    ended = packets.filter((pl.col("link") == "R->S") & (pl.col("event") == "deliver") & (pl.col("ack") >= most))[
        "time_s"
    ].min()
    assert timeout - began > 0.9 and flow["repair_s"] == pytest.approx(ended - began, abs=1e-12)


def test_an_episode_that_is_not_over_counts_up_to_the_end() -> None:
    text = "stop = { at = '0.45s' }\n" + TEXT.format(losses=[40], recovery="newreno")
    run = acklab.run(text)
    (flow,) = run.summary()["flows"]
    began = pl.DataFrame(run.packets).filter("retransmit")["time_s"].min()
    assert isinstance(began, float)
    assert flow["recoveries"] == 1 and flow["repair_s"] == pytest.approx(0.45 - began, abs=1e-12)


def test_the_time_to_repair_is_a_metric() -> None:
    summary = acklab.run(TEXT.format(losses=[30, 90], recovery="newreno")).summary()
    (flow,) = summary["flows"]
    assert metric("repair").read(summary) == flow["repair_s"] / 2 == metric("repair_s").read(summary) / 2 > 0
    assert metric("recoveries").read(summary) == 2
    assert [metric(name).label for name in ("repair", "repair_s", "recoveries")] == [
        "repair (s)",
        "repair_s (s)",
        "recoveries",
    ]
    without = acklab.run(TEXT.format(losses=[], recovery="newreno")).summary()
    assert math.isnan(metric("repair").read(without)) and metric("repair_s").read(without) == 0
