"""Writing a run's tables to disk, all or nothing."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import shutil
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from ._texts import MOST_BYTES, cell

if TYPE_CHECKING:
    from ._core import Table


ROW_GROUP = 1 << 17
"""Rows of a Parquet file's groups: said, so that a file's bytes do not depend on how its rows came."""


def write_parquet(table: Table, path: Path) -> None:
    """Writes ``table`` as Parquet, compressed with zstd.

    polars does it: it is installed for the reports anyway, takes the columns without copying, and spares the
    extension a Parquet encoder and a C build of zstd.

    Raises:
        OSError: the file cannot be written.
    """
    import polars as pl

    with _system_errors(path):
        pl.DataFrame(table).write_parquet(path, compression="zstd", statistics=True, row_group_size=ROW_GROUP)


def write_part(table: Table, path: Path) -> None:
    """Writes some of a table's rows, for :func:`join_parquet`.

    Raises:
        OSError: the file cannot be written.
    """
    import polars as pl

    with _system_errors(path):
        pl.DataFrame(table).write_parquet(path, compression="lz4", statistics=False)


def join_parquet(parts: Sequence[Path], path: Path) -> None:
    """Writes what :func:`write_parquet` would write of the parts' rows together, without holding them.

    Raises:
        OSError: the file cannot be written.
    """
    import polars as pl

    def join() -> None:
        whole = pl.scan_parquet([os.fspath(part) for part in parts])
        whole.sink_parquet(path, compression="zstd", statistics=True, row_group_size=ROW_GROUP)

    with _system_errors(path):
        _interruptibly(join)


@contextmanager
def _system_errors(path: Path) -> Iterator[None]:
    """What the system refused, as an OSError about ``path``."""
    import polars as pl

    _take_interrupts()
    try:
        yield
    except pl.exceptions.ComputeError as error:
        # polars says in words what the system said by number, such as "No space left on device (os error 28)".
        number = re.search(r"\(os error (\d+)\)", str(error))
        if number is None:
            raise
        raise OSError(int(number[1]), os.strerror(int(number[1])), os.fspath(path)) from error


def _take_interrupts() -> None:
    """Gives Ctrl-C back to Python: polars takes it when it is imported, and panics aloud where it comes while it writes."""
    handler = signal.getsignal(signal.SIGINT)
    if handler is not None and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, handler)


def _interruptibly(work: Callable[[], None]) -> None:
    """Does ``work``, which may take long, in a thread, so that Ctrl-C need not wait for its end."""
    failed: list[BaseException] = []

    def attempt() -> None:
        try:
            work()
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=attempt, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(timeout=0.1)
    if failed:
        raise failed[0]


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


def remove_leftovers(directory: Path) -> None:
    """Removes scratch directories that killed processes left beside ``directory``; for who knows that nobody else writes there."""
    pattern = re.compile(rf"{re.escape(_scratch_prefix(directory))}[0-9a-f]{{16}}")
    for path in directory.parent.iterdir():
        if pattern.fullmatch(path.name):
            shutil.rmtree(path, ignore_errors=True)


def _scratch_prefix(directory: Path) -> str:
    """The beginning of the names of scratch directories beside ``directory``: no longer than a file system allows."""
    name = directory.name
    if len(os.fsencode(name)) > MOST_BYTES:
        name = hashlib.sha256(os.fsencode(name)).hexdigest()[:16]
    return f".{name}."


@contextmanager
def all_or_nothing(directory: Path) -> Iterator[Path]:
    """Gives a scratch directory whose files move to ``directory`` once the block is done.

    When the block fails or is interrupted nothing arrives. Files already in ``directory`` stay, unless one of the
    same name arrives, which replaces it in one step.

    Raises:
        OSError: a directory or file cannot be written.
    """
    directory.parent.mkdir(parents=True, exist_ok=True)
    # Its name is known before it exists, so that a signal cannot come between its making and its removal.
    scratch = directory.parent / f"{_scratch_prefix(directory)}{secrets.token_hex(8)}"
    try:
        scratch.mkdir()
        yield scratch
        for folder, _, names in os.walk(scratch):
            target = directory / Path(folder).relative_to(scratch)
            target.mkdir(parents=True, exist_ok=True)
            for name in names:
                os.replace(Path(folder) / name, target / name)
    except OSError as error:
        if isinstance(error.filename, (str, os.PathLike)):
            # Whoever reads this knows the directory that was asked for, not the scratch beside it.
            error.filename = os.fspath(error.filename).replace(str(scratch), str(directory))
        elif error.filename is None:
            error.filename = str(directory)
        raise
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
