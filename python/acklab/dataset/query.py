"""Questions to results in SQL, answered by DuckDB (https://duckdb.org) from Parquet files."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._texts import file_name
from .blocks import MARKER, blocks_of, name, read_marker
from .store import Store, StoreError

if TYPE_CHECKING:
    import polars as pl

#: What SQL may not do: open files and addresses, read variables of Python, and allow itself to.
_CLOSED = ("enable_external_access = false", "python_enable_replacements = false", "lock_configuration = true")


class QueryError(ValueError):
    """The SQL cannot be answered."""


def query(place: str | os.PathLike[str], sql: str) -> pl.DataFrame:
    """The answer to a question.

    The tables are those of :func:`tables`, without copies: only the columns and row groups that the question needs are read.
    The SQL can read nothing else, and write nothing.

    Args:
        place: a dataset's directory or URL, the directory of any results, or a Parquet file.
        sql: the question, such as ``select count(*) from flows``.

    Raises:
        QueryError: the SQL is none, or gives no table.
        StoreError: there are no tables, or a package is missing.
    """
    found = tables(place)
    duckdb = _needed("duckdb")
    import polars as pl

    with duckdb.connect(":memory:") as connection:
        for table, data in found.items():
            connection.register(table, data)
        for setting in _CLOSED:
            connection.execute(f"set {setting}")
        try:
            answer = connection.sql(sql)
            if answer is None:
                raise QueryError("the SQL gives no table; begin with select")
            return pl.DataFrame(pl.from_arrow(answer.to_arrow_table()))
        except duckdb.Error as error:
            said = str(error).partition("\n\nLINE ")[0].split("\n")
            known = f" (tables: {', '.join(found)})" if "Table with name" in said[0] else ""
            raise QueryError(" ".join(line.strip() for line in said if line.strip()) + known) from None


def tables(place: str | os.PathLike[str]) -> dict[str, Any]:
    """The tables at a place, as datasets of pyarrow: a dataset's ``flows``, or a table for each Parquet file of a directory.

    Raises:
        StoreError: there are none, or a package is missing.
    """
    arrow = _needed("pyarrow.dataset")
    store = Store(place)
    path = Path(store.place)
    if not store.is_url and path.is_file():
        return _readable(store, lambda: {_table(path): arrow.dataset(path, format="parquet")})
    if not store.is_url and not path.is_dir():
        raise StoreError(f"{file_name(place)}: no such directory or file")
    names = _names(store)
    if MARKER in names:
        files, root = store.files() if store.is_url else (None, store.place)
        there = [f"{root}/{name(block)}" for block in sorted(blocks_of(names))]
        if not there:
            raise StoreError(f"{store} has no block yet; the command that began it goes on")
        how = {"format": "parquet", "partitioning": "hive", "partition_base_dir": root, "filesystem": files}
        return _readable(store, lambda: {"flows": arrow.dataset(there, **how)})
    found = {} if store.is_url else {_table(one): one for one in sorted(path.glob("*.parquet")) if one.is_file()}
    if not found:
        raise StoreError(f"{store} holds no dataset of acklab" + ("" if store.is_url else " and no Parquet file"))
    return _readable(store, lambda: {table: arrow.dataset(file, format="parquet") for table, file in found.items()})


def unfinished(place: str | os.PathLike[str]) -> str:
    """What is to be said of a dataset that is not complete; empty where it is, or where there is no dataset."""
    store = Store(place)
    names = _names(store)
    if MARKER not in names:
        return ""
    there, whole = len(blocks_of(names)), read_marker(store)["blocks"]
    return f"{store} is not complete: {there:,} of {whole:,} blocks are there" if there < whole else ""


def _names(store: Store) -> list[str]:
    """The files of a dataset; none where a directory is none, which may be a large one."""
    if not store.is_url and not Path(store.place, MARKER).is_file():
        return []
    return _readable(store, store.names)  # type: ignore[no-any-return]


def _table(path: Path) -> str:
    """What SQL calls a file's table."""
    return re.sub(r"\W", "_", path.stem)


def _readable(store: Store, read: Any) -> Any:
    try:
        return read()
    except (OSError, ValueError) as error:  # pyarrow's errors are of these kinds
        if isinstance(error, StoreError):
            raise
        raise StoreError(f"{store}: {str(error).splitlines()[0]}") from None


def _needed(module: str) -> Any:
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError:
        raise StoreError(f"this needs {module.partition('.')[0]}: pip install 'acklab[data]'") from None
