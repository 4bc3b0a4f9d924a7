"""What ``acklab reproduce`` prints: undecided claims of a quick run in one sentence, and numbers no longer than their intervals."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from acklab.papers import paper
from acklab.reproduce import terminal, words
from acklab.reproduce.verdict import NOT_TESTABLE, Verdict


def printed(many: int, quick: bool) -> str:
    """Of so many claims of a paper, each undecided with 8 seeds."""
    claims = [
        claim
        for claim in paper("divack").ledger.claims.values()
        if claim.criterion and claim.criterion.standing == "evidence"
    ]
    verdicts = [
        Verdict(claim, NOT_TESTABLE, "too few", "evidence", undecided=True, seeds=8, needed=2.0)
        for claim in claims[:many]
    ]
    effort = SimpleNamespace(quick=quick, sets=())
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
    return terminal.told([outcome])


def test_undecided_claims_of_a_quick_run_are_one_sentence() -> None:
    said = " ".join(printed(4, quick=True).split())
    assert (
        "4 claims are undecided, because a quick run has 8 seeds: fig3a, fig3b, fig3.bneck, fig4.four. The page" in said
    )
    assert "Undecided with" not in said


def test_few_of_them_or_those_of_a_whole_run_are_told() -> None:
    for many, quick in ((3, True), (4, False)):
        said = printed(many, quick)
        assert (
            said.count("Undecided with 8 seeds: about 16 would be needed.") == many
            and "because a quick run" not in said
        )


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
