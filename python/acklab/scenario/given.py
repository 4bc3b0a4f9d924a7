"""A scenario as callers give it: a tree, a path or a text; the keys to set in it, and algorithms in Python that it names."""

from __future__ import annotations

import contextlib
import errno
import inspect
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import starmap
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from .. import _core
from .._core import ScenarioError
from ..results.stored import RECORDED
from ..text import presets
from ..text.input import PlanText, loads, located, read_file
from ..text.keys import key, twice
from ..text.terminal import not_known
from . import Scenario, _toml
from ._file import is_text
from ._part import plain
from .own import Own


@runtime_checkable
class Told(Protocol):
    """A run or a fit, which has a scenario."""

    def scenario_toml(self) -> str:
        """The scenario's text."""


ScenarioLike = Scenario | Mapping[str, Any] | str | bytes | os.PathLike[str] | Told
"""A :class:`Scenario`, its tree as a dict, a path, the text of a scenario file (TOML or JSON), or a run or fit that has one."""


def source(scenario: ScenarioLike, own: Own | None = None) -> tuple[str | bytes, str]:
    """A scenario's text, and what to call it in messages; ``own`` takes the algorithms in Python that stand in it.

    A run gives its scenario. A string is a path unless it has a line break or an equals sign, or starts with a brace. A path below ``examples`` that is not
    there is the package's.
    """
    if isinstance(scenario, Told):
        return scenario.scenario_toml(), str(getattr(scenario, "label", "") or getattr(scenario, "title", "scenario"))
    if isinstance(scenario, (Scenario, Mapping)):
        return json.dumps(plain(scenario, own)), "scenario"
    if isinstance(scenario, bytes):
        return scenario, "scenario"
    if isinstance(scenario, str) and (is_text(scenario) or not scenario):
        return scenario, "scenario"
    path = located(os.fspath(scenario))
    return file_bytes(path), path


def file_bytes(path: str | os.PathLike[str]) -> bytes:
    """What is in a file.

    Raises:
        OSError: it cannot be read.
    """
    if "\0" in os.fspath(path):
        raise OSError(errno.EINVAL, "a file's name has no NUL characters", os.fspath(path))
    try:
        return read_file(path)
    except UnicodeEncodeError:
        raise OSError(errno.EINVAL, "no file has such a name", os.fspath(path)) from None


def assignments(overrides: Mapping[str, Any], own: Own | None = None) -> list[str]:
    """Overrides as the ``key=value`` texts the simulator takes, values in TOML."""
    return [f"{key}={_toml.inline(plain(entry, own))}" for key, entry in overrides.items()]


def pairs(given: Any) -> dict[str, Any]:
    """Keys and values of a table, or of texts as ``--set`` takes them.

    Raises:
        ValueError: a text is not KEY=VALUE, or two have one key.
    """
    if isinstance(given, Mapping):
        return dict(given)
    found: dict[str, Any] = {}
    texts = [given] if isinstance(given, str) else list(given)
    if told := twice(map(str, texts)):
        raise ValueError(f"set: {told}")
    for text in texts:
        name, equals, value = str(text).partition("=")
        if not equals or not name.strip():
            raise ValueError(f"set: {text!r}: write KEY=VALUE, such as flow.0.sender.window=20, or give a table")
        try:
            found[name.strip()] = loads(f"value = {value}")["value"]
        except ValueError:
            found[name.strip()] = value.strip()
    return found


def refuse_two_names(text: str | bytes, sets: Sequence[str]) -> None:
    """Looks for a flow's key that two overrides of a scenario's text set, one by the flow's name and one by its number.

    Raises:
        ValueError: there is one.
    """
    steps = [key(one).split(".", 2)[:2] for one in sets]
    told = {step[1].isdecimal() for step in steps if len(step) == 2 and step[0] == "flow"}
    if len(told) < 2:
        return
    given = text.encode(errors="replace") if isinstance(text, str) else text
    try:
        tree = json.loads(given) if given.lstrip().startswith(b"{") else loads(given.decode())
        names = [flow.get("name") or "" for flow in tree.get("flow", ())]
    except (ValueError, AttributeError, TypeError):  # which the run says itself
        return
    if found := twice(sets, names):
        raise ValueError(f"set: {found}")


def json_line(scenario: ScenarioLike) -> bytes:
    """A scenario as one line of JSON.

    Raises:
        TypeError: it is of another type.
        ScenarioError: it is no TOML.
        OSError: its path cannot be read.
    """
    if not isinstance(scenario, (Scenario, Mapping, str, bytes, os.PathLike, Told)):
        raise TypeError(f"a scenario is a Scenario, its tree, its text or a path, not {scenario!r}")
    given, file = source(scenario)
    text = given.encode(errors="replace") if isinstance(given, str) else given
    if not text.lstrip().startswith(b"{"):  # TOML
        text = json.dumps(PlanText.read(text, file, ScenarioError)[1], default=str).encode()
    # JSON has no line breaks except between its words.
    return text.replace(b"\n", b" ") + b"\n"


def json_lines(scenarios: Iterable[ScenarioLike]) -> Iterable[bytes | ScenarioError]:
    """Each scenario as a line of JSON, or what is wrong with its text.

    Of a list, every entry is read now, before one runs; of an iterator, which may have no end, when its turn comes.

    Raises:
        TypeError: one is of another type; the message has its place.
        OSError: the path of one cannot be read.
    """
    found = starmap(_line, enumerate(scenarios))
    return list(found) if isinstance(scenarios, Sequence) else found


def _line(number: int, scenario: ScenarioLike) -> bytes | ScenarioError:
    """The entry of this place."""
    try:
        return json_line(scenario)
    except ScenarioError as error:
        return error
    except TypeError as error:
        raise TypeError(f"scenarios[{number}]: {error}") from None
    except OSError as error:
        raise OSError(error.errno, f"scenarios[{number}]: {error.strerror}", error.filename) from None


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


#: A key whose value is a table of an algorithm -> the argument that takes its class.
TABLES = {"ack": "policies", "control": "controls"}


def refused(tree: Any, key: str = "") -> str | None:
    """What is said of the first algorithm in Python of an expanded scenario; none if it has none.

    >>> refused({"flow": [{"receiver": {"ack": {"policy": "python", "name": "Lazy"}}}]}).partition(";")[0]
    '`Lazy` is Python code, which a sweep or a comparison does not take'
    """
    if isinstance(tree, Mapping):
        if "python" in (tree.get("policy"), tree.get("kind")):
            name, table = tree.get("name", ""), TABLES.get(key, "policies")
            return (
                f"`{name}` is Python code, which a sweep or a comparison does not take; acklab.run_batch(SCENARIOS, "
                f'{table}={{"{name}": ...}}) makes many runs with it, and `acklab run --python FILE` one'
            )
        return next((said for below, value in tree.items() if (said := refused(value, below))), None)
    return next((said for entry in tree if (said := refused(entry, key))), None) if isinstance(tree, list) else None
