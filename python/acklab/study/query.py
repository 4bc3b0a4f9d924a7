"""Questions to results in SQL, answered by DuckDB (https://duckdb.org) from Parquet files."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from ..results.interrupts import in_thread
from ..results.validity import COLUMN
from ..text.escapes import Shown, file_name, one_line, short
from ..text.toml import loads
from .dataset import MARKER, Store, StoreError, blocks_of, name, read_marker

#: What SQL may not do: open files and addresses, read variables of Python, and allow itself to.
_CLOSED = ("enable_external_access = false", "python_enable_replacements = false", "lock_configuration = true")
#: Shares of the machine's memory: DuckDB may work with one, an answer may fill the other.
_WORK, _ANSWER = 0.5, 0.25
_NUMBERS = (
    "tinyint",
    "smallint",
    "integer",
    "bigint",
    "hugeint",
    "utinyint",
    "usmallint",
    "uinteger",
    "ubigint",
    "uhugeint",
)
_PLAIN = frozenset((*_NUMBERS, "float", "double", "decimal", "boolean", "varchar", "uuid", "enum", "null"))
_NESTED = frozenset(("list", "array", "struct", "map"))
_TIMES = frozenset(("date", "time", *(f"timestamp{kind}" for kind in ("", "_s", "_ms", "_ns", " with time zone"))))
#: DuckDB's types that come as they are: in a frame or in Parquet, in JSON, and in CSV or on a terminal. Others become texts.
FORMS = {"frame": _PLAIN | _NESTED | _TIMES | {"blob"}, "json": _PLAIN | _NESTED, "text": _PLAIN}


class QueryError(Shown, ValueError):
    """The SQL cannot be answered."""


def query(place: str | os.PathLike[str], sql: str) -> pl.DataFrame:
    """The answer to a question.

    The tables are those of :func:`tables`, without copies: only the columns and row groups that the question needs are read.
    The SQL can read nothing else, and write nothing. Values that a frame cannot have, such as intervals, are texts, as DuckDB
    writes them.

    Args:
        place: a dataset's directory or URL, the directory of any results, or a Parquet file.
        sql: the question, such as ``select count(*) from flows``.

    Raises:
        QueryError: the SQL is not valid or gives no table; or it needs more than half of the memory, or its answer a quarter.
        StoreError: there are no tables, or a package is missing.
    """
    return answer(place, sql, "frame")


def answer(place: str | os.PathLike[str], sql: str, form: str) -> pl.DataFrame:
    """The same for one of :data:`FORMS`."""
    found = tables(place)
    duckdb = _needed("duckdb")
    connection = duckdb.connect(":memory:")
    # An interrupt reaches this thread only, and DuckDB would not look for it.
    return in_thread(lambda: _ask(connection, found, sql, FORMS[form]), connection.interrupt)


def _ask(connection: Any, found: Mapping[str, Any], sql: str, form: frozenset[str]) -> pl.DataFrame:
    import duckdb
    import pyarrow as arrow

    with connection:
        for table, data in found.items():
            connection.register(table, data)
        ((memory,),) = connection.sql("select current_setting('memory_limit')").fetchall()
        machine = _bytes(memory) / 0.8  # DuckDB's own limit
        for setting in (f"memory_limit = '{int(_WORK * machine)}B'", *_CLOSED):
            connection.execute(f"set {setting}")
        try:
            asked = connection.sql(sql)
            if asked is None:
                raise QueryError("the SQL gives no table; begin with select")
            reader = arrow.RecordBatchReader.from_stream(_told(asked, form))
            batches, held = [], 0
            for batch in reader:
                batches.append(batch)
                held += batch.nbytes
                if held > _ANSWER * machine:
                    raise QueryError(
                        f"the answer is larger than {_ANSWER * machine / 1e9:.2g} GB, a quarter of the memory; ask for fewer rows or columns"
                    )
            return pl.DataFrame(pl.from_arrow(arrow.Table.from_batches(batches, reader.schema)))
        except (duckdb.Error, OSError, arrow.ArrowException) as error:  # arrow passes DuckDB's errors on as its own
            said = str(error).partition("\n\n")[0].split("\n")
            known = f" (tables: {', '.join(found)})" if "Table with name" in said[0] else ""
            raise QueryError(" ".join(line.strip() for line in said if line.strip()) + known) from None


def _told(asked: Any, form: frozenset[str]) -> Any:
    """An answer with texts for values that the form does not have."""
    names = asked.columns
    twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
    if twice is not None:
        raise QueryError(f"two columns of the answer are named {twice}; give one another name with as")
    kept = [_is_in(form, kind) for kind in asked.types]
    if all(kept):
        return asked
    values = (f"#{place}" if keep else f"cast(#{place} as varchar)" for place, keep in enumerate(kept, 1))
    quoted = (name.replace('"', '""') for name in names)
    return asked.project(", ".join(f'{value} as "{name}"' for value, name in zip(values, quoted, strict=True)))


def _is_in(form: frozenset[str], kind: Any) -> bool:
    """Whether a form has a type of DuckDB, and all types within it."""
    inner = [part for _, part in kind.children if hasattr(part, "id")] if kind.id in _NESTED else []
    return kind.id.strip('"') in form and all(_is_in(form, part) for part in inner)


def _bytes(text: str) -> float:
    """A size as DuckDB writes it.

    >>> _bytes("18.8 GiB") > _bytes("900.0 MiB")
    True
    """
    number, unit = text.split()
    return float(number) * 1024.0 ** ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"].index(unit)


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
        below = (
            []
            if store.is_url
            else sorted(
                {one.parent for one in path.glob("*/tables/*.parquet")}
                | {one.parent for one in path.glob("tables/*.parquet")}
            )
        )
        if below:
            which = file_name(below[0].relative_to(path))
            raise StoreError(
                f"{file_name(place)} holds the tables of {'a paper' if len(below) == 1 else 'papers'}: give one of {file_name(place)}/{which}/*.parquet, with --x and --y"
            )
        if not store.is_url and (path / "report.html").is_file():
            raise StoreError(
                f"{file_name(place)} holds a page without tables: acklab run --out DIR and acklab sweep --dataset DIR write them"
            )
        if not store.is_url and (path / "fit.json").is_file():
            raise StoreError(
                f"{file_name(place)} holds a fit, which has no tables: open {file_name(path / 'fit.html')}, or acklab run {file_name(path / 'fitted.toml')} --out DIR"
            )
        raise StoreError(f"{store} holds no dataset of acklab" + ("" if store.is_url else " and no Parquet file"))
    return _readable(store, lambda: {table: arrow.dataset(file, format="parquet") for table, file in found.items()})


def caveat(place: str | os.PathLike[str]) -> str:
    """What is to be said of whatever is shown of a place: it is not complete, or from an invalid live run; else empty."""
    return unfinished(place) or invalid(place)


def invalid(place: str | os.PathLike[str]) -> str:
    """Why a live run's tables mean nothing; empty where they are valid, or of no live run."""
    for table in tables(place).values():
        if COLUMN in table.schema.names:
            arrow = _needed("pyarrow.dataset")
            told = table.head(1, columns=[COLUMN], filter=arrow.field(COLUMN).is_valid()).column(0).to_pylist()
            return f"{file_name(place)} is of an invalid live run: {told[0]}" if told else ""
    return ""


def unfinished(place: str | os.PathLike[str]) -> str:
    """What is to be said of a dataset that is not complete; empty where it is, or where there is no dataset."""
    store = Store(place)
    names = _names(store)
    if MARKER not in names:
        return ""
    there, whole = len(blocks_of(names)), read_marker(store)["blocks"]
    return f"{store} is not complete: {there:,} of {whole:,} blocks are there" if there < whole else ""


def _names(store: Store) -> list[str]:
    """The files of a dataset. A directory that is not a dataset is not listed, because it may be large."""
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
        name = module.partition(".")[0]
        raise StoreError(f"this needs {name}: pip install {name}") from None


#: Columns that a heading takes.
MOST = 100


def heading(place: str | os.PathLike[str]) -> str:
    """The title; empty where nothing tells one, as of a Parquet file alone."""
    store = Store(place)
    try:
        if store.is_url or (Path(store.place) / MARKER).is_file():
            told = read_marker(store)
            found = _title(told.get("plan")) or _title(told.get("scenario"))
        else:
            files = (
                (Path(store.place) / name, key)
                for name, key in (("sweep.json", "title"), ("summary.json", "title"), ("acklab.json", "capture"))
            )
            found = next(
                (text for file, key in files if file.is_file() and (text := json.loads(file.read_bytes()).get(key))), ""
            )
            found = str(found) if isinstance(found, str) else ""
            found = os.path.basename(found) if (Path(store.place) / "analysis.json").is_file() else found
    except (OSError, ValueError, StoreError, AttributeError):
        return ""  # the chart tells what it shows without it
    return short(one_line(found), MOST)


def _title(text: Any) -> str:
    found = loads(text).get("title", "") if isinstance(text, str) else ""
    return found if isinstance(found, str) else ""
