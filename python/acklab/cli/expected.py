"""The expectations of scenarios on the command line."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from ..results.expected import unmet
from ..text.terminal import complain, file_name, say

#: Exit status where an expectation was not checked, since the run has no such value.
UNKNOWN = 3


def checked(*results: Any, quiet: bool = False) -> int:
    """Says which expectations of these runs do not hold, and returns the exit status; ``quiet``: only those."""
    checks = [check for result in results for check in json.loads(result.json(records=False)).get("checks", ())]
    return say_checks(checks, quiet)


def say_ignored(scenario: str | bytes, file: str) -> None:
    """Says of a scenario for many runs that what it expects is not checked."""
    from .. import _core

    with suppress(_core.ScenarioError):  # which its runs say
        if "\n[[expect]]\n" in _core.expanded(scenario, file=file):
            complain(
                f"{file_name(file)}: [[expect]] is not checked by many runs; `acklab run` and `run --batch` check it"
            )


def say_checks(checks: Sequence[Mapping[str, Any]], quiet: bool) -> int:
    """Says which of these do not hold or have no value, and returns the exit status."""
    wrong, unknown = unmet(checks), [check for check in checks if check["holds"] is None]
    if checks and not quiet:
        say(f"\nexpectations: {len(checks) - len(wrong) - len(unknown)} of {len(checks)} hold")
    for sentence in wrong:
        complain(sentence)
    for check in unknown:
        at = "" if check["at_s"] is None else f" at {check['at_s']:g} s"
        complain(f"{check['subject']}{at}: {check['what']} is not known of such a run; expected: {check['expected']}")
    return 1 if wrong else UNKNOWN if unknown else 0
