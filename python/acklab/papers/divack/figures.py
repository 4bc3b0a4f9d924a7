"""The paper's figures, and what a reviewer asks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from ...reproduce.charts import Axis, Bar, Bars, Chart, Line, Lines, Mark, Panel
from ...reproduce.grid import Grid
from ...reproduce.paper import Compared, Drawn
from ...reproduce.stats import Sample, jackknife, split
from .registry import PAPER
from .runs import EVERYONE, FIGURE_6, low, ratio, times
from .section1 import APART, BYTES, HALVES, SHOWN, SLOW, Exchange, Shown, exchange, first_round, medians
from .section3 import BURST, BURSTS, DIVIDED, MEDIA, PIECES, Bursts, rates, ratios, station
from .section4 import (
    BUFFER_SHARES,
    BY_BUFFER,
    BY_FLAVOUR,
    FIGURE_7,
    FIGURE_8,
    LIMITS,
    REPAIRED,
    SLOWER,
    _improvement,
)
from .setting import NAMES, PAYLOAD, POLICIES, Client, download

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


def ladder(found: Exchange, title: str, until_ms: float) -> Panel:
    """Packets between sender (left) and receiver (right); time runs downward."""
    lines: list[Line] = []

    def arrow(
        name: str, colour: str, dash: str, width: float, ends: tuple[float, float], left: float, came: Any
    ) -> None:
        if 1000 * left < until_ms and came is not None:
            lines.append(Line(name, ends, [1000 * left, 1000 * came], colour, dash, width=width))

    for left, length, came in found.sent.select("time_s", "len", "arrived_s").iter_rows():
        if length == PAYLOAD:
            arrow("full segment", "blue", "-", 1.8, (0, 1), left, came)
        else:
            arrow("smaller segment", "orange", "-", 1.2, (0, 1), left, came)
    for left, came in found.acks.select("time_s", "arrived_s").iter_rows():
        arrow("ACK", "green", "--", 1.0, (1, 0), left, came)
    x = Axis("", low=-0.02, high=1.02, ticks=(0, 1), words=("sender", "receiver"))
    return Panel(title, x, Axis("time (ms)", low=until_ms, high=-5), lines)


@PAPER.figure("figure-1", "Figure 1", "One segment, three ACKs", "I", [SHOWN])
def figure_1(shown: Shown) -> Drawn:
    found = shown["fig1"]
    table = found.acks.select("time_s", "ack")
    start = int(found.sent["seq"][1])
    numbers = [int(a) for a in table["ack"].to_list() if int(a) > start][:3]
    return Drawn(
        [
            Lines(
                "figure-1",
                "A recorded transfer: each segment is acknowledged by byte, byte, rest",
                [ladder(found, "three ACKs a segment, 6 ms apart; 1 Mb/s, 50 ms", 215)],
                3.6,
            )
        ],
        {"acks": table},
        [
            Compared(
                f"ACKs of bytes {start} to {start + PAYLOAD - 1}",
                "X + 1, X + 2, X + Y + 1",
                ", ".join(map(str, numbers)),
            )
        ],
        scenario=exchange(BYTES, 0.4, rate=SLOW),
    )


@PAPER.figure("figure-3", "Figure 3", "Division over a shared medium", "III", [BURSTS])
def figure_3(bursts: Bursts) -> Drawn:
    panels = []
    for kbps in (250, 2000):
        lines, marks = [], []
        for name, words, colour in (("whole", "1-apdp", "every"), ("divided", f"{PIECES} divacks a segment", "pink")):
            found = bursts["802.11b", kbps, name, 1]
            shown = found.times >= 5
            lines.append(Line(words, found.times[shown], found.windows[shown], colour, step=True))
            if name == "divided":
                marks = [Mark(found.begin_s, "", vertical=True), Mark(found.end_s, f"{BURST} segments", vertical=True)]
        panels.append(
            Panel(f"W_bw = {kbps} kb/s", Axis("time (s)", low=5, high=20), Axis("cwnd (segments)", low=0), lines, marks)
        )
    swept = rates(bursts)
    level = split(len(swept) * len(MEDIA))
    colours = dict(zip(MEDIA, ("pink", "purple", "green", "slate"), strict=True))
    lines, rows = [], []
    for medium in MEDIA:
        samples = [ratios(bursts, medium, r) for r in swept]
        spread = [s.interval(level).half_width for s in samples]
        dash = "--" if medium == "Ethernet" else "-"
        lines.append(Line(medium, swept, [s.value for s in samples], colours[medium], dash, marker="o", spread=spread))
        rows += [
            {"medium": medium, "wire_kbps": r, "cwnd_ratio": s.value, "half_width": w, "seeds": len(s.values)}
            for r, s, w in zip(swept, samples, spread, strict=True)
        ]
    x = Axis("rate of the wire (kb/s)", log=True, ticks=swept)
    after = Panel(
        "cwnd after the interval over that with 1-apdp",
        x,
        Axis("ratio", low=0),
        lines,
        [Mark(1.15, "1.15"), Mark(1.3, "1.3")],
    )
    return Drawn(
        [
            Lines("figure-3", "cwnd around the interval (between the marks), 802.11b, seed 1", panels),
            Lines("figure-3-sweep", "What division gains, by wire and medium; 95 % intervals over seeds", [after]),
        ],
        {"ratio": pl.DataFrame(rows)},
        [
            Compared(f"{kbps} kb/s: cwnd over 1-apdp's", wanted, f"{ratios(bursts, '802.11b', kbps).value:.2f}")
            for kbps, wanted in ((250, "noticeably rises"), (2000, "unnoticeable"))
        ],
        "802.11n sends up to 64 KiB at once and acknowledges it in a block: the pieces of many ACKs share one access to the medium, and "
        "the medium no longer protects the sender. Ethernet has no contention at all.",
        scenario=station(DIVIDED, 250, "802.11b", 1),
    )


@PAPER.figure("figure-4", "Figure 4", "Small segments without Nagle's rule", "III", [SHOWN])
def figure_4(shown: Shown) -> Drawn:
    panels = [ladder(shown["fig4"], "Nagle off, two ACKs a segment", 190), ladder(shown["fig4 held"], "Nagle on", 190)]
    sizes = Axis("bytes in a segment", log=True)
    histogram, rows = [], []
    shades = ("blue", "sky", "green", "orange", "red", "purple")
    for number, colour in zip((1, 3, 5, 7, 9, 11), shades, strict=True):
        values = shown["tiny"].rounds[number]
        found, count = np.unique(values, return_counts=True)
        share = 100 * np.cumsum(count) / count.sum()
        histogram.append(Line(f"round trip {number}", found, share, colour, step=True))
    for key, name in (("tiny", "off"), ("tiny held", "on")):
        for number, values in enumerate(shown[key].rounds[:12]):
            found, count = np.unique(values, return_counts=True)
            rows += [
                {"nagle": name, "round_trip": number, "segment_bytes": int(b), "segments": int(n)}
                for b, n in zip(found, count, strict=True)
            ]
    by_round = []
    for key, words, colour in (
        ("tiny", "Nagle off, 64 kB window", "pink"),
        ("tiny open", "Nagle off, slow start goes on", "orange"),
        ("tiny held", "Nagle on", "every"),
    ):
        median = [PAYLOAD * m for m in medians(shown[key])[:12]]
        by_round.append(Line(words, range(len(median)), median, colour, marker="o"))
    four = first_round(shown["fig4"])
    return Drawn(
        [
            Lines("figure-4", "The first round trips, recorded", panels, 4.4),
            Lines(
                "figure-4-sizes",
                "Bytes a segment carries, by round trip; 64 kB advertised",
                [
                    Panel(
                        "distribution, Nagle off",
                        sizes,
                        Axis("segments of at most that (%)", low=0, high=100),
                        histogram,
                    ),
                ],
            ),
            Lines(
                "figure-4-median",
                "The median segment",
                [Panel("median", Axis("round trip"), Axis("bytes", log=True), by_round)],
            ),
        ],
        {"sizes": pl.DataFrame(rows)},
        [
            Compared(
                "segments that the first segment's ACKs release",
                "4: 2 full, 2 half",
                f"{len(four)}: {', '.join(map(str, four))} B",
            ),
            Compared("the same with Nagle's rule", "", f"{len(first_round(shown['fig4 held']))}, all full"),
        ],
        scenario=exchange(replace(HALVES, ack=APART), 0.3, rate=SLOW),
    )


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


def by_pieces(
    pieces: Grid, recovery: str, improvement: Callable[[int, int], Sample]
) -> tuple[Panel, list[dict[str, Any]]]:
    """Improvement over 1-apdp by the number of pieces, a line for each J."""
    counts = [m for m in pieces.axes["pieces"] if m > 1]
    level = split(len(counts) * len(pieces.axes["flows"]))
    shades = ("blue", "sky", "green", "gold", "orange", "red", "purple", "slate")
    lines, rows = [], []
    for j, colour in zip(pieces.axes["flows"], shades, strict=False):
        samples = [improvement(m, j) for m in counts]
        spread = [s.interval(level).half_width for s in samples]
        lines.append(Line(f"J = {j}", counts, [s.value for s in samples], colour, marker="o", spread=spread))
        rows += [
            {
                "recovery": recovery,
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
    return Panel(recovery, x, y, lines, [Mark(0, "1-apdp")]), rows


@PAPER.figure("figure-7", "Figure 7", "More pieces", "IV", [FIGURE_7, FIGURE_6, REPAIRED])
def figure_7(pieces: Grid, base: Grid, repaired: Grid) -> Drawn:
    def sack(m: int, j: int) -> Sample:
        own, every = (repaired.at(pieces=p, flows=j)["time_s"] for p in (m, 1))
        return jackknife(len(own), lambda seeds: 100 * float(1 - own[seeds].mean() / every[seeds].mean()))

    panel, rows = by_pieces(pieces, "NewReno", lambda m, j: _improvement(pieces, base, m, j))
    other, more = by_pieces(repaired, "RFC 6675", sack)
    return Drawn(
        [
            Lines(
                "figure-7", "divss1, 1.5 MB: improvement by the number of pieces; below -150 % cut", [panel, other], 3.6
            )
        ],
        {"improvement": pl.DataFrame(rows + more)},
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


@PAPER.figure(
    "flavours",
    "",
    "What the paper leaves open: recovery and window",
    "IV",
    [BY_FLAVOUR],
    evidence="evidence",
    slow=True,
)
def flavours(grid: Grid) -> Drawn:
    charts: list[Chart] = []
    frames = []
    names = grid.axes["flavour"]
    for pair in (names[:3], names[3:]):
        panels = []
        for name in pair:
            _, relative, frame = curves(grid, EVERYONE, flavour=name)
            panels.append(Panel(name, FLOWS_AXIS, OVER, relative, ONE))
            frames.append(frame)
        charts.append(Lines(f"flavours-{len(charts)}", "Time over that of 1-apdp", panels, 3.0))
    won = [
        Compared(
            name,
            "3 of 4 policies at each J up to 32",
            ", ".join(
                f"{sum(ratio(grid, policy=p, reference='every', flows=j, flavour=name).value < 1 for p in POLICIES)} at J = {j}"
                for j in low(grid)
            ),
        )
        for name in names
    ]
    return Drawn(charts, {"times": pl.concat(frames)}, won, "Policies faster than 1-apdp by mean.")


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


@PAPER.figure("acks", "", "What division costs the way back", "IV", [FIGURE_6, FIGURE_8], evidence="evidence")
def acks(grid: Grid, counted: Grid) -> Drawn:
    j = low(grid)[-1]
    groups = []
    for name, of, cell in (("ACKs counted", grid, {}), ("ABC, L = 2", counted, {"limit": 2.0})):
        values = [float(of.at(policy=p, flows=j, **cell)["acks"].mean()) / 1028 for p in EVERYONE]
        groups.append(Bar(name, values))
    chart = Bars(
        "acks",
        f"ACKs for each segment of the file, J = {j}",
        [NAMES[p] for p in EVERYONE],
        [COLOURS[p] for p in EVERYONE],
        groups,
        Axis("ACKs for each segment"),
    )
    return Drawn([chart])
