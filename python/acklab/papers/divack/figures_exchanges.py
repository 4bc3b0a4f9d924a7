"""Figures 1, 3 and 4: single exchanges, and division over a shared medium."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from ...report.charts import Axis, Line, Lines, Mark, Panel
from ...reproduce.paper import Compared, Drawn
from ...study.intervals import split
from .registry import PAPER
from .section1 import APART, BYTES, HALVES, SHOWN, SLOW, Exchange, Shown, exchange, first_round, medians
from .section3 import BURST, BURSTS, DIVIDED, MEDIA, PIECES, Bursts, rates, ratios, station
from .setting import PAYLOAD


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
