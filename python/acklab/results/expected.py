"""What a scenario expects (``[[expect]]``), beside what its run found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def unmet(checks: Sequence[Mapping[str, Any]]) -> list[str]:
    """A sentence for each expectation that does not hold, from the entries ``checks`` of a summary."""
    return [_sentence(check) for check in checks if not check["holds"]]


def _sentence(check: Mapping[str, Any]) -> str:
    at = "" if check["at_s"] is None else f" at {check['at_s']:g} s"
    return f"{check['subject']}{at}: {check['what']} is {check['found']}; expected: {check['expected']}"
