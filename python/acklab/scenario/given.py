"""A scenario as callers give it: a tree, a path or a text."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import starmap
from typing import Any, Protocol, runtime_checkable

from .._core import ScenarioError
from ..text.input import read_file
from ..text.keys import key, twice
from ..text.packaged import located
from ..text.plans import PlanText
from ..text.toml import loads
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
