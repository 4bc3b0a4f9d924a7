"""What Parquet files say of their origin, read by the libraries that people use."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import polars as pl
import pyarrow.parquet as pq
import pytest

import acklab
from front import TWO_HOPS, Acklab


def said(path: Path) -> dict[str, str]:
    """The metadata of a file; three readers agree on it."""
    arrow = {key.decode(): value.decode() for key, value in (pq.read_metadata(path).metadata or {}).items()}
    rows = duckdb.sql(f"select key, value from parquet_kv_metadata('{path}')").fetchall()
    duck = {key.decode(): value.decode() for key, value in rows}
    for found in (arrow, duck, dict(pl.read_parquet_metadata(path))):
        found.pop("ARROW:schema", None)
        assert found == {key: value for key, value in arrow.items() if key != "ARROW:schema"}
    return {key.removeprefix("acklab."): value for key, value in arrow.items() if key.startswith("acklab.")}


@pytest.mark.parametrize("record", ["", "series,queue,packets"])
def test_the_tables_of_a_run(
    acklab_command: Acklab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, record: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.toml").write_text(TWO_HOPS)
    sets = [f"--set=record.{table}=true" for table in record.split(",") if table]
    acklab_command("run", "two.toml", "--seed", "7", *sets, "--out", "out")
    for path in (tmp_path / "out").glob("*.parquet"):
        told = said(path)
        assert told == {
            "version": acklab.__version__,
            "command": " ".join(["acklab run two.toml --seed 7", *sets]),
            "scenario": (tmp_path / "out/scenario.toml").read_text(),
            "seed": "7",
        }
        assert (
            acklab.run(told["scenario"]).summary()["flows"]
            == json.loads((tmp_path / "out/summary.json").read_text())["flows"]
        )


def test_the_tables_of_a_program(tmp_path: Path) -> None:
    acklab.run(TWO_HOPS).write(tmp_path / "out", report=False)
    assert "command" not in said(tmp_path / "out/flows.parquet") and said(tmp_path / "out/links.parquet")["seed"] == "1"


def test_the_tables_of_sweeps_and_comparisons(
    acklab_command: Acklab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.toml").write_text(TWO_HOPS)
    acklab_command("sweep", "two.toml", "--vary", "flow.f.sender.window=4,8", "--seeds", "2", "--out", "swept")
    acklab_command("compare", "two.toml", "--case", "a", "--case", "flow.f.sender.window=4", "--out", "compared")
    for folder, names, plan in (("swept", ("flows", "summary"), "plan"), ("compared", ("runs", "ranking"), "cases")):
        for name in names:
            told = said(tmp_path / folder / f"{name}.parquet")
            assert told["scenario"] == TWO_HOPS
            assert told["plan"] == (tmp_path / folder / f"{plan}.toml").read_text()
            assert int(told["seeds"]) >= 1 and told["version"] == acklab.__version__
    assert told["command"] == "acklab compare two.toml --case a --case flow.f.sender.window=4"
