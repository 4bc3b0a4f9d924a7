"""Figures 6 to 8, and what a reviewer asks of them: times of a download among other flows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from ...report.charts import Axis, Line, Lines, Mark, Panel
from ...reproduce.grid import Grid
from ...reproduce.paper import Compared, Drawn
from ...study.intervals import Sample, jackknife, split
from .runs import EVERYONE, FIGURE_6, ratio, times
from .section4 import (
    BUFFER_SHARES,
    BY_BUFFER,
    FIGURE_7,
    FIGURE_8,
    LIMITS,
    SLOWER,
    _improvement,
)
from .setting import NAMES, PAPER, POLICIES, Client, download

COLOURS = {
    "every": "every",
    "delayed": "delayed",
    "divss1": "pink",
    "divca1": "purple",
    "divss2": "red",
    "divca2": "green",
}
DASHES = {"divss2": "--", "divca2": "--"}
FLOWS_AXIS = Axis("background flows, J", log=True, ticks=(1, 2, 4, 8, 16, 32, 64, 128))


def curves(
    grid: Grid, policies: Sequence[str], reference: Grid | None = None, **cell: Any
) -> tuple[list[Line], list[Line], pl.DataFrame]:
    """Times, and times over 1-apdp's, by J, with intervals corrected for the number of points."""
    flows = grid.axes["flows"]
    level = split(len(flows) * len(policies))
    absolute, relative, rows = [], [], []
    for policy in policies:
        samples = [times(grid, policy=policy, flows=j, **cell) for j in flows]
        shares = [ratio(grid, reference, policy=policy, reference="every", flows=j, **cell) for j in flows]
        widths = [[s.interval(level).half_width for s in group] for group in (samples, shares)]
        style = (COLOURS[policy], DASHES.get(policy, "-"), "o")
        absolute.append(Line(NAMES[policy], flows, [s.value for s in samples], *style, spread=widths[0]))
        relative.append(Line(NAMES[policy], flows, [s.value for s in shares], *style, spread=widths[1]))
        rows += [
            {
                **cell,
                "policy": policy,
                "background_flows": j,
                "time_s": s.value,
                "half_width_s": w,
                "over_apdp": r.value,
                "over_apdp_half_width": v,
                "seeds": len(s.values),
            }
            for j, s, r, w, v in zip(flows, samples, shares, *widths, strict=True)
        ]
    return absolute, relative, pl.DataFrame(rows)


TIME = Axis("transfer time (s)", log=True)
OVER = Axis("time over that of 1-apdp", log=True, ticks=(0.5, 1, 2, 4))
ONE = [Mark(1.0)]


@PAPER.figure("figure-6", "Figure 6", "Transfer time of 1.5 MB, sender counts ACKs", "IV", [FIGURE_6])
def figure_6(grid: Grid) -> Drawn:
    absolute, relative, frame = curves(grid, EVERYONE)
    panels = [
        Panel("10 Mb/s, 16 pieces", FLOWS_AXIS, TIME, absolute),
        Panel("relative", FLOWS_AXIS, OVER, relative, ONE),
    ]
    return Drawn(
        [Lines("figure-6", "Mean of a download among J flows, with intervals over seeds (95 % together)", panels, 3.6)],
        {"times": frame},
        [
            Compared(f"J = {j}: policies faster than 1-apdp", "at least 3 of 4" if j <= 32 else "in the region of the references", ", ".join(
                p for p in POLICIES if ratio(grid, policy=p, reference="every", flows=j).value < 1) or "none")
            for j in grid.axes["flows"]
        ],
        scenario=download(Client("divss1"), 2, 1),
    )  # fmt: skip


@PAPER.figure("figure-7", "Figure 7", "More pieces", "IV", [FIGURE_7, FIGURE_6])
def figure_7(pieces: Grid, base: Grid) -> Drawn:
    counts = pieces.axes["pieces"]
    level = split(len(counts) * len(pieces.axes["flows"]))
    shades = ("blue", "sky", "green", "gold", "orange", "red", "purple", "slate")
    lines, rows = [], []
    for j, colour in zip(pieces.axes["flows"], shades, strict=False):
        samples = [_improvement(pieces, base, m, j) for m in counts]
        spread = [s.interval(level).half_width for s in samples]
        lines.append(Line(f"J = {j}", counts, [s.value for s in samples], colour, marker="o", spread=spread))
        rows += [
            {
                "background_flows": j,
                "pieces": m,
                "improvement_percent": s.value,
                "half_width": w,
                "seeds": len(s.values),
            }
            for m, s, w in zip(counts, samples, spread, strict=True)
        ]
    x = Axis("pieces of an ACK, m", log=True, ticks=(2, 4, 8, 16, 32, 64))
    y = Axis("less time than 1-apdp (%)", low=-150, high=80)
    panel = Panel("", x, y, lines, [Mark(0, "1-apdp")])
    return Drawn(
        [Lines("figure-7", "divss1, 1.5 MB: improvement by the number of pieces; below -150 % cut", [panel], 3.6)],
        {"improvement": pl.DataFrame(rows)},
    )


@PAPER.figure("figure-8", "Figure 8", "Transfer time of 1.5 MB, sender counts bytes", "IV", [FIGURE_8, FIGURE_6])
def figure_8(grid: Grid, base: Grid) -> Drawn:
    panels, frames = [], []
    for limit in reversed(LIMITS):
        absolute, relative, frame = curves(grid, EVERYONE, limit=limit)
        if limit == max(LIMITS):
            panels.append(Panel(f"ABC, L = {limit:g}", FLOWS_AXIS, TIME, absolute))
        panels.append(Panel(f"relative, L = {limit:g}", FLOWS_AXIS, OVER, relative, ONE))
        frames.append(frame)
    flows = base.axes["flows"]
    counted = ratio(base, policy="divca1", reference="every", flows=flows).value
    with_abc = ratio(grid, policy="divca1", reference="every", flows=flows, limit=2.0).value
    return Drawn(
        [Lines("figure-8", "The same with appropriate byte counting", panels, 3.4)],
        {"times": pl.concat(frames)},
        [
            Compared(
                "divca1 over 1-apdp, averaged over J",
                "near 1 with ABC",
                f"{with_abc:.3f} with ABC, {counted:.3f} without",
            )
        ],
    )


@PAPER.figure("buffers", "", "Buffers, and the slower bottleneck", "V", [BY_BUFFER, SLOWER], evidence="evidence")
def buffers(grid: Grid, slower: Grid) -> Drawn:
    shares = grid.axes["buffer"]
    table = grid.at(flows=4)["time_s"]
    policies = grid.axes["policy"]
    lines, rows = [], []

    def gains(share: int, policy: str) -> Sample:
        own, base = table[share, policies.index(policy)], table[share, policies.index("every")]
        return jackknife(len(own), lambda seeds: 100 * float(1 - own[seeds].mean() / base[seeds].mean()))

    for policy in ("divss1", "divca1"):
        samples = [gains(i, policy) for i in range(len(shares))]
        spread = [s.interval(split(2 * len(BUFFER_SHARES))).half_width for s in samples]
        lines.append(Line(policy, shares, [s.value for s in samples], COLOURS[policy], marker="o", spread=spread))
        rows += [
            {"policy": policy, "buffer_bdp": b, "gain_percent": s.value, "half_width": w}
            for b, s, w in zip(shares, samples, spread, strict=True)
        ]
    x = Axis("buffer (bandwidth-delay products)", log=True, ticks=shares)
    panels = [Panel("10 Mb/s, J = 4", x, Axis("less time than 1-apdp (%)"), lines, [Mark(0, "1-apdp")])]
    _, relative, frame = curves(slower, EVERYONE)
    panels.append(Panel("1.5 Mb/s, 13 packets", FLOWS_AXIS, OVER, relative, ONE))
    return Drawn([Lines("buffers", "What large buffers and a slower bottleneck make of it", panels, 3.2)],
                 {"buffers": pl.DataFrame(rows), "slower": frame})  # fmt: skip
