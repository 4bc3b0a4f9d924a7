"""Scenario and plan files of the command line: a path, or ``-`` for standard input."""

from __future__ import annotations

import errno
import os
import sys
from typing import TextIO

from ..text.escapes import file_name
from ..text.input import read_file, read_open
from ..text.packaged import example


def stdin() -> TextIO:
    """Standard input.

    Raises:
        OSError: it is closed.
    """
    if sys.stdin is None:
        raise OSError(errno.EBADF, "standard input is closed")
    return sys.stdin


def unread(name: str, error: OSError) -> str:
    """Why a named file cannot be read, with the name that was meant where a file beside it has nearly the same."""
    told = f"{file_name(name)}: {error.strerror}"
    if isinstance(error, IsADirectoryError) and os.path.isfile(again := os.path.join(name, "scenario.toml")):
        return f"{told}, with results; to run their scenario again: acklab run {file_name(again)}"
    if not isinstance(error, FileNotFoundError):
        return told
    from difflib import get_close_matches  # only for an error
    from pathlib import Path

    path = Path(name)
    inside = name.startswith("examples/") and not path.parent.exists()
    folder = Path(example(str(path.parent.relative_to("examples")))) if inside else path.parent
    try:
        there = {one.stem: one.name for one in sorted(folder.iterdir()) if one.suffix in (".toml", ".json")}
    except OSError:
        there = {}
    near = get_close_matches(path.name.removesuffix(path.suffix), there, 1, 0.7)
    return f"{told}; did you mean {file_name(str(path.parent / there[near[0]]))}?" if near else told


def read(file: str) -> tuple[bytes, str]:
    """A file's text, or standard input's, and what to call it in messages.

    Raises:
        OSError: it cannot be read.
    """
    if file == "-":
        return read_open(stdin().buffer), "standard input"
    return read_file(file), file_name(file)
