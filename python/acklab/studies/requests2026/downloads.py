"""Completion of a download over the segments that an ACK covers, for each credit."""

from __future__ import annotations

import json
import math

from ...figures.charts import Axis, Line, Lines, Panel
from ...figures.stats import Sample
from ...reproduce.grid import Grid
from ...reproduce.paper import Drawn
from ..paths2026.runs import Few
from ..paths2026.told import Point, said, sample, spread, told
from .registry import STUDY
from .setting import ACKERS, BUFFERS, CONTROLS, CREDITS, HARMLESS, SIZES, TRIPS, scenario

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
    found = said(points(grid)) if set(ackers) == set(ACKERS) else ""
    text = scenario("100ms", "bdp", "16", "capped", "cubic", "1MB", 1)
    return Drawn(charts, {"downloads": grid.frame()}, (), found, text, listed=listed)


def harmless(grid: Grid, credit: str, buffer: str) -> int:
    """The largest number of segments that a sender may request so that no download is shown or likely to take more than 5 % longer."""
    most = 0
    for acker in REQUESTS:
        cells = [
            {"acker": acker, "credit": credit, "buffer": buffer, "trip": trip, "control": control, "size": size}
            for trip in grid.axes["trip"]
            for control in grid.axes["control"]
            for size in grid.axes["size"]
        ]
        if any(spread(excess(grid, **cell))[1] > HARMLESS for cell in cells):
            break
        most = int(acker)
    return most


def points(grid: Grid) -> list[Point]:
    """What the numbers say."""

    def late(
        acker: str, credit: str, trip: str = "100ms", buffer: str = "bdp", control: str = "cubic", size: str = "1MB"
    ) -> str:
        return told(excess(grid, acker=acker, credit=credit, trip=trip, buffer=buffer, control=control, size=size))

    def again(acker: str, credit: str, size: str = "1MB") -> str:
        at = {"acker": acker, "credit": credit, "trip": "100ms", "buffer": "shallow", "control": "cubic", "size": size}
        return told(sample(grid, "retransmits_percent", **at))

    most = {(credit, buffer): harmless(grid, credit, buffer) for credit in CREDITS for buffer in BUFFERS}
    return [
        (
            "How many may be requested",
            "No download takes more than 5 % longer than with delayed ACKs and ABC (upper end of each interval) up to so many segments an "
            "ACK, where 0 says that not even delayed ACKs pass. "
            + " ".join(
                f"{BUFFERS[buffer]}: {', '.join(f'{most[credit, buffer]} with {CREDITS[credit][0]}' for credit in CREDITS)}."
                for buffer in BUFFERS
            ),
        ),
        (
            "The cap of two",
            f"With 16 segments an ACK, 100 ms and a buffer of a BDP, 1 MB takes {late('16', 'capped')} % longer with L = 2, "
            f"{late('16', 'none')} % longer where an ACK is a segment, and {late('16', 'all')} % with all bytes.",
        ),
        (
            "The counter-example",
            f"With a buffer of 30 packets, all bytes of an ACK for 32 segments leave as one burst: {again('32', 'all')} % of the segments are "
            f"retransmitted, {again('32', 'capped')} % with L = 2 and {again('32', 'paced')} % with pacing. 1 MB then takes "
            f"{late('32', 'all', buffer='shallow')}, {late('32', 'capped', buffer='shallow')} and {late('32', 'paced', buffer='shallow')} % "
            "longer.",
        ),
        (
            "By phase",
            f"A request for two in slow start, and for 16 afterwards, costs {late('phase', 'capped')} % for 1 MB and "
            f"{late('phase', 'capped', size='10MB')} % for 10 MB with L = 2.",
        ),
        (
            "Thinned by the path",
            f"One ACK of 8 of a receiver with delayed ACKs costs {late('thin', 'capped')} % with L = 2 and {late('thin', 'all')} % with all bytes.",
        ),
    ]
