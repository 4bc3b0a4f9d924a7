"""Papers that regenerate and judge themselves, one package each, to be read beside the paper; and those that other distributions bring."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..reproduce.paper import Paper

FIVE = ("ackfilter", "allman1998", "divack", "smartacking", "veno")
"""The papers of this package."""
GROUPS = ("later", "classics", "studies")
"""Groups of entry points, ``acklab.later`` and so on: work of 2018 to 2026, texts held to the printed digit, studies without claims."""


@cache
def installed(group: str) -> dict[str, EntryPoint]:
    """Returns the entry points of a group, by the name of the paper or study."""
    return {entry.name: entry for entry in sorted(entry_points(group=f"acklab.{group}"))}


def names() -> tuple[str, ...]:
    """Returns the papers that have claims."""
    return (*FIVE, *installed("later"), *installed("classics"))


def paper(name: str) -> Paper:
    """Returns a paper or a study by its short name.

    Raises:
        KeyError: there is none of that name.
    """
    if name in FIVE:
        found: Paper = import_module(f".{name}", __name__).PAPER
        return found
    entries = {name: entry for group in GROUPS for name, entry in installed(group).items()}
    if name not in entries:
        raise KeyError(f"no paper {name!r}; there are {', '.join((*FIVE, *entries))}")
    found = entries[name].load()
    return found


def packages() -> list[str]:
    """Returns the packages that have the papers' code."""
    return [
        __name__,
        *sorted({entry.module.partition(".")[0] for group in GROUPS for entry in installed(group).values()}),
    ]
