"""The headline and the tables: what the page says in words and numbers."""

import doctest
import re

import pytest
import synthetic

import acklab
from acklab.plot import palette, prep, words
from acklab.plot.prep import axes, throughput
from acklab.plot.prep import timeline as timeline_module  # the module, under the function's name elsewhere
from acklab.plot.runs import Run, read_runs


def headline(*runs):
    told = prep.headline(read_runs(list(runs)))
    text = " ".join([told["title"], *(p["text"] for p in told["points"])])
    return text.replace("\u00a0", " ")


def main(**scenario):
    run = Run.of(synthetic.run(**scenario))
    return prep.limits(run, "f")


def test_a_full_window():
    found = main(window=8)
    assert found.main == "window"
    assert found.window_segments == 8
    assert re.search(
        r"\d % of it 8 segments were in flight, its most, though cwnd allowed more", headline(synthetic.run(window=8))
    )
    assert "No packet was lost, and none was sent again." in headline(synthetic.run(window=8))


def test_a_busy_link():
    source = synthetic.run(segments=3000, window=40, queue=60)
    assert prep.limits(Run.of(source), "f").main == "link"
    assert re.search(r"; the link G→R was busy 9\d % of that time", headline(source))


def test_the_busiest_links_are_those_of_the_table():
    """The links' shares are of the run, whether ACKs or data keep them busy."""
    scenario = {
        "link": [{"between": ["server", "client"], "rate": "50Mbps", "delay": "25ms", "back": {"rate": "1Mbps"}}],
        "flow": [{"name": "f", "from": "server", "to": "client", "size": {"bytes": "300kB"}, "sender": {"stack": "quic"}, "receiver": {"ack": "quic"}}],
        "record": {"series": True, "packets": True}, "stop": {"at": "2s"},
    }  # fmt: skip
    run = acklab.run(scenario)
    there, back = run.links.to_polars()["utilisation"]
    assert 0.01 < there < back
    said = f"the busiest link on the way of the data, server→client, was busy {words.percent(there)} of the run, and on the way of the ACKs, client→server, {words.percent(back)}."
    assert said.replace("\xa0", " ") in headline(run).replace("\xa0", " ")


def test_opposite_directions_are_not_added_and_each_link_has_its_rate():
    ends = [("down", "S", "C"), ("up", "C", "S"), ("more", "C", "S")]
    flows = [{"name": name, "from": one, "to": other} for name, one, other in ends]
    link = {"between": ["S", "C"], "rate": "20Mbps", "delay": "10ms", "back": {"rate": "500kbps"}}
    run = acklab.run({"link": [link], "flow": flows, "record": {"series": True, "packets": True}, "stop": {"at": "2s"}})
    rates = dict(run.flows.to_polars().select("name", "goodput_bps").iter_rows())
    said = headline(run)
    both = words.amount(rates["up"] + rates["more"], "b/s")
    first = f"Flow down (S→C) carried {words.amount(rates['down'], 'b/s')} and up and more (C→S) together {both}; packets waited "
    assert said.startswith(first.replace("\xa0", " "))
    assert (
        f"up and more (C→S): {both} together, ".replace("\xa0", " ") in said
        and said.count("Jain's fairness index of these 2 flows, which send without limit, is ") == 1
    )
    assert (
        "S→C: delay 10 ms one way, 20 ms there and back; slowest link S→C with 20 Mb/s, on the way back C→S with 500 kb/s."
        in said
    )
    rows, columns = prep.link_table(read_runs([run]))["rows"], prep.link_table(read_runs([run]))["columns"]
    assert [row["rate_bps"] for row in rows] == [20, 0.5] and next(
        c["unit"] for c in columns if c["key"] == "rate_bps"
    ) == "Mb/s"
    waits = run.links.to_polars().select("sent_wait_s", "packets").rows()
    assert [row["wait_s"] for row in rows] == [pytest.approx(1e3 * waited / packets) for waited, packets in waits]


def test_slow_start():
    assert main(segments=30, queue=100).main == "slow start"


def test_a_wait_for_the_timer():
    # The only copy of the last segment is lost: nothing but the timer can tell.
    found = main(segments=12, queue=100, lose=[11])
    assert found.seconds["timeout"] == pytest.approx(0.6, abs=0.2)
    text = headline(synthetic.run(segments=12, queue=100, lose=[11]))
    assert "repairing the loss of 1 packet, most of it waiting for the timer" in text


def test_causes_add_up_to_the_flows_time():
    for scenario in ({}, {"window": 8}, {"lose": [30, 31, 60]}, {"every": 2, "queue": 6}):
        found = main(**scenario)
        assert sum(found.seconds.values()) == pytest.approx(found.active_s)


def test_starved_of_acks():
    source = synthetic.run(segments=60, lose_acks=[i for i in range(200) if i % 3])
    assert "lost on the way: at most half of them reached the sender" in headline(source)


def test_runs_compared():
    text = headline(synthetic.run("every"), synthetic.run("a window", window=8))
    assert text.startswith(
        "“a window” finished in 2.98 s; every took 17 % longer. One run each: slightly other delays, "
        "or another seed where something is random, can change the order."
    )


def test_a_run_with_unfinished_flows_is_not_ranked_by_its_quick_ones():
    """Its mean over those that finished would flatter it."""
    few = synthetic.run("few", flows=3, segments=400, until=5.0)
    assert re.match(
        r"Each run carried .* Mb/s, to within 0.1 %\. One",
        headline(few, synthetic.run("none", flows=3, segments=4000, until=5.0)),
    )
    text = headline(few, synthetic.run("all", flows=3, segments=100))
    assert (
        text.startswith("all had the shortest mean completion time, ")
        and "; not every flow of few finished. One run each" in text
    )


def test_no_cause_is_claimed():
    """One run shows where the time went, not what would have been faster."""
    for scenario in ({}, {"window": 8}, {"segments": 3000, "window": 40, "queue": 60}, {"lose": [30, 31, 60]}):
        assert not re.search(r"fastest|the limit|because|limited|equal|starved", headline(synthetic.run(**scenario)))


def test_flows_that_did_not_finish():
    text = headline(synthetic.run(flows=3, segments=400, until=5.0))
    assert re.match(r"In \d.* s 3 flows carried .* kB at .*b/s together; .*% of their time was", text)
    assert "f was still sending when the run ended" in headline(synthetic.run(segments=4000, until=2.0))


def test_runs_compared_in_which_nothing_finished():
    runs = [synthetic.run(name, segments=4000, until=3.0, **more) for name, more in (("a", {}), ("b", {"window": 8}))]
    assert re.match(r"b carried most, 5\d\d kb/s; a \d+ % less\. One run each", headline(*runs))


def test_without_the_series_no_cause_is_named():
    text = headline({**synthetic.run(), "series": None, "packets": None, "queue": None})
    assert text.startswith("Flow f finished in 3.50 s. ")


def test_equal_labels_are_told_apart():
    assert [r.label for r in read_runs([synthetic.run("x"), synthetic.run("x")])] == ["x", "x (2)"]


def test_table_units_and_columns():
    table = prep.flow_table(read_runs(synthetic.run()))
    units = {c["key"]: c["unit"] for c in table["columns"]}
    assert units["goodput_bps"] == "Mb/s"
    assert units["bytes"] == "kB"
    assert units["completion_s"] == "s"
    assert "route" not in units  # the same for all
    assert "acks_filtered" not in units  # no filter acted
    assert table["rows"][0]["bytes"] == 200
    assert table["rows"][0]["goodput_bps"] == pytest.approx(0.45717, abs=1e-5)
    busy = prep.link_table(read_runs(synthetic.run()))
    assert [row["link"] for row in busy["rows"]] == ["S→G", "G→S", "G→R", "R→G"]
    assert 0 < busy["rows"][2]["utilisation"] <= 100


@pytest.mark.parametrize("module", [words, palette, axes, throughput, timeline_module])
def test_examples(module):
    import sys

    module = module if not callable(module) else sys.modules[module.__module__]
    found = doctest.testmod(module)
    assert found.attempted
    assert not found.failed
