#!/usr/bin/env python3
"""The first packet in which the kernel and the simulator differ, of one row (needs `make kernel`).

    first_difference.py PATH LOSS CONTROL ACKS SIZE [SEED]    a row's words, as `check.py -v` prints them
    first_difference.py PATTERN PATH CONTROL ACKS [SEED]      a pattern's

It compares the data and the ACKs at the sender's host: direction, relative number, payload. It says when, in microseconds, on both sides.
"""

import sys
import tempfile
from pathlib import Path

import events
import patterns
import rows

#: Packets shown before the difference.
BEFORE = 8


def main(words):
    grid = patterns if words[0] in patterns.PATTERNS else rows
    asked = dict(zip(grid.ASKED, [*words, "1"][: len(grid.ASKED)]))
    with tempfile.TemporaryDirectory() as folder:
        flows = zip(events.of_kernel(grid, asked, Path(folder)), events.of_simulator(grid, asked))
    for theirs, ours in flows:
        first = events.first_difference(theirs, ours)
        same = max(len(theirs), len(ours)) if first is None else first
        print(f"{same} packets are the same, of {len(theirs)} in the kernel and {len(ours)} in the simulator")
        for n in range(max(0, same - BEFORE), same + 2):
            told = [" ".join(map(str, side[n])) if n < len(side) else "-" for side in (theirs, ours)]
            print(f"{n:6}  {told[0]:36}  {told[1]}")


if __name__ == "__main__":
    if len(sys.argv) < 5:
        raise SystemExit(__doc__)
    main(sys.argv[1:])
