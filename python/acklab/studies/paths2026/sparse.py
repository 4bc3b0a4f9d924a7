"""An ACK for every k segments, as QUIC's ACK-frequency extension lets a sender ask for, with each of two slow starts."""

from __future__ import annotations

from ...figures.charts import Axis, Line, Lines, Panel
from ...figures.stats import Sample
from ...reproduce.grid import Grid
from ...reproduce.paper import Drawn
from .registry import STUDY
from .runs import TRANSFER, Few
from .setting import PATHS, SENDERS, SIZES, download, scenario
from .told import Point, said, sample, spread, told

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
    found = f"{said(points(grid))} " if set(grid.axes["path"]) == set(PATHS) else ""
    remark = (
        f"{found}TCP segments stand for QUIC packets: an ACK for every k in-order segments, {TIMER} at the latest (RFC 9000's limit), an "
        "ACK at once for what is out of order, all acknowledged bytes counted (RFC 9002), no pacing."
    )
    return Drawn([chart], {"sparse": grid.frame()}, (), remark, _one("nr", "linux", 10, 1), listed=listed)


def points(grid: Grid) -> list[Point]:
    """What the lines say, in the guide's order."""

    def one(path: str, k: int, column: str = "time_s", sender: str = "linux") -> Sample:
        return sample(grid, column, path=path, sender=sender, k=k)

    def more(k: int) -> list[float]:
        """Percent of time that k segments an ACK cost against two."""
        return [100 * (one(path, k).value / one(path, 2).value - 1) for path in ("fibre", "cable", "leo", "geo")]

    acks = [f"{one('fibre', k, 'acks_per_mb').value:.0f}" for k in (10, 2)]
    return [
        (
            "Ten segments cost almost nothing",
            f"On fibre, cable and both satellites Linux's sender takes at most {max(more(10)):.1f} % longer for 20 MB with an ACK for ten segments "
            f"instead of two ({one('fibre', 2).count} seeds). The receiver sends {acks[0]} ACKs per megabyte instead of {acks[1]}.",
        ),
        (
            "Fifty cost more",
            f"They take {min(more(50)):.0f} to {max(more(50)):.0f} % longer there. Windows below fifty segments wait for the timer of "
            f"{TIMER.removesuffix('ms')} ms.",
        ),
        (
            "With grants fewer ACKs help HyStart",
            f"On LTE 20 MB take {told(one('lte', 2))} s with an ACK for two segments and {told(one('lte', 10))} for ten. On 5G NR an ACK for four "
            f"takes longest, {told(one('nr', 4))} s; one for ten takes {told(one('nr', 10))}. With HyStart++ LTE takes "
            f"{told(one('lte', 2, sender='hystart++'))} and {told(one('lte', 10, sender='hystart++'))} s, and 5G NR "
            f"{told(one('nr', 4, sender='hystart++'))} and {told(one('nr', 10, sender='hystart++'))}.",
        ),
    ]
