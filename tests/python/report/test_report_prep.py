"""What each chart is given, pinned; and that the pins would notice a broken mapping."""

import polars as pl
import pytest
import snapshots
import synthetic

from acklab.plot import prep
from acklab.plot.runs import Run


@pytest.fixture(scope="module")
def run():
    """Small enough to read, with drops, holes repaired, a timeout, duplicates, SACK blocks and a lost ACK."""
    source = synthetic.run(segments=40, window=16, queue=3, every=2, lose_acks=[6], mechanism="delayed")
    return Run.of({**source, "flows": source["flows"].with_columns(window_segments=16)})


FRAMES = {
    "journeys": prep.journeys,
    "cwnd": prep.cwnd,
    "window_events": prep.window_events,
    "rtt": prep.rtt,
    "queue": lambda r: prep.queue(r, "G->R"),
    "drops": prep.drops,
    "progress": lambda r: prep.progress(r, "f"),
    "throughput": lambda r: prep.throughput(r, "f"),
    "timeline": lambda r: prep.timeline(r, "f"),
    **{
        f"sequence_{layer}": lambda r, layer=layer: prep.time_sequence(r, "f")[layer]
        for layer in ("segments", "acks", "sacks", "window", "drops")
    },
}


@pytest.mark.parametrize("name", FRAMES)
def test_pinned(name, run):
    snapshots.check(name, FRAMES[name](run))


@pytest.mark.parametrize(
    ("name", "breakage"),
    [
        ("rtt", {"rtt_s": pl.col("rtt_s") * 1e3}),  # milliseconds taken for seconds
        ("cwnd", {"cwnd_segments": pl.col("flight_segments")}),  # one line drawn for another
    ],
)
def test_a_broken_mapping_of_the_series_is_noticed(name, breakage, run, monkeypatch):
    monkeypatch.delenv("ACKLAB_UPDATE", raising=False)
    broken = Run.of({**run.__dict__, "series": run.series.with_columns(**breakage)})
    with pytest.raises(AssertionError, match=name):
        snapshots.check(name, FRAMES[name](broken))


@pytest.mark.parametrize(
    ("name", "breakage"),
    [
        ("sequence_segments", {"seq": pl.col("ack"), "ack": pl.col("seq")}),  # axes swapped
        ("timeline", {"time_s": pl.col("time_s") * 1e3}),
        ("progress", {"len": pl.col("size_bytes")}),  # bytes on the wire for payload
    ],
)
def test_a_broken_mapping_of_the_packets_is_noticed(name, breakage, run, monkeypatch):
    monkeypatch.delenv("ACKLAB_UPDATE", raising=False)
    broken = Run.of({**run.__dict__, "packets": run.packets.with_columns(**breakage)})
    with pytest.raises(AssertionError, match=name):
        snapshots.check(name, FRAMES[name](broken))


def test_units_by_hand(run):
    # The first segment waits for nothing: 0.8 ms and 2 ms on the first link, 16/3 ms and 48 ms on the second.
    first = prep.journeys(run).row(0, named=True)
    assert first["ended_s"] == pytest.approx(0.0028 + 0.016 / 3 + 0.048)
    # One ACK of 40 bytes comes back after the delayed-ACK timer.
    back = 40 * 8 / 1.5e6 + 0.048 + 40 * 8 / 10e6 + 0.002
    assert prep.rtt(run)["rtt_ms"][0] == pytest.approx(1e3 * (first["ended_s"] + 0.1 + back))
    # Everything arrived: 40 segments of 1000 bytes, and the bins hold exactly that.
    assert prep.progress(run, "f")["bytes"][-1] == 40_000
    bins = prep.throughput(run, "f")
    assert (bins["goodput_bps"] * (bins["end_s"] - bins["start_s"])).sum() == pytest.approx(8 * 40_000)


def test_axis_labels_name_the_columns_unit():
    assert prep.label("rtt") == "round-trip time (ms)"
    assert prep.label("cwnd") == "window (segments)"
    assert prep.label("throughput") == "goodput (b/s)"
    assert prep.label("time") == "time (s)"


def test_timeline_pieces_join_across_bands(run):
    pieces = prep.timeline(run, "f", bands=20)
    length = prep.band_length(0, run.end_s, 20)
    assert pieces["x0_s"].min() >= 0
    assert pieces["x1_s"].max() <= length * (1 + 1e-12)
    assert pieces["y0"].is_between(0, 1).all()
    assert pieces["y1"].is_between(0, 1).all()
    # Each packet ends once, and is there once in each band it crosses.
    ways = prep.journeys(run)
    assert pieces["ends"].sum() == ways["ended_s"].count()
    data = pieces.filter((pl.col("kind") == "data") & pl.col("ends") & (pl.col("fate") == "delivered"))
    assert (data["y1"] == 1).all()


def test_bytes_of_a_stream_cut_anew_count_once():
    # [0,100) lost, [100,200) arrives, then [0,60) and [40,100): in order all at once, at the end.
    rows = [(1.0, 0, 100, "drop"), (1.1, 100, 100, "deliver"), (2.0, 0, 60, "deliver"), (2.1, 40, 60, "deliver")]
    packets = []
    for time, seq, size, fate in rows:
        same = {
            "link": "S->R",
            "flow": "f",
            "kind": "data",
            "seq": seq,
            "len": size,
            "sack": "",
            "retransmit": time > 1.5,
        }
        packets += [dict(time_s=time - 0.5, event="enqueue", **same), dict(time_s=time, event=fate, **same)]
    run = Run.of({"flows": [{"name": "f", "from": "S", "to": "R", "unit_bytes": 1}], "packets": packets})
    assert prep.progress(run, "f").rows() == [(2.0, 60), (2.1, 200)]


def test_thinning_keeps_extremes_and_ends():
    frame = pl.DataFrame(
        {"time_s": [i / 1000 for i in range(100_000)], "v": [(i * 7919) % 1001 for i in range(100_000)]}
    )
    thin = prep.thin_steps(frame, "v", 500)
    assert thin.height <= 2000
    assert (thin["v"].min(), thin["v"].max()) == (0, 1000)
    assert thin.row(0) == frame.row(0)
    assert thin.row(-1) == frame.row(-1)
    assert thin.join(frame, on=["time_s", "v"]).height == thin.height
    assert prep.thin_steps(thin, "v", 500).equals(thin)


def test_a_threshold_that_was_never_set_is_not_drawn():
    series = {
        "time_s": [0.0, 1.0],
        "flow": ["f", "f"],
        "cwnd_segments": [1.0, 2.0],
        "ssthresh_segments": [float("inf"), 4.0],
    }
    run = Run.of({"flows": [{"name": "f", "from": "S", "to": "R"}], "series": series})
    assert prep.cwnd(run)["ssthresh_segments"].to_list() == [None, 4.0]
