"""Criteria: what they accept, and how they refuse nonsense."""

from __future__ import annotations

from typing import Any

import pytest

from acklab.reproduce.criteria import CriterionError, Part, parse


def part(**entry: Any) -> Part:
    """A criterion's only part."""
    (only,) = parse("p.c", {"parts": [{"name": "x", **entry}]}).parts
    return only


@pytest.mark.parametrize(
    ("entry", "low", "high"),
    [
        ({"type": "equal", "value": 3}, 3, 3),
        ({"type": "equal", "value": 0, "slack": 1e-9}, -1e-9, 1e-9),
        ({"type": "within", "value": 12, "tolerance": 5}, 7, 17),
        ({"type": "within", "value": 3, "tolerance": 5, "sign": True}, 0, 8),
        ({"type": "within", "value": -9, "tolerance": 10, "sign": True}, -19, 0),
        ({"type": "range", "low": 1.6, "high": 2.1}, 1.6, 2.1),
        ({"type": "range", "above": 1, "below": 20}, 1, 20),
    ],
)
def test_ends(entry: dict[str, Any], low: float, high: float) -> None:
    found = part(**entry)
    assert (found.low, found.high) == (low, high)


def test_a_sign_leaves_zero_out() -> None:
    assert part(type="within", value=3, tolerance=5, sign=True).open_low
    assert not part(type="within", value=12, tolerance=5, sign=True).open_low
    assert part(type="within", value=-9, tolerance=10, sign=True).open_high


def test_order_relates_groups() -> None:
    relations = part(type="order", order="every > lbc, daass >= delayed = 0").relations
    found = {(r.greater, r.lesser): (r.sign, r.neighbours) for r in relations}
    assert found["every", "lbc"] == (">", True)
    assert found["daass", "delayed"] == (">=", True)
    assert found["delayed", "0"] == ("=", True)
    assert found["every", "delayed"] == (">", False)
    assert found["lbc", "0"] == (">=", False)
    assert ("lbc", "daass") not in found


@pytest.mark.parametrize(
    ("cells", "of", "needed"),
    [("all", 7, 7), ("majority", 10, 6), ("majority", 9, 5), (9, 10, 9), ("80%", 17, 14), ("70%", 10, 7), (None, 1, 1)],
)
def test_quorum(cells: Any, of: int, needed: int) -> None:
    entry = {} if cells is None else {"cells": cells}
    assert part(type="range", low=0, **entry).needed(of) == needed


@pytest.mark.parametrize(
    "entry",
    [
        {"type": "about", "value": 1},
        {"type": "equal"},
        {"type": "equal", "value": "3"},
        {"type": "equal", "value": True},
        {"type": "equal", "value": float("nan")},
        {"type": "within", "value": 1, "tolerance": 0},
        {"type": "within", "value": 0, "tolerance": 1, "sign": True},
        {"type": "range"},
        {"type": "range", "low": 2, "high": 1},
        {"type": "range", "low": 1, "above": 1},
        {"type": "order", "order": "every"},
        {"type": "order", "order": "a > > b"},
        {"type": "order", "order": "a > b > a"},
        {"type": "order", "order": "a > b", "tie": -1},
        {"type": "equal", "value": 1, "cells": "most"},
        {"type": "equal", "value": 1, "cells": 0},
        {"type": "equal", "value": 1, "tolerance": 1},
    ],
)
def test_nonsense_is_refused(entry: dict[str, Any]) -> None:
    with pytest.raises(CriterionError, match=r"p\.c"):
        part(**entry)


@pytest.mark.parametrize(
    "entry",
    [
        {"parts": []},
        {"claim": "p.c", "parts": [{"name": "x", "type": "equal", "value": 1}]},
        {"standing": "sure", "parts": [{"name": "x", "type": "equal", "value": 1}]},
        {"parts": [{"name": "x", "type": "equal", "value": 1}] * 2},
        {"unknown": 1, "parts": [{"name": "x", "type": "equal", "value": 1}]},
    ],
)
def test_broken_criteria_are_refused(entry: dict[str, Any]) -> None:
    with pytest.raises(CriterionError):
        parse("p.c", entry)
