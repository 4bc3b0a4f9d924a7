"""What a scenario expects (``[[expect]]``), beside what its run found."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any


def unmet(checks: Sequence[Mapping[str, Any]]) -> list[str]:
    """A sentence for each expectation that does not hold, from the entries ``checks`` of a summary."""
    return [_sentence(check) for check in checks if check["holds"] is False]


def of_rows(expects: Sequence[Mapping[str, Any]], summary: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The entries ``checks`` of a run between kernels: those of its rows at the end; ``holds`` is None where it has no such value.

    Args:
        expects: the scenario's ``expect``, every number in its column's unit.
        summary: the run's flows and links.
    """
    rows = {("flow", row["name"]): row for row in summary["flows"]}
    rows |= {("link", f"{row['from']}->{row['to']}"): row for row in summary["links"]}
    checks = []
    for expect in expects:
        kind = "flow" if "flow" in expect else "link"
        found = rows.get((kind, expect[kind]), {}).get(expect["what"]) if "at" not in expect else None
        test = next(name for name in _TESTS if name in expect)
        allowed, (shown, holds) = expect[test], _TESTS[test]
        checks.append(
            {
                "subject": f"{kind} {expect[kind]}",
                "at_s": float(expect["at"].removesuffix("s")) if "at" in expect else None,
                "what": expect["what"],
                "expected": shown.format(*allowed if test == "within" else [allowed]).lower(),
                "found": "no value" if found is None else str(found).lower(),
                "holds": None if found is None else holds(found, allowed),
            }
        )
    return checks


#: How each comparison is shown, and what it is.
_TESTS: dict[str, tuple[str, Callable[[Any, Any], bool]]] = {
    "above": ("above {}", operator.gt),
    "below": ("below {}", operator.lt),
    "equals": ("{}", operator.eq),
    "within": ("from {} to {}", lambda found, ends: bool(ends[0] <= found <= ends[1])),
}


def _sentence(check: Mapping[str, Any]) -> str:
    at = "" if check["at_s"] is None else f" at {check['at_s']:g} s"
    return f"{check['subject']}{at}: {check['what']} is {check['found']}; expected: {check['expected']}"
