"""Papers that regenerate and judge themselves: one package a paper, to be read beside the paper."""

from __future__ import annotations

import json
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ..text.toml import loads

if TYPE_CHECKING:
    from ..reproduce.paper import Paper

FIVE = ("ackfilter", "allman1998", "divack", "smartacking", "veno")
"""The papers that the project began with; counts of "the five papers" are of these."""
LATER = ("cake", "cubic", "neqo", "picoquic", "tack")
"""Small ledgers of work of 2018 to 2026, counted apart."""
CLASSICS = ("asymmetry", "l4s", "quicly", "rfc2415", "rfc2416")
"""Texts that print numbers or traces, held to the printed digit; counted apart, too."""
NAMES = (*FIVE, *LATER, *CLASSICS)


def paper(name: str) -> Paper:
    """A paper by its short name.

    Raises:
        KeyError: there is none of that name.
    """
    if name not in NAMES:
        raise KeyError(f"no paper {name!r}; there are {', '.join(NAMES)}")
    found: Paper = import_module(f".{name}", __name__).PAPER
    return found


def inferred(name: str) -> dict[str, Any] | None:
    """The plan that infers a paper's unprinted rules (:mod:`acklab.infer`), as a tree; None for what is no paper or has none.

    A plan that is data, ``open.toml``, names a run's scenario by an experiment of the paper, a value
    for each of its axes, and another ``stop``.
    """
    if name not in NAMES:
        return None
    data = files(f"{__name__}.{name}") / "open.toml"
    if not data.is_file():
        made = find_spec(f"{__name__}.{name}.inferred") and import_module(f".{name}.inferred", __name__).plan()
        return made or None
    tree: dict[str, Any] = loads(data.read_text("utf-8"))
    sweeps = {one.name: one for claim in paper(name).claims.values() for one in claim.uses}
    for run in tree["run"]:
        cell = dict(run["scenario"])
        stop = {"stop": cell.pop("stop")} if "stop" in cell else {}
        run["scenario"] = json.loads(sweeps[cell.pop("experiment")].scenario(**cell)) | stop
    return tree
