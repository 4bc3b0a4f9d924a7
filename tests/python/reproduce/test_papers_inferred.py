"""What pages say of the inferences for Allman 1998, ACK division and Veno: named readings are run again."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
import pytest

from acklab import _core
from acklab.papers import inferred
from acklab.papers.allman1998 import explanations, readings
from acklab.papers.allman1998 import searched as allman
from acklab.papers.allman1998.section5 import SECONDS, session, telnet
from acklab.papers.divack import searched as divack
from acklab.reproduce.experiments import records
from acklab.runs import run_batch
from acklab.study.infer import PLANS, InferPlan, ReadingBench, Values


def plan(name: str) -> InferPlan:
    tree = inferred(name)
    assert tree is not None
    return PLANS.from_tree(tree, name)


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


@pytest.mark.parametrize("number", sorted({number for _, _, number in allman.NEAREST.values()}))
def test_allmans_nearest_readings(number: int) -> None:
    found = means(plan("allman1998"), number)
    told = {name: value for name, (value, _, place) in allman.NEAREST.items() if place == number}
    assert {name: found[name] for name in told} == pytest.approx(told, abs=0.001)


@pytest.mark.parametrize(
    "short",
    [
        short
        for short, (having, _) in explanations.HAVING.items()
        if having and short not in ("fig9.heavy", "fig13.order")
    ],
)
def test_one_changed_rule_has_what_differs(short: str) -> None:
    """The first reading is the one used; the other is the one that the explanation names."""
    rule, _, value = explanations.HAVING[short][1].partition(" = ")
    used = next(readings.readings())
    other = (
        replace(used, sack=value) if rule == "sack" else replace(used, setting=replace(used.setting, **{rule: value}))
    )
    assert readings.having([short], [used, other])[short] == [other]


@pytest.mark.parametrize("pauses", explanations.PAUSES)
def test_pauses_decide_when_a_typists_window_is_full(pauses: str) -> None:
    """The median of the sessions within 35 s, with one kind of pauses of four."""
    interval = explanations.PAUSES[pauses]
    texts = [
        records(telnet("delayed", seed, 1, interval), "packets", "series")
        for seed in range(1, explanations.SESSIONS + 1)
    ]
    found = [session(_core.Simulation(one).run()).reached_s for one in texts]
    assert (float(np.median(np.nan_to_num(found, nan=SECONDS))) <= 35) is (pauses == explanations.PAUSES_HAVING)


def test_the_readings_are_those_of_the_plan() -> None:
    assert len(list(readings.readings())) == allman.TRIED
    assert str(next(readings.readings())) == "the rules used here"


def test_the_reading_that_divack_uses() -> None:
    asked = plan("divack")
    assert len(asked.values) == divack.VALUES
    found = means(asked, divack.USED)
    assert {name: found[name] for name in divack.USED_HAS} == pytest.approx(divack.USED_HAS, abs=0.001)
