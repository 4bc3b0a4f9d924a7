"""Studies: questions of our own, regenerated as papers are, without a ledger of claims."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..reproduce.paper import Study

NAMES = ("paths2026", "marks2026", "requests2026", "bbr2026", "sacks2026", "controls2026")


def study(name: str) -> Study:
    """A study by its short name.

    Raises:
        KeyError: there is none of that name.
    """
    if name not in NAMES:
        raise KeyError(f"no study {name!r}; there are {', '.join(NAMES)}")
    found: Study = import_module(f".{name}", __name__).STUDY
    return found
