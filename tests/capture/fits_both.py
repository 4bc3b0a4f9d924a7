#!/usr/bin/env python3
"""Blind fits from both ends: `fits_both.py SEED N FILE` draws N scenarios as `fits.py` does, captures each at both ends, and fits the pair.

It prints the shares with Wilson's 95 % interval, and writes a line of JSON a fit. The sender's capture alone is fitted, too, for comparison.
The true number of losses is that of data packets that the sender's link delivered and the receiver's did not.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import polars as pl
from fits import ENDS, drawn, fitted, scenario, shares, table

import acklab

#: Lines of the table of `fits.py` that are of interest here.
LINES = (
    "fitted",
    "rate within 2 %",
    "true rate within the bounds",
    "base delay within 2 %",
    "policy right",
    "threshold within 10 %",
    "timer within 10 %",
    "completion within 5 %",
)


def lost(run: acklab.Run) -> int:
    """Data packets that were lost between the two captures."""
    packets = (
        pl.DataFrame(run.packets)
        .with_columns(pl.col(pl.Categorical).cast(pl.String))
        .filter(pl.col("kind") == "data", pl.col("len") > 0, pl.col("event") == "deliver")
    )
    sent, arrived = (packets.filter(pl.col("link") == link).height for link in ("S->G", "H->R"))
    return sent - arrived


def pair(seed: int, number: int) -> list[dict[str, Any]]:
    """The fit from both ends, and from the sender's alone."""
    truth = drawn(seed, number)
    with tempfile.TemporaryDirectory() as folder:
        run = acklab.run(json.dumps(scenario(truth)))
        sender, receiver = (run.capture(end, path=Path(folder) / f"{name}.pcapng") for name, end in ENDS.items())
        truth = {**truth, "number": number, "true_lost": lost(run)}
        return [
            {"ends": name, **fitted({**truth, "place": "sender"}, sender, other)}
            for name, other in (("both", receiver), ("sender", None))
        ]


def main() -> None:
    """Prints the table of each."""
    rows = []
    with Path(sys.argv[3]).open("w", encoding="utf-8") as file:
        for number in range(int(sys.argv[2])):
            for row in pair(int(sys.argv[1]), number):
                rows.append(row)
                file.write(json.dumps(row) + "\n")
                file.flush()
    counted = []
    for ends in ("both", "sender"):
        mine = [row for row in rows if row["ends"] == ends]
        done = [row for row in mine if not row["refused"]]
        exact = (
            "losses counted exactly",
            sum(row["lost"] == row["true_lost"] for row in done),
            len(done),
            "of the fitted",
        )
        losses = [row for row in done if row["true_lost"]]
        some = (
            "losses counted exactly",
            sum(row["lost"] == row["true_lost"] for row in losses),
            len(losses),
            "of those with losses",
        )
        counted.append([*(line for line in table(mine) if line[0] in LINES), exact, some])
    print(f"| what | which | both ends | interval | of | the sender's alone | interval | of |\n|{'---|' * 8}")
    for both, sender in zip(*counted, strict=True):
        print(f"| {both[0]} | {both[3]} | {shares(*both[1:3])} | {shares(*sender[1:3])} |")


if __name__ == "__main__":
    main()
