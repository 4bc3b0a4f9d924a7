"""What the smartacking page says of other readings: the runs of some readings that it names are made again."""

from __future__ import annotations

import pytest

from acklab.papers import paper
from acklab.papers.smartacking import proofs, tried
from acklab.papers.smartacking.setting import asymmetric, one_zero
from acklab.reproduce.ledger import load

CHEAP = ("fig3a.double", "fig6.flat", "fig8.20pct", "fig8.pacing", "fig9.sabc", "fig13.acc", "fig13.21k")


@pytest.mark.parametrize("name", CHEAP)
def test_the_nearest_reading_has_what_is_told(name: str) -> None:
    best = proofs.BEST[name]
    verdict = tried.judged(tried.every()[best.number], [name])[name]
    assert verdict.shown == best.measured
    assert (verdict.verdict == "reproduced") == (best.holds > 0)


def test_the_readings_are_those_that_are_counted() -> None:
    assert len(tried.every()) == proofs.TRIED
    assert len(tried.RULES) == proofs.RULES
    assert tried.every() == tried.every()


def test_every_proof_is_of_a_claim_and_in_its_note() -> None:
    smart = paper("smartacking")
    assert {f"smartacking.{name}" for name in (*proofs.BEST, *proofs.DERIVED)} <= smart.ledger.claims.keys()
    assert proofs.proof("fig8.20pct") in next(iter(tried.judged({}, ["fig8.20pct"]).values())).why


@pytest.mark.parametrize("rule", [rule for rule in tried.RULES if rule not in ("sabc", "udp", "pacing", "acc")])
def test_every_rule_changes_a_scenario(rule: str) -> None:
    value = tried.RULES[rule][0]
    line = one_zero(5, "smart")
    assert tried.apply({rule: value}, line) != line
    assert tried.apply({}, line) == line


def test_rules_of_schemes_change_those_alone() -> None:
    assert tried.apply({"acc": 4}, asymmetric(10, "acc")) != asymmetric(10, "acc")
    assert tried.apply({"acc": 4}, one_zero(5, "smart")) == one_zero(5, "smart")
    assert tried.apply({"sabc": 2}, one_zero(5, "sabc")) != one_zero(5, "sabc")
    assert tried.apply({"pacing": 4}, one_zero(5, "paced")) != one_zero(5, "paced")


def test_judged_claims_are_of_the_ledger() -> None:
    assert set(tried.evidence()) <= {claim.short for claim in load("smartacking").claims.values()}
