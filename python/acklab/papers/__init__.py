"""Papers that regenerate and judge themselves, one package each, to be read beside the paper; and those that other distributions bring."""

from __future__ import annotations

import json
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.resources import files
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ..text.toml import loads

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


def _plan(name: str) -> dict[str, Any] | None:
    """A paper's ``open.toml``; None for what is no paper or has none."""
    file = files(f"{__name__}.{name}") / "open.toml" if name in FIVE else None
    return loads(file.read_text("utf-8")) if file and file.is_file() else None


def open_rules(name: str) -> dict[str, Any]:
    """The values of the rules that a paper leaves open: those that its plan's runs read, and those that only other runs do (``[elsewhere]``)."""
    plan = _plan(name) or {}
    return {**plan.get("free", {}), **plan.get("elsewhere", {})}


def inferred(name: str) -> dict[str, Any] | None:
    """The plan that infers a paper's unprinted rules (:mod:`acklab.infer`), as a tree; None for what is no paper or has none.

    A plan that is data, ``open.toml``, names a run's scenario by an experiment of the paper, a value
    for each of its axes, and another ``stop``.
    """
    if (tree := _plan(name)) is None or "run" not in tree:
        spec = name in FIVE and find_spec(f"{__name__}.{name}.inferred")
        return import_module(f".{name}.inferred", __name__).plan() if spec else None
    tree.pop("elsewhere", None)
    sweeps = {one.name: one for claim in paper(name).claims.values() for one in claim.uses}
    for run in tree["run"]:
        cell = dict(run["scenario"])
        stop = {"stop": cell.pop("stop")} if "stop" in cell else {}
        run["scenario"] = json.loads(sweeps[cell.pop("experiment")].scenario(**cell)) | stop
    return tree
