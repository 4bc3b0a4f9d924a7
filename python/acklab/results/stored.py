"""A run's results apart from the simulator: what a pickled run keeps, tables on disk, written while the run goes on, and captures."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import _core
from .frames import join_parquet, provenance, write_parquet, write_part
from .together import manners, samples

if TYPE_CHECKING:
    import polars as pl

    from .._core import RunResult, Simulation, Table

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


FORMATS = ("pcapng", "pcap")
"""What a capture can be written as, and its files' ending."""


def write_one(
    result: _core.RunResult,
    link: str,
    end: str | None,
    path: str | os.PathLike[str] | None,
    format: str | None,
    snap_length: int,
) -> Path:
    """Writes one capture; see :meth:`acklab.Run.capture`."""
    name = link if end is None else f"{link}@{end}"
    target = Path.cwd() if path is None else Path(path).absolute()
    kind = format or (FORMATS[0] if path is None else _format_of(target))
    folder = target if path is None else target.parent
    folder.mkdir(parents=True, exist_ok=True)
    # Beside the file, so that the last step is one rename.
    scratch = Path(tempfile.mkdtemp(prefix=".acklab-", dir=folder))
    try:
        if path is None:
            made = Path(_core.capture_all(result, [name], scratch, format=kind, snap_length=snap_length)[0])
            target = folder / made.name
        else:
            made = scratch / "capture"
            _core.capture(result, name, made, format=kind, snap_length=snap_length)
        os.replace(made, target)
    except OSError as error:
        error.filename = str(target)
        raise
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return target if path is None else Path(path)


def _format_of(path: Path) -> str:
    ending = path.suffix.removeprefix(".")
    if ending not in FORMATS:
        raise ValueError(f"{path.name} ends in neither .pcapng nor .pcap; say format='pcapng' or 'pcap'")
    return ending
