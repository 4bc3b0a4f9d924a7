"""What differs between the scenarios of several runs, in one line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..text.input import loads
from ..text.numbers import counted

#: Most keys that are named with their values.
MOST = 2


def differs(scenarios: Sequence[str], labels: Sequence[str]) -> str:
    """The keys whose values differ, with the values in the runs' order; the labels where the scenarios are not known.

    >>> differs(["seed = 1\\n[[flow]]\\nname = 'f'\\nwindow = 4", "seed = 1\\n[[flow]]\\nname = 'f'\\nwindow = 8"], ["a", "b"])
    'flow.f.window 4, 8'
    """
    if len(scenarios) < 2:
        return ""
    found = different(scenarios)
    if not found:
        return ", ".join(labels)
    told = [f"{key} {', '.join(map(_shown, values))}" for key, values in list(found.items())[:MOST]]
    more = len(found) - len(told)
    return "; ".join(told) + (f"; and {counted(more, 'other key')}" if more > 0 else "")


def different(scenarios: Sequence[str]) -> dict[str, list[Any]]:
    """Keys of scenario texts whose values differ, and the values; the title aside. Empty where a text is not known.

    Where kinds differ, so do their parameters; these are left out.

    >>> different(["control = 'reno'", "control = { kind = 'cubic', c = 0.4 }"])
    {'control': ['reno', 'cubic']}
    """
    if not all(scenarios):
        return {}
    trees = [dict(_leaves(loads(text), "")) for text in scenarios]
    keys = [key for key in dict.fromkeys(key for tree in trees for key in tree) if key != "title"]
    found = {key: values for key in keys if len(set(map(repr, values := [tree.get(key) for tree in trees]))) > 1}
    return {key: values for key, values in found.items() if not any(key.startswith(f"{kind}.") for kind in found)}


def _leaves(value: Any, key: str) -> Iterator[tuple[str, Any]]:
    """Every value that is no table, by its whole key, and the kind of a table that has one, by the table's.

    Tables in lists are named, where they have a name.
    """
    if isinstance(value, Mapping):
        for name, entry in value.items():
            yield from _leaves(entry, key if key and name in ("kind", "policy") else f"{key}.{name}" if key else name)
    elif isinstance(value, list) and value and all(isinstance(entry, Mapping) for entry in value):
        for number, entry in enumerate(value):
            yield from _leaves(entry, f"{key}.{entry.get('name', number)}")
    else:
        yield key, value


def _shown(value: Any) -> str:
    return (
        "none"
        if value is None
        else str(value).lower()
        if isinstance(value, bool)
        else f"{value:g}"
        if isinstance(value, float)
        else str(value)
    )
