"""Sections 2 and 3: one source, static thresholds and delayed filtering, and Figures 4 to 9."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from ...report.charts import Axis, Line, Lines, Mark, Panel
from ...reproduce.experiments import Effort, Traces, records
from ...reproduce.measure import Measurement
from ...reproduce.paper import Compared, Drawn
from .setting import DELTAS, FORWARD_BPS, FORWARD_PER_S, MODEL, ONE, PACKET, PAPER, delayed, static
from .trace import Slow, T

Recorded = Mapping[Hashable, Slow]
ERASE_ALL = delayed(share=1e-6, release=1e-6)
"""Filters from the first departure on: erases every waiting ACK, however full the link."""


def _single(effort: Effort) -> dict[Hashable, str]:
    filters: dict[Hashable, dict[str, object] | None] = {"none": None, **{delta: static(delta) for delta in DELTAS}}
    filters |= {"delayed": delayed(), "presence": delayed("presence"), "erase-all": ERASE_ALL}
    return {key: records(ONE.scenario(filter), "series", "queue", "packets") for key, filter in filters.items()}


SINGLE = Traces("single", "one source for 10 s: no filter, every static threshold, delayed filtering", _single, Slow)

AMPLE = Traces(
    "ample",
    "one source with an ample forward link, delta 1 and 3",
    lambda effort: {
        delta: records(replace(ONE, forward_rate="1Gbps").scenario(static(delta)), "series", "queue", "packets")
        for delta in (1, 3)
    },
    Slow,
)
"""Section 2.3's forward link: a burst takes no time."""

# --- Section 2: static filtering, its model, and Figures 4 to 6 in numbers


LATE = (30, 100, 500)
"""Thresholds that filter only once the reverse link is full."""
PLATEAU_BPS = MODEL.acks_per_s * MODEL.d * 8 * PACKET


@PAPER.claim("queue", SINGLE)
def queue_of_a_burst(recorded: Recorded) -> Measurement:
    run = recorded["none"]
    acks = {n: run.burst(n, run.arrivals) for n in range(1, 6)}
    return Measurement(
        {"excess": {f"burst of {x}": run.burst_queue(n) - MODEL.burst_queue(x) for n, x in acks.items()}}
    )


def first_round(run: Slow) -> int:
    """Round trip in which the first ACK is erased."""
    return int((run.onset - T / 2) / T)


@PAPER.claim("n0", SINGLE)
def start_of_filtering(recorded: Recorded) -> Measurement:
    late = {f"delta {d}": first_round(recorded[d]) - MODEL.first_filtered(d) for d in (1, 3, 30)}
    return Measurement({"rounds": late})


def rounds_of(run: Slow, last: int) -> Iterable[tuple[int, float, int]]:
    """Round trip, window at its end, ACKs that left in it."""
    for n in range(1, last + 1):
        yield n, float(run.cwnd((n + 1) * T)), run.burst(n, run.departures)


@PAPER.claim("N", SINGLE)
def model_against_simulation(recorded: Recorded) -> Measurement:
    found = list(rounds_of(recorded[1], 8))
    return Measurement(
        {
            "W": {f"n = {n}": w / MODEL.window(n, 1) for n, w, _ in found},
            "N": {f"n = {n}": acks / MODEL.acks(n, 1) for n, _, acks in found},
        },
    )


@PAPER.claim("fig2_3", AMPLE)
def each_burst_has_delta_more(recorded: Recorded) -> Measurement:
    more = {}
    for delta, run in recorded.items():
        first = math.ceil(MODEL.first_filtered(delta))
        for n in range(first, 9):
            gained = run.burst(n + 1, run.departures) - run.burst(n, run.departures)
            more[f"delta {delta}, n = {n}"] = gained - delta
    return Measurement({"more": more})


@PAPER.claim("fig4.slow", SINGLE)
def small_thresholds_grow_slower(recorded: Recorded) -> Measurement:
    at_2 = {d: float(recorded[d].cwnd(2.0)) for d in DELTAS}
    grid = np.arange(0.2, 8.0001, 0.01)
    windows = np.array([recorded[d].cwnd(grid) for d in LATE])
    spread = ((windows.max(axis=0) - windows.min(axis=0)) / windows.mean(axis=0)).max()
    return Measurement(
        {"window": {"1": at_2[1], "3": at_2[3], "rest": min(at_2[d] for d in LATE)}, "spread": float(spread)}
    )


@PAPER.claim("fig4.grow", SINGLE)
def linear_growth(recorded: Recorded) -> Measurement:
    grid = np.arange(2.0, 3.0001, 0.01)
    slopes = {f"delta {d}": float(np.polyfit(grid, recorded[d].cwnd(grid), 1)[0]) for d in LATE}
    return Measurement({"slope": slopes})


@PAPER.claim("fig5.sat", SINGLE)
def final_plateau(recorded: Recorded) -> Measurement:
    grid = np.arange(9.0, 10.0001, 0.01)
    rates = {f"delta {d}": float(recorded[d].throughput(grid).mean()) / 1e3 for d in DELTAS}
    return Measurement({"plateau": rates})


@PAPER.claim("fig5.d30", SINGLE)
def reverse_link_full_with_more(recorded: Recorded) -> Measurement:
    spans = {d: plateau(recorded[d]) for d in LATE}
    return Measurement(
        {
            "time": {f"delta {d}": start for d, (start, _) in spans.items()},
            "length": {f"delta {d}": (end - start) * MODEL.acks_per_s / d for d, (start, end) in spans.items()},
        }
    )


def plateau(run: Slow, level_bps: float = PLATEAU_BPS) -> tuple[float, float]:
    """From when to when the throughput is within 5 % of what the reverse link lets through."""
    return run.passes(0.95 * level_bps), run.passes(1.05 * level_bps)


@PAPER.claim("fig5.d1", SINGLE)
def intermediate_saturation_with_1(recorded: Recorded) -> Measurement:
    return Measurement({"time": recorded[1].full})


@PAPER.claim("fig5.plateau", SINGLE)
def height_of_the_plateau(recorded: Recorded) -> Measurement:
    rates = {}
    for delta in (100, 500):
        run = recorded[delta]
        # The source learns of an ACK half a round trip after it left the reverse buffer.
        there = run.throughput(np.arange(run.full, run.onset, 0.01) + T / 2) / (8 * PACKET)
        rates |= {f"delta {delta}, least": float(there.min()), f"delta {delta}, most": float(there.max())}
    return Measurement({"rate": rates})


@PAPER.claim("fig5.500", SINGLE)
def end_of_the_plateau(recorded: Recorded) -> Measurement:
    lengths = {str(d): plateau(recorded[d])[1] - plateau(recorded[d])[0] for d in LATE}
    resumes = plateau(recorded[500])[1]
    return Measurement({"filtering": recorded[500].onset, "resumes": resumes, "length": lengths})


@PAPER.claim("fig5.rtt", SINGLE)
def longest_round_trip(recorded: Recorded) -> Measurement:
    longest = {d: float(recorded[d].round_trips[1].max()) for d in (1, 3, 30, 100, 500)}
    ratios = {f"delta {d}": rtt / MODEL.rtt_limits(d)[1] for d, rtt in longest.items()}
    return Measurement({"ratio": ratios})


@PAPER.claim("fig6.order", SINGLE)
def best_threshold(recorded: Recorded) -> Measurement:
    acked = {d: float(recorded[d].acked(5.0)) for d in DELTAS}
    best = max(acked.values())
    return Measurement(
        {
            "argmax": min(d for d in DELTAS if acked[d] == best),
            "near": acked[30] / best,
            "improves": {str(d): acked[d] for d in (1, 3, 30)},
            "worsens": {str(d): acked[d] for d in (30, 100, 500)},
        },
    )


# --- Section 3: delayed filtering of a single connection, and Figures 7 to 9 in numbers


LATER = np.arange(3.0, 10.0001, 0.05)


@PAPER.claim("fig7.good", SINGLE)
def delayed_against_the_best_threshold(recorded: Recorded) -> Measurement:
    ratio = recorded["delayed"].acked(LATER) / recorded[30].acked(LATER)
    return Measurement({"least": float(ratio.min()), "end": float(ratio[-1])})


@PAPER.claim("fig9.same", SINGLE)
def same_onset(recorded: Recorded) -> Measurement:
    static, delayed = recorded[30].onset, recorded["delayed"].onset
    return Measurement({"apart": delayed - static})


# --- Figures 4 to 9: one source in slow start; and the model beside it


SHOWN = (1, 3, 30, 100, 500)
SHADES = {
    1: "orange",
    3: "pink",
    10: "gold",
    20: "red",
    30: "blue",
    40: "slate",
    60: "green",
    100: "sky",
    500: "purple",
}
GRID = np.arange(0.0, 8.0001, 0.02)
SECONDS = Axis("time (s)", low=0, high=8)


def curves(recorded: Recorded, read: Callable[[Slow], Any], scale: float = 1.0) -> list[Line]:
    """A line a threshold."""
    return [Line(f"δ = {d}", GRID, read(recorded[d]) * scale, SHADES[d]) for d in SHOWN]


def frame(recorded: Recorded, column: str, read: Callable[[Slow], Any]) -> dict[str, pl.DataFrame]:
    """The same as a table."""
    rows = [pl.DataFrame({"delta": d, "time_s": GRID, column: read(recorded[d])}) for d in SHOWN]
    return {column.rpartition("_")[0]: pl.concat(rows)}


@PAPER.figure(
    "figure-2", "Figure 2", "Figures 2 and 3: bursts at the reverse buffer, no filter and δ = 1", "2", [SINGLE]
)
def figures_2_3(recorded: Recorded) -> Drawn:
    panels = []
    for key, title, shade, end in (("none", "no filter", "none", 1.6), (1, "δ = 1", "orange", 1.6)):
        run = recorded[key]
        grid = np.arange(0.0, end, 0.001)
        marks = [Mark(n * T + T / 2, str(n), vertical=True) for n in range(1, 8)]
        panels.append(
            Panel(
                title,
                Axis("time (s)", low=0.2, high=end),
                Axis("ACKs waiting", low=0),
                [Line("", grid, run.occupancy(grid), shade, width=1)],
                marks,
            )
        )
    found = [
        Compared(
            f"burst {n}: ACKs through with δ = 1",
            f"{MODEL.acks(n, 1):g}",
            f"{recorded[1].burst(n, recorded[1].departures)}",
        )
        for n in range(1, 9)
    ]
    about = "ACKs waiting in the reverse buffer; dashed: the model's round trips"
    return Drawn(
        [Lines("figure-2", about, panels, 2.5)],
        {},
        found,
        "Each burst lets one more ACK through than the one before; without a filter, twice as many.",
    )


@PAPER.figure("figure-4", "Figure 4", "Window", "2", [SINGLE])
def figure_4(recorded: Recorded) -> Drawn:
    panel = Panel(
        "window in slow start",
        SECONDS,
        Axis("window (segments)", low=0, high=2300),
        curves(recorded, lambda r: r.cwnd(GRID)),
    )
    at = {d: float(recorded[d].cwnd(2.0)) for d in DELTAS}
    compared = [
        Compared("window at 2 s", "1 < 3 < all others alike", ", ".join(f"{at[d]:.0f} at {d}" for d in DELTAS)),
    ]
    tables = frame(recorded, "cwnd_segments", lambda r: r.cwnd(GRID))
    chart = Lines("figure-4", "Window with static thresholds; 30 and 100 lie under 500", [panel])
    return Drawn([chart], tables, compared, scenario=ONE.scenario(static(30)))


@PAPER.figure("model", "Model", "The model over the simulation", "2", [SINGLE])
def model(recorded: Recorded) -> Drawn:
    rounds = np.arange(0, 17)
    times = (rounds + 1) * T
    panels = []
    for delta in (1, 3):
        grid = np.arange(0.0, 3.4, 0.01)
        paced = MODEL.paced(len(rounds), delta, FORWARD_PER_S)
        lines = [
            Line("simulation", grid, recorded[delta].cwnd(grid), SHADES[delta]),
            Line("model, W(n)", times, [MODEL.window(n, delta) for n in rounds], "ink", dash="", marker="o"),
            Line("model with a finite forward rate", times, [w for w, _ in paced], "slate", dash="--"),
        ]
        panels.append(
            Panel(f"δ = {delta}: window", Axis("time (s)", low=0, high=3.4), Axis("window (segments)", low=0), lines)
        )
    acks = [recorded[1].burst(n, recorded[1].departures) for n in rounds]
    lines = [
        Line("simulation", rounds, acks, SHADES[1], marker="o", dash=" "),
        Line("model, W(n)", rounds, [MODEL.acks(n, 1) for n in rounds], "ink"),
        Line(
            "model with a finite forward rate",
            rounds,
            [n for _, n in MODEL.paced(len(rounds), 1, FORWARD_PER_S)],
            "slate",
            dash="--",
        ),
    ]
    panels.append(Panel("δ = 1: ACKs a round trip, N(n)", Axis("round trip n"), Axis("ACKs", low=0), lines))
    found = [
        Compared(
            f"W at {t:g} s, δ = 1",
            f"{MODEL.window(t / T - 1, 1):.0f} by the formula",
            f"{float(recorded[1].cwnd(t)):.0f}",
        )
        for t in (1.0, 1.4, 2.0, 3.0)
    ]
    found += [
        Compared(
            f"first ACK erased, δ = {d}",
            f"round trip {MODEL.first_filtered(d):.2f}",
            f"round trip {first_round(recorded[d])}",
        )
        for d in (1, 3, 30)
    ]
    return Drawn(
        [Lines("model", "Model and simulation", panels, 2.6)],
        {},
        found,
        "The formula's channel would be full after 61.5 round trips with δ = 1. Data takes time to send: at 10 Mb/s a burst's ACKs are "
        "spread out, more of them pass, and the channel is full after about 15.",
    )


@PAPER.figure("figure-5", "Figure 5", "Instantaneous throughput", "2", [SINGLE])
def figure_5(recorded: Recorded) -> Drawn:
    marks = [Mark(FORWARD_BPS / 1e6, "forward link"), Mark(PLATEAU_BPS / 1e6, "reverse link, 312.5 ACK/s")]
    panel = Panel(
        "acknowledged data over the last 200 ms",
        SECONDS,
        Axis("throughput (Mb/s)", low=0, high=11),
        curves(recorded, lambda r: r.throughput(GRID), 1e-6),
        marks,
    )
    start, end = plateau(recorded[500])
    compared = [
        Compared(
            "final throughput",
            "1000 kb/s",
            f"{float(recorded[30].throughput(np.arange(9.0, 10.0, 0.01)).mean()) / 1e3:,.0f} kb/s",
        ),
        Compared("reverse link full, δ = 1", "3 s", f"{recorded[1].passes(PLATEAU_BPS):.2f} s"),
        Compared(
            "reverse link full, δ ≥ 30", "1.5 s", ", ".join(f"{plateau(recorded[d])[0]:.2f}" for d in LATE) + " s"
        ),
        Compared(
            "filtering starts, δ = 500",
            "around 5 s",
            f"{recorded[500].onset:.2f} s; throughput rises again at {end:.2f} s",
        ),
    ]
    return Drawn(
        [Lines("figure-5", "Throughput with static thresholds", [panel])],
        frame(recorded, "throughput_bps", lambda r: r.throughput(GRID)),
        compared,
        "Two printed values do not fit the paper's own parameters. 1000 kb/s is a tenth of the forward link: most likely a zero is missing, "
        f"as 1 Mb/s of data needs only 125 of the reverse link's 312.5 ACK/s. And δ = 500 gathers its ACKs from {start:.1f} s on at 312.5 a "
        "second, which takes 1.6 s and not 3.5.",
    )


@PAPER.figure("figure-6", "Figure 6", "Progress", "2", [SINGLE])
def figure_6(recorded: Recorded) -> Drawn:
    near = [Line(f"δ = {d}", GRID, recorded[d].acked(GRID) - recorded[30].acked(GRID), SHADES[d]) for d in SHOWN]
    panels = [
        Panel("acknowledged", SECONDS, Axis("segments", low=0), curves(recorded, lambda r: r.acked(GRID))),
        Panel("lead over δ = 30", SECONDS, Axis("segments"), near),
    ]
    acked = {d: float(recorded[d].acked(5.0)) for d in DELTAS}
    thresholds = Panel(
        "by the threshold, at 5 s", Axis("δ (ACKs)", log=True, ticks=(1, 3, 10, 30, 100, 500)), Axis("segments"),
        [Line("", list(acked), list(acked.values()), "blue", marker="o")], [Mark(MODEL.optimum, "δo", vertical=True)],
    )  # fmt: skip
    compared = [Compared("acknowledged by 5 s", "most at 30", ", ".join(f"{acked[d]:.0f} at {d}" for d in DELTAS))]
    return Drawn(
        [Lines("figure-6", "Last acknowledged segment", [*panels, thresholds], 2.6)],
        frame(recorded, "acked_segments", lambda r: r.acked(GRID)),
        compared,
    )


@PAPER.figure("figure-7", "Figure 7", "Delayed filtering against the best threshold", "3", [SINGLE])
def figure_7(recorded: Recorded) -> Drawn:
    runs = (
        ("δ = 30", 30, "blue"),
        ("delayed, output rate", "delayed", "delayed-single"),
        ("delayed, presence rate", "presence", "gold"),
        ("δ = 1", 1, "orange"),
    )
    panels = [
        Panel(
            "acknowledged",
            SECONDS,
            Axis("segments", low=0),
            [Line(n, GRID, recorded[k].acked(GRID), c) for n, k, c in runs],
        ),
        Panel(
            "lead over δ = 30",
            SECONDS,
            Axis("segments", low=-150, high=150),
            [Line(n, GRID, recorded[k].acked(GRID) - recorded[30].acked(GRID), c) for n, k, c in runs],
        ),
    ]
    compared = [
        Compared(
            "acknowledged by 5 s",
            "delayed slightly above δ = 30",
            ", ".join(f"{n} {float(recorded[k].acked(5.0)):.0f}" for n, k, _ in runs),
        )
    ]
    return Drawn([Lines("figure-7", "Last acknowledged segment", panels)], {}, compared, scenario=ONE.scenario(None))


def _occupancy(number: str, key: Any, title: str, paper: str, shade: str) -> None:
    @PAPER.figure(f"figure-{number}", f"Figure {number}", title, "3", [SINGLE])
    def draw(recorded: Recorded) -> Drawn:
        run = recorded[key]
        grid = np.arange(0.0, 6.0, 0.002)
        panel = Panel(
            title,
            Axis("time (s)", low=0, high=6),
            Axis("ACKs waiting", low=0),
            [Line("", grid, run.occupancy(grid), shade, width=0.8)],
            [Mark(run.onset, "filtering starts", vertical=True)],
        )
        least, mean, most = run.steady_occupancy(run.onset + 2 * T, 10.0)
        compared = [
            Compared("occupancy once filtering", paper, f"{least:.0f} to {most:.0f}, {mean:.2f} on average"),
            Compared("filtering starts", "at about the same moment", f"{run.onset:.2f} s"),
        ]
        return Drawn([Lines(f"figure-{number}", "ACKs waiting in the reverse buffer", [panel], 2.4)], {}, compared)


_occupancy("8", 30, "Occupancy with δ = 30", "30", "blue")
_occupancy("9", "delayed", "Occupancy with delayed filtering", "falls to about 1", "delayed-single")
