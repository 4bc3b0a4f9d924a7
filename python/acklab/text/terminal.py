"""The gate to the terminal: everything that is printed passes it, so that no text of a user acts on the terminal."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import IO

from .escapes import literal, visible
from .packaged import as_typed

#: Goes to the line's beginning and clears it: the only control characters that are ever sent.
_CLEAR = "\r\033[K"
#: Whether the reader of what is printed has closed the pipe.
closed = False


@contextlib.contextmanager
def _printing(stream: IO[str] | None = None) -> Iterator[None]:
    """Names the stream in errors of the system. Where its reader has closed the pipe, the rest is printed nowhere, and the run goes on."""
    try:
        yield
    except BrokenPipeError:
        global closed
        closed = True
        abandon(stream or sys.stdout)
    except OSError as error:
        error.filename = "standard output" if stream is None else "standard error"
        raise


def abandon(stream: IO[str]) -> None:
    """Lets what is still to be written go nowhere; Python writes once more on exit and would complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def flush() -> None:
    """Lets standard output have all that was printed."""
    with _printing():
        sys.stdout.flush()


def say(text: str, file: IO[str] | None = None) -> None:
    """Prints text for people, on standard output if no file is named."""
    with _printing(file):
        print(visible(as_typed(text)), file=file)


def complain(text: str) -> None:
    """Prints a line on standard error, headed with the command's name."""
    say(f"acklab: {text}", sys.stderr)


def status(text: str = "") -> None:
    """Replaces the line that shows progress on standard error, if that is a terminal; without a text it is cleared."""
    if sys.stderr.isatty():
        print(_CLEAR + visible(text), end="", file=sys.stderr, flush=True)


def say_json(text: str) -> None:
    """Prints a line of JSON, which is UTF-8 whatever the terminal speaks."""
    say_bytes(text.encode() + b"\n")


def say_bytes(lines: bytes) -> None:
    """Prints whole lines of JSON."""
    if not lines.isascii() or b"\x7f" in lines:
        lines = literal(lines.decode()).encode()
    flush()
    with _printing():
        sys.stdout.buffer.write(lines)
        sys.stdout.buffer.flush()


def say_toml(text: str) -> None:
    """Prints a scenario whose texts stand in double quotes."""
    with _printing():
        sys.stdout.write(literal(text, toml=True))
