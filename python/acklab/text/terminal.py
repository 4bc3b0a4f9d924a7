"""The gate to the terminal: everything that is printed passes it, so that no text of a user acts on the terminal."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import IO

from .escapes import literal, visible
from .packaged import as_typed

#: Goes to the line's beginning and clears it: the only control characters that are ever sent.
_CLEAR = "\r\033[K"


@contextlib.contextmanager
def _named() -> Iterator[None]:
    """Names standard output in errors of the system."""
    try:
        yield
    except OSError as error:
        error.filename = "standard output"
        raise


def flush() -> None:
    """Lets standard output have all that was printed."""
    with _named():
        sys.stdout.flush()


def say(text: str, file: IO[str] | None = None) -> None:
    """Prints text for people, on standard output if no file is named."""
    with contextlib.nullcontext() if file else _named():
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
    with _named():
        sys.stdout.buffer.write(lines)
        sys.stdout.buffer.flush()


def say_toml(text: str) -> None:
    """Prints a scenario whose texts stand in double quotes."""
    with _named():
        sys.stdout.write(literal(text, toml=True))
