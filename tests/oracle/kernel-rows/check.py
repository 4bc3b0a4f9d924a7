#!/usr/bin/env python3
"""Judges the stack `linux` by the kernel's rows (`rows.csv`, and with `-p` `patterns.csv`).

    check.py [WORD …]     how many rows agree in every count, and within 1 % in when the last byte arrives; of rows with these words only
    check.py -v [WORD …]  also each row that does not agree
    check.py -p …         the same of the patterns
    check.py -d …         the same of the rows with default receivers (`defaults.csv`)

ACKs are judged apart. Without a kernel.
"""

import sys
from collections import Counter

import defaults
import patterns
import rows


def main(words):
    verbose, grid = "-v" in words, patterns if "-p" in words else defaults if "-d" in words else rows
    found = list(rows.judged([word for word in words if word not in ("-v", "-p", "-d")], grid))
    agree = [row for row, _, differ in found if not differ]
    with_acks = sum(rows.acks_agree(row, answer) for row, answer, differ in found if not differ)
    if verbose:
        for row, answer, differ in found:
            if differ:
                pairs = ", ".join(f"{name} {row[name]} {rows.told(answer)[name]}" for name in rows.TOLD)
                print(*(row[key] for key in grid.ASKED), "|", pairs)
    print(f"{len(agree)} of {len(found)} rows agree in all but ACKs (kernel, simulator), {with_acks} in ACKs, too")
    for column in [*rows.COUNTS, "last_data_s"]:
        print(f"  {sum(column not in differ for _, _, differ in found)} in {column}")
    print(f"  {sum(rows.acks_agree(row, answer) for row, answer, _ in found)} in ACKs")
    for key in [key for key in grid.ASKED if key != "seed"]:
        whole, good = Counter(row[key] for row, _, _ in found), Counter(row[key] for row in agree)
        print(f"  by {key}: " + ", ".join(f"{value} {good[value]}/{whole[value]}" for value in whole))


if __name__ == "__main__":
    main(sys.argv[1:])
