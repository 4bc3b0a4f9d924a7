"""The main numbers of docs/howto/quic.md and cubic-acks.md, with fewer seeds."""

from __future__ import annotations

import sys
from pathlib import Path

import acklab

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "docs" / "img"))


def test_a_cubic_flow_with_fewer_acks_gets_less_unless_segments_are_counted() -> None:
    told = acklab.sweep(
        ROOT / "examples" / "cubic" / "ratio.toml",
        vary={"flow.rarely.receiver.ack.segments": [2, 40]},
        set={"topology.bottleneck.delay": "48ms"},
        names={"flow.rarely.receiver.ack.segments": "ratio"},
        seeds=2,
    )
    means = {(r["ratio"], r["credit"], r["metric"]): r["mean"] for r in told.summary.to_dicts()}
    rarely = {(ratio, credit): mean for (ratio, credit, metric), mean in means.items() if metric == "goodput of rarely"}
    assert rarely[40, "ack-counting"] < 15 < 30 < rarely[40, "linux"] and rarely[2, "ack-counting"] > 30
    assert rarely[40, "abc"] < 25
    assert means[2, "ubc", "goodput of rarely"] + means[2, "ubc", "goodput of often"] < 70, "timeouts cost both flows"


def test_an_ack_for_every_second_packet_overloads_the_slow_uplink() -> None:
    from quic import measured  # type: ignore[import-not-found]

    default, fifth = measured(["2, 25 ms (RFC 9000)", "5, 25 ms"])["1Mbps"]
    assert fifth[1] / default[1] > 1.05 and default[2] > 85 and 45 < fifth[2] < 60
    assert fifth[3] < 130 < 200 < default[3], "a loss is repaired in half the time"
