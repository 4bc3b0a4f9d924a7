"""A run's results apart from the simulator: what a pickled run keeps."""

from __future__ import annotations

import json
from collections.abc import Sequence
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
        ValueError: the directory holds several runs.
        OSError: a file cannot be read.
    """
    if not (folder / "flows.parquet").exists():
        inside = sorted(folder.glob("*/summary.json"))
        raise ValueError(
            f"{folder} holds {f'several runs: load {inside[0].parent}' if inside else 'no flows of a run'}"
        )
    line, toml = ((folder / name).read_text(encoding="utf-8") for name in ("summary.json", "scenario.toml"))
    summary, tables = json.loads(line), kept_in(folder, TABLES)
    return Stored(summary["title"], summary["seed"], summary["end_s"], line.rstrip("\n"), toml, **tables)


def kept_in(folder: Path, names: Sequence[str]) -> dict[str, Any]:
    """Tables of a directory by their names; None where it has none."""
    import polars as pl

    from .kept import Kept

    files = {name: folder / f"{name}.parquet" for name in names}
    return {
        name: Kept(name, pl.read_parquet(file, glob=False)) if file.exists() else None for name, file in files.items()
    }
