"""Section 4: many sources, five algorithms, a large and a small reverse buffer; Figures 11 and 12 in numbers."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ...reproduce.experiments import Replications
from ...reproduce.grid import Array, Grid
from ...reproduce.measure import Measurement
from ...reproduce.readers import ManyFlows
from ...reproduce.resample import rank_correlation, spearman
from ...reproduce.stopping import ladder
from ...study.intervals import Sample, jackknife
from ...study.quantities import jain
from .registry import PAPER
from .setting import ALGORITHMS, DURATION_S, LARGE_BUFFER, NAMES, SMALL_BUFFER, Many

RUN_SOURCES = (1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 18, 20)
QUICK_SOURCES = (1, 4, 10, 20)
FEW_SOURCES = tuple(n for n in RUN_SOURCES if n <= 10)
ACK_S = 320 / 100e3
"""An ACK's time on the reverse link."""


def _reduce(columns: dict[str, Array]) -> Sequence[float]:
    taken = columns["finished_s"] - columns["start_s"]
    rates = columns["bytes"] / taken
    done = ~np.isnan(taken)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # where no file is finished
        return (
            float(np.nanmean(rates)),
            float(columns["bytes"][done].sum() / taken[done].sum()),
            float(np.nanmin(rates) if done.any() else np.nan),
            float(done.sum()),
            float(columns["bytes"].sum()),
            float(columns["timeouts"].sum()),
            float(columns["retransmits"].sum()),
            float(np.nanmean(columns["mean_rtt_s"])),
            float(columns["max_queue_packets"][0]),
            float(columns["mean_queue_packets"][0]),
            float(columns["drops"][0]),
            float(columns["filtered"][0]),
        )


_RECEIVED = re.compile(rb'"name":"(s\d+)[^}]*?"acks_received":(\d+)')


def fairness(line: bytes) -> float:
    """Jain's index of the ACKs that reached each source: how equally section 4's sources share the reverse link."""
    received: dict[bytes, int] = {}
    for source, acks in _RECEIVED.findall(line):
        received[source] = received.get(source, 0) + int(acks)
    return jain([*received.values()])


class Read(ManyFlows):
    """The numbers of ``_reduce``, and the fairness."""

    def __call__(self, line: bytes) -> tuple[float, ...]:
        return (*super().__call__(line), fairness(line))


READ = Read(
    [
        "throughput",
        "pooled",
        "slowest",
        "files",
        "bytes",
        "timeouts",
        "retransmits",
        "rtt_s",
        "most_waiting",
        "mean_waiting",
        "drops",
        "filtered",
        "fairness",
    ],
    ["start_s", "finished_s", "bytes", "timeouts", "retransmits", "mean_rtt_s"],
    ["drops", "filtered", "mean_queue_packets", "max_queue_packets"],
    _reduce,
    where=("D", "A"),
)
"""``throughput`` is the mean over completed files of size over duration (bytes/s); the queue is the reverse one."""


ROUNDS = (5, 10, 18)
"""A run's mean is over hundreds of files, so few seeds decide most claims."""


def sources(
    setting: Many,
    algorithm: str,
    note: str,
    about: str,
    counts: Sequence[int] = RUN_SOURCES,
    rounds: tuple[int, ...] = ROUNDS,
) -> Replications:
    """Figure 10's scenario with one algorithm."""

    def scenario(sources: int, duration_s: int, seed: int) -> str:
        return setting.scenario(algorithm, sources, seed, duration_s)

    given = {"sources": counts, "duration_s": (DURATION_S,)}
    quick = {"sources": tuple(n for n in QUICK_SOURCES if n in counts), "duration_s": (150,)}
    return Replications(
        f"{note} {algorithm}", f"{NAMES[algorithm]}: {about}", given, scenario, READ, quick, rounds=rounds
    )


LARGE = [sources(LARGE_BUFFER, algorithm, "large", "1 to 20 sources, large reverse buffer") for algorithm in ALGORITHMS]
SMALL_RUNS = [
    sources(SMALL_BUFFER, algorithm, "small", "1 to 20 sources, reverse buffer of 10") for algorithm in ALGORITHMS
]
SMALL_ONCE = [
    sources(SMALL_BUFFER, algorithm, "small, one look", "1 to 20 sources, reverse buffer of 10", rounds=ROUNDS[:1])
    for algorithm in ALGORITHMS
]
"""For a claim on the order of all means: round robin, FIFO and no filter lie so close that ten seeds leave it as undecided as five."""
PAIR = [
    sources(SMALL_BUFFER, algorithm, "small, pair", "up to 5 and 20 sources, reverse buffer of 10", (*range(1, 6), 20))
    for algorithm in ("aggregate", "classic")
]
FEW = [
    sources(
        SMALL_BUFFER, algorithm, "small, few", "1 to 10 sources, reverse buffer of 10", FEW_SOURCES, rounds=ladder(50)
    )
    for algorithm in ("classic", "none")
]
"""Again, with more seeds: the ratios of classic filtering to none, whose order over the number of sources is judged, lie close together."""

Grids = Mapping[str, Grid]


def by_algorithm(grids: Sequence[Grid]) -> Grids:
    """The grids by algorithm, the duration's axis gone."""
    return {a: g.at(duration_s=g.axes["duration_s"][0]) for a, g in zip(ALGORITHMS, grids, strict=True)}


def at(grid: Grid, n: int, quantity: str = "throughput") -> Sample:
    """One value a seed with so many sources."""
    return Sample.of(grid.at(sources=n)[quantity].tolist())


def overall(grids: Grids, quantity: str = "throughput") -> dict[str, Sample]:
    """One value a seed for each algorithm, averaged over the numbers of sources."""
    counts = numbers(grids, lambda n: True)
    return {a: Sample.of(grid.at(sources=counts)[quantity].mean(axis=0).tolist()) for a, grid in grids.items()}


def each(grids: Grids, wanted: Callable[[int], bool], *algorithms: str) -> dict[str, dict[str, Sample]]:
    """A sample for each admitted number of sources and algorithm."""
    return {f"N = {n}": {a: at(grids[a], n) for a in algorithms or ALGORITHMS} for n in numbers(grids, wanted)}


def ratio(grids: Grids, over: str, under: str, n: int) -> Sample:
    """Ratio of two means over the seeds."""
    a, b = (grids[name].at(sources=n)["throughput"] for name in (over, under))
    return jackknife(len(a), lambda seeds: float(a[seeds].mean() / b[seeds].mean()))


def numbers(grids: Grids, wanted: Callable[[int], bool]) -> list[int]:
    """The admitted numbers of sources with which every run completed a file: in a quick look, no filter may complete none."""
    counts = next(iter(grids.values())).axes["sources"]
    return [
        n
        for n in counts
        if wanted(n) and not any(np.isnan(g.at(sources=n)["throughput"]).any() for g in grids.values())
    ]


def told(grids: Grids) -> str:
    """Means over everything, best first, in kB/s."""
    means = {a: s.value / 1e3 for a, s in overall(grids).items()}
    return "mean over N in kB/s: " + ", ".join(
        f"{NAMES[a]} {means[a]:.1f}" for a in sorted(means, key=lambda a: -means[a])
    )


# --- 4.1 large buffer


@PAPER.claim("fig11.none", *LARGE)
def no_filter_is_worst(*grids: Grid) -> Measurement:
    found = by_algorithm(grids)
    return Measurement({"throughput": each(found, lambda n: n >= 2)}, told(found))


@PAPER.claim("fig11.rr", *LARGE)
def round_robin_is_best(*grids: Grid) -> Measurement:
    found = by_algorithm(grids)
    return Measurement({"throughput": overall(found)}, told(found))


@PAPER.claim("fig11.classic_small", *LARGE)
def classic_is_not_best_for_few(*grids: Grid) -> Measurement:
    return Measurement({"throughput": each(by_algorithm(grids), lambda n: n <= 5, "rr", "classic")})


@PAPER.claim("fig11.converge", *LARGE)
def classic_comes_near(*grids: Grid) -> Measurement:
    return Measurement({"ratio": ratio(by_algorithm(grids), "classic", "rr", 20)})


@PAPER.claim("fig11.agg", *LARGE)
def aggregate_is_classic(*grids: Grid) -> Measurement:
    found = by_algorithm(grids)
    return Measurement(
        {"ratio": {f"N = {n}": ratio(found, "aggregate", "classic", n) for n in numbers(found, lambda n: n >= 6)}}
    )


@PAPER.claim("fig11.fifo", *LARGE)
def fifo_is_worse(*grids: Grid) -> Measurement:
    means = overall(by_algorithm(grids))
    return Measurement({"throughput": {a: means[a] for a in ("rr", "fifo")}})


@PAPER.claim("concl.group", *LARGE)
def grouping_a_few(*grids: Grid) -> Measurement:
    found = by_algorithm(grids)
    return Measurement(
        {"ratio": {f"N = {n}": ratio(found, "aggregate", "rr", n) for n in numbers(found, lambda n: n <= 3)}}
    )


# --- 4.2 small buffer


@PAPER.claim("fig12.rr", *SMALL_ONCE)
def round_robin_is_best_with_10(*grids: Grid) -> Measurement:
    found = by_algorithm(grids)
    time = {a: 1e-3 * s.value for a, s in overall(found, "pooled").items()}
    return Measurement(
        {"throughput": overall(found)},
        f"{told(found)}. FIFO is the same within its turns' noise, as ten places are too few to isolate a connection; and no filter gains from "
        "counting every file once: some of its connections complete many files. All bytes over all transfer times give round robin "
        f"{time['rr']:.1f}, no filter {time['none']:.1f} kB/s",
    )


@PAPER.claim("fig12.fair", *SMALL_RUNS)
def round_robin_is_fairest(*grids: Grid) -> Measurement:
    return Measurement({"index": overall(by_algorithm(grids), "fairness")})


@PAPER.claim("fig12.agg", *PAIR)
def aggregate_beats_classic(aggregate: Grid, classic: Grid) -> Measurement:
    duration = classic.axes["duration_s"][0]
    found = {"aggregate": aggregate.at(duration_s=duration), "classic": classic.at(duration_s=duration)}
    return Measurement(
        {"few": each(found, lambda n: n <= 5, "aggregate", "classic"), "many": ratio(found, "aggregate", "classic", 20)}
    )


@PAPER.claim("fig12.classic_drop", *SMALL_RUNS)
def classic_below_no_filter(*grids: Grid) -> Measurement:
    return Measurement({"throughput": each(by_algorithm(grids), lambda n: n >= 12, "none", "classic")})


@PAPER.claim("fig12.classic_move", *FEW)
def classic_moves_to_no_filter(classic: Grid, none: Grid) -> Measurement:
    duration = classic.axes["duration_s"][0]
    found = {"classic": classic.at(duration_s=duration), "none": none.at(duration_s=duration)}
    few = numbers(found, lambda n: True)
    a, b = (np.array([found[name].at(sources=n)["throughput"] for n in few]) for name in ("classic", "none"))

    def arrived(seeds: list[int]) -> float:
        """Returns the number at which the ratio of the means has come down to one from its largest, between two by a line."""
        over = a[:, seeds].mean(axis=1) / b[:, seeds].mean(axis=1)
        first = next((k for k in range(int(over.argmax()) + 1, len(over)) if over[k] <= 1), None)
        if first is None:
            return float(few[-1] + 1)
        return float(np.interp(1.0, over[[first, first - 1]], np.array(few)[[first, first - 1]]))

    ratios = ", ".join(f"{r:.2f} at {n}" for n, r in zip(few, a.mean(axis=1) / b.mean(axis=1), strict=True))
    return Measurement(
        {
            "spearman": rank_correlation(lambda classic, none: spearman(few, classic / none), a, b),
            "arrived": jackknife(a.shape[1], arrived),
        },
        f"the ratio by N: {ratios}",
    )
