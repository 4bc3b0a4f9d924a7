"""Scenario and plan files of the command line: a path, or ``-`` for standard input."""

from __future__ import annotations

import errno
import sys
from typing import TextIO

from ..text.input import read_file, read_open
from ..text.terminal import file_name


def stdin() -> TextIO:
    """Standard input.

    Raises:
        OSError: it is closed.
    """
    if sys.stdin is None:
        raise OSError(errno.EBADF, "standard input is closed")
    return sys.stdin


def read(file: str) -> tuple[bytes, str]:
    """A file's text, or standard input's, and what to call it in messages.

    Raises:
        OSError: it cannot be read.
    """
    if file == "-":
        return read_open(stdin().buffer), "standard input"
    return read_file(file), file_name(file)
