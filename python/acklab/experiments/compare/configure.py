"""How a router gets the queues of each case that differ from those of the first."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ...scenario.access import is_access
from .tc import line

if TYPE_CHECKING:
    from .plan import Comparison

#: The directions of the access link in a scenario of its shape.
DOWN, UP = (1, "A->C"), (1, "C->A")

Setting = tuple[str, str, str, str]
"""Case, link direction, command (empty where none does it), and how what it sets differs."""


def settings(comparison: Comparison) -> list[Setting]:
    """A row for each direction of a link whose queue a case changes."""
    trees = comparison.trees()
    where = comparison.situations[0].name
    queues = {case.name: dict(_queues(trees[where, case.name])) for case in comparison.cases}
    base = queues[comparison.cases[0].name]
    access = any(is_access(tree) for tree in trees.values())
    rows = []
    for case, own in queues.items():
        for link, queue in own.items():
            if json.dumps(queue, sort_keys=True) != json.dumps(base.get(link), sort_keys=True):
                which = "down" if access and link == DOWN else "up" if access and link == UP else ""
                setting = line(queue)
                rows.append((case, f"{which} {link[1]}".strip(), setting.command or "", setting.differs))
    return rows


def _queues(tree: Mapping[str, Any]) -> Iterator[tuple[tuple[int, str], Mapping[str, Any]]]:
    """The queue of each direction of each link of an expanded scenario, by the link's index and its ends."""
    for index, link in enumerate(tree.get("link", [])):
        one, other = link["between"]
        back = {**link, **link.get("back", {})}
        for name, queue in ((f"{one}->{other}", link.get("queue")), (f"{other}->{one}", back.get("queue"))):
            if queue is not None:
                yield (index, name), queue
