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

ROWS = Path(__file__).parent / "defaults.csv"
ASKED = rows.ASKED
COUNT = 40
#: The policy's own values, with the clock of `make kernel`.
ACKS = {"policy": "linux", "tick": "1ms"}


def grid():
    """What every row is asked: a part of the grid with the kernel's own ACKs, in its order."""
    whole = [asked for asked in rows.grid() if asked["acks"] == "linux"]
    drawn = random.Random(1).sample(range(len(whole)), COUNT)
    return [whole[n] for n in sorted(drawn)]


def scenario(asked):
    """A row's scenario, for the simulator and for the kernel."""
    whole = rows.scenario(asked)
    whole["flow"][0]["receiver"] = {"stack": "linux", "ack": ACKS}
    return apart.timed(whole)


if __name__ == "__main__":
    rows.main(sys.argv[1:], sys.modules[__name__])
