"""The history of ledger entries: each change has a line, and pages list those that turned a verdict."""

from __future__ import annotations

import copy
from typing import Any

import ledger_forms
import pytest

from acklab.papers import FIVE, names
from acklab.reproduce import words
from acklab.reproduce.criteria import CriterionError
from acklab.reproduce.ledger import _claim, load

ID = "veno.fig6.many"


def test_every_entry_that_changed_has_a_line_of_history() -> None:
    assert ledger_forms.wrong(ledger_forms.entries(), ledger_forms.forms()) == []


def edited(**more: Any) -> dict[str, Any]:
    found = {id: copy.deepcopy(dict(entry)) for id, entry in ledger_forms.entries().items()}
    found[ID] |= more
    return found


def test_an_edit_without_a_line_is_found() -> None:
    """Of prose, of a number in the criterion, of the standing; a former line does not excuse a later edit."""
    known, criterion = ledger_forms.forms(), ledger_forms.entries()[ID]["criterion"]
    weaker = {**criterion, "parts": [{**criterion["parts"][0], "tie": 0.5}]}
    for change in ({"tolerance": "any"}, {"criterion": weaker}, {"criterion": {**criterion, "standing": "arithmetic"}}):
        found = edited(**change)
        assert ledger_forms.wrong(found, known) == [
            f"{ID}: changed; add a line to its history, then run ledger_forms.py"
        ]
        assert ledger_forms.noted(found, known)[ID] == known[ID], "not without a line"
        line = {"was": "a", "is": "b", "why": "c"}
        found[ID]["history"] = [*found[ID]["history"], line]
        assert ledger_forms.wrong(found, ledger_forms.noted(found, known)) == []
    assert ledger_forms.wrong(edited(history=[]), known) == [f"{ID}: 3 changes, and 0 lines of history"]
    reworded = {**criterion, "parts": [{**part, "about": "other words"} for part in criterion["parts"]]}
    assert ledger_forms.wrong(edited(criterion=reworded), known) == []


@pytest.mark.parametrize(("line", "match"), [
    ({"was": "a", "is": "b"}, "line 1: has was, is"),
    ({"was": "a", "is": "b", "why": "c", "when": "d"}, "takes was, is, why"),
    ({"was": "a", "is": " ", "why": "c"}, "is is empty"),
    ({"was": "a", "is": "b", "why": "c", "turned": "yes"}, 'turned = "yes"'),
    ({"was": "a", "is": "b", "why": "c", "turned": "differs to differs"}, "differs to reproduced"),
])  # fmt: skip
def test_a_line_that_is_none_is_refused(line: dict[str, str], match: str) -> None:
    with pytest.raises(CriterionError, match=match):
        _claim(edited(history=[line])[ID])


@pytest.mark.parametrize("name", sorted({*names()} - {*FIVE}))
def test_pages_list_the_verdicts_that_a_change_turned(name: str) -> None:
    changed = [claim for claim in load(name).claims.values() if claim.history]
    page = " ".join((ledger_forms.ROOT / f"docs/papers/{name}.md").read_text("utf-8").split())
    assert not changed or words.turned(changed, "`{}`") in page
