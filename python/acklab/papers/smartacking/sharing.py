"""Sections 5.7 and 6: fairness, friendliness, and the conclusions (Figures 17 to 19)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...reproduce.experiments import Replications, only
from ...reproduce.grid import Array, Grid
from ...reproduce.measure import Measurement, Number
from ...study.intervals import Sample
from .recorded import Recorded
from .registry import PAPER
from .runs import (
    ASYMMETRIC,
    BUFFER,
    FAIR_SCHEMES,
    FIG17,
    FOUR,
    FOURTH,
    HIGH,
    LONG,
    ONE_ZERO,
    PARKING,
    RED_10,
    RED_LONG,
    RED_PARKING,
    TWO_TWO,
    UDP,
)
from .setting import short_lived

BINDING_MBPS = 20
"""Two edges of 10 Mb/s: a wider bottleneck limits nobody."""


def fairness(times: Array) -> Array:
    """Jain's index over the first axis: (sum t)^2 / (n sum t^2)."""
    times = np.asarray(times, dtype=float)
    return np.asarray(times.sum(axis=0) ** 2 / (len(times) * (times**2).sum(axis=0)))


def indices(grid: Grid, scheme: str) -> Array:
    """The index over a grid's capacities (and seeds)."""
    part = grid.at(scheme=scheme)
    return fairness(np.stack([part[f"t{k}"] for k in (1, 2, 3, 4)]))


def completions(runs: Mapping[str, Recorded], scheme: str) -> list[float]:
    """Completion times of connections 1 to 4."""
    return [float(runs[scheme][f"f{k}"].row["completion_s"]) for k in (1, 2, 3, 4)]


@PAPER.claim("fig17.nr", FIG17)
def short_round_trips_win(runs: Mapping[str, Recorded]) -> Measurement:
    return Measurement({"time": {f"t{k + 1}": t for k, t in enumerate(completions(runs, "newreno"))}})


@PAPER.claim("fig17.sa", FIG17)
def smart_is_less_diverse(runs: Mapping[str, Recorded]) -> Measurement:
    spread = {s: (max(t) - min(t)) / float(np.mean(t)) for s in ("newreno", "smart") for t in [completions(runs, s)]}
    told = {s: [round(t, 1) for t in completions(runs, s)] for s in ("newreno", "smart")}
    steady: dict[str, dict[str, Number]] = {f"connection {k}": {} for k in (1, 2, 3, 4)}
    for s in ("newreno", "smart"):
        for name, value in zip(steady, restlessness(runs[s]), strict=True):
            steady[name][s] = value
    return Measurement(
        {"ratio": spread["smart"] / spread["newreno"], "windows": steady},
        f"completion times in s: {told}, less diverse. Windows are compared while all four send, from 2 s on",
    )


def restlessness(run: Recorded) -> list[float]:
    """Standard deviation of each connection's window over its mean, from 2 s on until the first of them is done."""
    until = min(float(run[f"f{k}"].time[-1]) for k in (1, 2, 3, 4))
    windows = [run[f"f{k}"].on_grid(2.0, until)[1] for k in (1, 2, 3, 4)]
    return [float(cwnd.std() / cwnd.mean()) for cwnd in windows]


@PAPER.claim("fig18a.sa", PARKING)
def smart_is_fairer(grid: Grid) -> Measurement:
    found = {s: indices(grid, s) for s in FAIR_SCHEMES}
    cells = {f"{c} Mb/s": {s: float(v[i]) for s, v in found.items()} for i, c in enumerate(grid.axes["mbps"])}
    mean = {s: round(float(v.mean()), 4) for s, v in found.items()}
    return Measurement(
        {"plain": cells, "paced": cells},
        f"mean indices: {mean}",
    )


@PAPER.claim("fig18a.fq", PARKING)
def fair_queueing_is_fairest(grid: Grid) -> Measurement:
    found = {s: indices(grid, s) for s in ("smart", "smart-paced", "smart-fair")}
    cells: dict[str, dict[str, Number]] = {
        f"{c} Mb/s": {s: float(v[i]) for s, v in found.items()} for i, c in enumerate(grid.axes["mbps"])
    }
    mean = {s: round(float(v.mean()), 4) for s, v in found.items()}
    return Measurement({"index": cells}, f"mean indices: {mean}")


def roughness(values: Array) -> Array:
    """Mean absolute second difference along capacities, the first axis."""
    return np.asarray(np.abs(np.diff(values, 2, axis=0)).mean(axis=0))


@PAPER.claim("fig18b.red", PARKING, RED_PARKING)
def red_is_fairer_and_smoother(tail: Grid, red: Grid) -> Measurement:
    rough: dict[str, dict[str, Number]] = {}
    for s in FAIR_SCHEMES:
        ours = indices(red, s)
        rough[s] = {"drop-tail": float(roughness(indices(tail, s))), "red": Sample.of(roughness(ours).tolist())}
    least = {
        "drop-tail": float(indices(tail, "newreno").min()),
        "red": Sample.of(indices(red, "newreno").min(axis=0).tolist()),
    }
    mean = {s: round(float(indices(red, s).mean()), 4) for s in FAIR_SCHEMES}
    return Measurement(
        {"least": least, "roughness": rough},
        f"mean indices with RED: {mean}; a curve with RED is compared seed by seed",
    )


def parallel(grid: Grid, fourth: str) -> Measurement:
    """The parallel NewReno's time over that beside another NewReno, where the bottleneck limits."""
    part = grid.at(mbps=lambda c: c <= BINDING_MBPS)
    ratio = part.at(fourth=fourth)["t1"] / part.at(fourth="newreno")["t1"]
    found = {f"{c} Mb/s": float(r) for c, r in zip(part.axes["mbps"], ratio, strict=True)}
    return Measurement({"mean": float(ratio.mean()), "each": found})


@PAPER.claim("fig19.nohit", only(FOURTH, fourth=("newreno", "smart")))
def parallel_is_not_hurt(grid: Grid) -> Measurement:
    return parallel(grid, "smart")


@PAPER.claim("fig19.paced", only(FOURTH, fourth=("newreno", "smart-paced")))
def parallel_is_not_hurt_by_a_paced_fourth(grid: Grid) -> Measurement:
    return parallel(grid, "smart-paced")


GENERAL = (ONE_ZERO, TWO_TWO, LONG, BUFFER, UDP, HIGH, PARKING, RED_10, RED_LONG, ASYMMETRIC)


@PAPER.claim("sec5.general", *(only(one, scheme=("newreno", "smart")) for one in GENERAL))
def no_harm(*grids: Grid) -> Measurement:
    names = (
        "1-0",
        "2-2",
        "Different-RTT",
        "buffers",
        "TCP-UDP",
        "High-Multiplexing",
        "Parking-Lot",
        "1-0 RED",
        "Different-RTT RED",
    )
    found: dict[str, Number] = {}
    for name, grid in zip(names, grids, strict=False):
        column = "t1" if name in ("1-0", "TCP-UDP", "1-0 RED") else "mean"
        ratio = grid.at(scheme="smart")[column] / grid.at(scheme="newreno")[column]
        found[name] = Sample.of(ratio.mean(axis=0).tolist()) if "RED" in name else float(np.nanmean(ratio))
    slow = grids[-1].at(kbps=lambda k: k >= 20)
    found["Asymmetric from 20 kb/s"] = float((slow.at(scheme="smart")["t1"] / slow.at(scheme="newreno")["t1"]).mean())
    return Measurement(
        {"ratio": found},
        "the mean over a configuration's cells; what is above 1.05 has a claim of its own that says why (fig16.none for 200 connections, fig13.20k for the slow way back)",
    )


LOADS = (0.3, 0.5, 0.7, 0.9)
SHORT = Replications(
    "short transfers", "transfers of 10 to 100 segments that arrive at random", {"load": LOADS, "scheme": ("newreno", "every", "smart", "smart-paced")},
    lambda load, scheme, seed: short_lived(load, scheme, seed), FOUR, {"load": (0.3, 0.9)}, most_seeds=40,
)  # fmt: skip


@PAPER.claim("text.short_lived", SHORT)
def short_transfers_gain(grid: Grid) -> Measurement:
    found = {f"load {load:g}": {s: Sample.of(grid.at(scheme=s, load=load)["mean"].tolist()) for s in ("newreno", "smart")}
             for load in grid.axes["load"]}  # fmt: skip
    told = {
        load: [round(float(grid.at(scheme=s, load=load)["mean"].mean()), 3) for s in grid.axes["scheme"]]
        for load in grid.axes["load"]
    }
    return Measurement(
        {"time": found},
        f"mean seconds of NewReno, AckEvery, smartacking, and smartacking with pacing, by load: {told}",
    )
