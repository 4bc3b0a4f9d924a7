"""Sections 5.3 and 5.6: completion times and fairness."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...reproduce.experiments import Replications, Sweep, only
from ...reproduce.grid import Array, Grid
from ...reproduce.measure import Measurement, Number
from ...reproduce.resample import spearman
from ...study.intervals import Sample, jackknife
from .runs import (
    ASYMMETRIC,
    BUFFER,
    CAPACITIES,
    CAPACITIES_22,
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
    RED_SCHEMES,
    SHORTER,
    TWO_TWO,
    UDP,
    Recorded,
)
from .setting import PAPER, short_lived

UNITS = {"mbps": "Mb/s", "kbps": "kb/s"}


def along(grid: Grid) -> list[str]:
    """The values of a grid's axis, with their unit."""
    (axis,) = UNITS.keys() & grid.axes.keys()
    return [f"{x:g} {UNITS[axis]}" for x in grid.axes[axis]]


def cells(grid: Grid, column: str, schemes: Sequence[str]) -> dict[str, dict[str, Number]]:
    """A quantity by scheme for each value of an axis."""
    values = {s: grid.at(scheme=s)[column].ravel() for s in schemes}
    return {x: {s: float(values[s][i]) for s in schemes} for i, x in enumerate(along(grid))}


def ratios(grid: Grid, column: str, scheme: str, over: str) -> dict[str, Number]:
    """A quantity of a scheme over another's for each value of an axis."""
    found = grid.at(scheme=scheme)[column] / grid.at(scheme=over)[column]
    return dict(zip(along(grid), found.ravel().tolist(), strict=True))


def gain(grid: Grid, scheme: str, column: str = "mean", over: str = "newreno") -> Array:
    """Reduction of completion time against NewReno, cell by cell."""
    return np.asarray(1 - grid.at(scheme=scheme)[column] / grid.at(scheme=over)[column])


def order(claim: str, part: str, of: Sweep, column: str, schemes: tuple[str, ...]) -> None:
    """Registers a claim on the order of schemes in each cell."""
    PAPER.claim(claim, only(of, scheme=schemes))(lambda grid: Measurement({part: cells(grid, column, schemes)}))


def alike(claim: str, of: Sweep, column: str, *pair: str) -> None:
    """Registers a claim on the ratio of two schemes in each cell."""
    PAPER.claim(claim, only(of, scheme=pair))(lambda grid: Measurement({"ratio": ratios(grid, column, *pair)}))


NARROW = only(ONE_ZERO, mbps=tuple(c for c in CAPACITIES if c < 10))
"""Narrower than the edges."""
FILLED = only(UDP, mbps=tuple(c for c in CAPACITIES_22 if c <= 20))
"""Where TCP and UDP over edges of 10 Mb/s can fill the link."""

order("fig8.better", "time", NARROW, "t1", ("newreno", "paced", "smart", "smart-paced"))
order("fig10.smallcap", "time", only(LONG, mbps=(2, 4, 6)), "mean", ("newreno", "smart", "smart-paced", "extended"))
order("fig13.acc", "time", ASYMMETRIC, "t1", ("newreno", "acc"))
order("fig13.sp", "time", ASYMMETRIC, "t1", ("acc", "smart-paced"))
order("fig13.fixed_acc", "time", ASYMMETRIC, "t1", ("acc", "fixed"))
order("fig14.traditional", "time", FILLED, "mean", ("newreno", "paced", "every", "smart-paced"))
order("fig18a.fq", "index", PARKING, "fairness", ("smart", "smart-paced", "smart-fair"))
alike("fig13.fixed", ASYMMETRIC, "t1", "fixed", "smart-paced")
alike("fig16.none", HIGH, "mean", "smart", "newreno")


@PAPER.claim("fig8.20pct", only(ONE_ZERO, scheme=("newreno", "smart", "smart-paced")))
def how_much_faster(grid: Grid) -> Measurement:
    return Measurement({"reduction": 100 * max(float(gain(grid, s, "t1").max()) for s in ("smart", "smart-paced"))})


@PAPER.claim("fig8.pacing", only(NARROW, scheme=("smart", "smart-paced")))
def pacing_adds_little(grid: Grid) -> Measurement:
    smart, paced = grid.at(scheme="smart")["t1"], grid.at(scheme="smart-paced")["t1"]
    return Measurement({"difference": dict(zip(along(grid), (np.abs(smart - paced) / smart).tolist(), strict=True))})


@PAPER.claim("fig9.abc", *(only(one, scheme=("newreno", "abc")) for one in (ONE_ZERO, TWO_TWO)))
def abc_is_faster(one: Grid, two: Grid) -> Measurement:
    return Measurement({"time": both(one, two, ("newreno", "abc"))})


def both(one: Grid, two: Grid, schemes: tuple[str, ...]) -> dict[str, dict[str, Number]]:
    """Both panels of Figure 9."""
    parts = (("1-0", cells(one, "t1", schemes)), ("2-2", cells(two, "forward", schemes)))
    return {f"{name} {at}": cell for name, found in parts for at, cell in found.items()}


@PAPER.claim("fig9.sabc", *(only(one, scheme=("abc", "sabc")) for one in (ONE_ZERO, TWO_TWO)))
def sabc_is_like_abc(one: Grid, two: Grid) -> Measurement:
    return Measurement({"ratio": {at: t["sabc"] / t["abc"] for at, t in both(one, two, ("abc", "sabc")).items()}})


@PAPER.claim("fig9.sa", *(only(one, scheme=("newreno", "abc", "smart-paced")) for one in (NARROW, TWO_TWO)))
def smart_gains_more(one: Grid, two: Grid) -> Measurement:
    gains = {s: float(np.mean(np.concatenate([gain(one, s), gain(two, s, "forward")]))) for s in ("smart-paced", "abc")}
    return Measurement(
        {"time": both(one, two, ("abc", "smart-paced")), "more": gains["smart-paced"] - 2 * gains["abc"]}
    )


@PAPER.claim("fig10.lower", only(LONG, scheme=("newreno", "smart", "smart-paced", "extended")))
def smart_is_faster_with_two_round_trips(grid: Grid) -> Measurement:
    versions = ("smart", "smart-paced", "extended")
    times = cells(grid, "mean", ("newreno", *versions)).items()
    pairs = {f"{s} {at}": {"newreno": cell["newreno"], "smartacking": cell[s]} for at, cell in times for s in versions}
    return Measurement({"time": pairs})


MBPS = (7, 15)
"""The capacities of Figure 11."""


@PAPER.claim("fig11.opt", only(BUFFER, scheme=("newreno", "paced", "every")))
def one_product_is_enough(grid: Grid) -> Measurement:
    place = grid.axes["buffer"].index(1.0)
    times = {f"{s} at {c}": grid.at(scheme=s, mbps=c)["mean"] for s in grid.axes["scheme"] for c in MBPS}
    return Measurement({"ratio": {name: float(found[place] / found.min()) for name, found in times.items()}})


@PAPER.claim("fig11.shift", only(BUFFER, scheme=("newreno", "smart", "paced", "smart-paced")))
def smart_wants_more_buffer(grid: Grid) -> Measurement:
    def best(scheme: str, mbps: int) -> float:
        return float(grid.axes["buffer"][int(grid.at(scheme=scheme, mbps=mbps)["mean"].argmin())])

    parts = {"plain": ("newreno", "smart"), "paced": ("paced", "smart-paced")}
    return Measurement(
        {part: {f"{c} Mb/s": {s: best(s, c) for s in pair} for c in MBPS} for part, pair in parts.items()}
    )


@PAPER.claim("fig11.grow", only(BUFFER, scheme=("newreno", "smart")))
def gain_grows_with_buffer(grid: Grid) -> Measurement:
    buffers = grid.axes["buffer"]
    ranks: dict[str, Number] = {f"{c} Mb/s": float(spearman(buffers, gain(grid.at(mbps=c), "smart"))) for c in MBPS}
    return Measurement({"rank": ranks})


@PAPER.claim("fig11.wide", only(BUFFER, scheme=("newreno", "smart", "paced", "smart-paced")))
def smart_is_faster_over_buffers(grid: Grid) -> Measurement:
    def times(pair: tuple[str, str]) -> dict[str, dict[str, Number]]:
        return {
            f"{c} Mb/s, {b:g}": {s: float(grid.at(scheme=s, mbps=c, buffer=b)["mean"]) for s in pair}
            for c in MBPS
            for b in grid.axes["buffer"]
        }

    return Measurement({"plain": times(("newreno", "smart")), "paced": times(("paced", "smart-paced"))})


def sampled(grid: Grid, column: str, schemes: Sequence[str]) -> dict[str, dict[str, Number]]:
    """A quantity with its seeds, by scheme for each capacity."""
    values = {s: grid.at(scheme=s)[column].tolist() for s in schemes}
    return {x: {s: Sample.of(values[s][i]) for s in schemes} for i, x in enumerate(along(grid))}


@PAPER.claim("fig12.better", RED_10, RED_LONG)
def smart_is_faster_with_red(one: Grid, two: Grid) -> Measurement:
    times = {f"1-0 {k}": v for k, v in sampled(one, "t1", RED_SCHEMES).items()}
    times |= {f"Different-RTT {k}": v for k, v in sampled(two, "mean", RED_SCHEMES).items()}
    found = {
        f"{s}, {at}": {"newreno": t["newreno"], "newreno-fair": t["newreno-fair"], "smartacking": t[s]}
        for at, t in times.items()
        for s in ("smart", "smart-fair", "extended")
    }
    return Measurement({"time": found})


@PAPER.claim("fig12.similar", only(RED_10, scheme=("smart", "smart-fair", "extended")))
def variants_are_alike(grid: Grid) -> Measurement:
    times = grid["t1"]

    def spread(place: int) -> Sample:
        def statistic(seeds: list[int]) -> float:
            means = times[:, place, seeds].mean(axis=-1)
            return float(means.max() / means.min() - 1)

        return jackknife(times.shape[-1], statistic)

    return Measurement({"spread": {x: spread(place) for place, x in enumerate(along(grid))}})


@PAPER.claim("fig12.advanced", only(RED_LONG, scheme=("smart", "extended", "smart-fair")))
def advanced_features_help(grid: Grid) -> Measurement:
    return Measurement({"time": sampled(grid, "mean", grid.axes["scheme"])})


@PAPER.claim("sec4.100ms", *SHORTER)
def a_hundred_ms_is_alike(*grids: Grid) -> Measurement:
    found: dict[str, Number] = {}
    for one, grid in zip(SHORTER, grids, strict=True):
        ratio = grid.at(delay="100ms")["mean"] / grid.at(delay="200ms")["mean"]
        names = [f"{one.name}, {s} at {x}" for s in grid.axes["scheme"] for x in along(grid)]
        found |= dict(zip(names, ratio.ravel().tolist(), strict=True))
    return Measurement({"ratio": found})


# --- Sections 5.7 and 6: fairness, friendliness, and the conclusions (Figures 17 to 19)


BINDING_MBPS = 20
"""Two edges of 10 Mb/s: a wider bottleneck limits nobody."""
FOUR_FLOWS = ("f1", "f2", "f3", "f4")


def completions(runs: Mapping[str, Recorded], scheme: str) -> list[float]:
    """Completion times of connections 1 to 4."""
    return [float(runs[scheme][name].row["completion_s"]) for name in FOUR_FLOWS]


@PAPER.claim("fig17.nr", FIG17)
def short_round_trips_win(runs: Mapping[str, Recorded]) -> Measurement:
    first, second, third, fourth = completions(runs, "newreno")
    return Measurement({"ratio": {"2 over 1": second / first, "3 over 2": third / second, "4 over 2": fourth / second}})


@PAPER.claim("fig17.sa", FIG17)
def smart_is_less_diverse(runs: Mapping[str, Recorded]) -> Measurement:
    spread = {s: (max(t) - min(t)) / float(np.mean(t)) for s in ("newreno", "smart") for t in [completions(runs, s)]}
    restless = {s: restlessness(runs[s]) for s in ("newreno", "smart")}
    steady = {f"connection {k + 1}": {s: found[k] for s, found in restless.items()} for k in range(4)}
    return Measurement({"ratio": spread["smart"] / spread["newreno"], "windows": steady})


def restlessness(run: Recorded) -> list[float]:
    """Standard deviation of each connection's window over its mean, from 2 s to its end."""
    windows = [run[name].on_grid(2.0, float(run[name].time[-1]))[1] for name in FOUR_FLOWS]
    return [float(cwnd.std() / cwnd.mean()) for cwnd in windows]


@PAPER.claim("fig18a.sa", PARKING)
def smart_is_fairer(grid: Grid) -> Measurement:
    found = cells(grid, "fairness", FAIR_SCHEMES)
    return Measurement({"plain": found, "paced": found})


def roughness(values: Array) -> Array:
    """Mean absolute second difference along capacities, the first axis."""
    return np.asarray(np.abs(np.diff(values, 2, axis=0)).mean(axis=0))


@PAPER.claim("fig18b.red", PARKING, RED_PARKING)
def red_is_fairer_and_smoother(tail: Grid, red: Grid) -> Measurement:
    index = {s: (tail.at(scheme=s)["fairness"], red.at(scheme=s)["fairness"]) for s in FAIR_SCHEMES}
    rough = {
        s: {"drop-tail": float(roughness(droptail)), "red": Sample.of(roughness(own).tolist())}
        for s, (droptail, own) in index.items()
    }
    droptail, own = index["newreno"]
    least = {"drop-tail": float(droptail.min()), "red": Sample.of(own.min(axis=0).tolist())}
    return Measurement({"least": least, "roughness": rough})


@PAPER.claim("fig19.nohit", only(FOURTH, fourth=("newreno", "smart", "smart-paced")))
def parallel_is_not_hurt(grid: Grid) -> Measurement:
    """The parallel NewReno's time over that beside another NewReno, where the bottleneck limits."""
    part = grid.at(mbps=lambda c: c <= BINDING_MBPS)
    found: dict[str, Any] = {}
    for name, fourth in (("", "smart"), ("-paced", "smart-paced")):
        ratio = part.at(fourth=fourth)["t1"] / part.at(fourth="newreno")["t1"]
        found |= {
            f"mean{name}": float(ratio.mean()),
            f"each{name}": dict(zip(map(str, part.axes["mbps"]), ratio.tolist(), strict=True)),
        }
    return Measurement(found)


GENERAL = {
    "1-0": (ONE_ZERO, "t1"),
    "2-2": (TWO_TWO, "mean"),
    "Different-RTT": (LONG, "mean"),
    "buffers": (BUFFER, "mean"),
    "TCP-UDP": (UDP, "mean"),
    "High-Multiplexing": (HIGH, "mean"),
    "Parking-Lot": (PARKING, "mean"),
    "1-0 RED": (RED_10, "t1"),
    "Different-RTT RED": (RED_LONG, "mean"),
    "Asymmetric from 20 kb/s": (only(ASYMMETRIC, kbps=tuple(range(20, 31))), "t1"),
}
"""The configurations, and which completion time of each is compared."""


@PAPER.claim("sec5.general", *(only(one, scheme=("newreno", "smart")) for one, _ in GENERAL.values()))
def no_harm(*grids: Grid) -> Measurement:
    found: dict[str, Number] = {}
    for (name, (_, column)), grid in zip(GENERAL.items(), grids, strict=True):
        ratio = grid.at(scheme="smart")[column] / grid.at(scheme="newreno")[column]
        found[name] = Sample.of(ratio.mean(axis=0).tolist()) if "RED" in name else float(np.nanmean(ratio))
    return Measurement({"ratio": found})


SHORT = Replications(
    "short transfers", "transfers of 10 to 100 segments that arrive at random",
    {"load": (0.3, 0.5, 0.7, 0.9), "scheme": ("newreno", "smart")},
    lambda load, scheme, seed: short_lived(load, scheme, seed), FOUR, {"load": (0.3, 0.9)}, most_seeds=40,
)  # fmt: skip


@PAPER.claim("text.short_lived", SHORT)
def short_transfers_gain(grid: Grid) -> Measurement:
    times = {f"load {load:g}": grid.at(load=load)["mean"].tolist() for load in grid.axes["load"]}
    return Measurement(
        {
            "time": {
                name: dict(zip(grid.axes["scheme"], map(Sample.of, each), strict=True)) for name, each in times.items()
            }
        }
    )
