#!/usr/bin/env python3
"""Judge acklab by the tests of ns-2.35's own suites: every event on every link, to the last bit of its time.

    check_suites.py                    acklab's events against the recorded fingerprints of ns-2's
    check_suites.py --fresh            against ns-2 itself, with the first difference (needs ns)
    check_suites.py sack newreno       some suites only; sack/sack1 names a test
    check_suites.py --record [--outputs DIR]
                                       write data/suites.csv again from ns-2; DIR holds test-output-SUITE/TEST.gz as ns-2.35 ships them
    check_suites.py --table            the tables of docs/oracle/suites.md

Exit status: 0 as recorded, 1 something differs, 2 the check could not be made.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import sys
from pathlib import Path

from engine import run_batch
from suites import ns2
from suites.facts import Test, cannot, suites, tests
from suites.points import digest, points, published, traced
from suites.scenario import Event, events, scenario

DATA = Path(__file__).resolve().parent / "data" / "suites.csv"
COLUMNS = ("suite", "test", "events", "log", "points", "output", "differs")


def line(event: Event) -> str:
    """An event as text, its time with all digits."""
    time, word, link, kind, flow, number, size = event
    return f"{time:.17g} {word} {link} {kind} {flow} {number} {size}"


def compared(test: Test, some: list[Event]) -> list[Event]:
    """The events with their times as this test compares them."""
    return some if test.exact else sorted((traced(event[0]), *event[1:]) for event in some)


def first_difference(wanted: list[Event], got: list[Event]) -> str:
    """What to say of the first event that differs; empty if none does."""
    for a, b in zip(wanted, got):
        if a != b:
            return f"ns-2 has {line(a)}; acklab {line(b)}"
    if len(wanted) != len(got):
        longer, whose = (wanted, "ns-2") if len(wanted) > len(got) else (got, "acklab")
        return f"only {whose} has {line(longer[min(len(wanted), len(got))])}"
    return ""


def chosen(words: list[str]) -> list[Test]:
    """The tests that the words name; all without words."""
    found = [test for suite in suites() for test in tests(suite)]
    return [test for test in found if not words or test.suite in words or test.id in words]


def recorded() -> dict[str, dict[str, str]]:
    """The rows of data/suites.csv by the test's name."""
    with DATA.open(newline="") as file:
        return {f"{row['suite']}/{row['test']}": row for row in csv.DictReader(file)}


def ours(some: list[Test]) -> list[list[Event] | str]:
    """acklab's events of each test, or what went wrong."""
    outcomes = run_batch(scenario(test) for test in some)
    return [outcome.get("error") or events(test, outcome) for test, outcome in zip(some, outcomes)]


def shipped(test: Test, outputs: Path | None) -> list[str]:
    """The points of ns-2.35's own validated output of the test; none if it is not at hand or not of this form."""
    path = outputs / f"test-output-{test.suite}" / f"{test.name}.gz" if outputs else None
    return published(gzip.decompress(path.read_bytes()).decode()) if path and path.exists() and test.plots else []


def record(some: list[Test], outputs: Path | None) -> None:
    """Write what ns-2 has, and where acklab first differs."""
    with DATA.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for test, got in zip(some, ours(some)):
            wanted = ns2.run(test)
            plotted = shipped(test, outputs)
            if plotted and plotted != points(test, wanted):
                raise ValueError(f"{test.id}: ns-2's own output is not what these facts give in ns-2")
            differs = got if isinstance(got, str) else first_difference(compared(test, wanted), compared(test, got))
            writer.writerow({
                "suite": test.suite, "test": test.name, "events": len(wanted), "log": digest([line(event) for event in compared(test, wanted)]),
                "points": len(plotted) or "", "output": digest(plotted) if plotted else "", "differs": differs,
            })  # fmt: skip


def judge(test: Test, got: list[Event] | str, row: dict[str, str] | None, fresh: bool) -> str:
    """What differs from ns-2; empty if nothing does."""
    if isinstance(got, str):
        return got
    if fresh:
        return first_difference(compared(test, ns2.run(test)), compared(test, got))
    if row is None:
        return "not recorded"
    if digest([line(event) for event in compared(test, got)]) == row["log"]:
        plotted = points(test, got)
        return "" if not row["output"] or digest(plotted) == row["output"] else "the suite's own output has other points"
    return row["differs"] or f"ns-2 has {row['events']} events with another fingerprint; acklab {len(got)}"


def table() -> None:
    """The pages' tables."""
    rows = recorded()
    print("| suite | tests | expressed | agree | with the output that ns-2.35 ships | differ |\n|---|---|---|---|---|---|")
    for suite in suites():
        mine = [row for row in rows.values() if row["suite"] == suite]
        agree = [row for row in mine if not row["differs"]]
        shown = sum(bool(row["output"]) for row in agree)
        print(f"| `{suite}` | {len(mine) + len(cannot(suite))} | {len(mine)} | {len(agree)} | {shown} | {len(mine) - len(agree)} |")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tests", nargs="*", metavar="SUITE[/TEST]")
    parser.add_argument("--fresh", action="store_true", help="run ns-2, too")
    parser.add_argument("--record", action="store_true", help="write data/suites.csv from ns-2")
    parser.add_argument("--outputs", type=Path, metavar="DIR", help="where ns-2.35's validated outputs are")
    parser.add_argument("--table", action="store_true", help="print the page's table")
    options = parser.parse_args(arguments)
    if options.table:
        table()
        return 0
    some = chosen(options.tests)
    if options.record:
        record(some, options.outputs)
        return 0
    rows = recorded() if DATA.exists() else {}
    agree = surprising = 0
    for test, got in zip(some, ours(some)):
        row = rows.get(test.id)
        problem = judge(test, got, row, options.fresh)
        if problem:
            print(f"{test.id}: {problem}")
        agree += not problem
        surprising += problem != (row or {}).get("differs", "")
    print(f"{len(some)} tests, {agree} agree, {len(some) - agree} differ")
    return 1 if surprising else 0


if __name__ == "__main__":
    sys.exit(main())
