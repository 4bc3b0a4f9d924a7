"""An ACK for every k segments, as QUIC's ACK-frequency extension lets a sender ask for, with each of two slow starts."""

from __future__ import annotations

from acklab.report.charts import Axis, Line, Lines, Panel
from acklab.reproduce.grid import Grid
from acklab.reproduce.paper import Drawn

from .runs import TRANSFER, Few
from .setting import PATHS, SENDERS, SIZES, STUDY, download, scenario
from .told import sample, spread, told

EVERY_K = (2, 4, 10, 20, 50)
STARTS = {"linux": "HyStart", "hystart++": "HyStart++"}
"""Senders by their slow start; both are Linux's otherwise."""
TIMER = "25ms"
DRAWN = ("cable", "wifi", "lte", "nr")
"""Paths on which the slow starts differ; the table has all."""


def _one(path: str, sender: str, k: int, seed: int) -> str:
    ack = {"policy": "delayed", "segments": k, "timer": TIMER}
    return scenario(path, "delayed", [download("delayed", sender, ack)], seed, SIZES["20 MB"])


SPARSE = Few(
    "an ACK for every k",
    "20 MB with CUBIC, an ACK for every k segments",
    {"path": tuple(PATHS), "sender": tuple(STARTS), "k": EVERY_K},
    _one,
    TRANSFER,
)


@STUDY.figure("sparse", "", "An ACK for every k segments: 20 MB, two slow starts", "2", [SPARSE])
def sparse(grid: Grid) -> Drawn:
    panels: list[Panel] = []
    listed = [["path, slow start", "quantity", *(f"k = {k}" for k in EVERY_K)]]
    for path in grid.axes["path"]:
        lines, top = [], 0.0
        for sender, name in STARTS.items():
            cells = [{"path": path, "sender": sender, "k": k} for k in EVERY_K]
            times = [sample(grid, "time_s", **cell) for cell in cells]
            halves = [(high - low) / 2 for low, high in map(spread, times)]
            y = [time.value for time in times]
            top = max(top, *(spread(time)[1] for time in times))
            lines.append(Line(name, list(EVERY_K), y, SENDERS[sender].colour, marker="o", spread=halves))
            where = f"{PATHS[path].name}, {name}"
            listed.append([where, "20 MB (s)", *map(told, times)])
            for column, quantity in (("acks_per_mb", "ACKs per MB"), ("retransmits_percent", "retransmits (%)")):
                listed.append([where, quantity, *(told(sample(grid, column, **cell)) for cell in cells)])
        if path in DRAWN:
            x = Axis("segments an ACK", log=True, ticks=EVERY_K)
            panels.append(
                Panel(PATHS[path].short, x, Axis("20 MB (s)" if not panels else "", low=0, high=1.08 * top), lines)
            )
    chart = Lines("sparse", "Completion of 20 MB over the segments an ACK covers; means and 95 % intervals", panels)
    remark = (
        f"TCP segments stand for QUIC packets: an ACK for every k in-order segments, {TIMER} at the latest (RFC 9000's limit), an "
        "ACK at once for what is out of order, all acknowledged bytes counted (RFC 9002), no pacing."
    )
    return Drawn([chart], {"sparse": grid.frame()}, (), remark, _one("nr", "linux", 10, 1), listed=listed)
