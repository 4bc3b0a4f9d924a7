"""A run's recorded tables on disk: written while the run goes on, in memory that its length does not move."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from .frames import join_parquet, provenance, write_parquet, write_part
from .stored import RECORDED, TABLES
from .together import manners, samples

if TYPE_CHECKING:
    import polars as pl

    from .._core import RunResult, Simulation, Table
    from .stored import Stored

ROWS = 1 << 18
"""Rows that a run holds before they are written: some fifty megabytes."""


class Recording:
    """A run whose recorded tables are files in ``folder``: what a report is made from."""

    def __init__(self, result: RunResult | Stored, folder: Path) -> None:
        self.result, self.label = result, ""
        self.changed: list[str] = []
        """Keys of the scenario's file that the user set."""
        self.access = False
        """Whether it is an access path (``--path``)."""
        self.folder = folder
        self.scenario_toml = result.scenario_toml
        self.title, self.seed, self.end_s = result.title, result.seed, result.end_s
        self.flows, self.links = result.flows, result.links
        self.series, self.queue, self.packets = (self._scanned(name) for name in RECORDED)

    def samples(self) -> pl.DataFrame | None:
        """The round trips of the flows that write now and then, if they were recorded."""
        return None if self.series is None else samples(self.series, manners(self.scenario_toml()))

    def _scanned(self, name: str) -> pl.LazyFrame | None:
        import polars as pl

        return None if getattr(self.result, name) is None else pl.scan_parquet(path_of(self.folder, name), glob=False)


def record(simulation: Simulation, folder: Path, tick: Callable[[], None] = lambda: None) -> Recording:
    """Runs ``simulation`` to its stop and writes its tables to ``folder``, recorded rows as they come; ``tick`` is called now and then.

    Raises:
        OSError: a file cannot be written.
    """
    parts = folder / ".parts"
    files: dict[str, list[Path]] = {name: [] for name in RECORDED}
    while True:
        result = simulation.advance(ROWS)
        tick()
        for name in RECORDED:
            table: Table | None = getattr(result, name)
            if table is not None and (len(table) or not files[name]):
                parts.mkdir(exist_ok=True)
                files[name].append(parts / f"{name}-{len(files[name])}.parquet")
                write_part(table, files[name][-1])
        if simulation.finished:
            break
    about = _about(result)
    for name, pieces in files.items():
        if pieces:
            join_parquet(pieces, path_of(folder, name), about)
            for piece in pieces:
                piece.unlink()
    shutil.rmtree(parts, ignore_errors=True)
    for name in ("flows", "links"):
        write_parquet(getattr(result, name), path_of(folder, name), about)
    return Recording(result, folder)


def _about(result: RunResult | Stored) -> dict[str, str]:
    return provenance(scenario=result.scenario_toml(), seed=result.seed)


def save(result: RunResult | Stored, folder: Path) -> Recording:
    """Writes the tables of a run that is over, and was recorded in memory, to ``folder``; the same files.

    Raises:
        OSError: a file cannot be written.
    """
    for name in TABLES:
        table = getattr(result, name)
        if table is not None:
            write_parquet(table, path_of(folder, name), _about(result))
    return Recording(result, folder)


def path_of(folder: Path, name: str) -> Path:
    """The file of a table."""
    return folder / f"{name}.parquet"
