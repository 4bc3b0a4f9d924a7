"""Section 4: many sources, five algorithms, a large and a small reverse buffer; Figures 11 and 12."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import polars as pl

from ...report.charts import Axis, Bar, Bars, Line, Lines, Mark, Panel
from ...reproduce.experiments import Replications
from ...reproduce.grid import Array, Grid, ManyFlows, OneFlow
from ...reproduce.measure import Measurement, Value
from ...reproduce.paper import Compared, Drawn
from ...reproduce.stopping import ladder
from ...study.intervals import Sample, jackknife, split
from .setting import ALGORITHMS, COLOURS, DURATION_S, LARGE_BUFFER, NAMES, PAPER, SMALL, SMALL_BUFFER, Many

RUN_SOURCES = (1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 18, 20)
QUICK_SOURCES = (1, 4, 10, 20)
FEW_SOURCES = tuple(n for n in RUN_SOURCES if n <= 14)


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


READ = ManyFlows(
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
        SMALL_BUFFER, algorithm, "small, few", "1 to 14 sources, reverse buffer of 10", FEW_SOURCES, rounds=ladder(50)
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


# --- 4.1 large buffer


def ranked(claim: str, runs: Sequence[Replications], part: str, by: Callable[[Grids], Value]) -> None:
    """Registers a claim on the order of the algorithms."""
    PAPER.claim(claim, *runs)(lambda *grids: Measurement({part: by(by_algorithm(grids))}))


def all_ratios(claim: str, over: str, under: str, wanted: Callable[[int], bool]) -> None:
    """Registers a claim on a ratio of throughputs with the large buffer, for the admitted numbers of sources."""
    ranked(
        claim, LARGE, "ratio", lambda found: {f"N = {n}": ratio(found, over, under, n) for n in numbers(found, wanted)}
    )


ranked("fig11.none", LARGE, "throughput", lambda found: each(found, lambda n: n >= 2))
ranked("fig11.rr", LARGE, "throughput", overall)
ranked("fig11.classic_small", LARGE, "throughput", lambda found: each(found, lambda n: n <= 5, "rr", "classic"))
ranked("fig11.converge", LARGE, "ratio", lambda found: ratio(found, "classic", "rr", 20))
ranked("fig11.fifo", LARGE, "throughput", lambda found: {a: overall(found)[a] for a in ("rr", "fifo")})
all_ratios("fig11.agg", "aggregate", "classic", lambda n: n >= 6)
all_ratios("concl.group", "aggregate", "rr", lambda n: n <= 3)
ranked("fig12.rr", SMALL_ONCE, "throughput", overall)
ranked("fig12.classic_drop", SMALL_RUNS, "throughput", lambda found: each(found, lambda n: n >= 12, "none", "classic"))


@PAPER.claim("fig12.agg", *PAIR)
def aggregate_beats_classic(aggregate: Grid, classic: Grid) -> Measurement:
    duration = classic.axes["duration_s"][0]
    found = {"aggregate": aggregate.at(duration_s=duration), "classic": classic.at(duration_s=duration)}
    few = numbers(found, lambda n: n <= 5)
    leads = [ratio(found, "aggregate", "classic", n).values for n in few]
    lead = {
        "up to 5": Sample.of([100 * (float(np.mean(seed)) - 1) for seed in zip(*leads, strict=True)]),
        "at 20": Sample.of([100 * (r - 1) for r in ratio(found, "aggregate", "classic", 20).values]),
    }
    return Measurement({"few": each(found, lambda n: n <= 5, "aggregate", "classic"), "converges": lead})


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

    return Measurement({"arrived": jackknife(a.shape[1], arrived)})


# --- Section 4's two side remarks: busy connections share the reverse link equally, and a newcomer is starved


NEW_SEGMENTS = 100
NEW_STARTS_S = 20.0
BUSY_S = 120.0
PATIENCE_S = 200.0
"""A newcomer that has not finished after so long counts as if it finished then."""


def busy(setting: Many, algorithm: str, sources: int, seed: int, *, newcomer: bool = False, pacing: float = 0.0) -> str:
    """Figure 10 with sources that never stop; the last of them may be a short transfer that starts later."""
    tree = json.loads(setting.scenario(algorithm, sources, seed, BUSY_S))
    for flow in tree["flow"]:
        del flow["repeat"]
        flow["size"] = "unlimited"
        flow["sender"] = {**flow["sender"], "pacing": {"kind": "spread", "share": pacing} if pacing else "off"}
    if newcomer:
        tree["stop"] = {"when": "flows-complete", "at_most": f"{NEW_STARTS_S + PATIENCE_S:g}s"}
        last = tree["flow"].pop()
        start = NEW_STARTS_S + float(last["start"].removesuffix("s"))
        # Its row comes first, where the reader looks.
        tree["flow"].insert(0, {**last, "name": "new", "start": f"{start:.6f}s", "size": {"segments": NEW_SEGMENTS}})
    return json.dumps(tree, separators=(",", ":"))


def _shares(columns: dict[str, Array]) -> Sequence[float]:
    received = columns["acks_received"]
    share = received / received.sum() * len(received)
    return float(share.min()), float(share.max())


MAXMIN = Replications(
    "always busy",
    "sources that never stop, classic filtering",
    {"sources": (2, 5, 10, 20), "pacing": (0.0, 1.0)},
    lambda sources, pacing, seed: busy(LARGE_BUFFER, "classic", sources, seed, pacing=pacing),
    ManyFlows(["least", "most"], ["acks_received"], ["drops"], _shares, where=("D", "A")),
    {"sources": (2, 10)},
    most_seeds=65,
)
"""With 20 seeds the shares of two sources are undecided, and want some 43."""


@PAPER.claim("maxmin", MAXMIN)
def equal_shares(grid: Grid) -> Measurement:
    spread = grid.at(pacing=1.0)
    shares = {
        f"{end}, N = {n}": Sample.of(spread.at(sources=n)[end].tolist())
        for n in grid.axes["sources"]
        for end in ("least", "most")
    }
    return Measurement({"share": shares})


def _newcomer(algorithm: str) -> Replications:
    return Replications(
        f"newcomer {algorithm}",
        f"{NAMES[algorithm]}: a transfer of {NEW_SEGMENTS} kB among sources that never stop",
        {"sources": (10,)},
        lambda sources, seed: busy(SMALL_BUFFER, algorithm, sources, seed, newcomer=True),
        OneFlow(["completion_s", "timeouts"], where=("D", "A")),
        most_seeds=30,
    )


NEWCOMER = [_newcomer(algorithm) for algorithm in ALGORITHMS]
"""Nine busy sources and one newcomer, through a reverse buffer of ten packets."""


@PAPER.claim("text.new_connection", *NEWCOMER)
def a_newcomer_is_starved(*grids: Grid) -> Measurement:
    stuck = {
        a: Sample.of(np.isnan(grid.at(sources=10)["completion_s"]).astype(float).tolist())
        for a, grid in zip(ALGORITHMS, grids, strict=True)
    }
    return Measurement({"starved": stuck["none"], "protected": {a: stuck[a] for a in ("none", "rr")}})


def taken(grid: Grid) -> Array:
    """The newcomer's time with each seed, at most :data:`PATIENCE_S`."""
    return np.nan_to_num(grid.at(sources=10)["completion_s"], nan=PATIENCE_S)


# --- Figures 10 to 12: many sources, five algorithms


SOURCES_AXIS = Axis("sources", low=0.5, high=20.5, ticks=(1, 5, 10, 15, 20))


def curves(grids: Grids, quantity: str = "throughput", scale: float = 8e-6) -> list[Line]:
    """Means over the seeds with 95 % intervals, corrected for the number of points in the figure."""
    counts = grids["none"].axes["sources"]
    level = split(len(counts) * len(grids))
    lines = []
    for algorithm, grid in grids.items():
        samples = [at(grid, n, quantity) for n in counts]
        spread = [scale * s.interval(level).half_width for s in samples]
        lines.append(
            Line(
                NAMES[algorithm],
                counts,
                [scale * s.value for s in samples],
                COLOURS[algorithm],
                "-",
                "o",
                spread=spread,
            )
        )
    return lines


def relative(grids: Grids) -> list[Line]:
    """The same relative to classic filtering, pairwise by seed, in percent."""
    counts = grids["none"].axes["sources"]
    level = split(len(counts) * len(grids))
    lines = []
    for algorithm, grid in grids.items():
        if algorithm == "classic":
            continue
        samples = []
        for n in counts:
            base = at(grids["classic"], n)
            samples.append(Sample.of([100 * v for v in at(grid, n).minus(base).over(base.value).values]))
        lines.append(
            Line(
                NAMES[algorithm],
                counts,
                [s.value for s in samples],
                COLOURS[algorithm],
                "-",
                "o",
                spread=[s.interval(level).half_width for s in samples],
            )
        )
    return lines


def table(grids: Grids) -> pl.DataFrame:
    """Every mean."""
    rows = []
    for algorithm, grid in grids.items():
        for n in grid.axes["sources"]:
            part = grid.at(sources=n)
            rows.append(
                {
                    "algorithm": algorithm,
                    "sources": n,
                    "seeds": len(part["throughput"]),
                    **{f"{q}": float(np.nanmean(part[q])) for q in part.columns},
                }
            )
    return pl.DataFrame(rows).rename({"throughput": "throughput_Bps"})


def _figure(number: str, title: str, paper: Sequence[tuple[str, str]], needs: Sequence[object]) -> None:
    @PAPER.figure(f"figure-{number}", f"Figure {number}", title, "4", needs)  # type: ignore[arg-type]
    def draw(*grids: Grid) -> Drawn:
        found = by_algorithm(grids)
        y = Axis("Mb/s", low=0)
        panels = [
            Panel("throughput, averaged over files", SOURCES_AXIS, y, curves(found)),
            Panel("relative to classic filtering", SOURCES_AXIS, Axis("difference (%)"), relative(found), [Mark(0.0)]),
            Panel("throughput, averaged over time", SOURCES_AXIS, y, curves(found, "pooled")),
        ]
        means = {a: 8e-6 * s.value for a, s in overall(found).items()}
        order = ", ".join(f"{NAMES[a]} {means[a]:.3g}" for a in sorted(means, key=lambda a: -means[a]))
        compared = [Compared("averaged over the sources (Mb/s)", paper[0][1], order)]
        for what, says in paper[1:]:
            compared.append(Compared(what, says, _said(found, what)))
        return Drawn(
            [Lines(f"figure-{number}", f"{title}; bars are 95 % intervals, corrected for their number", panels, 3.2)],
            {"throughput": table(found)},
            compared,
            "Averaged over files, every completed file counts once, however long it took; over time, all bytes are divided by all transfer "
            "times. A queue that favours some connections looks better in the first: those complete many files.",
            scenario=LARGE_BUFFER.scenario("rr", 1, 1),
        )


def _said(found: Grids, what: str) -> str:
    n = found["none"].axes["sources"]
    n = n[-1] if "many" in what else n[0]
    return f"N = {n}: " + ", ".join(f"{NAMES[a]} {8e-6 * at(g, n).value:.3g}" for a, g in found.items())


_figure(
    "11",
    "Large reverse buffer",
    [
        ("order", "round robin best, no filter worst"),
        ("few sources (Mb/s)", "classic below the best"),
        ("many sources (Mb/s)", "classic near round robin"),
    ],
    LARGE,
)
_figure(
    "12",
    f"Reverse buffer of {SMALL}",
    [
        ("order", "round robin best"),
        ("few sources (Mb/s)", "aggregate above classic"),
        ("many sources (Mb/s)", "classic below no filter"),
    ],
    SMALL_RUNS,
)


@PAPER.figure("newcomer", "", "A newcomer among busy connections", "4", [*NEWCOMER, MAXMIN])
def newcomer(*grids: Grid) -> Drawn:
    times = {a: taken(g) for a, g in zip(ALGORITHMS, grids[:-1], strict=True)}
    level = split(len(times))
    bars = []
    for a, t in times.items():
        bars.append(
            Bar(
                NAMES[a], (float(t.mean()), float(np.percentile(t, 95))), (Sample.of(t).interval(level).half_width, 0.0)
            )
        )
    chart = Bars(
        "newcomer",
        f"Time of {NEW_SEGMENTS} kB among 9 busy connections, reverse buffer of {SMALL}",
        ["mean", "95th percentile"],
        ["blue", "sky"],
        bars,
        Axis("time (s)", low=0),
        2.6,
    )
    shares = grids[-1]
    said = {"none": "blocked until the others slow down", "rr": "protected"}
    compared = [
        Compared(
            f"newcomer's time, {NAMES[a]}",
            said.get(a, ""),
            f"{t.mean():.1f} s, 95th percentile {np.percentile(t, 95):.1f} s",
        )
        for a, t in times.items()
    ]
    compared += [
        Compared(
            f"ACKs of a busy connection over C/N, N = {n}, {'paced' if pacing else 'in bursts'}",
            "1",
            f"{shares.at(sources=n, pacing=pacing)['least'].mean():.3f} to {shares.at(sources=n, pacing=pacing)['most'].mean():.3f}",
        )
        for n in shares.axes["sources"]
        for pacing in shares.axes["pacing"]
    ]
    return Drawn([chart], {}, compared, f"A newcomer that is not through after {PATIENCE_S:g} s counts as if it were.")
