"""Python as a user types it: from an empty folder, with what the command line also finds."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import polars as pl
import pytest

import acklab
from acklab.scenario import DropTail

ALLMAN = "examples/allman1998.toml"


class Every(acklab.AckPolicy):
    """Acknowledges every segment."""

    def on_segment(self, arrival: acklab.Arrival) -> acklab.Emission:
        return acklab.Emission.now()


@pytest.fixture(autouse=True)
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_packaged_examples_are_found() -> None:
    run = acklab.run(ALLMAN)
    assert run["f"] == run.flow("f") == run.flows[0]
    assert run["G->R"]["drops"] == run.links[2]["drops"]
    with pytest.raises(KeyError, match="no flow or link g; there are f, .*S->G"):
        run["g"]
    with pytest.raises(FileNotFoundError, match=r"examples/none\.toml"):
        acklab.run("examples/none.toml")
    Path("examples").mkdir()
    Path(ALLMAN).write_text("seed = 1\n")
    with pytest.raises(acklab.ScenarioError):  # a file of the user's own comes first
        acklab.run(ALLMAN)


def test_record_records_what_a_report_draws() -> None:
    run = acklab.run(ALLMAN, record=True)
    assert len(run.series) and len(run.queue) and len(run.packets)
    assert "<title>" in acklab.report(run).html
    assert acklab.report(run).save("page.html").read_text() == acklab.report([run]).html
    named = acklab.run(ALLMAN, record=["queue"])
    assert len(named.queue) and not len(named.summary().get("series", ()))
    with pytest.raises(ValueError, match="record: no table packet; did you mean packets"):
        acklab.run(ALLMAN, record=["packet"])


def test_a_report_of_a_run_without_records_makes_it_again() -> None:
    assert acklab.report(acklab.run(ALLMAN, seed=3)).html == acklab.report(acklab.run(ALLMAN, seed=3, record=True)).html
    own = acklab.run(ALLMAN, policies={"mine": Every}, **{"flow.f.receiver.ack": {"policy": "python", "name": "mine"}})
    with pytest.raises(ValueError, match="record=True"):
        acklab.report(own)


def test_keys_are_set_as_the_command_line_sets_them() -> None:
    one = acklab.run(ALLMAN, set={"link.1.queue.packets": 8}).summary()
    assert (
        one
        == acklab.run(ALLMAN, set=["link.1.queue.packets=8"]).summary()
        == acklab.run(ALLMAN, set="link.1.queue.packets=8").summary()
    )
    assert one != acklab.run(ALLMAN).summary()
    assert acklab.run(path="cable", set=["down=50Mbps"], stop={"at": "1s"})["S->A"]["rate_bps"] > 0
    with pytest.raises(ValueError, match="write KEY=VALUE"):
        acklab.run(ALLMAN, set="link.1.queue.packets")
    with pytest.raises(acklab.ScenarioError, match="did you mean `?packets"):
        acklab.run(ALLMAN, set={"link.1.queue.packet": 8})


def test_captures_of_the_package_are_found() -> None:
    assert len(acklab.analyze("examples/captures/linux-receiver.pcap").rows()) == 1
    with pytest.raises(acklab.CaptureError, match="neither pcap"):
        acklab.fit("examples/t1.toml")


def test_a_path_has_its_short_keys() -> None:
    stop = {"at": "2s"}
    run = acklab.run(path="cable", down="50Mbps", up="5Mbps", stop=stop)
    rates = {link["rate_bps"] for link in run.links}
    assert {50e6, 5e6} <= rates
    with pytest.raises(ValueError, match="no path cabel; did you mean cable"):
        acklab.run(path="cabel")
    with pytest.raises(ValueError, match="path cable: no key upp; did you mean up"):
        acklab.run(path="cable", upp="5Mbps")
    with pytest.raises(ValueError, match="not both"):
        acklab.run(ALLMAN, path="cable")
    with pytest.raises(acklab.ScenarioError, match="5Mbyte"):
        acklab.run(path="cable", down="5Mbyte")


def test_an_error_names_the_short_key_and_a_key_given_twice() -> None:
    with pytest.raises(acklab.ScenarioError, match=r"docsis30\.toml: down = 50: `50` has no unit"):
        acklab.run(path="docsis30", down=50)
    with pytest.raises(ValueError, match="set: seed is given twice"):
        acklab.run("examples/allman1998.toml", set=["seed=1", "seed=2"])
    with pytest.raises(
        ValueError, match=r"set: flow\.f\.sender\.window and flow\.0\.sender\.window are one key; give it once"
    ):
        acklab.run("examples/allman1998.toml", set={"flow.0.sender.window": 4, "flow.f.sender.window": 5})
    acklab.run("examples/allman1998.toml", set={"flow.0.sender.window": 4, "flow.f.receiver.ack": "every"})
    with pytest.raises(ValueError, match="seed is given twice, as an argument and in set"):
        acklab.run("examples/allman1998.toml", set=["seed=1"], seed=2)
    with pytest.raises(ValueError, match="no path LTE; did you mean lte?"):
        acklab.run(path="LTE")


def test_a_directory_is_loaded_as_the_run_it_holds() -> None:
    run = acklab.run(ALLMAN, record=True)
    run.write("out", report=False)
    again = acklab.load("out")
    assert again.summary() == run.summary()
    assert again.scenario_toml() == run.scenario_toml()
    for table in ("flows", "links", "series", "queue", "packets"):
        assert getattr(again, table).to_polars().equals(getattr(run, table).to_polars())
    with pytest.raises(ValueError, match="there is no directory nothing"):
        acklab.load("nothing")
    Path("bare").mkdir()
    with pytest.raises(ValueError, match="holds no results of acklab"):
        acklab.load("bare")
    acklab.sweep(ALLMAN, vary={"link.1.queue.packets": [8]}, out="swept")
    assert acklab.load("swept").table("summary").columns[0] == "point"


def test_a_table_of_many_pieces_is_loaded_whole() -> None:
    acklab.run(ALLMAN, record=True).write("pieces")
    path = Path("pieces/packets.parquet")
    whole = pl.read_parquet(path)
    whole.write_parquet(path, row_group_size=whole.height // 5)
    pieces = pl.read_parquet(path)
    assert pieces.n_chunks() > 1
    assert acklab.load("pieces").packets.to_polars().height == whole.height


def test_scenarios_are_compared_as_they_are() -> None:
    small = acklab.Scenario.load(ALLMAN)
    small.links[1].queue = DropTail(packets=8)  # type: ignore[index,union-attr]
    small.title = "small"
    told = acklab.compare(ALLMAN, small, metrics=["completion", "lost: drops@G->R"], seeds=2)
    means = {(row["case"], row["metric"]): row["mean"] for row in told}
    assert means["allman1998", "completion"] == acklab.run(ALLMAN)["f"]["completion_s"]
    assert means["small", "completion"] == acklab.run(small)["f"]["completion_s"]
    assert means["small", "lost"] == acklab.run(small)["G->R"]["drops"] > 0
    (changed,) = [case for case in told.comparison.cases if case.name == "small"]
    assert "link.1.queue.limit" in changed.sets[0] or "link.1.queue.packets" in changed.sets[0]


def test_cases_are_a_dict_or_texts() -> None:
    by_dict = acklab.compare(
        ALLMAN, {"Reno": {}, "SACK": {"flow.f.sender.recovery": "sack"}}, metrics=["completion"], seeds=2
    )
    by_text = acklab.compare(ALLMAN, ["Reno", 'SACK: flow.f.sender.recovery="sack"'], metrics=["completion"], seeds=2)
    assert by_dict.to_polars().equals(by_text.to_polars())
    named = acklab.compare(ALLMAN, cases=by_dict.comparison.cases, metrics=["completion"], seeds=2)
    assert named.to_polars().equals(by_text.to_polars())
    with pytest.raises(acklab.compare.CompareError, match="needs two scenarios"):
        acklab.compare(ALLMAN)


def test_a_sweep_takes_a_scenario() -> None:
    swept = acklab.sweep(ALLMAN, vary={"link.1.queue.packets": [8, 22]}, metrics=["completion"])
    direct = [acklab.run(ALLMAN, **{"link.1.queue.packets": packets})["f"]["completion_s"] for packets in (8, 22)]
    assert swept.summary["mean"].to_list() == direct
    texts = acklab.sweep(ALLMAN, vary="link.1.queue.packets=8,22", metrics=["completion"])
    assert texts.summary.equals(swept.summary)
    loaded = acklab.sweep(acklab.Scenario.load(ALLMAN), vary={"link.1.queue.packets": [8, 22]}, metrics=["completion"])
    assert loaded.summary["mean"].to_list() == direct
    assert pl.DataFrame(swept).equals(swept.summary)
    assert pd.DataFrame(swept)["mean"].to_list() == swept.to_pandas()["mean"].to_list() == direct


def test_frames_need_no_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "pyarrow", None)
    run = acklab.run(ALLMAN, record=True)
    frame = run.packets.to_pandas()
    assert len(frame) == len(run.packets)
    assert frame["time_s"].to_list() == run.packets["time_s"].to_list()
    assert run.flows.to_pandas().loc[0, "name"] == "f"
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        run.flows.to_pandas()


def test_a_scenario_is_loaded_and_written_back() -> None:
    loaded = acklab.Scenario.load(ALLMAN)
    assert loaded.flows[0].from_ == "S"  # type: ignore[index,union-attr]
    assert acklab.run(loaded).summary() == acklab.run(ALLMAN).summary()
    assert acklab.Scenario.load(loaded.to_toml()).to_dict() == loaded.to_dict()
    with pytest.raises(acklab.ScenarioError, match="scenario:1:10"):
        acklab.Scenario.load("stop = 3 ]\n")


def test_a_wrong_argument_is_named_as_one() -> None:
    for call, wrong, near in (
        (acklab.run, "qlogs", "qlog"), (acklab.simulation, "policy", "policies"), (acklab.compare, "spread_delay", "spread_delays")
    ):  # fmt: skip
        with pytest.raises(
            TypeError,
            match=rf"no argument {wrong}; did you mean {near}\? Arguments: .*Keys of a scenario: expect, flow",
        ):
            call(ALLMAN, **{wrong: 1})
    with pytest.raises(TypeError, match=r"acklab.run_batch\(\): no argument thread"):
        next(acklab.run_batch([ALLMAN], thread=1))
    with pytest.raises(ValueError, match="server, client and allow_programs go with engine"):
        acklab.run(ALLMAN, server="true")


def test_logs_of_quic_are_written_and_read() -> None:
    run = acklab.run("examples/quic/uplink.toml", set={"flow.f.size.bytes": "100kB"}, qlog="logs")
    found = acklab.analyze("logs/f.receiver.sqlog")
    assert found.rows[0]["packets"] == run["f"]["segments_sent"] - run["f"]["syns_sent"] and "held: median" in str(
        found
    )
    with pytest.raises(ValueError, match="qlog"):
        acklab.run(ALLMAN, engine="kernel", qlog="logs")
