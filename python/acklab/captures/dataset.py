"""Many captures as one table: a row for each direction of each connection, and a row for each file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from .. import _core
from ..report.charts import Axis, Bar, Bars
from ..report.pieces import embedded
from ..report.report import Report, Table
from ..results.directory import results
from ..results.frames import system_errors
from ..text.numbers import amount, percent, shown
from ..text.templates import fact
from ..text.terminal import cell, one_line
from .text import CAUSES

if TYPE_CHECKING:
    from ..results.directory import Folder

NAMES = ("connections.parquet", "captures.parquet", "connections.html")
"""The files of a dataset."""
#: Rows that are held in memory before they are written.
ROWS = 5_000
#: Directions that a terminal shows with a column to sort by, and that a page shows.
MAX_SHOWN, MAX_ROWS = 20, 500


def files(paths: Sequence[str]) -> Iterator[str]:
    """The files, and those below the directories in the order of their names; hidden ones and links to directories are passed over.

    Raises:
        OSError: a path does not exist.
    """
    for path in paths:
        if not os.path.isdir(path):
            os.stat(path)
            yield path
            continue
        for folder, below, names in os.walk(path):
            below[:] = sorted(name for name in below if not name.startswith("."))
            for name in sorted(names):
                whole = os.path.join(folder, name)
                if not name.startswith(".") and os.path.isfile(whole):
                    yield whole


@dataclass(frozen=True)
class Dataset:
    """What was written."""

    path: Path
    captures: int
    """Files that were analysed."""
    refused: int
    """Files that are no captures, or cannot be read."""
    directions: int
    unfollowed: int
    """Segments of connections beyond those that are followed of a file."""

    def _rows(self) -> pl.LazyFrame:
        # A directory may have a name with `*` or `[`.
        return pl.scan_parquet(self.path / "connections.parquet", glob=False)

    def limits(self) -> pl.DataFrame:
        """For each ``limit`` the directions with data, most frequent first, their ``acked_bytes`` and median ``goodput_bps``."""
        rows = self._rows().filter(pl.col("acked_bytes") > 0)
        sums = [pl.len().alias("directions"), pl.col("acked_bytes").sum(), pl.col("goodput_bps").median()]
        return rows.group_by("limit").agg(sums).sort("directions", "limit", descending=[True, False]).collect()

    def decades(self) -> pl.DataFrame:
        """For each ``decade`` of goodput (6 is 1 to 10 Mbit/s) the ``directions`` with data."""
        rows = self._rows().filter((pl.col("acked_bytes") > 0) & (pl.col("goodput_bps") > 0))
        decade = pl.col("goodput_bps").log10().floor().cast(pl.Int64).alias("decade")
        return rows.group_by(decade).agg(pl.len().alias("directions")).sort("decade").collect()

    def first(self, column: str, most: int = MAX_SHOWN, more: Sequence[str] = ()) -> pl.DataFrame:
        """The directions with the largest values of a column of ``connections``, with ``more`` columns."""
        wanted = ["file", "connection", "direction", "from", "to", "acked_bytes", "limit", column, *more]
        rows = self._rows().select(list(dict.fromkeys(wanted)))
        return rows.drop_nulls(column).sort(column, descending=True, maintain_order=True).head(most).collect()


def write(
    paths: Sequence[str], directory: str | os.PathLike[str], tick: Callable[[str], None] = lambda file: None
) -> Dataset:
    """Analyses captures one after the other, and writes their connections into a directory.

    Memory holds one analysis and a few thousand rows. A file that is no capture has a row in ``captures`` that says why.

    Args:
        paths: captures, and directories with captures.
        directory: where the tables go.
        tick: called with the name of each file before it is read.

    Raises:
        FolderError: the directory holds other results.
        OSError: a path does not exist, or the directory cannot be written.
    """
    with results(directory, "analyze", NAMES) as folder:
        return _write(list(files(paths)), folder, tick)


def _write(paths: Sequence[str], folder: Folder, tick: Callable[[str], None]) -> Dataset:
    about: list[dict[str, Any]] = []
    with folder.replacing() as scratch:
        parts = scratch / "parts"
        parts.mkdir()
        waiting: list[pl.DataFrame] = []
        written = directions = 0

        def flush() -> None:
            nonlocal written
            if waiting:
                with system_errors(parts / f"{written:06}.parquet"):
                    pl.concat(waiting).write_parquet(parts / f"{written:06}.parquet")
                waiting.clear()
                written += 1

        for path in paths:
            tick(path)
            rows, told = _analyzed(path)
            about.append(told)
            directions += rows.height
            waiting.append(rows)
            if sum(frame.height for frame in waiting) >= ROWS:
                flush()
        flush()
        with system_errors(table := scratch / "connections.parquet"):
            if written:
                pl.scan_parquet(sorted(parts.iterdir()), glob=False).sink_parquet(table, maintain_order=True)
            else:
                _empty().write_parquet(table)
        for part in parts.iterdir():
            part.unlink()
        parts.rmdir()
        schema = {
            "file": pl.String,
            "packets": pl.UInt64,
            "tcp": pl.UInt64,
            "directions": pl.UInt64,
            "unfollowed": pl.UInt64,
            "refused": pl.String,
        }
        with system_errors(table := scratch / "captures.parquet"):
            pl.DataFrame(about, schema=schema).write_parquet(table)
        refused = sum(bool(one["refused"]) for one in about)
        found = Dataset(scratch, len(about) - refused, refused, directions, sum(one["unfollowed"] for one in about))
        (scratch / "connections.html").write_text(report(found, page=True).page(), encoding="utf-8")
    return replace(found, path=folder.path)


def _analyzed(path: str) -> tuple[pl.DataFrame, dict[str, Any]]:
    """The connections of a file, and its row."""
    from . import of_capture

    name = cell(path)
    told: dict[str, Any] = {"file": name, "packets": 0, "tcp": 0, "directions": 0, "unfollowed": 0, "refused": ""}
    try:
        found = of_capture(path, packets=False)
    except _core.CaptureError as error:
        return _empty(), {**told, "refused": str(error).removeprefix(f"{path}: ")}
    except OSError as error:
        return _empty(), {**told, "refused": error.strerror or str(error)}
    frame = pl.DataFrame(found.connections).with_columns(pl.col(pl.Categorical, pl.Enum).cast(pl.String))
    packets = found.summary()["packets"]
    told |= {name: packets[name] for name in ("packets", "tcp", "unfollowed")} | {"directions": frame.height}
    return frame.select(pl.lit(told["file"]).alias("file"), pl.all()), told


def _empty() -> pl.DataFrame:
    """No rows, with the columns of the table."""
    types = {"whole number": pl.UInt64, "number": pl.Float64, "text": pl.String, "bool": pl.Boolean}
    return pl.DataFrame(
        schema={
            "file": pl.String,
            **{it["name"]: types[it["kind"].partition(" or ")[0]] for it in _core.columns("connections")},
        }
    )


def report(found: Dataset, sort: str | None = None, most: int = MAX_SHOWN, *, page: bool = False) -> Report:
    """How often each limit is met; with ``sort``, the directions with the largest values of that column; of a ``page`` those with most data."""
    facts = [fact("dataset", captures=found.captures, directions=found.directions)]
    facts += [fact("refused-files", files=found.refused)] if found.refused else []
    if found.unfollowed:
        facts.append(fact("unfollowed-segments", segments=found.unfollowed, followed=_core.MOST_CONNECTIONS))
    limits = found.limits()
    total, sent = max(int(limits["directions"].sum()), 1), max(int(limits["acked_bytes"].sum()), 1)
    rows = [[one["limit"], f"{one['directions']:,}", percent(one["directions"] / total), percent(one["acked_bytes"] / sent), shown(one["goodput_bps"], "bps")]
        for one in limits.iter_rows(named=True)]  # fmt: skip
    if rows:
        top = limits.sort("acked_bytes", descending=True).row(0, named=True)
        shares = {"share": top["acked_bytes"] / sent, "directions": top["directions"] / total}
        facts.append(fact("limits-most", limit=top["limit"], **shares))
    tables = [
        Table(["limit", "directions", "of them", "of the data", "median goodput"], rows, "Limits" if page else "")
    ]
    if page and rows:
        tables.append(_directions(found))
    elif sort is not None:
        first = [[f"{one_line(one['file'])} #{one['connection']}", f"{one['from']} -> {one['to']}", str(one["limit"]), f"{one[sort]:.6g}" if isinstance(one[sort], float) else str(one[sort])] for one in found.first(sort, most).iter_rows(named=True)]  # fmt: skip
        tables.append(Table(["capture", "direction", "limit", sort], first, names=3))
    picture = _goodputs(found) if page and rows else ""
    return Report("analyze", "What limits these connections", facts, tables, picture)


def _goodputs(found: Dataset) -> str:
    """Directions by the decade of their goodput."""
    groups = [
        Bar(f"{amount(10.0**place, 'b/s')} to {amount(10.0 ** (place + 1), 'b/s')}", [float(directions)])
        for place, directions in found.decades().iter_rows()
    ]
    about = "Directions by their goodput."
    chart = Bars("goodputs", about, ["directions"], ["blue"], groups, Axis("directions (count)"), 2.4)
    return embedded(chart) if groups else ""


def _directions(found: Dataset) -> Table:
    """The directions with most acknowledged data."""
    units = {"acked_bytes": "B", "duration_s": "s", "goodput_bps": "bps", "path_rtt_min_s": "s", "resent": ""}
    columns = dict(CAUSES.values())
    first = found.first("acked_bytes", MAX_ROWS, [*units, "policy", *columns])
    heads = [
        "capture",
        "from",
        "to",
        "policy",
        "limit",
        "acknowledged",
        "duration",
        "goodput",
        "path RTT min",
        "resent",
    ]
    rows = [
        [f"{one_line(one['file'])} #{one['connection']}", one["from"], one["to"], one["policy"], one["limit"], *(shown(one[name], unit) for name, unit in units.items()),
         *("-" if one[name] is None else f"{one[name]:.3f}" for name in columns)]
        for one in first.iter_rows(named=True)
    ]  # fmt: skip
    feet = [fact("first-directions", shown=first.height)]
    return Table([*heads, *(f"{name} (s)" for name in columns.values())], rows, "Directions", feet, names=5, fold=True)


def plain(found: Dataset) -> dict[str, Any]:
    """The same as plain values."""
    return {
        "captures": found.captures,
        "refused": found.refused,
        "directions": found.directions,
        "unfollowed": found.unfollowed,
        "limits": found.limits().to_dicts(),
    }
