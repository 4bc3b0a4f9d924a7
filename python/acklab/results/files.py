"""Files that are there as a whole: what is written beside a file takes its place when it is complete."""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

_numbers = itertools.count()


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Gives another path to write to. What is there when the block ends well takes the place of ``path``; else ``path`` stays as it is.

    A link stays a link, and a file keeps its permissions. A pipe or a device gets the bytes.

    Raises:
        OSError: it cannot be written; nothing has changed. The error names ``path``.
    """
    target = Path(os.path.realpath(path))
    # With the file's ending, by which writers know the format.
    scratch = target.parent / f".acklab-{os.getpid()}-{next(_numbers)}{target.suffix}"
    try:
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
        os.close(os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
        yield scratch
        if target.exists() and not target.is_file():
            with scratch.open("rb") as source, target.open("wb") as sink:
                shutil.copyfileobj(source, sink)
        else:
            with contextlib.suppress(FileNotFoundError):
                shutil.copymode(target, scratch)
            os.replace(scratch, target)
    except OSError as error:
        if error.errno is not None and error.filename in (os.fspath(scratch), None):
            raise OSError(error.errno, error.strerror, os.fspath(path)) from None
        raise
    finally:
        with contextlib.suppress(OSError):
            scratch.unlink()


#: The formats of static charts.
CHART_FORMATS = ("svg", "png", "pdf")


def static_charts() -> list[str]:
    """Returns the formats in which results have charts as files: those that ``ACKLAB_CHARTS`` lists (``--charts``), else none."""
    asked = os.environ.get("ACKLAB_CHARTS", "").split(",")
    return [name for name in CHART_FORMATS if name in asked]
