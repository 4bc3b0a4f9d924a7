"""How a router gets the queues of the recommended case, or those of each trade."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ...scenario.access import is_access
from .advice import beside, quoted, recommended
from .decision import Decision
from .tc import Line, line

if TYPE_CHECKING:
    from .result import Compared

#: The directions of the access link in a scenario of its shape.
DOWN, UP = (1, "A->C"), (1, "C->A")


def settings(told: Compared) -> list[str]:
    """A line for each direction of a link whose queue has to change. Where no case is recommended, those of each trade, with its name."""
    made, chosen = Decision(told), recommended(told)
    cases = [chosen] if chosen is not None else made.trades
    trees = told.comparison.trees() if cases else {}
    where = told.comparison.situations[0].name
    queues = {case.name: dict(_queues(trees[where, case.name])) for case in told.comparison.cases if cases}
    found = []
    access = any(is_access(tree) for tree in trees.values())
    for case in cases:
        beside = [queues[made.base]] if case != made.base else list(queues.values())
        changed = [
            link for link, queue in queues[case].items() if any(_differ(queue, other.get(link)) for other in beside)
        ]
        for link in changed:
            which = "down" if access and link == DOWN else "up" if access and link == UP else ""
            head = ", ".join([*([quoted(case)] if chosen is None else []), f"{which} {link[1]}".strip()])
            found.append(f"{head}: {_said(line(queues[case][link]))}{_without_filter(made, queues, case, link)}")
    return found


def _without_filter(made: Decision, queues: Mapping[str, Any], case: str, link: tuple[int, str]) -> str:
    """What a modem does that has the queue of a case without its ACK filter, if this is a case, too."""
    queue = queues[case][link]
    if queue["kind"] != "docsis-pie" or not queue.get("filter"):
        return ""
    rest = {**queues[case], link: {key: value for key, value in queue.items() if key != "filter"}}
    plain = next((name for name, has in queues.items() if not _differ(list(has.items()), list(rest.items()))), None)
    if plain is None or plain == made.base:
        return ""
    return f". Without the filter, what this sets is the case {quoted(plain)}: {beside(made, plain)}"


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
