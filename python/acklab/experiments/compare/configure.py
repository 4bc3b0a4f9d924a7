"""How a router gets the queues of the recommended case, or those of each trade."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from .advice import Decision, quoted, recommended
from .tc import Line, line

if TYPE_CHECKING:
    from .result import Compared


def settings(told: Compared) -> list[str]:
    """A line for each direction of a link whose queue has to change. Where no case is recommended, those of each trade, with its name."""
    made, chosen = Decision(told), recommended(told)
    cases = [chosen] if chosen is not None else made.trades
    trees = told.comparison.trees() if cases else {}
    where = told.comparison.situations[0].name
    queues = {case.name: dict(_queues(trees[where, case.name])) for case in told.comparison.cases if cases}
    found = []
    for case in cases:
        beside = [queues[made.base]] if case != made.base else list(queues.values())
        changed = [link for link, queue in queues[case].items() if any(_differ(queue, other.get(link)) for other in beside)]
        found += [f"{quoted(case) + ', ' if chosen is None else ''}{link[1]}: {_said(line(queues[case][link]))}" for link in changed]
    return found


def _differ(one: Any, other: Any) -> bool:
    return json.dumps(one, sort_keys=True) != json.dumps(other, sort_keys=True)


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
