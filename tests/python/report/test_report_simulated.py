"""The charts of simulated runs agree with the simulator's own counts."""

import json
from pathlib import Path

import polars as pl
import pytest

from acklab import report
from acklab.plot import prep
from acklab.plot.runs import Run

try:
    import acklab._core as core
except ImportError:
    core = None

pytestmark = pytest.mark.skipif(core is None, reason="the extension module is not built")

ALL = {"series": True, "queue": True, "packets": True}


def scenario(**changes):
    sender = {"stack": "rfc", "recovery": "sack", "packet": 1460, "window": 60, **changes.pop("sender", {})}
    receiver = {"stack": "rfc", "ack": {"policy": "delayed", "timer": "100ms"}, **changes.pop("receiver", {})}
    flow = {"name": "f", "from": "S", "to": "R", "size": {"segments": 300}, "sender": sender, "receiver": receiver}
    slow = {"between": ["G", "R"], "rate": "1.5Mbps", "delay": "40ms", "queue": {"kind": "drop-tail", "packets": 9}}
    return {
        "record": ALL,
        "link": [{"between": ["S", "G"], "rate": "10Mbps", "delay": "2ms"}, {**slow, **changes.pop("slow", {})}],
        "flow": [{**flow, **changes}],
    }


ns2 = {"stack": "ns2-1998", "packet": 1000, "window": 40}
CASES = {
    "sack over a short queue": scenario(),
    "reno as in ns-2": scenario(sender={**ns2, "recovery": "reno"}, receiver={"stack": "ns2-1998"}),
    "tahoe, every segment acknowledged": scenario(
        sender={**ns2, "recovery": "tahoe"}, receiver={"stack": "ns2-1998", "ack": {"policy": "every"}}
    ),
    "losses both ways": scenario(slow={"loss": {"rate": 0.03}, "back": {"loss": {"rate": 0.1}}}),
    "a loss after the queue": scenario(slow={"loss": {"rate": 0.03, "where": "after-queue"}}),
    "many flows": scenario(count=6, stagger="100ms"),
    "again and again": scenario(repeat={"times": 3, "think": "300ms"}),
}


@pytest.fixture(scope="module", params=CASES)
def run(request):
    import acklab

    return Run.of(acklab.run(CASES[request.param]))


def test_every_packet_counted_is_followed(run):
    ways = prep.journeys(run)
    for row in run.flows.iter_rows(named=True):
        mine = ways.filter(pl.col("flow") == row["name"])
        data, acks = mine.filter(pl.col("kind") == "data"), mine.filter(pl.col("kind") == "ack")
        assert data.height == row["segments_sent"]
        assert data["retransmit"].sum() == row["retransmits"]
        assert acks.height == row["acks_sent"]
        assert (acks["fate"] == "delivered").sum() == row["acks_received"]
    fates = dict(ways["fate"].value_counts().iter_rows())
    assert fates.get("drop", 0) == run.links["drops"].sum()
    assert fates.get("lose", 0) == run.links["lost"].sum()


def test_no_packet_outruns_light_or_the_queue(run):
    ways = prep.journeys(run).filter(pl.col("fate") == "delivered")
    took = ways["ended_s"] - ways["sent_s"]
    assert took.min() > 0.042
    assert took.max() < 0.042 + 10 * 1500 * 8 / 1.5e6 + 0.1


def test_the_waits_drawn_are_those_counted(run):
    for row in run.links.iter_rows(named=True):
        changes = run.queue.filter(pl.col("link") == f"{row['from']}->{row['to']}").select("time_s", "queue_packets")
        if not changes.height:
            continue
        waited = prep.queue_waits(changes)
        length = pl.col("queue_packets").cast(pl.Int64)
        arrivals = waited.filter(length.diff().fill_null(length) > 0)
        assert arrivals["wait_ms"].null_count() == 0
        assert arrivals["wait_ms"].sum() / 1e3 == pytest.approx(row["sent_wait_s"] + row["removed_wait_s"])


def test_goodput_adds_up_to_the_bytes(run):
    for row in run.flows.iter_rows(named=True):
        done = prep.progress(run, row["name"])
        assert done["bytes"][-1] == row["bytes"]
        assert done["time_s"][-1] == pytest.approx(row["first_data_s"] + row["last_data_s"], abs=1e-9)


def test_the_ack_line_ends_at_the_last_unit(run):
    for row in run.flows.iter_rows(named=True):
        layers = prep.time_sequence(run, row["name"])
        assert layers["acks"]["ack"].max() >= layers["segments"]["end"].max()
        assert layers["acks"]["time_s"].max() >= row["finished_s"] - 1e-12


def test_timeouts_and_recoveries_are_marked(run):
    for row in run.flows.iter_rows(named=True):
        events = dict(prep.window_events(run, row["name"])["event"].value_counts().iter_rows())
        assert events.get("timeout", 0) == row["timeouts"]
        # A SYN's timeouts come before the time that is put down to causes.
        waited = prep.limits(run, row["name"]).seconds["timeout"]
        assert (waited > 0) == (row["timeouts"] > max(0, row["syns_sent"] - 1))


def test_the_page_is_written(run, tmp_path):
    assert Path(report.write(run, tmp_path, formats=["svg"])).exists()


def test_an_unlimited_first_threshold_does_not_flatten_the_window():
    """The `rfc` stack's ssthresh starts at the largest window a receiver can advertise."""
    import acklab
    from acklab.plot import charts

    sender = {"stack": "rfc", "recovery": "sack"}
    case = scenario()
    case["flow"][0]["sender"] = sender
    run = Run.of(acklab.run(case))
    frame = prep.cwnd(run)
    highest = frame.select(pl.max_horizontal(pl.col("cwnd_segments").max(), pl.col("flight_segments").max())).item()
    assert (frame["ssthresh_segments"].max() or 0) > 10 * highest
    assert prep.window_height([frame]) == highest
    spec = charts.cwnd(run).to_dict()["layer"][0]
    assert spec["encoding"]["y"]["scale"]["domain"] == [0, pytest.approx(1.05 * highest)]
    assert spec["mark"]["clip"] is True
    # A threshold that is near stays in the picture.
    near = prep.window_height([frame.with_columns(ssthresh_segments=pl.lit(2.0 * highest))])
    assert near == pytest.approx(2.0 * highest)


def test_paths_of_packets_on_the_way_are_cut_at_the_end() -> None:
    """They all bent to one point at the end of the run, half-way up."""
    run = Run.of(core.Simulation(json.dumps({**scenario(size="unlimited"), "stop": {"at": "2s"}})).run())
    pieces = prep.timeline(run, "f", bands=1)
    for kind, down in (("data", 1.0), ("ack", -1.0)):
        cut = pieces.filter((pl.col("kind") == kind) & (pl.col("fate") == "in flight"))
        assert cut.height >= 2 and (cut["x1_s"] == run.end_s).all()
        assert cut["y1"].n_unique() == cut["x0_s"].n_unique() >= 2
        short = cut.filter(pl.col("y1").is_between(0, 1, closed="none"))
        speed = (down * (short["y1"] - short["y0"]) / (short["x1_s"] - short["x0_s"])).to_list()
        assert min(speed) > 0 and max(speed) == pytest.approx(min(speed), rel=1e-6), (
            "each as fast as the last one that arrived"
        )
