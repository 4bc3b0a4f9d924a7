"""What options' values may be, where several verbs have them."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Sequence
from pathlib import Path

from .._terminal import complain
from .._texts import file_name

#: Most worker threads; more than any machine has use for.
MOST_THREADS = 1024


def seed(text: str) -> int:
    """A seed: what 64 bits hold."""
    return _whole(text, 0, 2**64 - 1, "2^64 - 1")


def threads(text: str) -> int:
    """How many runs at once."""
    return _whole(text, 1, MOST_THREADS, str(MOST_THREADS))


def directory(text: str) -> str:
    """A directory's name."""
    if not text:
        raise argparse.ArgumentTypeError("give a directory's name, not an empty text")
    if "\0" in text:
        raise argparse.ArgumentTypeError("a directory's name has no NUL characters")
    return text


def add_open(verb: argparse.ArgumentParser) -> None:
    """Adds the option that opens the page that was written."""
    verb.add_argument("--open", action="store_true", help="with --out: open the page in the browser")


def check_open(options: argparse.Namespace) -> None:
    """Refuses ``--open`` where no page is written."""
    if options.open and not options.out:
        options.parser.error("--open goes with --out DIR")


def open_page(options: argparse.Namespace, page: str | os.PathLike[str]) -> None:
    """Opens a page in the browser, if that was asked for."""
    import webbrowser

    if options.open and not webbrowser.open(Path(page).resolve().as_uri()):
        complain(f"no browser opens {file_name(page)}")


def without_place(arguments: Sequence[str]) -> list[str]:
    """A command line without what does not change its results: where they go, and on how many threads."""
    kept: list[str] = []
    given = iter(arguments)
    for argument in given:
        if argument in ("--out", "--threads"):
            next(given, None)
        elif argument not in ("--fresh", "--open") and not argument.startswith(("--out=", "--threads=")):
            kept.append(argument)
    return kept


def say_kept(out: str | None) -> None:
    """Says after an interrupt what became of the runs that were done."""
    kept = f"what is done is kept in {out}; the same command goes on" if out else "nothing is kept without --out DIR"
    complain(f"stopped; {kept}")


def _whole(text: str, least: int, most: int, most_said: str) -> int:
    if not re.fullmatch(r"[0-9]{1,20}", text) or not least <= int(text) <= most:
        raise argparse.ArgumentTypeError(f"{text} is no whole number from {least} to {most_said}")
    return int(text)
