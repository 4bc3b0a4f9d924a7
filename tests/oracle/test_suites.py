"""acklab against the tests of ns-2.35's own suites: recorded fingerprints of ns-2's events, and some tests run afresh."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import check_suites  # noqa: E402
from ns2 import installed  # noqa: E402
from suites import facts, points  # noqa: E402
from suites import ns2 as program  # noqa: E402

TESTS = check_suites.chosen([])
#: The tests in which ns-2 does what no rule of acklab says (docs/oracle/suites.md).
DIFFER = {f"tcp-init-win/{kind}2" for kind in ("newreno", "reno", "sack", "tahoe")}


def test_each_test_is_recorded_once() -> None:
    rows = check_suites.recorded()
    assert list(rows) == [test.id for test in TESTS]
    assert {name for name, row in rows.items() if row["differs"]} == DIFFER
    for suite in facts.suites():
        assert not {test.name for test in facts.tests(suite)} & set(facts.cannot(suite))


@pytest.mark.parametrize("suite", [suite for suite in facts.suites() if facts.tests(suite)])
def test_acklab_has_the_events_of_ns2(suite: str) -> None:
    some, rows = facts.tests(suite), check_suites.recorded()
    for test, got in zip(some, check_suites.ours(some), strict=True):
        assert check_suites.judge(test, got, rows[test.id], fresh=False) == rows[test.id]["differs"], test.id


@pytest.mark.skipif(not installed(), reason="ns-2 is not installed")
@pytest.mark.parametrize("test", TESTS[::9], ids=lambda test: test.id)
def test_ns2_still_has_the_recorded_events(test: facts.Test) -> None:
    wanted = check_suites.compared(test, program.run(test))
    row = check_suites.recorded()[test.id]
    assert points.digest([check_suites.line(event) for event in wanted]) == row["log"]
    if row["output"]:
        assert points.digest(points.points(test, wanted)) == row["output"]


def test_the_page_has_these_tables() -> None:
    page = (HERE.parents[1] / "docs" / "oracle" / "suites.md").read_text()
    assert [part[:200] for part in check_suites.table().split("\n\n") if part not in page] == []


def test_a_changed_fact_is_found() -> None:
    test = TESTS[0]
    slower = facts.Test(
        **{**vars(test), "links": tuple(facts.Link(**{**vars(one), "delay": one.delay + 1e-9}) for one in test.links)}
    )
    [got] = check_suites.ours([slower])
    assert check_suites.judge(test, got, check_suites.recorded()[test.id], fresh=False)


def test_points_are_read_as_they_are_printed() -> None:
    shown = 'TitleText: x\n\n"packets\n1.5 0.01\n1.25 0\n\n"skip-1\n0 1\n\n"drops\n2.5 0.1\n2.5 0.1\n'
    assert points.published(shown) == ["drops 2.5 0.1", "packets 1.25 0", "packets 1.5 0.01"]
