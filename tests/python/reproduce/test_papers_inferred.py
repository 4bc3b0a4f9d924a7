"""What the page says of the inference for ACK division: a named reading is run again."""

from __future__ import annotations

from itertools import islice
from typing import Any

import pytest

from acklab.papers.open import inferred
from acklab.runs import run_batch
from acklab.study.infer import PLANS, InferPlan, ReadingBench, Values


def plan(name: str) -> InferPlan:
    return PLANS.from_tree(inferred(name), name)


class Direct:
    """Makes the runs that values ask for, and keeps nothing."""

    def __init__(self, bench: ReadingBench) -> None:
        self.bench = bench

    def values(self, wanted: list[Any]) -> list[tuple[float, ...]]:
        lines = [self.bench.lines(one.settings, one.path)[0] for one in wanted]
        made = run_batch(lines)
        return [
            tuple(each.read(one) for each in self.bench.objectives(asked.path.entry))
            for one, asked in zip(made, wanted, strict=True)
        ]


def means(asked: InferPlan, number: int) -> dict[str, float]:
    reading = asked.space.point(next(islice(asked.space.every(), number - 1, None)))
    made = Values(asked, Direct(ReadingBench(asked))).of([reading], [str(number)])  # type: ignore[arg-type]
    return dict(zip([one.name for one in asked.values], made[0].mean(axis=1).tolist(), strict=True))


DIVACK = 45
"""The reading that is used: RFC 6675, a window that never binds, least RTO 0.2 s (ns-2.35's), no limit on bursts."""
HAS = {
    "Figure 6: divss1, J = 32 over every": 0.532,
    "Figure 7: divss1, m = 32, J = 2 over divss1": 0.911,
    "Figure 7, limit: divss1, m = 64, J = 2 over divss1": 1.409,
    "1.5 Mb/s: divss2, J = 2, 1.5 Mb/s over every": 1.325,
}


def test_the_reading_that_divack_uses() -> None:
    found = means(plan("divack"), DIVACK)
    assert {name: found[name] for name in HAS} == pytest.approx(HAS, abs=0.001)
