"""What a reviewer asks: how much each inferred parameter matters, and what lies behind each median."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import polars as pl

from ...report.charts import Axis, Line, Lines, Mark, Panel, Swing, Tornado
from ...reproduce.experiments import Sweep
from ...reproduce.grid import Grid
from ...reproduce.paper import Compared, Drawn
from .figures import PRINTED
from .section3 import ALL, ALTERNATIVES, improvement
from .setting import MECHANISMS, NAMES, PAPER, PAPERS, QUEUES, RECOVERIES, SEGMENTS, SURFACE, TIME, Setting, surface

SAMPLE = tuple(SEGMENTS[::10])
"""Every tenth size: what a parameter changes is seen well enough, at a tenth of the runs."""

VARIED: Mapping[str, list[tuple[str, Setting]]] = {
    "access link": [("8 Mb/s", replace(PAPERS, access_rate="8Mbps")), ("20 Mb/s", replace(PAPERS, access_rate="20Mbps"))],
    "delays": [("5 + 45 ms", replace(PAPERS, access_delay="5ms", bottleneck_delay="45ms"))],
    "ACK": [("60 B", replace(PAPERS, ack_size=60))],
    "delayed-ACK timer": [("50 ms", replace(PAPERS, timer="50ms")), ("200 ms", replace(PAPERS, timer="200ms"))],
    "delayed-ACK clock": [("heartbeat", replace(PAPERS, heartbeat=True))],
    "segment filling a gap": [("ACKed at once", replace(PAPERS, immediate_on_gap=True))],
    "least RTO": [("0.2 s", replace(PAPERS, min_rto="200ms")), ("0.5 s", replace(PAPERS, min_rto="500ms"))],
    "clock": [("10 ms", replace(PAPERS, tick="10ms", tick_phase="0s")), ("500 ms", replace(PAPERS, tick="500ms"))],
    "clock's phase": [("0 ms", replace(PAPERS, tick_phase="0s")), ("90 ms", replace(PAPERS, tick_phase="0.09s"))],
    "first RTO": [("3 s", replace(PAPERS, initial_rto="3s"))],
    "second fast retransmit": [("never", replace(PAPERS, reno="never")), ("always", replace(PAPERS, reno="always"))],
    "byte counting": [("by steps", replace(PAPERS, growth="steps"))],
    "DAASS's source": [("told", replace(PAPERS, phase="option")), ("guess", replace(PAPERS, phase="heuristic"))],
}  # fmt: skip


def _varied() -> dict[tuple[str, str, str, str], Sweep]:
    """A surface for each changed parameter, recovery and mechanism."""
    found = {}
    for parameter, values in VARIED.items():
        for label, setting in values:
            for recovery in RECOVERIES:
                for mechanism in MECHANISMS:
                    found[parameter, label, recovery, mechanism] = surface(
                        recovery, mechanism, setting, f"{parameter} {label}", segments=SAMPLE
                    )
    return found


VARIATIONS = _varied()


def median_gain(delayed: Grid, mechanism: Grid, time: str = TIME) -> float:
    """Median improvement over the sampled sizes."""
    return float(np.median(improvement(delayed.at(segments=SAMPLE), mechanism.at(segments=SAMPLE), time=time)))


def one_more(surfaces: Mapping[tuple[str, str], Grid], recovery: str, mechanism: str) -> float:
    """The median if the queue's size left out the packet in transmission: queues of 5 to 22 stand for 4 to 21."""
    upper = QUEUES[1:]
    return median_gain(surfaces[recovery, "delayed"].at(queue=upper), surfaces[recovery, mechanism].at(queue=upper))


@PAPER.figure(
    "tornado",
    "",
    "What each inferred parameter is worth",
    "3",
    [*ALL, *VARIATIONS.values()],
    evidence="evidence",
    slow=True,
)
def tornado(*grids: Grid) -> Drawn:
    surfaces = dict(zip(SURFACE, grids, strict=False))
    changed = dict(zip(VARIATIONS, grids[len(SURFACE) :], strict=True))
    charts, rows = [], []
    for recovery in RECOVERIES:
        panels = []
        for mechanism in ALTERNATIVES:
            base = median_gain(surfaces[recovery, "delayed"], surfaces[recovery, mechanism])
            swings = []
            for parameter, values in VARIED.items():
                ends = [
                    (
                        label,
                        median_gain(
                            changed[parameter, label, recovery, "delayed"],
                            changed[parameter, label, recovery, mechanism],
                        ),
                    )
                    for label, _ in values
                ]
                swings.append(Swing(parameter, ends))
            late = median_gain(surfaces[recovery, "delayed"], surfaces[recovery, mechanism], "completion_s")
            swings.append(Swing("end of a transfer", [("last ACK", late)]))
            swings.append(Swing("what the queue counts", [("waiting only", one_more(surfaces, recovery, mechanism))]))
            panels.append((NAMES[mechanism], base, float(PRINTED[recovery][mechanism][0]), swings))
            rows += [
                {
                    "recovery": recovery,
                    "mechanism": mechanism,
                    "parameter": s.parameter,
                    "value": label,
                    "median_percent": value,
                }
                for s in swings
                for label, value in s.values
            ]
        title = "Reno" if recovery == "reno" else "SACK"
        about = (
            f"{title}: median improvement over delayed ACKs when one inferred parameter is changed; dashed: the paper"
        )
        charts.append(Tornado(f"tornado-{recovery}", about, panels, "median improvement (%)"))
    return Drawn(
        charts,
        {"medians": pl.DataFrame(rows)},
        remark="Each row changes one parameter and runs every queue and every tenth size again. A long bar is an inference "
        "that matters; the claims it was fitted to count as calibration.",
    )


@PAPER.figure("distributions", "", "The distribution behind each median", "3", ALL, evidence="evidence")
def distributions(*grids: Grid) -> Drawn:
    surfaces = dict(zip(SURFACE, grids, strict=True))
    panels, compared = [], []
    percent = np.arange(0.5, 100, 0.5)
    for recovery, title in (("reno", "Reno"), ("sack", "SACK")):
        lines = []
        for mechanism in ALTERNATIVES:
            gains = improvement(surfaces[recovery, "delayed"], surfaces[recovery, mechanism])
            lines.append(Line(NAMES[mechanism], np.percentile(gains, percent), percent, mechanism))
            marks = ", ".join(f"{np.percentile(gains, p):.1f}" for p in (10, 25, 45, 50, 55, 75, 90))
            compared.append(
                Compared(
                    f"{title}, {NAMES[mechanism]}: percentiles 10, 25, 45, 50, 55, 75, 90",
                    f"median {PRINTED[recovery][mechanism][0]}",
                    f"{marks}; mean {gains.mean():.1f}; {100 * (gains < 0).mean():.0f} % slower",
                )
            )
        x = Axis("improvement over delayed ACKs (%)", low=-100, high=60)
        panels.append(Panel(title, x, Axis("share of transfers (%)", low=0, high=100), lines, [Mark(50, "median")]))
    return Drawn(
        [Lines("distributions", "Cumulative distribution of the improvement, 1900 transfers each", panels)],
        {},
        compared,
        "UBC with Reno has a cliff at its median: about half of its transfers are a timeout slower, the others a little faster, and "
        "any detail of Reno's recovery moves some from one half to the other. Its median is the least robust number of the paper.",
    )
