"""What is kept of the papers' inferences belongs to the plans of today, and has the values of the setting used."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import acklab
from acklab.papers import FIVE, paper
from acklab.papers.open import claims, inferred
from acklab.reproduce import posterior
from acklab.reproduce.experiments import Effort
from acklab.reproduce.explanation import Searched
from acklab.reproduce.ledger import load
from acklab.reproduce.page import paper_page
from acklab.reproduce.posterior import Posterior, Rule, questions
from acklab.reproduce.runner import Outcome
from acklab.reproduce.verdict import REPRODUCED, UNDECIDED, Verdict
from acklab.runs import run_batch
from acklab.study.infer import PLANS, InferPlan, ReadingBench, Values
from acklab.study.keys import worded
from acklab.study.space import Choice
from acklab.text.numbers import digits

TOOLS = Path(__file__).parents[3] / "tools"


def tool(name: str) -> ModuleType:
    """A program of tools/ as a module."""
    spec = importlib.util.spec_from_file_location(name, TOOLS / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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


@pytest.mark.parametrize("name", FIVE)
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


@pytest.mark.parametrize("name", [name for name in FIVE if name not in ("ackfilter", "allman1998")])
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


def test_the_page_asks_of_the_claims_that_are_not_reproduced() -> None:
    def page(verdict: str) -> str:
        claim = paper("divack").ledger.claims["divack.both.caps"]
        one = Verdict(claim, verdict, "too few", "evidence")
        return paper_page(Outcome(paper("divack"), Effort(), [one], []), {})

    section = page(UNDECIDED).partition('<section id="questions">')[2].partition("</section>")[0]
    assert "host recovery" in section and "both.caps" in section and "ACK timer" not in section
    assert 'id="questions"' not in page(REPRODUCED)


PLAN: dict[str, Any] = {
    "scenario": {
        "stop": {"when": "flows-complete"},
        "link": [{"between": ["S", "R"], "rate": "2Mbps", "delay": "20ms", "queue": {"kind": "drop-tail", "packets": 8}}],
        "flow": [{"name": "f", "from": "S", "to": "R", "size": {"segments": 60}}],
    },
    "baseline": {"flow.f.sender.initial_window": 1},
    "alternatives": {
        "start": {
            "one": {"flow.f.sender.initial_window": 1},
            "more": {"flow.f.sender.initial_window": {"low": 2, "high": 4}},
        }
    },
    "free": {"flow.f.sender.recovery": ["newreno", "rfc6675"]},
    "value": [
        {"name": "time", "metric": "completion@f", "printed": 0.55, "tolerance": 0.01},
        {"name": "at most", "metric": "completion@f", "printed": 0.3, "tolerance": 0.01, "bound": "most"},
        {"name": "none", "metric": "repair@f", "printed": 0.3, "tolerance": 0.01, "use": "held-out"},
    ],
    "nudges": 1,
}  # fmt: skip


def test_what_is_kept_of_an_inference_is_what_it_found(monkeypatch: pytest.MonkeyPatch) -> None:
    posteriors, told = tool("posteriors"), acklab.infer(PLAN)
    claim = next(one for one in load("veno").claims.values())
    turned = type("Entry", (), {"short": claim.short, "cause": Searched(4, "1 run", 1, "initial_window = 4")})()
    monkeypatch.setattr(posteriors, "inferred", lambda name: PLAN)
    monkeypatch.setattr(posteriors, "claims", lambda name: dict.fromkeys(("time", "at most", "none"), "shown"))
    monkeypatch.setattr(posteriors, "load", lambda name: type("Ledger", (), {"claims": {"x": turned}}))
    kept = posteriors.kept("any", told.plain())
    winner = told.posterior.predicted(told.posterior.winner)[0]
    assert kept["best"] == sum(one.within(mean) for one, mean in zip(told.plan.values, winner, strict=True))
    assert [value[-1] for value in kept["values"]] == [
        not one.within(mean) for one, mean in zip(told.plan.values, told.baseline, strict=True)
    ]
    # A key of one alternative alone is a rule, too.
    rules = {rule["name"]: rule for rule in kept["rules"]}
    assert rules.keys() == {"start", "sender recovery", "sender initial window"}
    assert claim.short in rules["sender initial window"]["decides"]
    assert claim.short not in rules["sender recovery"]["decides"]


def test_a_cause_that_the_ledger_no_longer_has_is_gone() -> None:
    verdicts = tool("verdicts")
    claims = load("ackfilter").claims.values()
    known = next(one for one in claims if one.cause)
    other = next(one for one in claims if not one.cause)
    kept = {short: {"verdict": verdict, "cause": cause} for short, verdict, cause in (
        (known.short, "differs", ""), (other.short, "differs", "run"))}  # fmt: skip
    data = {"papers": {"ackfilter": {"claims": kept}}}
    verdicts.explained(data)
    assert kept[known.short]["cause"] == known.cause.word and kept[other.short]["cause"] == "not searched"
    kept[known.short]["verdict"] = "reproduced"
    verdicts.explained(data)
    assert kept[known.short]["cause"] == ""
