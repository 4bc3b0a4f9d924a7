"""What pages say of the inferences for Allman 1998, ACK division and Veno: named readings are run again."""

from __future__ import annotations

from itertools import islice
from typing import Any

import pytest

from acklab.infer.bench import Bench, Values
from acklab.infer.plan import Plan, from_tree
from acklab.infer.run import tried
from acklab.papers import inferred
from acklab.papers.allman1998 import proofs as allman
from acklab.papers.divack import proofs as divack
from acklab.run import run_batch


def plan(name: str) -> Plan:
    tree = inferred(name)
    assert tree is not None
    return from_tree(tree, name)


class Direct:
    """Makes the runs that values ask for, and keeps nothing."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench

    def values(self, wanted: list[Any]) -> list[tuple[float, ...]]:
        lines = [self.bench.lines(one.settings, one.path)[0] for one in wanted]
        made = run_batch(lines)
        return [tuple(each.read(one) for each in self.bench.objectives(asked.path.entry)) for one, asked in zip(made, wanted, strict=True)]


def means(asked: Plan, number: int) -> dict[str, float]:
    reading = asked.space.point(next(islice(asked.space.every(), number - 1, None)))
    made = Values(asked, Direct(Bench(asked))).of([reading], [str(number)])  # type: ignore[arg-type]
    return dict(zip([one.name for one in asked.values], made[0].mean(axis=1).tolist(), strict=True))


@pytest.mark.parametrize(("name", "readings", "rules"), [
    ("allman1998", allman.TRIED, allman.RULES), ("divack", divack.TRIED, divack.RULES), ("veno", 512, 8)
])  # fmt: skip
def test_plans_are_what_the_pages_count(name: str, readings: int, rules: int) -> None:
    asked = plan(name)
    assert asked.search == "all"
    assert (tried(asked), len(asked.space.parts)) == (readings, rules)


@pytest.mark.parametrize("number", sorted({number for _, _, number in allman.NEAREST.values()}))
def test_allmans_nearest_readings(number: int) -> None:
    found = means(plan("allman1998"), number)
    told = {name: value for name, (value, _, place) in allman.NEAREST.items() if place == number}
    assert {name: found[name] for name in told} == pytest.approx(told, abs=0.001)


def test_the_reading_of_divack_that_has_figure_6() -> None:
    asked = plan("divack")
    assert len(asked.values) == divack.VALUES
    found = means(asked, divack.BEST)
    assert {name: found[name] for name in divack.BEST_HAS} == pytest.approx(divack.BEST_HAS, abs=0.001)
