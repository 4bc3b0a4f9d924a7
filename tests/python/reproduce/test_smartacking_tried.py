"""The search over readings of smartacking's open rules: every rule changes what it is about, and what is told of a claim was tried."""

from __future__ import annotations

import pytest

from acklab.papers import paper
from acklab.papers.smartacking import tried
from acklab.papers.smartacking.explanations import FOUND
from acklab.papers.smartacking.inferred import FREE
from acklab.papers.smartacking.inferred import OF_SCHEMES as OF_SCHEMES_FREE
from acklab.papers.smartacking.setting import asymmetric, one_zero, parking_lot
from acklab.reproduce.ledger import load


def test_the_readings_are_the_same_every_time() -> None:
    assert tried.every() == tried.every()


def test_what_was_found_is_of_claims_that_a_run_decides() -> None:
    smart = paper("smartacking")
    assert {f"smartacking.{name}" for name in FOUND} <= smart.claims.keys()
    assert set(tried.evidence()) <= {claim.short for claim in load("smartacking").claims.values()}


EXTENDED = one_zero(5, "extended")
OF_SCHEMES = {"acc": asymmetric(10, "acc"), "sabc": one_zero(5, "sabc"), "pacing": one_zero(5, "paced"), "lot_edges": parking_lot(4, "smart"),
              "edge_queue": asymmetric(10, "smart"), "round_trip": one_zero(5, "paced"), "limit": one_zero(5, "abc", estimate=True),
              "decrease": EXTENDED, "beta": EXTENDED, "gamma": EXTENDED, "early_steps": EXTENDED}  # fmt: skip


@pytest.mark.parametrize("rule", [rule for rule in tried.RULES if rule != "udp"])
def test_every_value_of_a_rule_changes_a_scenario(rule: str) -> None:
    line = OF_SCHEMES.get(rule, one_zero(5, "smart"))
    made = [tried.apply({rule: value}, line) for value in tried.RULES[rule]]
    assert len({line, *made}) == len(made) + 1
    assert tried.apply({}, line) == line


def test_rules_of_schemes_change_those_alone() -> None:
    plain = one_zero(5, "smart")
    assert all(tried.apply({rule: tried.RULES[rule][0]}, plain) == plain for rule in OF_SCHEMES)


def test_inference_may_choose_among_the_rules_that_decide() -> None:
    """Of the sender: what a loss halves, whether a timeout in a halved window halves it again, the clock, and the round trip of pacing. Of
    the receiver: when the first keep-alive leaves, and whether its answer's wait counts."""
    of = {key.rpartition(".")[2] for key in FREE | OF_SCHEMES_FREE}
    assert {"halving", "timeout_ssthresh", "tick", "round_trip", "first_probe", "replies"} <= of
