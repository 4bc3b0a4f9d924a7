"""Why a claim differs: one cause of each, typed."""

from __future__ import annotations

from typing import Any

import ledger_forms
import pytest

from acklab.papers import FIVE, names, paper
from acklab.reproduce.criteria import CriterionError
from acklab.reproduce.explanation import DERIVATION, NOT_FOUND, NOT_SEARCHED, RUN, Derived, Searched, Unsearched
from acklab.reproduce.judge import judge
from acklab.reproduce.ledger import _claim, load
from acklab.reproduce.measure import Measurement
from acklab.reproduce.paper import Judged, Paper
from acklab.reproduce.runner import reproduce

CLAIM = "allman1998.fig6.sack"
DERIVATIONS = {
    *("ackfilter.fig5.sat", "ackfilter.fig5.500", "ackfilter.fig5.rtt", "divack.fig4.tiny"),
    "smartacking.fig3a.double",
    *("rfc2416.one.duplicate", "rfc2416.bytes", "rfc2416.modem", "rfc2416.ahead"),
    "asymmetry.ar",
}
"""The claims for which a derivation was checked. A search is none, however long."""


def test_only_derivations_are_called_derived() -> None:
    declared = {id: one for name in names() for id, one in paper(name).explanations.items()}
    declared |= {id: c.cause for name in names() for id, c in load(name).claims.items() if c.cause}
    assert {id for id, one in declared.items() if one.word == DERIVATION} == DERIVATIONS


@pytest.mark.parametrize(("one", "wanted"), [
    (Unsearched(), NOT_SEARCHED), (Derived("by section 2"), DERIVATION), (Searched(9, "1 run"), NOT_FOUND), (Searched(9, "1 run", 1, "a = 2"), RUN),
])  # fmt: skip
def test_a_reading_that_has_the_claim_ends_the_search(one: Any, wanted: str) -> None:
    assert one.word == wanted
    assert one.told().startswith(wanted)


@pytest.mark.parametrize("wrong", [(0, "1 run"), (9, "1 run", 10, "a = 2"), (9, "1 run", 1), (9, "1 run", 0, "a = 2")])
def test_a_search_that_contradicts_itself_is_refused(wrong: tuple[int, str]) -> None:
    with pytest.raises(ValueError, match="reading"):
        Searched(*wrong)


@pytest.mark.parametrize(("cause", "wanted"), [
    ({"derivation": "by section 2"}, Derived("by section 2")),
    ({"readings": 9, "runs": "10 seeds"}, Searched(9, "10 seeds")),
    ({"run": "a = 2", "having": 1, "readings": 9, "runs": "10 seeds"}, Searched(9, "10 seeds", 1, "a = 2")),
])  # fmt: skip
def test_an_entry_has_its_cause(cause: dict[str, Any], wanted: Any) -> None:
    assert _claim({**ledger_forms.entries()[CLAIM], "cause": cause}).cause == wanted


@pytest.mark.parametrize("cause", [{}, {"run": "a = 2"}, {"derivation": "x", "readings": 9}, {"readings": 9}])
def test_a_cause_that_is_none_is_refused(cause: dict[str, Any]) -> None:
    with pytest.raises(CriterionError, match="fig6.sack, cause"):
        _claim({**ledger_forms.entries()[CLAIM], "cause": cause})


@pytest.mark.parametrize(("value", "cause"), [(0.5, Searched(9, "1 run")), (1.0, None)])
def test_what_differs_has_its_cause_and_nothing_else_has_one(value: float, cause: Any) -> None:
    one = Paper("allman1998", "t", "c", "a", {}, [])
    (part,) = (p.name for p in load("allman1998").claims[CLAIM].criterion.parts)  # type: ignore[union-attr]
    one.claims[CLAIM] = Judged(CLAIM, (), lambda: Measurement({part: value}))
    one.explain("fig6.sack", Searched(9, "1 run"))
    with pytest.raises(ValueError, match="twice"):
        one.explain("fig6.sack", Derived(""))
    assert reproduce(one, claims=[CLAIM], only=lambda figure: False).verdicts[0].cause == cause


def test_an_explanation_of_no_claim_is_found() -> None:
    one = Paper("allman1998", "t", "c", "a", {}, [])
    one.explain("fig99", Derived("x"))
    assert "an explanation of allman1998.fig99, which is not in the ledger" in one.check()


def test_a_verdict_alone_has_none() -> None:
    claim = load("allman1998").claims[CLAIM]
    (part,) = (p.name for p in claim.criterion.parts)  # type: ignore[union-attr]
    assert judge(claim, Measurement({part: 0.5})).cause is None


@pytest.mark.parametrize("name", FIVE)
def test_a_statement_that_no_count_has_says_why(name: str) -> None:
    lines = load(name).uncounted
    assert {line.kind for line in lines} <= {"arithmetic", "note", "struck", "not judged"}
    assert lines and all(line.place and line.what and line.why for line in lines)
