"""The search over readings of smartacking's open rules: every rule changes what it is about, and what is told of a claim was tried."""

from __future__ import annotations

import pytest

from acklab.papers import paper
from acklab.papers.smartacking import tried
from acklab.papers.smartacking.explanations import FOUND
from acklab.papers.smartacking.setting import asymmetric, one_zero, parking_lot
from acklab.reproduce.ledger import load

CHEAP = ("fig8.20pct", "fig9.sabc", "fig13.fixed")


@pytest.mark.parametrize("name", CHEAP)
def test_a_reading_that_is_named_has_the_claim(name: str) -> None:
    having, number = FOUND[name]
    if number is not None:
        assert tried.judged(tried.every()[number], [name])[name].verdict == "reproduced"
    assert tried.judged({}, [name])[name].verdict != "reproduced" or having


def test_the_readings_are_the_same_every_time() -> None:
    assert tried.every() == tried.every()
    assert all(number is None or number < len(tried.every()) for _, number in FOUND.values())


def test_what_was_found_is_of_claims_that_a_run_decides() -> None:
    smart = paper("smartacking")
    assert {f"smartacking.{name}" for name in FOUND} <= smart.claims.keys()
    assert set(tried.evidence()) <= {claim.short for claim in load("smartacking").claims.values()}


OF_SCHEMES = {"acc": asymmetric(10, "acc"), "sabc": one_zero(5, "sabc"), "pacing": one_zero(5, "paced"), "lot_edges": parking_lot(4, "smart"),
              "edge_queue": asymmetric(10, "smart")}  # fmt: skip


@pytest.mark.parametrize("rule", [rule for rule in tried.RULES if rule != "udp"])
def test_every_value_of_a_rule_changes_a_scenario(rule: str) -> None:
    line = OF_SCHEMES.get(rule, one_zero(5, "smart"))
    made = [tried.apply({rule: value}, line) for value in tried.RULES[rule]]
    assert len({line, *made}) == len(made) + 1
    assert tried.apply({}, line) == line


def test_rules_of_schemes_change_those_alone() -> None:
    plain = one_zero(5, "smart")
    assert all(tried.apply({rule: tried.RULES[rule][0]}, plain) == plain for rule in OF_SCHEMES)
