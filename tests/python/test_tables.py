"""Tables cross to data frame libraries through the Arrow PyCapsule interface, and to disk."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import acklab
from front import RECORDED, TWO_HOPS

TABLES = ("flows", "links", "series", "queue", "packets")


@pytest.fixture(scope="module")
def run() -> acklab.Run:
    return acklab.run(RECORDED)


@pytest.fixture(scope="module")
def told(run: acklab.Run) -> dict:
    return json.loads(run.json())


@pytest.mark.parametrize("name", TABLES)
def test_polars_reads_what_the_json_says(run: acklab.Run, told: dict, name: str) -> None:
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame(getattr(run, name))
    assert frame.columns == getattr(run, name).columns
    assert frame.to_dicts() == told[name]


@pytest.mark.parametrize("name", TABLES)
def test_pandas_reads_it(run: acklab.Run, told: dict, name: str) -> None:
    pd = pytest.importorskip("pandas")
    pa = pytest.importorskip("pyarrow")
    table = getattr(run, name)
    frame = pd.DataFrame.from_arrow(table) if hasattr(pd.DataFrame, "from_arrow") else pa.table(table).to_pandas()
    assert list(frame.columns) == table.columns and len(frame) == len(told[name])
    first = "name" if name == "flows" else "from" if name == "links" else "time_s"
    assert list(frame[first]) == [row[first] for row in told[name]]


@pytest.mark.parametrize("name", TABLES)
def test_duckdb_reads_it(run: acklab.Run, told: dict, name: str) -> None:
    duckdb = pytest.importorskip("duckdb")
    table_of_run = table = getattr(run, name)  # noqa: F841 (the query names it)
    rows = duckdb.sql("from table_of_run").fetchall()
    assert [dict(zip(table.columns, row, strict=True)) for row in rows] == told[name]


def test_duckdb_queries_a_table_by_its_variable_name(run: acklab.Run, told: dict) -> None:
    duckdb = pytest.importorskip("duckdb")
    packets = run.packets  # noqa: F841 (the query names it)
    counted = duckdb.sql("select kind, count(*) from packets where event = 'deliver' group by kind").fetchall()
    delivered = [row["kind"] for row in told["packets"] if row["event"] == "deliver"]
    assert dict(counted) == {kind: delivered.count(kind) for kind in ("data", "ack")}


def test_columns_are_shared_not_copied(run: acklab.Run) -> None:
    pa = pytest.importorskip("pyarrow")
    one, two = (pa.table(run.packets)["time_s"].chunk(0).buffers()[1].address for _ in range(2))
    assert one == two


def test_a_table_outlives_its_run() -> None:
    pl = pytest.importorskip("polars")
    table = acklab.run(RECORDED).packets
    assert table is not None and pl.DataFrame(table)["time_s"].is_sorted()


def test_the_schema_does_not_depend_on_the_data() -> None:
    pa = pytest.importorskip("pyarrow")
    lossless = acklab.run(RECORDED, **{"link.1.queue.packets": 1000})
    for name in TABLES:
        here, there = (pa.schema(getattr(run, name)) for run in (lossless, acklab.run(RECORDED)))
        assert here.equals(there), name


def test_texts_are_dictionary_encoded_with_distinct_entries() -> None:
    pa = pytest.importorskip("pyarrow")
    packets = acklab.run(RECORDED, **{"flow.0.repeat": {"times": 3, "think": "1s"}, "flow.0.count": 2}).packets
    for column in ("link", "event", "flow", "kind"):
        assert pa.types.is_dictionary(pa.schema(packets).field(column).type)
        names = pa.table(packets)[column].chunk(0).dictionary.to_pylist()
        assert len(set(names)) == len(names)


def test_what_is_not_recorded_is_refused_by_name() -> None:
    plain = acklab.run(TWO_HOPS)
    for table in ("series", "queue", "packets"):
        with pytest.raises(acklab.NotRecordedError, match=f"{table} = true"):
            getattr(plain, table)
    assert list(json.loads(plain.json())) == ["title", "seed", "end_s", "flows", "links"]


def test_parquet_holds_the_same_rows(run: acklab.Run, told: dict, tmp_path: Path) -> None:
    pl = pytest.importorskip("polars")
    run.write(tmp_path / "out", report=False)
    for name in TABLES:
        assert pl.read_parquet(tmp_path / "out" / f"{name}.parquet").to_dicts() == told[name]


def test_a_run_shows_itself(run: acklab.Run) -> None:
    assert "packets" in repr(run) and "time_s: float" in repr(run.packets)
    page = acklab.run(TWO_HOPS)._repr_html_()
    assert page.count("<table") == 2 and "two hops" in page
    assert "<script>" not in acklab.run(TWO_HOPS, title="<script>")._repr_html_()
    assert run._repr_html_() == acklab.report(run)._repr_html_()
