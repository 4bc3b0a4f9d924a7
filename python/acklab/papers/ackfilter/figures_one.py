"""Figures 4 to 9: one source in slow start; and the model beside it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl

from ...report.charts import Axis, Line, Lines, Mark, Panel
from ...reproduce.paper import Compared, Drawn
from .registry import PAPER
from .runs import SINGLE, Recorded
from .section2 import LATE, PLATEAU_BPS, first_round, plateau
from .setting import DELTAS, FORWARD_BPS, FORWARD_PER_S, MODEL, ONE, static
from .trace import Slow, T

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
