"""Keys of a scenario as paths, and the columns that are named after them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from .grammar import BOUNDS, StudyError, is_range_table, shown

_STEP = re.compile(r'"([^"]*)"|([^."\[\]]+)')
_VARIABLE = re.compile(r"\$[A-Za-z][A-Za-z0-9_]*")


def is_variable(key: str) -> bool:
    """Whether a key is a name of the plan's own, for what is derived from it."""
    return key.startswith("$")


def check(key: str) -> str:
    """The key, if it can be one.

    Raises:
        StudyError: it can not.
    """
    if is_variable(key):
        if not _VARIABLE.fullmatch(key):
            raise StudyError(
                f"{shown(key)} is no variable; its name is a dollar sign, a letter, and letters, digits or _"
            )
    elif not key.strip() or "=" in re.sub(r'"[^"]*"', "", key):
        raise StudyError(f"{shown(key)} is no key; write it as flow.0.sender.window")
    elif re.fullmatch(r"(record|seed)\b.*", key):
        raise StudyError(
            f"{key}: a sweep decides this itself; "
            + ("give `seeds`" if key[0] == "s" else "it records nothing but the summary")
        )
    return key


def flatten(tree: Mapping[str, Any], leaf: Any = None) -> Iterator[tuple[str, Any]]:
    """The keys of a table of a plan, as paths, with their values.

    ``"flow.0.start" = ...`` and ``flow.0.start = ...`` are the same. A name with a dot is quoted by TOML's own rules:
    ``flow."a.b".start``.
    """
    for key, value in tree.items():
        yield from _below(key, value, leaf or _is_values)


def _below(path: str, value: Any, leaf: Any) -> Iterator[tuple[str, Any]]:
    if leaf(value):
        yield path, value
        return
    for key, entry in value.items():
        step = key if re.fullmatch(r"[^.\"\[\]=]+", key) else f'"{key}"'
        yield from _below(f"{path}.{step}", entry, leaf)


def _is_values(value: Any) -> bool:
    return not isinstance(value, Mapping) or not value or is_range_table(value)


def steps(key: str) -> list[str]:
    """The steps of a path.

    >>> steps('flow."a.b"[0].x')
    ['flow', 'a.b', '0', 'x']
    """
    return [quoted or bare.strip() for quoted, bare in _STEP.findall(key)]


def look(tree: Any, key: str) -> Any:
    """What stands at a path of a scenario's tree; None where nothing does."""
    place = tree
    for step in steps(key):
        if isinstance(place, list):
            place = _entry(place, step)
        elif isinstance(place, Mapping):
            place = place.get(step)
        else:
            return None
    return place


def each(tree: Mapping[str, Any], key: str) -> list[str]:
    """The keys of a scenario that a key names: ``PART.*.REST`` is one of each entry; of flows that have a stack, of each stack.

    >>> each({"link": [{}, {}]}, "link.*.rate"), each({"flow": [{}], "stack": {"host": {}}}, "flow.*.sender.window")
    (['link.0.rate', 'link.1.rate'], ['stack.host.window'])
    """
    part, star, rest = key.partition(".*.")
    if not star:
        return [key]
    if part == "flow" and "stack" in tree:
        return [f"stack.{name}.{rest.partition('.')[2]}" for name in tree["stack"]]
    return [f"{part}.{place}.{rest}" for place in range(len(tree.get(part, ())))]


def _entry(entries: list[Any], step: str) -> Any:
    if step.isdigit() and int(step) < len(entries):
        return entries[int(step)]
    ends = {tuple(step.split("->")), tuple(reversed(step.split("->")))}
    for entry in entries:
        if isinstance(entry, Mapping) and (entry.get("name") == step or tuple(entry.get("between", ())) in ends):
            return entry
    return None


def names(keys: Sequence[tuple[str, str]], given: Mapping[str, Any], taken: Collection[str]) -> dict[str, str]:
    """A name for each key, given with its unit; ``taken`` are columns that tables have anyway.

    >>> names([("link.1.queue.packets", ""), ("link.0.rate", "bps"), ("link.1.rate", "bps"), ("flow.0.start", "s")], {}, ["start_s"])
    {'link.1.queue.packets': 'queue_packets', 'link.0.rate': 'link_0_rate', 'link.1.rate': 'link_1_rate', 'flow.0.start': 'flow_0_start'}

    Raises:
        StudyError: a given name is not a valid name, or its key does not vary.
    """
    known = [key for key, _ in keys]
    for key, name in given.items():
        if key not in known:
            raise StudyError(f"names.{key}: nothing of that key varies or is drawn; there are {', '.join(known)}")
        if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_]\w*", name):
            raise StudyError(f"names.{key} = {shown(name)}: a name is letters, digits and _")
    units, found = dict(keys), dict(given)
    longer = {key: _candidates(key) for key in known if key not in given}
    open_ = {key: next(candidates) for key, candidates in longer.items()}
    while open_:
        used = Counter(titled(name, units[key]) for key, name in [*found.items(), *open_.items()])
        used.update(taken)
        found |= {key: name for key, name in open_.items() if used[titled(name, units[key])] == 1}
        open_ = {key: next(longer[key]) for key in open_ if key not in found}
    return {key: found[key] for key in known}


def titled(name: str, unit: str) -> str:
    """A column's name with its unit."""
    return f"{name}_{unit}" if unit else name


def worded(name: str) -> str:
    """What a column is called in a sentence.

    >>> worded("sender_initial_window"), worded("ack_segments")
    ('sender initial window', 'ACK segments')
    """
    return " ".join({"ack": "ACK", "acks": "ACKs", "syns": "SYNs"}.get(word, word) for word in name.split("_"))


def counting(name: str) -> tuple[str, str]:
    """What a column without a unit is called, and what it counts.

    >>> counting("queue_packets"), counting("share")
    (('queue', 'packets'), ('share', ''))
    """
    stem, _, last = name.rpartition("_")
    return (worded(stem), last) if stem and last in ("packets", "segments", "bytes") else (worded(name), "")


def _candidates(key: str) -> Iterator[str]:
    """Names for a key, from short to surely unique."""
    words = [re.sub(r"\W+", "_", step).strip("_") or "_" for step in steps(key.lstrip("$"))]
    below = words[2:] if len(words) > 2 and words[0] in ("link", "flow") else words
    for part in (below[-2:], below, words):
        yield "_".join(part)
    number = 2
    while True:
        yield f"{'_'.join(words)}_{number}"
        number += 1


def settings(table: Mapping[str, Any]) -> dict[str, Any]:
    """A table's keys with one value or bounds each. TOML makes tables of a key's steps that stand without quotes."""
    found: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, Mapping) and not is_range(value) and not any(sign in key for sign in ".["):
            found |= dict(flatten({key: value}, leaf=lambda entry: not isinstance(entry, Mapping) or is_range(entry)))
        else:
            found[key] = value
    return found


def is_range(given: Any) -> bool:
    """Whether a table gives bounds, rather than being the value of a key."""
    return isinstance(given, Mapping) and bool(given.keys() & {"low", "high"}) and given.keys() <= BOUNDS
