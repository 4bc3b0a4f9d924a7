"""Completion of a download over the segments that an ACK covers, for each credit."""

from __future__ import annotations

import json
import math

from acklab.report.charts import Axis, Line, Lines, Panel
from acklab.reproduce.grid import Grid
from acklab.reproduce.paper import Drawn
from acklab.study.intervals import Sample

from ..paths2026.runs import Few
from ..paths2026.told import sample, spread, told
from .setting import ACKERS, BUFFERS, CONTROLS, CREDITS, SIZES, STUDY, TRIPS, scenario

BASE = {"acker": "2", "credit": "capped"}
"""What RFC 3465 recommends with delayed ACKs: every time is compared with it, seed by seed."""
REQUESTS = tuple(acker for acker in ACKERS if acker.isdigit())


class Reader:
    """Numbers from a run."""

    names = ("time_s", "acks_per_mb", "retransmits_percent", "timeouts")

    def __call__(self, line: bytes) -> tuple[float, ...]:
        (flow,) = json.loads(line)["flows"]
        time = flow["completion_s"] if flow["completed"] else math.nan
        sent = flow["segments_sent"]
        return time, 1e6 * flow["acks_received"] / flow["bytes"], 100 * flow["retransmits"] / sent, flow["timeouts"]


DOWNLOADS = Few(
    "downloads",
    "one download alone",
    {
        "trip": tuple(TRIPS),
        "buffer": tuple(BUFFERS),
        "acker": tuple(ACKERS),
        "credit": tuple(CREDITS),
        "control": tuple(CONTROLS),
        "size": SIZES,
    },
    scenario,
    Reader(),
)


def excess(grid: Grid, **at: str) -> Sample:
    """Percent by which a cell's downloads take longer than with delayed ACKs and ABC, seed by seed."""
    mine, base = (grid.at(**cell)["time_s"].tolist() for cell in (at, {**at, **BASE}))
    return Sample.of([100 * (a / b - 1) for a, b in zip(mine, base, strict=True)])


@STUDY.figure("downloads", "", "Completion against delayed ACKs with ABC", "1", [DOWNLOADS])
def downloads(grid: Grid) -> Drawn:
    ackers = list(grid.axes["acker"])
    charts: list[Lines] = []
    listed = [["", "credit", *(ACKERS[acker][0] for acker in ackers)]]
    ticks = [ACKERS[acker][1] for acker in ackers]
    words = [{"phase": "phase", "quarter": "¼", "thin": "thin"}.get(acker, acker) for acker in ackers]
    for size in grid.axes["size"]:
        for buffer in grid.axes["buffer"]:
            panels: list[Panel] = []
            for trip in grid.axes["trip"]:
                lines = []
                for credit, (name, colour, _) in CREDITS.items():
                    cells = [
                        {"trip": trip, "buffer": buffer, "acker": acker, "credit": credit, "size": size}
                        for acker in ackers
                    ]
                    found = [excess(grid, control="hystart", **cell) for cell in cells]
                    halves = [(high - low) / 2 for low, high in map(spread, found)]
                    drawn, cut = [one.value for one in found], len(REQUESTS)
                    lines.append(Line(name, ticks[:cut], drawn[:cut], colour, marker="o", spread=halves[:cut]))
                    lines.append(Line("", ticks[cut:], drawn[cut:], colour, "", marker="o", spread=halves[cut:]))
                    for control in grid.axes["control"]:
                        where = f"{size}, {trip}, {BUFFERS[buffer]}, {CONTROLS[control][0]}"
                        shown = [told(excess(grid, control=control, **cell)) for cell in cells]
                        again = [told(sample(grid, "retransmits_percent", control=control, **cell)) for cell in cells]
                        listed.append([where, f"{name}: more time (%)", *shown])
                        listed.append(["", f"{name}: retransmitted (%)", *again])
                y = Axis("" if panels else "more time (%)")
                x = Axis("segments an ACK covers", log=True, ticks=ticks, words=words)
                panels.append(Panel(f"round trip {trip}", x, y, lines))
            about = f"CUBIC with HyStart++, {size}, buffer {BUFFERS[buffer]}: completion against delayed ACKs with ABC (L = 2); means and 95 % intervals"
            charts.append(Lines(f"downloads-{size}-{buffer}", about, panels))
    text = scenario("100ms", "bdp", "16", "capped", "cubic", "1MB", 1)
    return Drawn(charts, {"downloads": grid.frame()}, (), "", text, listed=listed)
