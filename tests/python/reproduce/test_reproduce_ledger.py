"""The ledger is whole, and every paper covers its part of it."""

from __future__ import annotations

import re

import pytest

from acklab.papers import FIVE, installed, names, paper
from acklab.reproduce import ledger
from acklab.reproduce.criteria import CriterionError, Part
from acklab.reproduce.page import about

COUNTS = {"ackfilter": 28, "allman1998": 74, "divack": 17, "smartacking": 61, "veno": 18}
LATER_COUNTS = {"cake": 5, "cubic": 7, "neqo": 5, "picoquic": 7, "tack": 8}
CLASSIC_COUNTS = {"asymmetry": 12, "l4s": 25, "quicly": 9, "rfc2416": 11}


def test_all_papers_are_there() -> None:
    assert tuple(COUNTS) == FIVE
    assert [*LATER_COUNTS] == [*installed("later")]
    assert [*CLASSIC_COUNTS] == [*installed("classics")]
    assert ledger.papers() == sorted([*COUNTS, *LATER_COUNTS, *CLASSIC_COUNTS])
    for name, count in {**COUNTS, **LATER_COUNTS, **CLASSIC_COUNTS}.items():
        found = ledger.load(name)
        assert len(found.claims) == count
        assert all(id.startswith(f"{name}.") for id in found.claims)


def test_an_unknown_paper() -> None:
    with pytest.raises(KeyError, match="allman1998"):
        ledger.load("nagle1984")


@pytest.mark.parametrize("name", names())
def test_every_setting_says_what_is_stated_and_what_inferred(name: str) -> None:
    assert ledger.load(name).settings
    assert [line for line in ledger.load(name).settings if not re.search(r"\[[^]]*(stated|inferred)", line)] == []


def test_an_entry_has_no_field_that_nothing_reads() -> None:
    entry = dict.fromkeys(("figure_or_table", "claim", "quantity", "units", "paper_value", "tolerance"), "")
    with pytest.raises(CriterionError, match="nothing reads flag"):
        ledger._claim({"id": "p.c", "kind": "exact", "flag": "doubtful", **entry})


@pytest.mark.parametrize("name", names())
def test_no_figure_twice(name: str) -> None:
    ids = [figure.id for figure in paper(name).figures]
    assert len(ids) == len(set(ids))


def numbers(text: str) -> set[float]:
    """Every number a text has."""
    return {float(number) for number in re.findall(r"(?<![\d.])-?\d+(?:\.\d+)?|(?<=-)\d+(?:\.\d+)?", text)}


def formula(part: Part) -> bool:
    """Whether the paper's value is a formula: what is measured less it is near 0, or over it near 1."""
    less = " less " in part.about or " - " in part.about
    return (less and part.target == 0) or (" over " in part.about and part.target == 1)


@pytest.mark.parametrize("name", names())
def test_values_and_tolerances_are_the_ledgers(name: str) -> None:
    """Where a criterion says a value plus or minus a tolerance, both stand in the ledger."""
    for claim in paper(name).ledger.claims.values():
        assert claim.criterion is not None
        for part in claim.criterion.parts:
            if part.type == "within":
                assert part.target is not None and part.tolerance is not None
                # Where the ledger doubts what is printed, its tolerance says what is meant.
                meant = numbers(claim.paper_value) | numbers(claim.tolerance.replace(",", ""))
                assert formula(part) or part.target in meant, claim.id
                said = numbers(claim.tolerance.replace("+-", ""))
                relative = {abs(part.target) * number / 100 for number in said}
                # One round trip, where the units are not round trips themselves, is Allman's 0.1 s.
                in_words = {1.0 if part.units == "RTT" else 0.1} if claim.tolerance.startswith("one RTT") else set()
                # Or both ends stand there: "0.54-0.58" is 0.56 plus or minus 0.02.
                ends = {round(part.target + sign * part.tolerance, 9) for sign in (-1, 1)}
                assert part.tolerance in said | relative | in_words or ends <= said, claim.id
            if part.type == "range" and claim.kind == "number":
                ends = {e for e in (part.low, part.high) if abs(e) < 1e9}
                said = numbers(claim.tolerance) | numbers(claim.claim) | numbers(claim.paper_value)
                assert ends <= said | {e / 100 for e in said} or "majority" in claim.tolerance + claim.paper_value, (
                    claim.id
                )


def test_which_claims_are_about_a_figure() -> None:
    assert about("Fig 2(a)", "Figure 2")
    assert about("Figs 2(a), 3(a)", "Figure 3")
    assert about("Tables 1-2", "Table 2")
    assert not about("Fig 12", "Figure 1")
    assert not about("Table 1", "Figure 1")
    assert not about("Sec 3.4", "")
