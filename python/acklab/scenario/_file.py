"""Scenario files on their way into the builder."""

from __future__ import annotations

import json
import os
from typing import Any

from .. import _core
from ..text.input import PlanText, located, read_file


def tree(scenario: str | bytes | os.PathLike[str]) -> dict[str, Any]:
    """The tree of a scenario file or text (TOML or JSON), after the simulator has accepted it.

    Raises:
        ScenarioError: it is no scenario.
        OSError: it cannot be read.
    """
    text, file = given(scenario)
    _core.expanded(text, file=file)
    data = text.encode() if isinstance(text, str) else text
    if data.lstrip().startswith(b"{"):
        found: dict[str, Any] = json.loads(data)
        return found
    return PlanText.read(data, file, _core.ScenarioError)[1]


def given(scenario: str | bytes | os.PathLike[str]) -> tuple[str | bytes, str]:
    """A text as it is, or a file's bytes; and what messages call it. A string with a line break or an equals sign is a text."""
    if isinstance(scenario, bytes) or is_text(scenario):
        return scenario, "scenario"  # type: ignore[return-value]
    path = located(os.fspath(scenario))
    return read_file(path), path


def is_text(scenario: Any) -> bool:
    """Whether a string is a scenario's or a plan's text, not a file's name."""
    return isinstance(scenario, str) and ("\n" in scenario or "=" in scenario or scenario.lstrip().startswith("{"))
