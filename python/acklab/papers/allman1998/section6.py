"""Section 6: the conclusions, over everything above."""

from __future__ import annotations

import numpy as np

from ...reproduce.grid import Array, Grid
from ...reproduce.measure import Measurement, Number
from .registry import PAPER
from .runs import SURFACE, TIME
from .section3_comparisons import ALL, medians
from .section4 import DROP_TAIL_RUNS, RED_RUNS, Grids, averaged, both, overall
from .setting import RECOVERIES

EVERYTHING = (*ALL, *DROP_TAIL_RUNS, *RED_RUNS)


def parted(grids: tuple[Grid, ...]) -> tuple[dict[tuple[str, str], Grid], Grids, Grids]:
    """Surfaces, drop-tail's and RED's competitions."""
    surfaces = dict(zip(SURFACE, grids, strict=False))
    return surfaces, *both(grids[len(SURFACE) :])


def gains(surfaces: dict[tuple[str, str], Grid]) -> dict[str, dict[str, float]]:
    """Median improvements over delayed ACKs, which gain 0, by half of a table."""
    found = {}
    for short, name in ((False, "all"), (True, "short")):
        for recovery, values in medians(surfaces, short).items():
            found[f"{recovery} {name}"] = {**values, "delayed": 0.0}
    return found


@PAPER.claim("concl.every", *EVERYTHING)
def every_is_best(*grids: Grid) -> Measurement:
    surfaces, tail, red = parted(grids)
    throughput: dict[str, dict[str, Number]] = {name: dict(g) for name, g in gains(surfaces).items()}
    races: dict[str, dict[str, Number]] = {
        "drop-tail": dict(overall(tail, "throughput")),
        "RED": dict(overall(red, "throughput")),
    }
    loss = {
        name: {m: averaged(g[m], "loss") for m in ("every", "delayed")}
        for name, g in (("drop-tail", tail), ("RED", red))
    }
    acks = {
        name: {m: averaged(g[m], "acks") for m in ("every", "delayed")}
        for name, g in (("drop-tail", tail), ("RED", red))
    }
    return Measurement({"tables": throughput, "competing": races, "loss": loss, "acks": acks})


def all_acks(surfaces: dict[tuple[str, str], Grid], competing: tuple[Grids, Grids], mechanism: str) -> Array:
    """ACKs over all single transfers and, for each seed, all competing ones."""
    single = sum(surfaces[recovery, mechanism]["acks_sent"].sum() for recovery in RECOVERIES)
    return np.asarray(single + sum(found[mechanism]["acks"].sum(axis=0) for found in competing))


@PAPER.claim("concl.lbc", *EVERYTHING)
def lbc_helps_without_more_acks(*grids: Grid) -> Measurement:
    surfaces, tail, red = parted(grids)
    ratio = all_acks(surfaces, (tail, red), "lbc") / all_acks(surfaces, (tail, red), "delayed")
    alone = [surfaces[r, "lbc"]["acks_sent"].sum() / surfaces[r, "delayed"]["acks_sent"].sum() for r in RECOVERIES]
    many = [averaged(found["lbc"], "acks").value / averaged(found["delayed"], "acks").value for found in (tail, red)]
    return Measurement(
        {
            "tables": {name: {m: g[m] for m in ("lbc", "delayed")} for name, g in gains(surfaces).items()},
            "competing": {
                name: {m: averaged(g[m], "throughput") for m in ("lbc", "delayed")}
                for name, g in (("drop-tail", tail), ("RED", red))
            },
            "acks": float(100 * (ratio.mean() - 1)),
        },
        f"more ACKs by {100 * (alone[0] - 1):.1f} % with Reno, {100 * (alone[1] - 1):.1f} % with SACK, "
        f"{100 * (many[0] - 1):.1f} % and {100 * (many[1] - 1):.1f} % among competing transfers (drop-tail, RED)",
    )


@PAPER.claim("concl.ubc_sack", SURFACE["sack", "ubc"], SURFACE["sack", "lbc"])
def ubc_no_worse_with_sack(ubc: Grid, lbc: Grid) -> Measurement:
    ratio = ubc[TIME] / lbc[TIME]
    return Measurement({"ratio": float(ratio.mean())}, f"from {ratio.min():.4f} to {ratio.max():.4f} over all cells")
