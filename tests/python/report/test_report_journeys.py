"""Packets followed from edge to edge."""

import polars as pl
import pytest
import synthetic

from acklab.plot import prep
from acklab.plot.runs import Run

FLOWS = [{"name": "f", "from": "S", "to": "R"}]
LINKS = [
    {"from": "S", "to": "G", "delay_s": 0.01},
    {"from": "G", "to": "R", "delay_s": 0.03},
    {"from": "R", "to": "G", "delay_s": 0.03},
    {"from": "G", "to": "S", "delay_s": 0.01},
]


def journeys(events, links=LINKS):
    rows = [
        {"time_s": t, "link": link, "event": event, "flow": "f", "kind": kind, "seq": n if kind == "data" else 0,
             "len": 1 if kind == "data" else 0, "ack": 0 if kind == "data" else n, "sack": ""}
        for t, link, event, kind, n in events
    ]  # fmt: skip
    return prep.journeys(Run.of({"flows": FLOWS, "links": links, "packets": rows}))


def ends(frame):
    return frame.select("sent_s", "ended_s", "fate").rows()


def test_every_packet_of_a_run_has_one_end():
    source = synthetic.run(flows=3, queue=8, lose=[40], lose_acks=[10, 11, 50])
    run = Run.of(source)
    ways = prep.journeys(run)
    sent = run.flows["segments_sent"].sum() + run.flows["acks_sent"].sum()
    assert ways.height == sent
    fates = dict(ways["fate"].value_counts().iter_rows())
    assert fates["drop"] == run.links["drops"].sum()
    assert fates["lose"] == run.links["lost"].sum()
    came = ways.filter(pl.col("fate") == "delivered")
    # Propagation alone takes 50 ms; no packet is faster, none is two queues slower.
    took = came["ended_s"] - came["sent_s"]
    assert took.min() > 0.05
    assert took.max() < 0.05 + 0.1
    assert came.filter(pl.col("kind") == "ack").height == run.flows["acks_received"].sum()


def test_equal_acks_keep_their_order():
    hop = [(0.0, 5), (0.1, 5), (0.2, 5)]
    events = [(t, "R->S", "enqueue", "ack", n) for t, n in hop] + [(t + 1, "R->S", "deliver", "ack", n) for t, n in hop]
    assert ends(journeys(events)) == [(t, t + 1, "delivered") for t, _ in hop]


def test_the_lost_one_of_equal_acks_is_the_one_that_had_come_there():
    events = [
        (0.0, "R->G", "enqueue", "ack", 5),
        (0.1, "R->G", "enqueue", "ack", 5),
        (0.2, "R->G", "enqueue", "ack", 5),
        (1.0, "R->G", "deliver", "ack", 5),
        (1.0, "G->S", "enqueue", "ack", 5),
        (1.1, "R->G", "deliver", "ack", 5),
        (1.1, "G->S", "enqueue", "ack", 5),
        (1.1, "G->S", "drop", "ack", 5),
        (1.2, "R->G", "deliver", "ack", 5),
        (1.2, "G->S", "enqueue", "ack", 5),
        (2.0, "G->S", "deliver", "ack", 5),
        (2.2, "G->S", "deliver", "ack", 5),
    ]
    assert ends(journeys(events)) == [(0.0, 2.0, "delivered"), (0.1, 1.1, "drop"), (0.2, 2.2, "delivered")]


@pytest.mark.parametrize("offered", [True, False], ids=["offered and dropped", "dropped only"])
def test_a_packet_its_first_queue_refuses_was_sent_all_the_same(offered):
    refused = [(0.0, "S->G", "enqueue", "data", 1)] * offered + [(0.0, "S->G", "drop", "data", 1)]
    assert ends(journeys(refused)) == [(0.0, 0.0, "drop")]


@pytest.mark.parametrize("offered", [True, False])
def test_two_equal_copies_of_which_the_first_queue_refuses_one(offered):
    events = [(0.0, "R->S", "enqueue", "ack", 1)]
    events += [(0.1, "R->S", "enqueue", "ack", 1)] * offered + [(0.1, "R->S", "drop", "ack", 1)]
    events += [(1.0, "R->S", "deliver", "ack", 1)]
    assert ends(journeys(events)) == [(0.0, 1.0, "delivered"), (0.1, 0.1, "drop")]


def test_what_is_on_its_way_at_the_end_is_in_flight():
    assert ends(journeys([(0.0, "S->G", "enqueue", "data", 1), (0.5, "S->G", "deliver", "data", 1)])) == [
        (0.0, None, "in flight")
    ]


def test_depth_is_the_delay_behind_it():
    events = [
        (0.0, "S->G", "enqueue", "data", 1),
        (0.1, "S->G", "deliver", "data", 1),
        (0.1, "G->R", "enqueue", "data", 1),
        (0.1, "G->R", "drop", "data", 1),
    ]
    assert journeys(events)["where"].to_list() == ["G->R"]
    assert journeys(events)["depth"].to_list() == pytest.approx([0.25])
    no_delays = [{**link, "delay_s": 0.0} for link in LINKS]
    assert journeys(events, no_delays)["depth"].to_list() == [0.5]


def test_sack_blocks_come_as_text_or_as_lists():
    def blocks(sack):
        same = {"link": "R->S", "flow": "f", "kind": "ack", "seq": 0, "len": 0, "ack": 3}
        packets = pl.DataFrame(
            [dict(time_s=t, event=e, sack=sack, **same) for t, e in ((0.0, "enqueue"), (1.0, "deliver"))]
        )
        run = Run.of({"flows": FLOWS, "packets": packets})
        return prep.time_sequence(run, "f")["sacks"].select("start", "end", "block").rows()

    expected = [(7, 9, 0), (4, 5, 1)]
    assert blocks("7-9,4-5") == expected
    assert blocks([[7, 9], [4, 5]]) == expected
    assert blocks([]) == blocks("") == []


def test_missing_columns_are_named():
    with pytest.raises(ValueError, match="packets table lacks seq"):
        Run.of({"flows": FLOWS, "packets": pl.DataFrame({"time_s": [0.0], "link": ["a"], "event": ["drop"], "flow": ["f"], "kind": ["data"], "len": [1]})})  # fmt: skip
