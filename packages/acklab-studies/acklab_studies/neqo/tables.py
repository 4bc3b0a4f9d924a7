"""The two tables: bandwidth by the ACKs a round trip, with a deep buffer and with a tenth of it."""

from __future__ import annotations

from acklab.report.charts import Axis, Line, Lines, Panel
from acklab.reproduce.experiments import Sweep
from acklab.reproduce.grid import Grid, OneFlow
from acklab.reproduce.measure import Measurement
from acklab.reproduce.paper import Compared, Drawn

from .setting import ACKS, DEEP, FIRST_SSTHRESH, PACKET, PAPER, PRINTED, SHALLOW, TRANSFER, transfer

READ = OneFlow(["completion_s", "acks_sent", "retransmits", "window_cuts", "ssthresh_segments"])
QUICK = {"acks": (1, 4, 24)}
NAMES = {DEEP: "deep buffer (5 MB)", SHALLOW: "shallow buffer (0.5 MB)"}
TABLES = {
    buffer: Sweep(
        f"neqo, {name}",
        "1 GiB over 1 Gb/s by the ACKs a round trip",
        {"acks": ACKS},
        lambda acks, buffer=buffer: transfer(acks, buffer),
        READ,
        QUICK,
    )
    for buffer, name in NAMES.items()
}
AS_NEQO = Sweep(
    "neqo, its own end of slow start",
    "the shallow buffer, begun where neqo's first reductions leave it, and an ACK worth two segments at most",
    {"acks": ACKS},
    lambda acks: transfer(acks, SHALLOW, FIRST_SSTHRESH),
    READ,
    QUICK,
)


def megabits(grid: Grid) -> dict[int, float]:
    """The mean rate by ACKs a round trip, Mb/s."""
    return {acks: 8e-6 * TRANSFER / float(grid.at(acks=acks)["completion_s"]) for acks in grid.axes["acks"]}


def _cells(grid: Grid) -> dict[str, float]:
    return {f"{acks} a round trip": rate for acks, rate in megabits(grid).items()}


def _spread(grid: Grid) -> float:
    """How far the largest is above the least, percent."""
    rates = megabits(grid).values()
    return 100 * (max(rates) / min(rates) - 1)


def _why(shallow: Grid, as_neqo: Grid) -> str:
    here, there = megabits(shallow).values(), megabits(as_neqo).values()
    left = [1e-6 * PACKET * float(shallow.at(acks=a)["ssthresh_segments"]) for a in shallow.axes["acks"]]
    return (
        f"the end of slow start decides. Here the last reduction leaves {min(left):.1f} to {max(left):.1f} MB; neqo logs three "
        f"reductions in a row, to {FIRST_SSTHRESH / 1e6:.1f} MB. Begun there, with neqo's limit of two segments an ACK, the transfers have "
        f"{min(there):.0f} to {max(there):.0f} Mb/s instead of {min(here):.0f} to {max(here):.0f}, the most "
        f"{100 * (max(there) / min(there) - 1):.0f} % above the least; the rest of the difference is not explained"
    )


@PAPER.claim("deep.range", TABLES[DEEP])
def deep_buffer(grid: Grid) -> Measurement:
    return Measurement({"rate": _cells(grid)})


@PAPER.claim("deep.flat", TABLES[DEEP])
def deep_buffer_hardly_depends(grid: Grid) -> Measurement:
    return Measurement({"spread": _spread(grid)})


@PAPER.claim("shallow.range", TABLES[SHALLOW], beside=[AS_NEQO])
def shallow_buffer(grid: Grid, as_neqo: Grid) -> Measurement:
    return Measurement({"rate": _cells(grid)}, _why(grid, as_neqo))


@PAPER.claim("shallow.flat", TABLES[SHALLOW], beside=[AS_NEQO])
def shallow_buffer_hardly_depends(grid: Grid, as_neqo: Grid) -> Measurement:
    return Measurement({"spread": _spread(grid)}, _why(grid, as_neqo))


@PAPER.claim("shallow.less", TABLES[DEEP], TABLES[SHALLOW])
def a_tenth_of_the_buffer_costs(deep: Grid, shallow: Grid) -> Measurement:
    many, few = megabits(deep), megabits(shallow)
    return Measurement({"rate": {f"{a} a round trip": {"deep": many[a], "shallow": few[a]} for a in many}})


@PAPER.figure(
    "tables", "The tables", "Bandwidth by ACKs a round trip", "tables", [TABLES[DEEP], TABLES[SHALLOW], AS_NEQO]
)
def tables(deep: Grid, shallow: Grid, as_neqo: Grid) -> Drawn:
    grids = {DEEP: deep, SHALLOW: shallow}
    lines = []
    for (buffer, grid), colour in zip(grids.items(), ("blue", "orange"), strict=True):
        rates = megabits(grid)
        lines.append(Line(NAMES[buffer], list(rates), list(rates.values()), colour, marker="o"))
        lines.append(Line(f"neqo, {NAMES[buffer]}", ACKS, PRINTED[buffer], colour, dash=":", marker="s"))
    rates = megabits(as_neqo)
    lines.append(
        Line("shallow, begun at neqo's 1.4 MB", list(rates), list(rates.values()), "sky", dash="--", marker="^")
    )
    panel = Panel(
        "",
        Axis("ACKs a round trip", log=True, ticks=ACKS, words=[str(a) for a in ACKS]),
        Axis("rate (Mb/s)", low=0),
        lines,
    )
    compared = [
        Compared(f"{NAMES[buffer]}, {acks} a round trip", f"{PRINTED[buffer][ACKS.index(acks)]:.0f}", f"{rate:.0f}")
        for buffer, grid in grids.items()
        for acks, rate in megabits(grid).items()
    ]
    return Drawn(
        [Lines("tables", "1 GiB over 1 Gb/s, a round trip of 40 ms; neqo's values dotted", [panel])],
        {"deep": deep.frame(), "shallow": shallow.frame(), "as_neqo": as_neqo.frame()},
        compared,
        "One run a cell, as in the tables: nothing is random here. neqo's own neighbouring rows differ by up to 7 % without an order.",
        transfer(4, DEEP),
    )
