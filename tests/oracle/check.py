#!/usr/bin/env python3
"""Judge acklab against ns-2: `check.py FILE.csv ...` runs every row's experiment and compares the columns the file gives.

    check.py data/s_allman_sweep.csv           rows that disagree, then "N rows, N agree, N differ"
    check.py --fill FILE.csv                   the same file with acklab's results in the result columns
    check.py --traces data/traces data/a_single_flow.csv
                                               the event logs of some rows, event for event
    check.py --exact FILE.csv                  times must be the same double, not only within a nanosecond

Everything is computed from the parameter columns before any result column is read. ns-2 is never called. Exit status: 0 all
agree, 1 something differs, 2 the check could not be made.
"""

import argparse
import csv
import sys
from collections import Counter
from dataclasses import dataclass

import traces
from engine import NoAcklab, run_batch
from formats import read
from values import Unsupported

TIMES = {"time", "end", "times", "dtime", "ctime", "completion_time_s", "last_data_time_s"}
NANOSECOND = 1e-9


@dataclass
class Outcome:
    """What became of a row: its results, or why it was not run, or how it failed."""

    results: dict | None = None
    skipped: str | None = None
    failed: str | None = None


def compute(fmt, rows, run=run_batch):
    """Every row's outcome, from its parameters alone. `run` takes all scenarios before it gives the first answer."""
    plans = []  # (options, number of scenarios) or the reason to skip the row

    def scenarios():
        for row in rows:
            try:
                options = fmt.options(row)
                made = fmt.experiment.scenarios(options)
            except Unsupported as reason:
                plans.append(str(reason))
            except ValueError as reason:
                plans.append(f"a parameter is not understood: {reason}")
            else:
                plans.append((options, len(made)))
                yield from made

    answers = run(scenarios())
    outcomes = []
    for plan in plans:
        if isinstance(plan, str):
            outcomes.append(Outcome(skipped=plan))
        else:
            options, count = plan
            outcomes.append(_conclude(fmt, options, [next(answers) for _ in range(count)]))
    return outcomes


def _conclude(fmt, options, answers):
    error = next((a["error"] for a in answers if "error" in a), None)
    if error is not None:
        return Outcome(failed=error)
    try:
        return Outcome(results=fmt.experiment.results(options, answers))
    except (KeyError, TypeError, StopIteration) as missing:
        return Outcome(failed=f"the result lacks something: {missing!r}")


def same(column, expected, got, tolerance=NANOSECOND):
    """Whether two cells agree: times within the tolerance, everything else to the digits printed. Lists go by element."""
    left, right = expected.split(";"), got.split(";")
    return len(left) == len(right) and all(_same(column, a, b, tolerance) for a, b in zip(left, right))


def _same(column, expected, got, tolerance):
    if expected == got:
        return True
    try:
        a, b = float(expected), float(got)
    except ValueError:
        return False
    return abs(a - b) <= tolerance if column in TIMES else a == b


def differences(fmt, row, outcome, tolerance):
    """(column, expected, got) of each disagreement, and how many cells were compared."""
    found, compared = [], 0
    for column, expected in row.items():
        name = fmt.renamed.get(column, column)
        unmeasured = name == "dtime" and expected == "-1"
        if not expected or not fmt.is_result(column) or unmeasured:
            continue
        compared += 1
        if not same(column, expected, outcome.results[name], tolerance):
            found.append((column, expected, outcome.results[name]))
    return found, compared


def check(path, tolerance=NANOSECOND, run=run_batch, say=print):
    """Judge one file; returns (rows, agreeing, differing)."""
    fmt, _, rows = read(path)
    if fmt is None:
        raise ValueError(f"{path}: no known format has these columns")
    outcomes = compute(fmt, rows, run)
    agree = differ = 0
    skipped = Counter()
    for number, (row, outcome) in enumerate(zip(rows, outcomes), 2):
        where = f"{path}:{number}" + (f" {row['id']}" if row.get("id") else "")
        if outcome.skipped:
            skipped[outcome.skipped] += 1
            continue
        if outcome.failed:
            say(f"{where}: {outcome.failed}")
            differ += 1
            continue
        found, compared = differences(fmt, row, outcome, tolerance)
        if not compared:
            skipped["no result to compare with"] += 1
            continue
        for column, expected, got in found:
            say(f"{where}: {column}: expected {expected}, got {got}")
        differ += bool(found)
        agree += not found
    for reason, count in skipped.items():
        say(f"{path}: {count} rows skipped: {reason}")
    say(tally(agree + differ, agree, differ))
    return agree + differ, agree, differ


def tally(rows, agree, differ):
    return f"{rows} rows, {agree} agree, {differ} differ"


def fill(path, out, run=run_batch):
    """Write the file again with what acklab computes in its result columns."""
    fmt, header, rows = read(path)
    if fmt is None:
        raise ValueError(f"{path}: no known format has these columns")
    writer = csv.DictWriter(out, header, lineterminator="\n")
    writer.writeheader()
    for row, outcome in zip(rows, compute(fmt, rows, run)):
        results = outcome.results or {}
        writer.writerow({c: results.get(fmt.renamed.get(c, c), "") if fmt.is_result(c) else row[c] for c in header})


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE.csv")
    parser.add_argument("--exact", action="store_true", help="times must be equal to the last bit")
    parser.add_argument("--fill", action="store_true", help="print the file with acklab's results")
    parser.add_argument("--traces", metavar="DIR", help="compare the event logs DIR/ID.txt of the file's rows instead")
    options = parser.parse_args(arguments)
    total = (0, 0, 0)
    try:
        for path in options.files:
            if options.fill:
                fill(path, sys.stdout)
                continue
            if options.traces:
                counts = traces.check(path, options.traces)
            else:
                counts = check(path, 0.0 if options.exact else NANOSECOND)
            total = tuple(a + b for a, b in zip(total, counts))
    except (NoAcklab, OSError, ValueError) as problem:
        print(f"check.py: {problem}", file=sys.stderr)
        return 2
    if len(options.files) > 1 and not options.fill:
        print(tally(*total))
    return 1 if total[2] else 0


if __name__ == "__main__":
    sys.exit(main())
