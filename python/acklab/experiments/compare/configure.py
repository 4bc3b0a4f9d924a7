"""How a router gets the queues of the recommended case."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from .advice import recommended
from .tc import Line, line

if TYPE_CHECKING:
    from .result import Compared


def settings(told: Compared) -> list[str]:
    """A line for each direction of a link whose queue the cases change; none where no case is recommended."""
    chosen = recommended(told)
    if chosen is None:
        return []
    trees = told.comparison.trees()
    where = told.comparison.situations[0].name
    queues = {case.name: dict(_queues(trees[where, case.name])) for case in told.comparison.cases}
    changed = [link for link in queues[chosen] if len({json.dumps(queues[case].get(link), sort_keys=True) for case in queues}) > 1]
    return [f"{link[1]}: {_said(line(queues[chosen][link]))}" for link in changed]


def _said(found: Line) -> str:
    if found.command is None:
        return f"not to be had by tc; {found.differs}"
    return f"{found.command}{f'   # {found.differs}' if found.differs else ''}"


def _queues(tree: Mapping[str, Any]) -> Iterator[tuple[tuple[int, str], Mapping[str, Any]]]:
    """The queue of each direction of each link of an expanded scenario, by the link's index and its ends."""
    for index, link in enumerate(tree.get("link", [])):
        one, other = link["between"]
        back = {**link, **link.get("back", {})}
        for name, queue in ((f"{one}->{other}", link.get("queue")), (f"{other}->{one}", back.get("queue"))):
            if queue is not None:
                yield (index, name), queue
