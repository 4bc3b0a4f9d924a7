"""The mechanisms of a scenario: its keys for which the schema declares a neutral value, or that there is none.

A declaration is ``{"value": X}``, or ``{"by": ...}``: ``absent`` (without the key), ``mean`` (constant at it), ``drop-tail`` (a queue of equal
room), ``none`` (no neutral value).
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from .. import _core
from ..text.schema import TAGS, forms, resolved
from .grammar import base, read, readable

Path = tuple[Any, ...]
#: The mean of a jitter's draws, beside which nearly every one is cut to `most`.
_CUT = "1000000000s"
#: Limit of a queue -> the limit of a drop-tail queue that counts the same.
_ROOM = {
    **{key: key for key in ("packets", "waiting", "bytes", "waiting_bytes")},
    **{"buffer": "waiting_bytes", "memory": "bytes"},
}
_PACKET = 1500
#: CAKE's memory where none is given: the default, and the least with a shaper.
_CAKE_MEMORY, _CAKE_LEAST = 15_360_000, 4 << 20
_TYPES = {"object": Mapping, "array": list, "string": str, "boolean": bool}


@dataclass(frozen=True)
class Change:
    """One key of an expanded scenario, and what it becomes."""

    path: Path
    label: str
    old: Any
    apply: Callable[[Any], Any]
    """The new value, from that of the moment; None: without the key."""

    @property
    def key(self) -> str:
        """The key as ``--set`` has it."""
        return ".".join(map(str, self.path))

    @property
    def new(self) -> Any:
        """The new value where nothing else changes."""
        return self.apply(self.old)

    def put(self, node: Any, path: Path | None = None) -> Any:
        """A copy of a tree with the change."""
        key, *rest = self.path if path is None else path
        value = self.put(node[key], tuple(rest)) if rest else self.apply(node[key])
        if isinstance(node, list):
            return [*node[:key], *([] if value is None else [value]), *node[key + 1 :]]
        return {k: value if k == key else v for k, v in node.items() if k != key or value is not None}


def changed(tree: Any, changes: Sequence[Change]) -> Any:
    """A tree with several changes: the innermost key first, of a list the last entry."""
    for change in reversed(changes):
        tree = change.put(tree)
    return tree


def mechanisms(tree: Mapping[str, Any], measured: Sequence[int], end_s: float) -> tuple[list[Change], list[str]]:
    """The active mechanisms, in the scenario's order, and the names of keys without a neutral value.

    Args:
        tree: an expanded scenario.
        measured: places of the flows whose absence is no change.
        end_s: the run's end, up to which a rate that a table gives has its mean.
    """
    changes: list[Change] = []
    without: dict[str, None] = {}
    for path, schema, value in _declared(tree):
        declaration = schema["neutral"]
        if declaration.get("by") == "none":
            without[path[-1]] = None
        elif path[0] != "flow" or len(path) > 2 or path[1] not in measured:
            change = Change(path, _label(tree, path), value, _neutral(declaration, end_s))
            changes += [] if _same(change.new, value) else [change]
    return changes, list(without)


def alternatives(tree: Mapping[str, Any], measured: Sequence[int]) -> list[Change]:
    """Each other value of each rule of the flows in these places that the schema enumerates."""
    changes = []
    for path, schema, value in _walk(json.loads(_core.schema()), tree):
        if len(path) < 4 or path[2] not in ("sender", "receiver") or path[1] not in measured:
            continue
        now = next((value[tag] for tag in TAGS if tag in value), None) if isinstance(value, Mapping) else value
        names = [not value] if isinstance(value, bool) else schema["names"]
        changes += [Change(path, _label(tree, path), value, partial(_given, name)) for name in names if name != now]
    return changes


def word(value: Any) -> str:
    """A value in short: of a table its kind."""
    if isinstance(value, Mapping):
        return str(next((value[tag] for tag in TAGS if tag in value), next(iter(value), "")))
    return str(value).lower() if isinstance(value, bool) else str(readable(value))


def _same(one: Any, other: Any) -> bool:
    """Whether two values are equal, in whatever units."""
    quantities = read(one), read(other)
    return bool(one == other) if None in quantities else quantities[0].base == quantities[1].base  # type: ignore[union-attr]


def _given(value: Any, _: Any) -> Any:
    return value


def _neutral(declaration: Mapping[str, Any], end_s: float) -> Callable[[Any], Any]:
    if "value" in declaration:
        return partial(_given, declaration["value"])
    ways: dict[str, Callable[[Any], Any]] = {
        "absent": partial(_given, None),
        "mean": partial(_mean, end_s),
        "drop-tail": _drop_tail,
    }
    return ways[declaration["by"]]


def _label(tree: Mapping[str, Any], path: Path) -> str:
    """What a key is of: ``G->R queue.packets``, ``f receiver.ack``, ``flow g``."""
    kind, place, *rest = path
    entry = tree[kind][place]
    if kind == "link":
        ends = entry["between"][::-1] if rest[0] == "back" else entry["between"]
        return " ".join(["->".join(ends), ".".join(map(str, rest[1:] if rest[0] == "back" else rest))])
    return f"{entry['name']} {'.'.join(map(str, rest))}" if rest else f"{kind} {entry['name']}"


def _declared(tree: Mapping[str, Any]) -> Iterator[tuple[Path, Mapping[str, Any], Any]]:
    return (entry for entry in _walk(json.loads(_core.schema()), tree) if "neutral" in entry[1])


def _walk(root: Mapping[str, Any], value: Any, schema: Any = None, path: Path = ()) -> Iterator[tuple[Path, Any, Any]]:
    """Each key of a tree, with what the schema says of this value."""
    whole = _of(root, root if schema is None else schema, value)
    yield path, whole, value
    if isinstance(value, Mapping):
        for key, entry in value.items():
            if key in whole["properties"]:
                yield from _walk(root, entry, whole["properties"][key], (*path, key))
    elif isinstance(value, list) and isinstance(whole.get("items"), Mapping):
        for place, entry in enumerate(value):
            yield from _walk(root, entry, whole["items"], (*path, place))


def _of(root: Mapping[str, Any], schema: Mapping[str, Any], value: Any) -> dict[str, Any]:
    """A schema with that of its forms which the value has, and the names of all forms."""
    whole = {"properties": {}, "names": [], **resolved(root, schema)}
    whole["names"] = [*whole["names"], *whole.get("enum", ())]
    for form in forms(whole):
        name = _name(resolved(root, form))
        whole["names"] += [name] if name is not None and name not in whole["names"] else []
        if _fits(root, form, value):
            inner = _of(root, form, value)
            whole |= {key: inner[key] for key in ("neutral", "items") if key in inner}
            whole["properties"] = whole["properties"] | inner["properties"]
    return whole


def _name(form: Mapping[str, Any]) -> Any:
    tags = (form.get("properties", {}).get(tag, {}) for tag in TAGS)
    return form.get("const", next((tag["const"] for tag in tags if "const" in tag), None))


def _fits(root: Mapping[str, Any], form: Mapping[str, Any], value: Any) -> bool:
    whole = resolved(root, form)
    name = _name(whole)
    if name is not None:
        return bool(name == (value if "const" in whole else word(value) if isinstance(value, Mapping) else None))
    if inner := forms(whole):
        return any(_fits(root, one, value) for one in inner)
    return isinstance(value, _TYPES.get(whole.get("type", ""), (int, float)))


def _mean(end_s: float, value: Mapping[str, Any]) -> Any:
    """A rate's mean over its period, or over the run; a jitter whose every delay is its mean."""
    if value["kind"] == "jitter":
        mean, most = base(value["mean"]), base(value.get("most", _CUT))
        share = most / mean
        means = {
            "uniform": most - most * share / 4 if share < 2 else mean,
            "exponential": -mean * math.expm1(-share),
            "pareto": mean * share / (1 + share),
        }
        delay = means[value.get("distribution", "uniform")]
        kept = {key: entry for key, entry in value.items() if key != "distribution"}
        return {**kept, "mean": _CUT, "most": f"{delay:.12f}s"}
    if value["kind"] == "mahimahi":
        bps = 8e3 * _PACKET * len(value["milliseconds"]) / value["milliseconds"][-1]
    elif value["kind"] == "table":
        rows = [(base(time), base(rate)) for time, rate in value["rows"]]
        end = base(value["every"]) if "every" in value else end_s
        until = [*(min(time, end) for time, _ in rows[1:]), end]
        bps = sum(max(0.0, later - time) * rate for (time, rate), later in zip(rows, until, strict=True)) / end
    else:
        return value.get("mean", value.get("rate"))
    return f"{bps:.6f}bps"


def _drop_tail(queue: Mapping[str, Any]) -> dict[str, Any]:
    """A drop-tail queue with the room and the ACK filter of another one."""
    limits = {_ROOM[key]: limit for key, limit in queue.items() if key in _ROOM}
    if queue["kind"] == "cake" and not limits:
        carried = base(queue["bandwidth"]) * base(queue["rtt"]) / 2 if "bandwidth" in queue else math.inf
        limits["bytes"] = f"{round(min(_CAKE_MEMORY, max(_CAKE_LEAST, carried)))}B"
    least = min(limits, key=lambda key: _bytes(limits[key]))
    found = {"kind": "drop-tail", least: limits[least]}
    if queue.get("ack_filter", "off") != "off":
        found["filter"] = {"kind": "cake", "aggressive": queue["ack_filter"] == "aggressive"}
    return found | ({"filter": queue["filter"]} if "filter" in queue else {})


def _bytes(limit: Any) -> float:
    return base(limit) * (_PACKET if isinstance(limit, int) else 1)
