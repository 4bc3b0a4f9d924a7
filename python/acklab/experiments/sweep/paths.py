"""Keys of a scenario, as ``--set`` takes them: ``flow.0.sender.window``, ``flow."a.b".start``, ``$variable``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from .errors import SweepError, shown
from .ranges import is_range_table

_STEP = re.compile(r'"([^"]*)"|([^."\[\]]+)')
_VARIABLE = re.compile(r"\$[A-Za-z][A-Za-z0-9_]*")


def is_variable(key: str) -> bool:
    """Whether a key is a name of the plan's own, for what is derived from it."""
    return key.startswith("$")


def check(key: str) -> str:
    """The key, if it can be one.

    Raises:
        SweepError: it can not.
    """
    if is_variable(key):
        if not _VARIABLE.fullmatch(key):
            raise SweepError(
                f"{shown(key)} is no variable; its name is a dollar sign, a letter, and letters, digits or _"
            )
    elif not key.strip() or "=" in re.sub(r'"[^"]*"', "", key):
        raise SweepError(f"{shown(key)} is no key; write it as flow.0.sender.window")
    elif re.fullmatch(r"(record|seed)\b.*", key):
        raise SweepError(
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


def _entry(entries: list[Any], step: str) -> Any:
    if step.isdigit() and int(step) < len(entries):
        return entries[int(step)]
    ends = {tuple(step.split("->")), tuple(reversed(step.split("->")))}
    for entry in entries:
        if isinstance(entry, Mapping) and (entry.get("name") == step or tuple(entry.get("between", ())) in ends):
            return entry
    return None
