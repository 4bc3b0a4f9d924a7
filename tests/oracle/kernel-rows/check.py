#!/usr/bin/env python3
"""Judges the stack `linux` by the kernel's rows (`rows.csv`, and with `-p` `patterns.csv`).

    check.py [WORD …]     how many rows agree in every count, and within 1 % in when the last byte arrives; of rows with these words only
    check.py -v [WORD …]  also each row that does not agree
    check.py -p …         the same of the patterns

Without a kernel.
"""

import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import patterns
import rows
from engine import run_batch


def judged(words=(), grid=rows):
    """(row, the simulator's answer, columns that differ) of every row of a grid, or of those with these words."""
    chosen = [row for row in rows.read(grid.ROWS) if all(word in [row[key] for key in grid.ASKED] for word in words)]
    for row, answer in zip(chosen, run_batch(map(grid.scenario, chosen))):
        yield row, answer, ["error"] if "error" in answer else rows.alike(row, answer)


def main(words):
    verbose, grid = "-v" in words, patterns if "-p" in words else rows
    found = list(judged([word for word in words if word not in ("-v", "-p")], grid))
    agree = [row for row, _, differ in found if not differ]
    if verbose:
        for row, answer, differ in found:
            if differ:
                pairs = ", ".join(f"{name} {row[name]} {rows.told(answer)[name]}" for name in rows.TOLD)
                print(*(row[key] for key in grid.ASKED), "|", pairs)
    print(f"{len(agree)} of {len(found)} rows agree in all (kernel, simulator)")
    for column in [*rows.COUNTS, "last_data_s"]:
        print(f"  {sum(column not in differ for _, _, differ in found)} in {column}")
    for key in [key for key in grid.ASKED if key != "seed"]:
        whole, good = Counter(row[key] for row, _, _ in found), Counter(row[key] for row in agree)
        print(f"  by {key}: " + ", ".join(f"{value} {good[value]}/{whole[value]}" for value in whole))


if __name__ == "__main__":
    main(sys.argv[1:])
