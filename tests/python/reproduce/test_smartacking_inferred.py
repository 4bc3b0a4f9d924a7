"""What the smartacking pages say of the inference: the runs of the readings that they name are made again."""

from __future__ import annotations

from itertools import islice

import pytest

from acklab.infer.bench import Bench, Values
from acklab.infer.plan import Plan, from_tree
from acklab.infer.run import tried
from acklab.papers import inferred
from acklab.papers.smartacking import joint
from acklab.papers.smartacking.inferred import PANELS
from acklab.run import run_batch
from acklab.tune.space import Choice


@pytest.fixture(scope="module")
def plan() -> Plan:
    tree = inferred("smartacking")
    assert tree is not None
    return from_tree(tree, "smartacking")


def reading(plan: Plan, number: int) -> Choice:
    return plan.space.point(next(islice(plan.space.every(), number - 1, None)))


class Direct:
    """Makes the runs that values ask for, and keeps nothing."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench

    def values(self, wanted: list) -> list[tuple[float, ...]]:
        lines = [self.bench.lines(one.settings, one.path)[0] for one in wanted]
        made = run_batch(lines)
        return [tuple(each.read(one) for each in self.bench.objectives(asked.path.entry)) for one, asked in zip(made, wanted, strict=True)]


def test_the_plan_is_what_the_pages_count(plan: Plan) -> None:
    assert plan.search == "all"
    assert tried(plan) == joint.TRIED
    assert len(plan.space.parts) == joint.RULES


def test_named_readings_give_the_means_that_are_told(plan: Plan) -> None:
    names = [one.name for one in plan.values]
    numbers = sorted({joint.WINNER, *(number for _, _, number in joint.NEAREST.values())})
    made = Values(plan, Direct(Bench(plan))).of([reading(plan, number) for number in numbers], list(map(str, numbers)))  # type: ignore[arg-type]
    means = {number: dict(zip(names, row.mean(axis=1), strict=True)) for number, row in zip(numbers, made, strict=True)}
    for panel, (mean, _, number) in joint.NEAREST.items():
        assert means[number][panel] == pytest.approx(mean, abs=0.05), panel
    for panel, mean in joint.WINNING.items():
        assert means[joint.WINNER][panel] == pytest.approx(mean, abs=0.05), panel
    assert joint.WINNING.keys() == joint.NEAREST.keys() == PANELS.keys()
