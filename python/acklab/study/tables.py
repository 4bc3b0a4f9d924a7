"""The tables of a dataset, or of any results, as datasets of pyarrow; and what is to be said of them."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from ..results.validity import COLUMN
from ..text.escapes import Shown, file_name, one_line, short
from ..text.toml import loads
from .store import MARKER, Store, StoreError, blocks_of, name, read_marker

T = TypeVar("T")


class QueryError(Shown, ValueError):
    """The question cannot be answered."""


def tables(place: str | os.PathLike[str]) -> dict[str, Any]:
    """The tables at a place, as datasets of pyarrow: a dataset's ``flows``, or a table for each Parquet file of a directory.

    Raises:
        StoreError: there are none, or a package is missing.
    """
    store = Store(place)
    path = Path(store.place)
    if not store.is_url and not path.exists():
        raise StoreError(f"{file_name(place)}: no such directory or file")
    arrow = _needed("pyarrow.dataset")
    if not store.is_url and path.is_file():
        return _readable(store, lambda: {_table(path): arrow.dataset(path, format="parquet")})
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
    return _readable(store, store.names)


def _table(path: Path) -> str:
    """What `--table` calls a file's table."""
    return re.sub(r"\W", "_", path.stem)


def _readable(store: Store, read: Callable[[], T]) -> T:
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
        raise StoreError(f"charts of datasets need {name}: pip install {name}, or 'acklab[data]'") from None


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
