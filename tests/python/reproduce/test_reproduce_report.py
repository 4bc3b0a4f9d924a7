"""What ``acklab reproduce`` prints: counts, a row a claim that is not reproduced, and numbers no longer than their intervals."""

from __future__ import annotations

import re
from html import escape
from types import SimpleNamespace
from typing import Any

from acklab.papers import paper
from acklab.reproduce import report as paper_report
from acklab.reproduce import words
from acklab.reproduce.page import paper_page
from acklab.reproduce.verdict import DIFFERS, UNDECIDED, Verdict


def outcome_of(many: int, quick: bool, differ: int = -1) -> Any:
    """N claims of a paper, each undecided with 8 seeds but that which differs."""
    claims = [
        claim
        for claim in paper("divack").ledger.claims.values()
        if claim.criterion and claim.criterion.standing == "evidence"
    ]
    verdicts = [
        Verdict(claim, DIFFERS if n == differ else UNDECIDED, "too few", "evidence", seeds=8, needed=2.0)
        for n, claim in enumerate(claims[:many])
    ]
    effort = SimpleNamespace(quick=quick, sets=(), seeds=(8,), repetitions=(6,))
    outcome: Any = SimpleNamespace(
        paper=paper("divack"),
        effort=effort,
        verdicts=verdicts,
        figures=[],
        runs=0,
        seconds=0.0,
        left_out={},
        still={},
        failed=(),
    )
    return outcome


def test_the_counts_are_facts_and_each_claim_not_reproduced_is_a_row() -> None:
    report = paper_report.report(outcome_of(4, quick=True))
    facts = {fact.kind: fact.values for fact in report.facts}
    assert facts["claims"]["undecided"] == 4 and facts["claims"]["differs"] == 0
    assert "paper-quick" in facts
    (table,) = report.tables
    assert [(row[0], row[2]) for row in table.rows] == [
        ("undecided", name) for name in ("fig3a", "fig3b", "fig4.four", "fig4.tiny")
    ]


def test_the_page_has_each_claim_once_and_what_differs_first() -> None:
    outcome = outcome_of(4, quick=True, differ=2)
    page = paper_page(outcome, {})
    order = re.findall(r'<tr id="claim-([\w.]+)"', page)
    assert order == ["fig4.four", "fig3a", "fig3b", "fig4.tiny"] and len(set(order)) == 4
    claim = escape(words.printed(outcome.verdicts[2].claim))
    assert page.count(claim) == 1


def test_a_number_ends_with_its_interval() -> None:
    def shown(value: float, *ends: float, times: float = 1) -> str:
        finding: Any = SimpleNamespace(interval=ends or None)
        return words.by_interval(value, finding, times)

    assert [shown(value, -0.3918, 1.526) for value in (0.5672, -0.3918, 1.526)] == ["0.57", "-0.39", "1.53"]
    assert shown(1234.56, 1000.0, 1500.0) == "1230"
    assert shown(-0.001, -0.5, 0.5) == "0.00"
    assert shown(25.0, 0.2, 0.3, times=100) == "25.0"
    assert shown(0.56724) == "0.5672"
    assert shown(3.0, 3.0, 3.0) == "3"
