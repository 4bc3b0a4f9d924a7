"""The confusion matrix of verdicts: as the page has it, nobody wrongly accused, and hardly a word wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from confusion import ALL, Judged, judged, page

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "verdicts.md"


@pytest.fixture(scope="module")
def found() -> list[Judged]:
    """Every verdict."""
    return list(judged(ALL))


def test_nobody_is_accused_without_cause(found: list[Judged]) -> None:
    assert [f"{it.truth.name}, {it.path}, {it.end}, {it.disturbance}: {it.finding}" for it in found if it.accused] == []


def test_fewer_than_one_verdict_in_a_hundred_is_wrong(found: list[Judged]) -> None:
    wrong = [f"{it.truth.name}, {it.path}, {it.end}, {it.disturbance}: {it.finding}" for it in found if it.wrong]
    assert len(wrong) * 100 < len(found), "\n".join(wrong)


def test_the_page_is_as_measured(found: list[Judged]) -> None:
    assert page(found) == PAGE.read_text(encoding="utf-8"), (
        "python tests/capture/confusion.py > docs/reference/verdicts.md"
    )
