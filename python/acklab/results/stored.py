"""A run's results apart from the simulator: what a pickled run keeps."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .._core import Table


TABLES = ("flows", "links", "series", "queue", "packets")
"""A run's tables; the last three exist only where the scenario's ``record`` asks for them."""

RECORDED = TABLES[2:]
NOTHING = "nothing to draw was recorded; run with record=True"
"""Why there is no report."""


class NotRecordedError(AttributeError):
    """A table was asked for that the run has not recorded; the message names the key that records it."""

    def __init__(self, table: str) -> None:
        super().__init__(f"the table {table} was not recorded; run with record = {{ {table} = true }}")


@dataclass(frozen=True)
class Stored:
    """The same values as a ``RunResult`` of the simulator, without the scenario that captures need."""

    title: str
    seed: int
    end_s: float
    line: str
    toml: str
    flows: Table
    links: Table
    series: Table | None
    queue: Table | None
    packets: Table | None

    @classmethod
    def of(cls, result: Any) -> Stored:
        """Everything a result tells."""
        if isinstance(result, Stored):
            return result
        tables: dict[str, Any] = {name: getattr(result, name) for name in TABLES}
        return cls(
            result.title, result.seed, result.end_s, result.json(records=False), result.scenario_toml(), **tables
        )

    def json(self, records: bool = True) -> str:
        """The summary on one line, with every recorded table unless ``records`` is false."""
        kept = {name: list(table) for name in RECORDED if (table := getattr(self, name)) is not None}
        return json.dumps({**json.loads(self.line), **kept}, separators=(",", ":")) if records and kept else self.line

    def scenario_toml(self) -> str:
        """The scenario as it ran."""
        return self.toml


def stored_in(folder: Path) -> Stored:
    """The run in a directory of ``acklab run --out``.

    Raises:
        ValueError: the directory holds something else.
        OSError: a file cannot be read.
    """
    import polars as pl

    from .directory import marker
    from .kept import Kept

    about = marker(folder)
    if about is None:
        raise ValueError(
            f"{folder} holds no results of acklab"
            if folder.is_dir()
            else f"{folder} is a file, not a directory"
            if folder.exists()
            else f"there is no directory {folder}"
        )
    if about["verb"] != "run" or not (folder / "flows.parquet").exists():
        inside = sorted(path.parent.name for path in folder.glob("*/summary.json"))
        what = (
            f"several runs: load {folder / inside[0]}"
            if inside
            else f"results of acklab {about['verb']}, not a run{_tables(folder)}"
        )
        raise ValueError(f"{folder} holds {what}")
    line, toml = ((folder / name).read_text(encoding="utf-8") for name in ("summary.json", "scenario.toml"))
    summary = json.loads(line)
    tables: dict[str, Any] = {
        name: Kept(name, pl.read_parquet(file, glob=False)) if (file := folder / f"{name}.parquet").exists() else None
        for name in TABLES
    }
    return Stored(summary["title"], summary["seed"], summary["end_s"], line.rstrip("\n"), toml, **tables)


def _tables(folder: Path) -> str:
    """How to read the tables of other results."""
    found = sorted(path.name for path in folder.glob("*.parquet"))
    return f'; polars.read_parquet("{folder / found[0]}") reads one of its tables ({", ".join(found)})' if found else ""
