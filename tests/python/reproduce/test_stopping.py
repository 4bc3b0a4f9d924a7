"""The stopping rule: its levels, and how often a claim on synthetic values gets a wrong verdict (pinned streams)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from acklab.reproduce.criteria import parse
from acklab.reproduce.judge import judge
from acklab.reproduce.ledger import Claim
from acklab.reproduce.measure import Measurement
from acklab.reproduce.stopping import Look, ladder, spending
from acklab.reproduce.verdict import DIFFERS, REPRODUCED
from acklab.study.intervals import ALPHA, Sample

TRIALS = 500
LIMIT = TRIALS * ALPHA + 3 * math.sqrt(TRIALS * ALPHA * (1 - ALPHA))
"""Wrong verdicts that a rule of 5 % exceeds once in a thousand times."""
LOOKS = spending(ladder(50))
Draw = Callable[[np.random.RandomState, float, int], Sequence[float]]


def normal(numbers: np.random.RandomState, mean: float, seeds: int) -> Sequence[float]:
    """Values around a mean."""
    return [float(mean + v) for v in numbers.standard_normal(seeds)]


def skewed(numbers: np.random.RandomState, mean: float, seeds: int) -> Sequence[float]:
    """Mostly small, a few many times as large: exponential."""
    return [float(mean - 1 + v) for v in numbers.standard_exponential(seeds)]


def verdicts(
    means: Sequence[float], cells: str | int, draw: Draw = normal, looks: Sequence[Look] = LOOKS
) -> Counter[str]:
    """Of many claims that each cell is at least 0, stopped as soon as a look settles them."""
    part = {"name": "a", "type": "range", "low": 0, "cells": cells}
    texts = dict.fromkeys(("claim", "units", "paper_value", "tolerance", "figure"), "")
    claim = Claim(id="p.c", paper="p", kind="number", criterion=parse("p.c", {"parts": [part]}), **texts)
    numbers, found = np.random.RandomState(20), Counter[str]()
    for _ in range(TRIALS):
        values = [draw(numbers, mean, looks[-1].seeds) for mean in means]
        for look in looks:
            samples: dict[str, Any] = {str(i): Sample.of(cell[: look.seeds]) for i, cell in enumerate(values)}
            verdict = judge(claim, Measurement({"a": samples}), look=look)
            if not verdict.wants_seeds():
                break
        found[verdict.verdict] += 1
    return found


ON_THE_EDGE_AND_FALSE, ON_THE_EDGE_AND_TRUE, CLEARLY_TRUE = -1e-9, 1e-9, 2.0


@pytest.mark.parametrize(
    ("means", "cells", "wrong"),
    [
        ([ON_THE_EDGE_AND_FALSE], "all", REPRODUCED),
        ([ON_THE_EDGE_AND_TRUE], "all", DIFFERS),
        ([ON_THE_EDGE_AND_FALSE, *[CLEARLY_TRUE] * 5], "all", REPRODUCED),
        ([ON_THE_EDGE_AND_TRUE] * 6, "all", DIFFERS),
        ([ON_THE_EDGE_AND_FALSE] * 4 + [CLEARLY_TRUE] * 3, "majority", REPRODUCED),
        ([ON_THE_EDGE_AND_FALSE] * 7, "majority", REPRODUCED),
        ([ON_THE_EDGE_AND_FALSE] * 6, 1, REPRODUCED),
        ([ON_THE_EDGE_AND_TRUE] * 6, 1, DIFFERS),
    ],
)
def test_wrong_verdicts_are_rarer_than_one_in_twenty(means: list[float], cells: str | int, wrong: str) -> None:
    """Where a wrong verdict is easiest: at the edge of what is allowed, on the side that makes the verdict wrong."""
    assert verdicts(means, cells)[wrong] <= LIMIT


def test_looking_without_spending_errs_too_often() -> None:
    """Why the error is shared: each look and cell by itself at 95 %."""
    naive = [Look(look.seeds) for look in spending((2, 4, 6, 8, 10, 15, 20, 30, 40, 50))]
    assert verdicts([ON_THE_EDGE_AND_FALSE], "all", looks=naive)[REPRODUCED] > LIMIT
    assert verdicts([ON_THE_EDGE_AND_FALSE], "all", looks=spending([look.seeds for look in naive]))[REPRODUCED] <= LIMIT


def test_skewed_values_err_on_one_side() -> None:
    """Student's interval of ten exponential values misses more often on its high side; the rule's 5 % are for both."""
    assert verdicts([ON_THE_EDGE_AND_FALSE], "all", skewed)[REPRODUCED] <= LIMIT
    assert verdicts([ON_THE_EDGE_AND_TRUE], "all", skewed)[DIFFERS] <= 2 * LIMIT


def test_clear_claims_stop_at_once_and_close_ones_go_on() -> None:
    assert verdicts([CLEARLY_TRUE] * 6, "all") == {REPRODUCED: TRIALS}
    assert verdicts([CLEARLY_TRUE] * 6, "all", looks=LOOKS[:1])[REPRODUCED] > 0.95 * TRIALS
    few, all_of_them = (verdicts([0.5], "all", looks=some)[REPRODUCED] for some in (LOOKS[:1], LOOKS))
    assert few < 0.3 * TRIALS < 0.8 * TRIALS < all_of_them, "more seeds show a smaller difference"


@pytest.mark.parametrize("most", [2, 10, 13, 20, 50, 60, 105, 225, 860])
def test_looks_spend_the_whole_error_and_end_at_the_most(most: int) -> None:
    looks = spending(ladder(most))
    counts = [look.seeds for look in looks]
    assert counts == sorted(set(counts))
    assert counts[-1] == most
    assert math.fsum(look.share for look in looks) == pytest.approx(1)


def test_levels() -> None:
    look = Look(10, 0.2)
    assert look.confirms(12, 12) == pytest.approx(0.99), "all have to hold: each is tested with the whole error"
    assert look.confirms(12, 7) == pytest.approx(1 - 0.01 / 6)
    assert look.contradicts(12) == pytest.approx(1 - 0.01 / 12)
    assert look.contradicts(0) == pytest.approx(0.99)
