"""Many captures as one table: a row for each direction of each connection, and a row for each file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl

from .. import _core
from ..results.directory import results
from ..results.frames import system_errors
from ..text.columns import align
from ..text.escapes import cell, file_name, one_line
from ..text.numbers import amount, count, percent
from .dataset_page import page
from .directions import MOST, Dataset

if TYPE_CHECKING:
    from ..results.directory import Folder

NAMES = ("connections.parquet", "captures.parquet", "connections.html")
"""The files of a dataset."""
#: Rows that are held in memory before they are written.
ROWS = 5_000


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
        (scratch / "connections.html").write_text(page(found), encoding="utf-8")
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
            **{name: types[kind.partition(" or ")[0]] for name, kind, *_ in _core.columns("connections")},
        }
    )


def as_text(found: Dataset, sort: str | None = None, most: int = MOST) -> str:
    """How often each limit is met; with ``sort``, the directions with the largest values of that column."""
    limits = found.limits()
    total, sent = max(int(limits["directions"].sum()), 1), max(int(limits["acked_bytes"].sum()), 1)
    rows = [
        [one["limit"], f"{one['directions']:,}", percent(one["directions"] / total), percent(one["acked_bytes"] / sent), "-" if one["goodput_bps"] is None else amount(one["goodput_bps"], "b/s")]
        for one in limits.iter_rows(named=True)
    ]  # fmt: skip
    left = f", {count(found.refused, 'file')} left out (captures.parquet says why)" if found.refused else ""
    lines = [f"{count(found.captures, 'capture')}, {count(found.directions, 'direction')}{left}"]
    if found.unfollowed:
        lines.append(
            f"{count(found.unfollowed, 'segment')} not looked at: {_core.MOST_CONNECTIONS:,} connections of a file are followed (captures.parquet says where)"
        )
    if rows:
        lines += ["", *align(["limit", "directions", "of them", "of the data", "median goodput"], rows)]
    if sort is not None:
        first = found.first(sort, most)
        shown = [[f"{one_line(one['file'])} #{one['connection']}", f"{one['from']} -> {one['to']}", str(one["limit"]), f"{one[sort]:.6g}" if isinstance(one[sort], float) else str(one[sort])] for one in first.iter_rows(named=True)]  # fmt: skip
        lines += ["", *align(["capture", "direction", "limit", sort], shown, names=3)]
    return "\n".join([*lines, "", f"written to {file_name(found.path / 'connections.parquet')}"])


def plain(found: Dataset) -> dict[str, Any]:
    """The same as plain values."""
    return {
        "captures": found.captures,
        "refused": found.refused,
        "directions": found.directions,
        "unfollowed": found.unfollowed,
        "limits": found.limits().to_dicts(),
    }
