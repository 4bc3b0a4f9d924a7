#!/usr/bin/env python3
"""Forty of the transfers of `rows.py`, drawn once, with Linux's default receiver (`defaults.csv`): a buffer of 128 KiB that grows.

    defaults.py [N]       make the rows that are missing, at most N (needs `make kernel`)
    defaults.py --fresh   make all of them anew

The rows of `rows.py` have receivers with a fixed buffer of 25 MB. Here both sides have the receiver that most hosts have. Two kernels
under one clock, whose hosts take 5 us (`apart.py`).
"""

import random
import sys
from pathlib import Path

import apart
import rows
from engine import run_batch

ROWS = Path(__file__).parent / "defaults.csv"
ASKED = rows.ASKED
COUNT = 40
#: The policy's own values, with the clock of `make kernel`.
ACKS = {"policy": "linux", "tick": "1ms"}
#: The same buffer in bytes, as the kernel counts it: what `tcp_rmem` says there, and what a segment takes of its card.
BYTES = ACKS | {"memory": 131072, "most_memory": 33554432, "segment_memory": 2176, "growth": "6.12"}


def grid():
    """What every row is asked: a part of the grid with the kernel's own ACKs, in its order."""
    whole = [asked for asked in rows.grid() if asked["acks"] == "linux"]
    drawn = random.Random(1).sample(range(len(whole)), COUNT)
    return [whole[n] for n in sorted(drawn)]


def scenario(asked, acks=ACKS):
    """A row's scenario, for the simulator and for the kernel."""
    whole = rows.scenario(asked)
    whole["flow"][0]["receiver"] = {"stack": "linux", "ack": acks}
    return apart.timed(whole)


def in_bytes():
    """How many rows agree whose buffer the simulator counts in bytes: in all but ACKs, and in ACKs, too."""
    kept = rows.read(ROWS)
    found = zip(kept, run_batch([scenario(row, BYTES) for row in kept]))
    agree = [rows.acks_agree(row, answer) for row, answer in found if not rows.alike(row, answer)]
    return len(agree), sum(agree)


if __name__ == "__main__":
    rows.main(sys.argv[1:], sys.modules[__name__])
