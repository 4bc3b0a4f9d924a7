"""What is kept of the papers' inferences belongs to the plans of today, and has the values of the setting used."""

from __future__ import annotations

from typing import Any

import pytest

from acklab.papers import FIVE, paper
from acklab.papers.open import claims, inferred
from acklab.reproduce import page, posterior
from acklab.reproduce.posterior import Posterior, Rule, questions
from acklab.runs import run_batch
from acklab.study.infer import PLANS, InferPlan, ReadingBench, Values
from acklab.study.keys import worded
from acklab.study.space import Choice
from acklab.text.numbers import digits


class Direct:
    """Makes the runs that values ask for, and keeps nothing."""

    def __init__(self, bench: ReadingBench) -> None:
        self.bench = bench

    def values(self, wanted: list[Any]) -> list[tuple[float, ...]]:
        made = run_batch([self.bench.lines(one.settings, one.path)[0] for one in wanted])
        return [
            tuple(each.read(one) for each in self.bench.objectives(asked.path.entry))
            for one, asked in zip(made, wanted, strict=True)
        ]


def used(plan: InferPlan) -> dict[str, float]:
    """The values under the setting used."""
    made = Values(plan, Direct(ReadingBench(plan))).of([Choice({}, {}, {})], ["used"])  # type: ignore[arg-type]
    return dict(zip([one.name for one in plan.values], made[0].mean(axis=1).tolist(), strict=True))


KEPT = [name for name in FIVE if posterior.load(name)]


@pytest.mark.parametrize("name", KEPT)
def test_what_is_kept_is_of_the_plan_of_today(name: str) -> None:
    kept, plan = posterior.load(name), PLANS.from_tree(inferred(name), name)
    assert kept is not None
    rules = [*(rule.name for rule in kept.rules), *kept.still]
    assert sorted(rules) == sorted({worded(plan.space.column(part)) for part in plan.space.parts})
    assert {value.name: value.claim for value in kept.values} == claims(name)
    assert {short for rule in kept.rules for short in rule.decides} <= {
        claim.short for claim in paper(name).ledger.claims.values()
    }
    assert kept.readings <= plan.readings


@pytest.mark.parametrize("name", [name for name in KEPT if name not in ("ackfilter", "allman1998")])
def test_the_setting_used_has_the_values_that_the_page_says(name: str) -> None:
    kept = posterior.load(name)
    assert kept is not None
    found = used(PLANS.from_tree(inferred(name), name))
    assert {value.name: value.used for value in kept.values} == {key: digits(one, 3) for key, one in found.items()}


def test_three_questions_by_the_claims_that_they_would_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = tuple(Rule(name, "open", (("a", 0.5), ("b", 0.5)), (), decides) for name, decides in (
        ("one", ("x",)), ("none", ("held",)), ("two", ("x", "y")), ("three", ("x", "y", "z")), ("last", ("z",))
    ))  # fmt: skip
    monkeypatch.setattr(posterior, "load", lambda name: Posterior(1, 1, 0, 1, 0, (), 0, rules, (), ()))
    asked = questions("any", ["x", "y", "z"])
    assert [(rule.name, claims) for rule, claims in asked] == [
        ("three", ["x", "y", "z"]), ("two", ["x", "y"]), ("one", ["x"])
    ]  # fmt: skip
    assert page.questions is questions
