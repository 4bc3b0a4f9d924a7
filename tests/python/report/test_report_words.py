"""The headline and the tables: what the page says in words and numbers."""

import doctest

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


def test_opposite_directions_are_not_added_and_each_link_has_its_rate():
    ends = [("down", "S", "C"), ("up", "C", "S"), ("more", "C", "S")]
    flows = [{"name": name, "from": one, "to": other} for name, one, other in ends]
    link = {"between": ["S", "C"], "rate": "20Mbps", "delay": "10ms", "back": {"rate": "500kbps"}}
    run = acklab.run({"link": [link], "flow": flows, "record": {"series": True, "packets": True}, "stop": {"at": "2s"}})
    rows, columns = prep.link_table(read_runs([run]))["rows"], prep.link_table(read_runs([run]))["columns"]
    assert [row["rate_bps"] for row in rows] == [20, 0.5] and next(
        c["unit"] for c in columns if c["key"] == "rate_bps"
    ) == "Mb/s"
    waits = run.links.to_polars().select("sent_wait_s", "packets").rows()
    assert [row["wait_s"] for row in rows] == [pytest.approx(1e3 * waited / packets) for waited, packets in waits]


def test_slow_start():
    assert main(segments=30, queue=100).main == "slow start"


def test_causes_add_up_to_the_flows_time():
    for scenario in ({}, {"window": 8}, {"lose": [30, 31, 60]}, {"every": 2, "queue": 6}):
        found = main(**scenario)
        assert sum(found.seconds.values()) == pytest.approx(found.active_s)


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
