"""The bottleneck's rate and throughput over time, of captures of simulations whose links are known."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import acklab

OTHERS = ', { between = ["S2", "G"], rate = "1Gbps", delay = "50us" }, { between = ["H", "R2"], rate = "1Gbps", delay = "50us" }'
SECOND = (
    ', { from = "S2", to = "R2", start = "1s", size = { segments = 9000 }, sender = { packet = 1460, window = 60 } }'
)


def analysed(folder: Path, end: str, sender: str = "", rate: str = "5Mbps", beside: bool = False) -> acklab.Analysis:
    """A transfer over one narrow link, perhaps beside another."""
    run = acklab.run(f"""
        stop = {{ when = "flows-complete", at_most = "60s" }}
        link = [
            {{ between = ["S", "G"], rate = "1Gbps", delay = "50us" }},
            {{ between = ["G", "H"], rate = "{rate}", delay = "20ms", queue = {{ kind = "drop-tail", packets = 200 }} }},
            {{ between = ["H", "R"], rate = "1Gbps", delay = "50us" }}{OTHERS if beside else ""}
        ]
        flow = [{{ from = "S", to = "R", size = {{ segments = 2000 }}, sender = {{ packet = 1460{sender} }},
                  receiver = {{ ack = {{ policy = "linux" }} }} }}{SECOND if beside else ""}]
        record = {{ packets = true }}
    """)
    link = {"sender": "S->G@S", "receiver": "H->R@R"}[end]
    return acklab.analyze(run.capture(link, path=folder / "bottleneck.pcap"), packets=False)


@pytest.mark.parametrize("end", ["sender", "receiver"])
@pytest.mark.parametrize("stack", ["rfc", "linux"])
def test_the_rate_of_the_narrow_link_is_found_at_both_ends(tmp_path: Path, end: str, stack: str) -> None:
    row = analysed(tmp_path, end, f', stack = "{stack}"').summary()["connections"][0]
    assert row["bottleneck_bps"] == pytest.approx(5e6, rel=0.002), row
    assert row["bottleneck_low_bps"] <= 5e6 * 1.002 and row["bottleneck_high_bps"] >= 5e6 * 0.998
    assert row["bottleneck_from"] == {"sender": "acks", "receiver": "data"}[end]


@pytest.mark.parametrize("end", ["sender", "receiver"])
@pytest.mark.parametrize(("sender", "beside"), [(", window = 20", False), (", window = 30", True), ("", True)])
def test_a_window_or_other_traffic_is_not_taken_for_a_link(tmp_path: Path, end: str, sender: str, beside: bool) -> None:
    row = analysed(tmp_path, end, sender, beside=beside).summary()["connections"][0]
    assert row["bottleneck_bps"] is None or row["bottleneck_bps"] == pytest.approx(5e6, rel=0.02), row


def test_throughput_over_time_adds_up(tmp_path: Path) -> None:
    found = analysed(tmp_path, "receiver")
    frame = pl.DataFrame(found.throughput)
    span = pl.col("end_s") - pl.col("start_s")
    sums = frame.select((pl.col("throughput_bps") * span).sum() / 8, (pl.col("goodput_bps") * span).sum() / 8).row(0)
    row = found.summary()["connections"][0]
    assert sums == pytest.approx((row["bytes"], row["acked_bytes"]))
    assert 64 < frame.height <= 128 and (frame["end_s"] - frame["start_s"]).round(6).n_unique() == 1
    assert frame["throughput_bps"].max() == pytest.approx(5e6 * 1460 / 1500, rel=0.05)
