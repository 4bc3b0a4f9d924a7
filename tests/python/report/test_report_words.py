"""The headline and the tables: what the page says in words and numbers."""

import doctest

import polars as pl
import pytest
import synthetic

import acklab
from acklab.plot import palette, prep
from acklab.plot.prep import series
from acklab.plot.prep.facts import _drawn, facts
from acklab.plot.runs import Run, read_runs
from acklab.text import numbers


def headline(*runs):
    told = prep.headline(read_runs(list(runs)))
    text = " ".join([told["title"], *(p["text"] for p in told["points"])])
    return text.replace("\u00a0", " ")


def kinds(source):
    """The values of a run's facts, by kind; of several of one kind the last."""
    return {one.kind: one.values for one in facts(Run.of(source))}


def limits(**scenario):
    return prep.limits(Run.of(synthetic.run(**scenario)), "f")


def main(**scenario):
    seconds = limits(**scenario).seconds
    return max(seconds, key=seconds.get)


def test_a_full_window():
    assert main(window=8) == "window"
    assert "no-loss" in kinds(synthetic.run(window=8))


def test_a_busy_link():
    source = synthetic.run(segments=3000, window=40, queue=60)
    assert kinds(source)["busy"]["link"] == "G→R" and kinds(source)["busy"]["share"] > 0.9


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
    assert kinds(run)["busy"] == {"link": "server→client", "share": there}


def test_opposite_directions_are_not_added_and_each_link_has_its_rate():
    ends = [("down", "S", "C"), ("up", "C", "S"), ("more", "C", "S")]
    flows = [{"name": name, "from": one, "to": other} for name, one, other in ends]
    link = {"between": ["S", "C"], "rate": "20Mbps", "delay": "10ms", "back": {"rate": "500kbps"}}
    run = acklab.run({"link": [link], "flow": flows, "record": {"series": True, "packets": True}, "stop": {"at": "2s"}})
    rates = dict(run.flows.to_polars().select("name", "goodput_bps").iter_rows())
    told = [one for one in facts(Run.of(run))]
    carried = {one.values["flows"]: one.values["rate"] for one in told if one.kind == "carried-of"}
    assert carried == {
        "down (S→C)": rates["down"],
        "up and more (C→S)": pytest.approx(rates["up"] + rates["more"], rel=1e-3),
    }
    assert sum(one.kind == "fairness" for one in told) == 1 and "waited" in kinds(run)
    path = kinds(run)["path"]
    assert (path["trip"], path["rate"], path["rate_back"]) == (pytest.approx(0.02), 2e7, 5e5)
    rows, columns = prep.link_table(read_runs([run]))["rows"], prep.link_table(read_runs([run]))["columns"]
    assert [row["rate_bps"] for row in rows] == [20, 0.5] and next(
        c["unit"] for c in columns if c["key"] == "rate_bps"
    ) == "Mb/s"
    waits = run.links.to_polars().select("sent_wait_s", "packets").rows()
    assert [row["wait_s"] for row in rows] == [pytest.approx(1e3 * waited / packets) for waited, packets in waits]


def test_slow_start():
    assert main(segments=30, queue=100) == "slow start"


def test_a_wait_for_the_timer():
    # The only copy of the last segment is lost: nothing but the timer can tell.
    found = limits(segments=12, queue=100, lose=[11])
    assert found.seconds["timeout"] == pytest.approx(0.6, abs=0.2)
    assert kinds(synthetic.run(segments=12, queue=100, lose=[11]))["losses"]["timeouts"] == 1


def test_causes_add_up_to_the_flows_time():
    for scenario in ({}, {"window": 8}, {"lose": [30, 31, 60]}, {"every": 2, "queue": 6}):
        found = limits(**scenario)
        assert sum(found.seconds.values()) == pytest.approx(found.active_s)


def test_starved_of_acks():
    source = synthetic.run(segments=60, lose_acks=[i for i in range(200) if i % 3])
    found = kinds(source)["acks-missing"]
    assert found["gone"] > found["sent"] / 2


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


@pytest.mark.parametrize("module", [numbers, palette, series])
def test_examples(module):
    import sys

    module = module if not callable(module) else sys.modules[module.__module__]
    found = doctest.testmod(module)
    assert found.attempted
    assert not found.failed


def test_runs_are_compared_by_their_completion_or_by_what_they_carried():
    assert headline(synthetic.run("every"), synthetic.run("a window", window=8)).startswith("Completion: ")
    unfinished = synthetic.run("few", flows=3, segments=400, until=5.0)
    assert headline(unfinished, synthetic.run("all", flows=3, segments=100)).startswith("Carried: ")
    assert "still-sending" in kinds(synthetic.run(segments=4000, until=2.0))
    assert "finished" in kinds({**synthetic.run(), "series": None, "packets": None, "queue": None})


def test_phases_stand_where_they_were_and_no_time_is_lost():
    """A timeout, and then slow start again."""
    found = prep.limits(Run.of(acklab.run("examples/allman1998.toml", record=True, **{"link.1.queue.packets": 8})), "f")
    causes = [cause for cause, _, _ in found.spans]
    assert causes.index("slow start") < causes.index("timeout") < len(causes) - 1 - causes[::-1].index("slow start")
    assert [begin for _, begin, _ in found.spans] == sorted(begin for _, begin, _ in found.spans)
    for cause, seconds in found.seconds.items():
        assert sum(took for one, _, took in found.spans if one == cause) == pytest.approx(seconds)


def test_stretches_too_short_to_be_drawn_are_drawn_together():
    """A thousand recoveries of a thousandth of the time each are half of it."""
    rows = [(cause, n + 0.5 * half, 0.5) for n in range(500) for half, cause in enumerate(("path", "recovery"))]
    stretches = pl.DataFrame(rows, schema=["cause", "since", "took"], orient="row")
    spans = _drawn(stretches, 0.0025 * 500)
    assert len(spans) < 500
    for cause in ("path", "recovery"):
        assert sum(took for one, _, took in spans if one == cause) == 250
    assert [begin for _, begin, _ in spans] == sorted(begin for _, begin, _ in spans)


def test_several_runs_say_once_what_all_have():
    runs = [acklab.run("examples/allman1998.toml", record=True, **{"link.1.queue.packets": n}) for n in (8, 20)]
    points = prep.headline(read_runs(runs))["points"]
    assert [(one["about"], one["run"] is None) for one in points] == [
        ("path", True),
        ("losses", False),
        ("losses", False),
    ]
