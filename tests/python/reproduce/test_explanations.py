"""Why a claim differs: the word follows from what a paper declares."""

from __future__ import annotations

import pytest

from acklab.papers import NAMES, paper
from acklab.reproduce import words
from acklab.reproduce.explanation import DEPENDS, DERIVED, SEARCHED, UNEXPLAINED, WORDS, Derived, Searched, told, word
from acklab.reproduce.judge import judge
from acklab.reproduce.ledger import load
from acklab.reproduce.measure import Measurement
from acklab.reproduce.paper import Judged, Paper
from acklab.reproduce.runner import reproduce

CLAIM = "allman1998.fig6.sack"
DERIVATIONS = {
    *("ackfilter.fig5.500", "ackfilter.fig5.rtt", "allman1998.table2.daass.short", "smartacking.fig3a.double"),
    *("rfc2416.one.duplicate", "rfc2416.bytes", "rfc2416.modem", "rfc2416.ahead"),
    "asymmetry.ar",
    *("rfc2415.table1.power", "rfc2415.table2.repeated", "rfc2415.table3.unit", "rfc2415.table6.goodput"),
}
"""The claims for which a derivation was checked. A search is none, however long."""


def test_only_derivations_are_called_derived() -> None:
    declared = {id: one for name in NAMES for id, one in paper(name).explanations.items()}
    assert {id for id, one in declared.items() if word(one) == DERIVED} == DERIVATIONS
    assert {word(one) for one in declared.values()} <= set(WORDS)


@pytest.mark.parametrize(("one", "wanted"), [
    (None, UNEXPLAINED), (Derived("by section 2"), DERIVED), (Searched(9, "1 run"), SEARCHED), (Searched(9, "1 run", 1, "a = 2"), DEPENDS),
])  # fmt: skip
def test_a_reading_that_has_the_claim_ends_the_search(one: Derived | Searched | None, wanted: str) -> None:
    assert word(one) == wanted
    assert told(one).startswith(wanted)


@pytest.mark.parametrize("wrong", [(0, "1 run"), (9, "1 run", 10, "a = 2"), (9, "1 run", 1), (9, "1 run", 0, "a = 2")])
def test_a_search_that_contradicts_itself_is_refused(wrong: tuple[int, str]) -> None:
    with pytest.raises(ValueError, match="reading"):
        Searched(*wrong)


@pytest.mark.parametrize(("value", "said"), [(0.5, "searched: none of 9 readings has it (1 run each)"), (1.0, "")])
def test_what_differs_has_its_explanation_and_nothing_else_has_one(value: float, said: str) -> None:
    one = Paper("allman1998", "t", "c", "a", {}, [])
    (part,) = (p.name for p in load("allman1998").claims[CLAIM].criterion.parts)  # type: ignore[union-attr]
    one.claims[CLAIM] = Judged(CLAIM, (), lambda: Measurement({part: value}))
    one.explain("fig6.sack", Searched(9, "1 run"))
    with pytest.raises(ValueError, match="twice"):
        one.explain("fig6.sack", Derived(""))
    found = reproduce(one, claims=[CLAIM], only=lambda figure: False)
    assert found.verdicts[0].explanation == said
    assert words.explained_how(found.verdicts)[SEARCHED] == bool(said)


def test_an_explanation_of_no_claim_is_found() -> None:
    one = Paper("allman1998", "t", "c", "a", {}, [])
    one.explain("fig99", Derived("x"))
    assert "an explanation of allman1998.fig99, which is not in the ledger" in one.check()


def test_a_verdict_alone_has_none() -> None:
    claim = load("allman1998").claims[CLAIM]
    (part,) = (p.name for p in claim.criterion.parts)  # type: ignore[union-attr]
    assert judge(claim, Measurement({part: 0.5})).explanation == ""
