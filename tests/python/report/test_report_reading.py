"""Long tables, read in pieces and thinned, show what they show in full."""

from __future__ import annotations

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from test_report_simulated import CASES, scenario

import acklab
from acklab.plot import prep, reading
from acklab.plot.runs import Run

MORE = {
    "duplicates and overtaking": scenario(
        slow={"stages": [{"kind": "duplicate", "rate": 0.05}, {"kind": "reorder", "rate": 0.05, "by": "20ms"}]}
    ),
    "ACKs filtered": scenario(
        slow={"back": {"rate": "50kbps", "queue": {"kind": "drop-tail", "packets": 9, "filter": {"kind": "cake"}}}}
    ),
}


@pytest.fixture(scope="module", params=[*CASES, *MORE])
def run(request):
    return acklab.run({**CASES, **MORE}[request.param])


def in_pieces(monkeypatch, run, cells, piece=700):
    monkeypatch.setattr(reading, "WHOLE", dict.fromkeys(reading.WHOLE, 0))
    monkeypatch.setattr(reading, "CELLS", dict.fromkeys(reading.CELLS, cells))
    monkeypatch.setattr(reading, "PIECE", piece)
    return Run.of(run)


def test_pieces_are_the_whole_if_nothing_is_thinned(monkeypatch, run):
    """No packet is lost or paired differently at the seams."""
    monkeypatch.setattr(reading, "extremes", lambda frame, groups, values: frame)
    whole, pieces = Run.of(run), in_pieces(monkeypatch, run, 60)
    assert set(pieces.thinned.rows) == {"series", "queue", "packets"}
    order = ["sent_s", "flow", "kind", "seq", "ack", "ended_s"]
    assert_frame_equal(prep.journeys(pieces).sort(order), prep.journeys(whole).sort(order))
    assert pieces.thinned.sent == prep.journeys(whole).height
    assert_frame_equal(prep.queue(pieces), prep.queue(whole))
    assert_frame_equal(prep.drops(pieces), prep.drops(whole))
    for flow in whole.flow_names:
        assert_frame_equal(prep.progress(pieces, flow), prep.progress(whole, flow))
        assert_frame_equal(prep.cwnd(pieces, flow), prep.cwnd(whole, flow))
        assert_frame_equal(prep.rtt(pieces, flow), prep.rtt(whole, flow))
        assert sorted(pieces.data_links(flow)) == sorted(whole.data_links(flow))
        assert prep.limits(pieces, flow) == prep.limits(whole, flow)


def test_coarse_cells_keep_what_is_seen(monkeypatch, run):
    whole, pieces = Run.of(run), in_pieces(monkeypatch, run, 60)
    kept, all_ = prep.journeys(pieces), prep.journeys(whole)
    assert kept.height < all_.height == pieces.thinned.sent
    of = ["flow", "kind", "retransmit", "fate"]
    extremes = [pl.col("seq").max().alias("high"), pl.col("ack").max(), pl.col("sent_s").min(), pl.col("ended_s").max()]
    ends = [frame.group_by(of).agg(extremes[:3]).sort(of) for frame in (kept, all_)]
    assert_frame_equal(*ends)
    assert prep.fullest(pieces) == prep.fullest(whole)
    for frame, column in ((prep.cwnd, "cwnd_segments"), (prep.rtt, "rtt_ms"), (prep.queue, "queue_packets")):
        for function in (pl.Expr.min, pl.Expr.max):
            few, many = (frame(one).select(function(pl.col(column))).item() for one in (pieces, whole))
            assert few == many
    for flow in whole.flow_names:
        assert prep.progress(pieces, flow)["bytes"].max() == prep.progress(whole, flow)["bytes"].max()
        found, told = prep.limits(pieces, flow), prep.limits(whole, flow)
        assert all(abs(found.seconds[cause] - told.seconds[cause]) < 0.1 * told.active_s for cause in prep.CAUSES)
    # Waits are those of the rows kept, though few rows tell who left.
    waits = prep.queue(pieces).join(prep.queue(whole), on=["time_s", "link"], suffix="_whole")
    assert_frame_equal(waits.select("wait_ms"), waits.select(wait_ms="wait_ms_whole"))
    assert waits.height and waits["wait_ms"].max() > 0
    # A loss's place in its queue's chart is exact.
    known = prep.drops(whole)
    assert prep.drops(pieces).join(known, on=known.columns, how="anti", nulls_equal=True).height == 0


def test_the_page_says_that_it_is_reduced(monkeypatch, run):
    run = in_pieces(monkeypatch, run, 60)
    points = prep.headline([run])["points"]
    assert sum(point["about"] == "thinned" for point in points) >= 1
