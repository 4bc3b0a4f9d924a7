#!/usr/bin/env python3
"""Judge acklab by the tests of ns-2.35's own suites: every event on every link, to the last bit of its time.

    check_suites.py                    acklab's events against the recorded fingerprints of ns-2's.
    check_suites.py --fresh            against ns-2 itself, with the first difference (needs ns).
    check_suites.py sack newreno       some suites only; sack/sack1 names a test.
    check_suites.py --record [--outputs DIR].
                                       Write suites/recorded.csv again from ns-2; DIR holds test-output-SUITE/TEST.gz as ns-2.35 ships them.
                                       Without DIR, a test whose events are as before keeps what was recorded of its shipped output.
    check_suites.py --sources DIR      The facts against the suites themselves: ns-2 runs the programs of DIR, ns-2.35's tcl/test.
    check_suites.py --table            the tables of docs/oracle/suites.md.

Exit status: 0 as recorded, 1 something differs, 2 the check could not be made.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import sys
from pathlib import Path

from engine import run_batch
from suites import ns2, own
from suites.facts import Test, cannot, suites, tests
from suites.points import digest, points, published, traced
from suites.scenario import Event, events, scenario

DATA = Path(__file__).resolve().parent / "suites" / "recorded.csv"
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
    """The rows of suites/recorded.csv by the test's name."""
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


def record(some: list[Test], outputs: Path | None) -> list[str]:
    """Write what ns-2 has, and where acklab first differs; returns the tests whose shipped output ns-2 does not give with the facts."""
    rows, wrong, before = [], [], recorded() if DATA.exists() and not outputs else {}
    for test, got in zip(some, ours(some)):
        wanted = compared(test, ns2.run(test))
        plotted = shipped(test, outputs)
        if plotted and plotted != points(test, wanted):
            wrong.append(test.id)
        differs = got if isinstance(got, str) else first_difference(wanted, compared(test, got))
        log, output = digest([line(event) for event in wanted]), digest(plotted) if plotted else ""
        old = before.get(test.id, {})
        kept = (old["points"], old["output"]) if old.get("log") == log else (len(plotted) or "", output)
        rows.append((test.suite, test.name, len(wanted), log, *kept, differs))
    if not wrong:
        with DATA.open("w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([COLUMNS, *rows])
    return wrong


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
        return (
            "" if not row["output"] or digest(plotted) == row["output"] else "the suite's own output has other points"
        )
    return row["differs"] or f"ns-2 has {row['events']} events with another fingerprint; acklab {len(got)}"


def table() -> str:
    """The pages' tables: what agrees, what differs, what cannot be expressed."""
    rows = recorded()
    said = [
        "| suite | outputs shipped | expressed | agree | events of these | also the shipped output | differ |",
        "|---|---|---|---|---|---|---|",
    ]
    every = [0] * 6
    for suite in suites():
        mine = [row for row in rows.values() if row["suite"] == suite]
        agree = [row for row in mine if not row["differs"]]
        counts = [len(mine) + len(cannot(suite)), len(mine), len(agree), sum(int(row["events"]) for row in agree)]
        counts += [sum(bool(row["output"]) for row in agree), len(mine) - len(agree)]
        every = [a + b for a, b in zip(every, counts)]
        said.append(f"| `{suite}` | {' | '.join(map(str, counts))} |")
    said += [f"| all | {' | '.join(map(str, every))} |", "", "| differs | first difference |", "|---|---|"]
    said += [f"| `{name}` | {row['differs']} |" for name, row in rows.items() if row["differs"]]
    said += ["", "| not expressed because | tests | of suites |", "|---|---|---|"]
    reasons: dict[str, dict[str, int]] = {}
    for suite in suites():
        for why in cannot(suite).values():
            reasons.setdefault(why, {}).setdefault(suite, 0)
            reasons[why][suite] += 1
    for why, where in sorted(reasons.items(), key=lambda one: -sum(one[1].values())):
        said.append(f"| {why} | {sum(where.values())} | {', '.join(f'`{suite}`' for suite in where)} |")
    return "\n".join(said)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tests", nargs="*", metavar="SUITE[/TEST]")
    parser.add_argument("--fresh", action="store_true", help="run ns-2, too")
    parser.add_argument("--record", action="store_true", help="write suites/recorded.csv from ns-2")
    parser.add_argument("--outputs", type=Path, metavar="DIR", help="where ns-2.35's validated outputs are")
    parser.add_argument("--sources", type=Path, metavar="DIR", help="where ns-2.35's tcl/test is")
    parser.add_argument("--table", action="store_true", help="print the page's table")
    options = parser.parse_args(arguments)
    if options.table:
        print(table())
        return 0
    some = chosen(options.tests)
    if options.record:
        wrong = record(chosen([]), options.outputs)
        print(f"ns-2 does not give its own output with these facts: {', '.join(wrong)}" if wrong else "recorded")
        return 2 if wrong else 0
    if options.sources:
        problems = {test.id: own.difference(test, options.sources.resolve()) for test in some}
        for name, problem in problems.items():
            print(f"{name}: {problem or 'as the suite has it'}")
        return 1 if any(problems.values()) else 0
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
