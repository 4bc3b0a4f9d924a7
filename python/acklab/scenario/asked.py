"""What a caller of :func:`acklab.run` and its like asks for: the scenario, and the keys to set in it."""

from __future__ import annotations

import contextlib
import inspect
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from .. import _core
from ..results.stored import RECORDED
from ..text import presets
from ..text.escapes import not_known
from .given import pairs


def asked(
    function: Callable[..., Any], scenario: Any, path: str | None, record: Any, overrides: Mapping[str, Any]
) -> tuple[Any, dict[str, Any]]:
    """The scenario and the overrides that ``path``, ``record`` and ``set`` mean.

    Raises:
        TypeError: there is neither scenario nor path, or a keyword is no argument of the function and no key of a scenario.
        ValueError: there is no such access path or table, or the path has no such key.
    """
    overrides = settings(function if path is None else None, overrides)
    if path is not None:
        if scenario is not None:
            raise ValueError("give a scenario or a path, not both")
        if path not in presets.PATHS:
            raise ValueError(not_known("path", path, presets.PATHS))
        known = presets.keys(path)
        strange = next((key for key in overrides if "." not in key and key not in (*known, *presets.OWN)), None)
        if strange is not None:
            raise ValueError(f"path {path}: {presets.no_key(strange, known)}")
        scenario = Path(presets.file_of(path))
        alone = {"flow.down.start": "1000s"} if overrides.get("downloads") == 0 else {}
        overrides = alone | {
            known.get(key, key): value for key, value in overrides.items() if not alone or key != "downloads"
        }
    if scenario is None:
        raise TypeError("what is to run? give a scenario, or path=NAME")
    return scenario, recorded(record, overrides)


def settings(function: Callable[..., Any] | None, overrides: Mapping[str, Any]) -> dict[str, Any]:
    """The keys that a caller sets, by name and by ``set``; the names are checked where the function is given.

    Raises:
        TypeError: a keyword is no argument of the function and no key of a scenario.
        ValueError: ``set`` holds no keys and values, or a key is given by name and by ``set``.
    """
    overrides = dict(overrides)
    more = pairs(overrides.pop("set", {}))
    if function is not None:
        arguments(function, overrides)
    if double := next((key for key in more if key in overrides), None):
        raise ValueError(f"{double} is given twice, as an argument and in set; give it once")
    return overrides | more


def recorded(record: Any, overrides: dict[str, Any]) -> dict[str, Any]:
    """The overrides, and what they record: nothing more for None, all for True, else the named tables or the scenario's table.

    Raises:
        ValueError: there is no such table.
    """
    if record is None:
        return overrides
    named = [record] if isinstance(record, str) else record
    if isinstance(named, (list, tuple, set)):
        for name in named:
            if name not in RECORDED:
                raise ValueError(f"record: {not_known('table', str(name), RECORDED)}")
        named = dict.fromkeys(named, True)
    return {"record": dict.fromkeys(RECORDED, named) if isinstance(named, bool) else named, **overrides}


@contextlib.contextmanager
def in_short(path: str | None, given: Mapping[str, Any]) -> Iterator[None]:
    """Gives errors the short keys of ``path`` that were ``given``, in place of the scenario's."""
    try:
        yield
    except _core.ScenarioError as error:
        if path is None:
            raise
        short = {*given, *pairs(given.get("set", {}))} & presets.keys(path).keys()
        raise _core.ScenarioError(presets.as_given(str(error), path, short)) from None


def arguments(function: Callable[..., Any], keys: Iterable[str], name: str | None = None) -> None:
    """Refuses a keyword that is neither an argument of a function, called by this ``name``, nor a key of a scenario, with the names of both.

    Raises:
        TypeError: there is one.
    """
    words = [key for key in keys if "." not in key]
    own = json.loads(_core.schema())["properties"] if words else {}
    wrong = next((key for key in words if key not in own), None)
    if wrong is None:
        return
    named = [one.name for one in inspect.signature(function).parameters.values() if one.kind is one.KEYWORD_ONLY]
    guess = not_known("argument", wrong, sorted({*named, "set", *own})).partition("; there are")[0]
    scenario = ", ".join(key for key in own if not key.startswith("$"))
    guess += "" if guess.endswith("?") else "."
    listed = f"Arguments: {', '.join(dict.fromkeys([*named, 'set']))}. Keys of a scenario: {scenario}; others with their place, by set"
    raise TypeError(f"acklab.{name or function.__name__}(): {guess} {listed}")
