"""Section 4: 50 to 500 competing transfers through drop-tail and RED (Figures 9 to 14, Table 3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ...reproduce.experiments import Replications
from ...reproduce.grid import Array, Grid, ManyFlows
from ...reproduce.measure import Measurement
from ...study.intervals import Sample, jackknife
from .setting import (
    FLOWS,
    GATEWAYS,
    NAMES,
    PAPER,
    SEGMENT_BYTES,
    competition,
)

COMPETING = ("every", "delayed", "daass", "lbc")
"""Section 4.1 leaves UBC out."""


def _reduce(columns: dict[str, Array]) -> Sequence[float]:
    taken = columns["finished_s"] - columns["start_s"]
    sent, unique = columns["segments_sent"].sum(), columns["bytes"].sum() / SEGMENT_BYTES
    return (
        float((columns["bytes"] / taken).mean()),
        float(100 * unique / sent),
        float(columns["mean_queue_packets"][0]),
        float(100 * columns["drops"][0] / sent),
        float(columns["acks_sent"].sum()),
    )


READ = ManyFlows(
    ["throughput", "goodput", "queue", "loss", "acks"],
    ["start_s", "finished_s", "bytes", "segments_sent", "acks_sent"],
    ["drops", "mean_queue_packets"],
    _reduce,
)
"""Mean throughput of a transfer (bytes/s), share of useful segments and of dropped ones (%), waiting packets, ACKs."""


FEW_FLOWS = (50, 200, 350, 500)
"""Numbers of transfers of a quick run."""


def _competition(gateway: str, mechanism: str) -> Replications:
    def scenario(flows: int, seed: int) -> str:
        return competition(gateway, mechanism, flows, seed)

    return Replications(
        f"{gateway} {mechanism}",
        f"{NAMES[mechanism]} among competing transfers, {gateway}",
        {"flows": FLOWS},
        scenario,
        READ,
        {"flows": FEW_FLOWS},
    )


COMPETITION = {(g, m): _competition(g, m) for g in GATEWAYS for m in COMPETING}
DROP_TAIL_RUNS = [COMPETITION["drop-tail", m] for m in COMPETING]
RED_RUNS = [COMPETITION["red", m] for m in COMPETING]

Grids = Mapping[str, Grid]


def by_mechanism(grids: Sequence[Grid]) -> Grids:
    """The grids by the name of their mechanism."""
    return dict(zip(COMPETING, grids, strict=True))


def at(grid: Grid, flows: int, quantity: str) -> Sample:
    """One value for each seed at so many transfers."""
    return Sample.of(grid.at(flows=flows)[quantity].tolist())


def averaged(grid: Grid, quantity: str) -> Sample:
    """One value for each seed, averaged over the numbers of transfers."""
    return Sample.of(grid[quantity].mean(axis=0).tolist())


def each(grids: Grids, quantity: str, wanted: Any = lambda n: True) -> dict[str, dict[str, Sample]]:
    """A sample for each number of transfers and mechanism."""
    numbers = [n for n in next(iter(grids.values())).axes["flows"] if wanted(n)]
    return {f"{n} transfers": {m: at(grid, n, quantity) for m, grid in grids.items()} for n in numbers}


def overall(grids: Grids, quantity: str) -> dict[str, Sample]:
    """A sample for each mechanism, averaged over the numbers of transfers."""
    return {m: averaged(grid, quantity) for m, grid in grids.items()}


# --- 4.2 drop-tail


@PAPER.claim("fig9.order", *DROP_TAIL_RUNS)
def throughput_order(*grids: Grid) -> Measurement:
    found = by_mechanism(grids)
    order = each(found, "throughput", lambda n: n <= 350)
    return Measurement({"throughput": order, "near": near_every(order)})


def near_every(found: Mapping[str, Mapping[str, Sample]]) -> dict[str, Sample]:
    """How far DAASS and LBC are from ACK every, as a share of it."""
    return {
        f"{m}, {n}": v[m].minus(v["every"]).over(v["every"].value) for n, v in found.items() for m in ("daass", "lbc")
    }


def ranked(claim: str, runs: Sequence[Replications], quantity: str, by: Callable[[Grids, str], Any]) -> None:
    """Registers a claim on the order of the mechanisms: at each number of transfers, or over all."""
    PAPER.claim(claim, *runs)(lambda *grids: Measurement({quantity: by(by_mechanism(grids), quantity)}))


ranked("fig9.lbc_daass", DROP_TAIL_RUNS, "throughput", each)
ranked("fig10.order", DROP_TAIL_RUNS, "goodput", overall)
ranked("fig12.alln", RED_RUNS, "throughput", each)
ranked("fig13.order", RED_RUNS, "goodput", overall)


def spread(grids: Grids, flows: int, quantity: str = "throughput") -> Sample:
    """(max - min) / mean over the mechanisms of their means over the seeds."""
    values = np.array([grid.at(flows=flows)[quantity] for grid in grids.values()])

    def statistic(seeds: list[int]) -> float:
        means = values[:, seeds].mean(axis=1)
        return float((means.max() - means.min()) / means.mean())

    return jackknife(values.shape[1], statistic)


@PAPER.claim("fig9.heavy", *DROP_TAIL_RUNS)
def similar_under_load(*grids: Grid) -> Measurement:
    found = by_mechanism(grids)
    heavy = [n for n in grids[0].axes["flows"] if n >= 400]
    spreads = {f"{n} transfers": spread(found, n) for n in heavy}
    light = spread(found, 50)
    less = {key: {"at 50": light, "heavy": s} for key, s in spreads.items()}
    return Measurement({"spread": spreads, "less": less})


@PAPER.claim("fig11.delayed_low", *DROP_TAIL_RUNS)
def delayed_keeps_the_queue_shorter(*grids: Grid) -> Measurement:
    found = by_mechanism(grids)
    near = {}
    for n in grids[0].axes["flows"]:
        every = at(found["every"], n, "queue")
        for m in ("daass", "lbc"):
            near[f"{m} {n}"] = at(found[m], n, "queue").minus(every).over(every.value)
    return Measurement({"lowest": overall(found, "queue"), "near": near})


# --- 4.3 RED


@PAPER.claim("fig12.order", *RED_RUNS)
def red_throughput_order(*grids: Grid) -> Measurement:
    found = by_mechanism(grids)
    return Measurement({"throughput": overall(found, "throughput"), "near": near_every(each(found, "throughput"))})


@PAPER.claim("fig13.lbc_every", COMPETITION["red", "lbc"], COMPETITION["red", "every"])
def red_lbc_above_every(lbc: Grid, every: Grid) -> Measurement:
    return Measurement({"goodput": {"lbc": averaged(lbc, "goodput"), "every": averaged(every, "goodput")}})


def both(grids: Sequence[Grid]) -> tuple[Grids, Grids]:
    """Drop-tail's grids and RED's."""
    half = len(COMPETING)
    return by_mechanism(grids[:half]), by_mechanism(grids[half:])


@PAPER.claim("fig13.vs_fig10", *DROP_TAIL_RUNS, *RED_RUNS)
def red_goodput_below_drop_tail(*grids: Grid) -> Measurement:
    tail, red = both(grids)
    return Measurement(
        {
            m: {f"{n} transfers": {"drop-tail": at(tail[m], n, "goodput"), "red": at(red[m], n, "goodput")}
                for n in tail[m].axes["flows"]}
            for m in COMPETING
        }
    )  # fmt: skip


@PAPER.claim("fig14.lower", *DROP_TAIL_RUNS, *RED_RUNS)
def red_queue_below_drop_tail(*grids: Grid) -> Measurement:
    tail, red = both(grids)
    cells = {
        f"{m} {n}": {"drop-tail": at(tail[m], n, "queue"), "red": at(red[m], n, "queue")}
        for m in COMPETING
        for n in tail[m].axes["flows"]
        if n >= 200
    }
    return Measurement({"queue": cells})


@PAPER.claim("fig14.loss", *DROP_TAIL_RUNS, *RED_RUNS)
def red_loses_more(*grids: Grid) -> Measurement:
    tail, red = both(grids)
    return Measurement(
        {"loss": {m: {"drop-tail": averaged(tail[m], "loss"), "red": averaged(red[m], "loss")} for m in COMPETING}}
    )
