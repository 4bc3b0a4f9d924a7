"""Writing a run's tables to disk, all or nothing."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._core import Table


def write_parquet(table: Table, path: Path) -> None:
    """Writes ``table`` as Parquet, compressed with zstd.

    polars does it: it is installed for the reports anyway, takes the columns without copying, and spares the
    extension a Parquet encoder and a C build of zstd.
    """
    import polars as pl

    pl.DataFrame(table).write_parquet(path, compression="zstd", statistics=True)


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
    scratch = directory.parent / f".{directory.name}.{secrets.token_hex(8)}"
    try:
        scratch.mkdir()
        yield scratch
        for folder, _, names in os.walk(scratch):
            target = directory / Path(folder).relative_to(scratch)
            target.mkdir(parents=True, exist_ok=True)
            for name in names:
                os.replace(Path(folder) / name, target / name)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
