"""What a person in a notebook expects of results: rows, frames, pictures, pickles, numpy, and errors that name the key."""

from __future__ import annotations

import pickle
import re
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import acklab
from front import RECORDED, TWO_HOPS


@pytest.fixture(scope="module")
def run() -> acklab.Run:
    return acklab.run(RECORDED)


def test_rows_and_columns_of_a_table(run: acklab.Run) -> None:
    (row,) = run.flows
    assert row == run.flows[0] == run.flows[-1] == run.summary()["flows"][0]
    assert run.flows["name"].to_list() == ["f"] and run.links[1:3]["from"].to_list() == ["G", "G"]
    assert [row["time_s"] for row in run.series] == run.series["time_s"].to_list()
    with pytest.raises(KeyError, match="no column goodput; did you mean goodput_bps"):
        run.flows["goodput"]
    with pytest.raises(IndexError, match="no row 3; the table flows has 1"):
        run.flows[3]


def test_tables_become_frames(run: acklab.Run) -> None:
    assert run.packets.to_polars().equals(pl.DataFrame(run.packets))
    frame = run.flows.to_pandas()
    assert list(frame.columns) == run.flows.columns and frame["name"][0] == "f"


def test_results_show_themselves(run: acklab.Run, tmp_path: Path) -> None:
    assert "<table" in run.flows._repr_html_() and "goodput_bps" in run.flows._repr_html_()
    swept = acklab.sweep(
        scenario=TWO_HOPS, vary={"flow.0.sender.window": np.array([4, 8])}, metrics=["completion"], seeds=np.int64(2)
    )
    assert "two hops" in swept._repr_html_() and swept.summary["sender_window"].to_list() == [4, 8]
    plan = acklab.compare.Comparison(
        TWO_HOPS, "s", [acklab.compare.case("a"), acklab.compare.case("b: flow.0.sender.window=4")], seeds=2
    )
    assert "two hops" in acklab.compare.compare(plan)._repr_html_()
    found = acklab.analyze(run.capture("G->R@R", path=tmp_path / "r.pcap"))
    assert "&lt;table" in found._repr_html_() and found.connections[0]["policy"] == "delayed"


@pytest.mark.parametrize("table", ["series", "queue", "packets"])
def test_a_table_that_was_not_recorded_names_its_key(table: str) -> None:
    plain = acklab.run(TWO_HOPS)
    with pytest.raises(acklab.NotRecordedError, match=rf"record = {{ {table} = true }}"):
        getattr(plain, table)
    assert "series" not in repr(plain)


def test_a_run_pickles(run: acklab.Run, tmp_path: Path) -> None:
    run.label = "mine"
    again = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(run))))
    assert (again.label, again.title, again.seed, again.end_s) == ("mine", run.title, run.seed, run.end_s)
    for table in ("flows", "links", "series", "queue", "packets"):
        assert list(getattr(again, table)) == list(getattr(run, table)), table
        kept, made = getattr(again, table), getattr(run, table)
        assert (kept.name, kept.columns, repr(kept), kept[0]) == (table, made.columns, repr(made), made[0])
        assert kept.to_polars().equals(pl.DataFrame(made)) and pl.DataFrame(kept).schema == pl.DataFrame(made).schema
    import json

    assert json.loads(again.json()) == json.loads(run.json()) and again.scenario_toml() == run.scenario_toml()
    run.write(tmp_path / "a", report=False)
    again.write(tmp_path / "b", report=False)
    for name in ("packets.parquet", "summary.json", "scenario.toml"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes(), name
    with pytest.raises(ValueError, match="pickled"):
        again.capture("G->R@G")


def test_runs_come_back_from_other_processes() -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        (run,) = pool.map(acklab.run, [TWO_HOPS])
    assert run.summary() == acklab.run(TWO_HOPS).summary()


def test_numbers_of_numpy_are_numbers() -> None:
    run = acklab.run(
        TWO_HOPS, seed=np.int64(7), **{"flow.0.sender.window": np.int32(9), "link.0.loss": {"list": np.array([3, 4])}}
    )
    assert run.seed == 7 and run.flows[0]["retransmits"] >= 2
    half = acklab.scenario.Loss(rate=np.float64(0.5)).to_dict()
    assert half == {"rate": 0.5} and type(half["rate"]) is float


def test_a_batch_takes_what_run_takes(tmp_path: Path) -> None:
    file = tmp_path / "two.toml"
    file.write_text(TWO_HOPS)
    told = list(acklab.run_batch([TWO_HOPS, file, str(file), "title = ", file.read_bytes()], seed=5))
    expected = acklab.run(TWO_HOPS, seed=5).summary()
    assert [one == expected for one in told] == [True, True, True, False, True]
    assert told[3]["error"].startswith("scenario:1:")


def test_parts_of_the_package_are_its_attributes() -> None:
    assert {"compare", "plot", "report"} <= set(dir(acklab))
    assert acklab.plot.cwnd and acklab.report.write and acklab.compare.compare


def test_notebook_charts_need_no_network(run: acklab.Run) -> None:
    bundle = acklab.plot.cwnd(run)._repr_mimebundle_(None, None)
    text = str(bundle)
    assert "<svg" in text and "cdn" not in text


def test_a_chart_can_be_a_page_that_needs_no_network(run: acklab.Run, tmp_path: Path) -> None:
    page = tmp_path / "cwnd.html"
    acklab.plot.cwnd(run).interactive().save(page, inline=True)
    assert not re.findall(r'<(?:script|link)[^>]*(?:src|href)="http', page.read_text(encoding="utf-8"))
