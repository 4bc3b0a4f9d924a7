"""The path and the flows of a study, for a reader who has not seen the scenario."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..scenario.access import is_access, path_as_text, queue_as_text, rate_as_text, rate_of_buffers, seconds_of
from ..text.numbers import listing

#: Links that a line describes one by one.
MOST_LINKS = 3

Tree = Mapping[str, Any]


def network(situations: Sequence[tuple[str, Tree]]) -> list[tuple[str, str]]:
    """The path and the flows of expanded scenarios, as rows of a table; without what takes too long to tell."""
    path, flows = _path(situations[0][1]), _flows(situations)
    return [*([("path", path)] if path else []), *([("flows", flows)] if flows else [])]


def _path(tree: Tree) -> str:
    if is_access(tree):
        return path_as_text(tree)
    links = tree.get("link", [])
    if not links or len(links) > MOST_LINKS or tree.get("wlan"):
        return ""
    return "; ".join(_link(link) for link in links)


def _link(link: Tree) -> str:
    """A link of any scenario: its ends, and rate, delay and queue of each direction."""
    (one, other), back = link["between"], {**link, **link.get("back", {})}
    there, here = _direction(link), _direction(back)
    if there == here:
        return f"{one}-{other}: {there} each way"
    return f"{one}->{other}: {there}; {other}->{one}: {here}"


def _direction(link: Tree) -> str:
    rate = link.get("rate")
    parts = [rate_as_text(rate)] if rate is not None else []
    parts += [f"{1e3 * seconds_of(link['delay']):.4g} ms"] if isinstance(link.get("delay"), str) else []
    if "queue" in link:
        parts.append(queue_as_text(link["queue"], rate_of_buffers(rate) if rate is not None else None))
    return ", ".join(parts)


def _flows(situations: Sequence[tuple[str, Tree]]) -> str:
    """The flows of each situation; of all together where they do not differ."""
    found = [
        (name, [_flow(flow) for flow in tree.get("flow", []) if _runs_at_all(flow, tree)]) for name, tree in situations
    ]
    if not all(flows for _, flows in found):
        return ""
    if all(flows == found[0][1] for _, flows in found):
        return ", ".join(found[0][1])
    told = [f"{found[0][0]}: {', '.join(found[0][1])}"]
    for name, flows in found[1:]:
        more = [one for one in flows if one not in found[0][1]]
        same = len(flows) - len(more) == len(found[0][1])
        told.append(f"{name}: the same and {listing(more)}" if same and more else f"{name}: {', '.join(flows)}")
    return "; ".join(told)


def _runs_at_all(flow: Tree, tree: Tree) -> bool:
    end = tree.get("stop", {}).get("at")
    return not isinstance(end, str) or seconds_of(flow["start"]) < seconds_of(end)


def _flow(flow: Tree) -> str:
    count = f"{flow['count']} x " if flow.get("count", 1) > 1 else ""
    size = flow.get("size")
    bytes_ = (
        f" of {_bytes(float(size['bytes'].removesuffix('B')))}"
        if isinstance(size, Mapping) and isinstance(size.get("bytes"), str)
        else ""
    )
    times = flow.get("repeat", {}).get("times") if isinstance(flow.get("repeat"), Mapping) else None
    more = f" ({times} transfers{bytes_}{' each' if count else ''}{_over(flow)})" if times else bytes_
    return f"{count}{flow['name']} {flow['from']}->{flow['to']}{more}"


def _bytes(count: float) -> str:
    """A number of bytes with a prefix.

    >>> _bytes(64), _bytes(20_000_000), _bytes(1_234_567)
    ('64 B', '20 MB', '1,234.567 kB')
    """
    scale, unit = next(
        (
            (scale, unit)
            for scale, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"))
            if count % (scale / 1e3) == 0 and count >= scale
        ),
        (1, "B"),
    )
    return f"{count / scale:,.10g} {unit}"


def _over(flow: Tree) -> str:
    """About when the last of the transfers that follow each other is due: they may be over long before the run."""
    think = [seconds_of(text) for key in ("think", "think_to") if isinstance(text := flow["repeat"].get(key), str)]
    if not think:
        return ""
    due = (
        seconds_of(flow["start"])
        + (flow["count"] - 1) * seconds_of(flow["stagger"])
        + (flow["repeat"]["times"] - 1) * sum(think) / len(think)
    )
    return f", the last due after about {due:.2g} s"


def length(tree: Tree) -> str:
    """How long each run is."""
    end = tree.get("stop", {}).get("at")
    return (
        f"{seconds_of(end):.6g} s each, of which the start of the flows is a part (no warm-up is left out)"
        if isinstance(end, str)
        else "each until its transfers end"
    )
