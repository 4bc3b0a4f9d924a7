"""Writing tables to disk."""

from __future__ import annotations

import contextlib
import json
import operator
import os
import re
import shlex
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from .. import _core
from ..text.terminal import cell, not_known
from . import command
from .interrupts import in_thread

if TYPE_CHECKING:
    import polars as pl

    from .._core import Table


def to_polars(table: Table | Tabular) -> pl.DataFrame:
    """A polars frame that shares the table's data."""
    import polars as pl

    return pl.DataFrame(table)


def to_pandas(table: Table) -> Any:
    """A pandas frame; texts are texts, not categories."""
    return pandas(to_polars(table))


def pandas(frame: Any) -> Any:
    """A polars frame as a pandas frame. It needs no pyarrow: columns go through numpy, texts as texts.

    Raises:
        ImportError: pandas is not installed; says what to install.
    """
    try:
        import pandas as pd  # type: ignore[import-untyped]
    except ModuleNotFoundError:
        raise ImportError("a pandas frame needs pandas: pip install pandas") from None
    import polars as pl

    texts = frame.with_columns(pl.col(pl.Categorical, pl.Enum).cast(pl.String))
    columns = {
        name: column.to_list()
        if column.dtype in (pl.String, pl.Boolean) or column.dtype.is_nested()
        else column.to_numpy()
        for name, column in zip(texts.columns, texts, strict=True)
    }
    return pd.DataFrame(columns)


class Tabular:
    """Results that are also one table: ``pl.DataFrame(told)`` and ``pd.DataFrame(told)`` read them, too."""

    def to_polars(self) -> pl.DataFrame:
        """The table as a polars frame."""
        raise NotImplementedError

    def to_pandas(self) -> Any:
        """The table as a pandas frame.

        Raises:
            ImportError: pandas is not installed.
        """
        return pandas(self.to_polars())

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.to_polars().__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        return len(self.to_polars())

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return self.to_polars().iter_rows(named=True)


def rows(table: Table) -> Iterator[dict[str, Any]]:
    """The rows as dicts."""
    return to_polars(table).iter_rows(named=True)


def item(table: Any, key: Any) -> Any:
    """A row by its number, rows by a slice, or a column by its name.

    Raises:
        KeyError: there is no such column.
        IndexError: there is no such row.
    """
    if isinstance(key, str) and key not in table.columns:
        raise KeyError(not_known("column", key, table.columns))
    if not isinstance(key, (str, slice)):
        place = operator.index(key)
        if not -len(table) <= place < len(table):
            raise IndexError(f"no row {place}; the table {table.name} has {len(table)}")
        return to_polars(table).row(place, named=True)
    return to_polars(table)[key]


def write_scenario(text: str | bytes, folder: Path) -> str:
    """Writes a scenario as it was given, TOML or JSON; the file's name."""
    name = scenario_name(text)
    (folder / name).write_bytes(text.encode() if isinstance(text, str) else text)
    return name


def scenario_name(text: str | bytes) -> str:
    """The file's name of a scenario as it was given."""
    return "scenario.json" if text.lstrip()[:1] in ("{", b"{") else "scenario.toml"


ROW_GROUP = 1 << 17
"""Rows of a Parquet file's groups: said, so that a file's bytes do not depend on how its rows came."""


def provenance(**about: Any) -> dict[str, str]:
    """What a Parquet file says of its origin, as metadata: ``acklab.version``, ``acklab.command``, and ``about`` under such names.

    A text stands as it is, other values as JSON; None is left out. Nothing in it depends on when or where the file is written.
    """
    told = {"version": _core.__version__, "command": shlex.join(command.line) or None, **about}
    texts = {key: told if isinstance(told, str) else json.dumps(told) for key, told in told.items() if told is not None}
    return {f"acklab.{key}": text.encode(errors="backslashreplace").decode() for key, text in texts.items()}


def write_parquet(table: Table | pl.DataFrame, path: Path, about: Mapping[str, str] | None = None) -> None:
    """Writes ``table`` as Parquet, compressed with zstd, with ``about`` (:func:`provenance`) as its metadata.

    polars does it: it is installed for the reports anyway, takes the columns without copying, and spares the
    extension a Parquet encoder and a C build of zstd.

    Raises:
        OSError: the file cannot be written.
    """
    import polars as pl

    with system_errors(path):
        frame, metadata = pl.DataFrame(table), dict(about or provenance())
        frame.write_parquet(path, compression="zstd", statistics=True, row_group_size=ROW_GROUP, metadata=metadata)


def write_part(table: Table, path: Path) -> None:
    """Writes some of a table's rows, for :func:`join_parquet`.

    Raises:
        OSError: the file cannot be written.
    """
    import polars as pl

    with system_errors(path):
        pl.DataFrame(table).write_parquet(path, compression="lz4", statistics=False)


def join_parquet(parts: Sequence[Path], path: Path, about: Mapping[str, str]) -> None:
    """Writes what :func:`write_parquet` would write of the parts' rows together, without holding them.

    Raises:
        OSError: the file cannot be written.
    """
    import polars as pl

    def join() -> None:
        whole = pl.scan_parquet([os.fspath(part) for part in parts], glob=False)
        whole.sink_parquet(path, compression="zstd", statistics=True, row_group_size=ROW_GROUP, metadata=dict(about))

    with system_errors(path):
        in_thread(join)


def write_csv(frame: Any, file: IO[bytes], *, header: bool = True) -> None:
    """Appends a polars frame to ``file`` as CSV in which no spreadsheet finds a formula; Parquet has the texts as they are."""
    import csv
    import io

    import polars as pl

    for column in frame.get_columns():
        if column.dtype == pl.String:
            texts = {text: cell(text) for text in column.drop_nulls().unique()}
            changed = {text: told for text, told in texts.items() if told != text}
            if changed:
                frame = frame.with_columns(column.replace(changed))
    if header:
        line = io.StringIO()
        csv.writer(line, lineterminator="\n").writerow(map(cell, frame.columns))
        file.write(line.getvalue().encode())
    frame.write_csv(file, include_header=False)


def _take_interrupts() -> None:
    """Gives Ctrl-C back to Python: polars takes it when it is imported, and panics aloud where it comes while it writes."""
    handler = signal.getsignal(signal.SIGINT)
    if handler is not None and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, handler)


@contextlib.contextmanager
def system_errors(path: Path) -> Iterator[None]:
    """Makes errors of the system of those that polars raises while it writes ``path``.

    Raises:
        OSError: the file cannot be written.
    """
    import polars as pl

    _take_interrupts()
    try:
        yield
    except (pl.exceptions.PolarsError, OSError) as error:
        # polars says in words what the system said by number, such as "No space left on device (os error 28)".
        number = re.search(r"\(os error (\d+)\)", str(error))
        code = getattr(error, "errno", None) or (int(number[1]) if number else None)
        if code is not None:
            raise OSError(code, os.strerror(code), getattr(error, "filename", None) or os.fspath(path)) from error
        if isinstance(error, OSError):
            raise
        # At times it says nothing of that; then the same happens to who writes more.
        with path.open("ab") as file:
            file.write(bytes(1 << 16))
        raise
