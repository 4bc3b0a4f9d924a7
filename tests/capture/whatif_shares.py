#!/usr/bin/env python3
"""How much wider than its draws a what-if's range has to be: `whatif_shares.py FILE` chooses, `whatif_shares.py FILE test` counts.

FILE is of `whatifs.py`. For each quantity, the choice is the least share, in steps of 0.1 %, that widens three ranges (as fitted, changed,
and their ratio) so that all three have the truth in 93 % of the transfers that are not refused. 93 %, because shares that are chosen on a
draw have the truth of fewer others; the ranges claim 90 %. A quantity that needs more than 50 % has no share, and its ranges claim nothing.

The count is of the ranges with the shares of `acklab.experiments.fit.trust`, for each range and for all three.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fits import shares

from acklab.experiments.fit.predict import QUANTITIES
from acklab.experiments.fit.trust import WIDER

#: The part of the transfers that has to be inside, the largest share, and the step of shares.
INSIDE, MOST, STEP = 0.93, 0.5, 0.001
RANGES = ("fitted", "changed", "change")


def inside(one: Mapping[str, Any], share: float) -> list[bool]:
    """Whether each of the three ranges has its truth."""
    before, after = one["truth"]
    change = after / before if before else (1.0 if not after else math.inf)
    found = []
    for name, truth in zip(RANGES, (before, after, change), strict=True):
        low, high = (end + (name == "change") for end in one[name])
        low, high = low * (1 - share), high * (1 + share)
        found.append(low - 1e-9 <= truth <= high + 1e-9)
    return found


def least(several: list[Mapping[str, Any]]) -> float | None:
    """The least share with which enough are inside."""
    for step in range(round(MOST / STEP) + 1):
        if sum(all(inside(one, step * STEP)) for one in several) >= INSIDE * len(several):
            return step * STEP
    return None


def main() -> None:
    """Prints the shares, or the counts."""
    rows = [json.loads(line) for line in Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()]
    answered = [row["quantities"] for row in rows if not row["refused"]]
    print(f"{len(rows) - len(answered)} of {len(rows)} refused")
    for _, name, _ in QUANTITIES:
        several = [row[name] for row in answered if name in row]
        if sys.argv[2:] != ["test"]:
            print(
                f"{name}: {least(several)}, without {sum(all(inside(one, 0.0)) for one in several)} of {len(several)}"
            )
            continue
        each = [inside(one, WIDER.get(name, 0.0)) for one in several]
        bare = sum(one[1] for one in (inside(one, 0.0) for one in several))
        cells = [shares(sum(one[place] for one in each), len(each)) for place in range(3)]
        print(
            f"| {name} | {WIDER.get(name, 0.0):.1%} | {' | '.join(cells)} | {shares(sum(all(one) for one in each), len(each))} | {bare} |"
        )


if __name__ == "__main__":
    main()
