"""What a reviewer asks: what each inferred value changes, and filters of today."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from ...report.charts import Axis, Line, Lines, Panel, Swing, Tornado
from ...reproduce.experiments import Sweep
from ...reproduce.grid import Grid
from ...reproduce.paper import Compared, Drawn
from .section4 import READ
from .setting import COLOURS, HIGH, LARGE_BUFFER, NAMES, PAPER, RECEIVER, SMALL, SMALL_BUFFER, Many, static

COMPARED = ("none", "classic", "fifo", "rr")
SAMPLE: Mapping[str, Sequence[Any]] = {"algorithm": COMPARED, "sources": (2, 6, 12, 20), "seed": (1, 2, 3)}
DURATION_S = 200

VARIED: Mapping[str, list[tuple[str, dict[str, Any]]]] = {
    "forward buffer": [("50", {"forward_packets": 50}), ("250", {"forward_packets": 250})],
    "window": [("20", {"window": 20}), ("250", {"window": 250}), ("none", {"window": HIGH})],
    "first ssthresh": [("10", {"ssthresh": 10.0}), ("32", {"ssthresh": 32.0})],
    "least RTO": [("0.2 s", {"min_rto": "200ms"})],
    "share of fair share": [("100 %", {"share": 1.0})],
    "window of the rate": [("100 ms", {"rate_window": "100ms"}), ("1 s", {"rate_window": "1s"})],
    "pause": [("0.1 s", {"wait": "100ms"}), ("10 s", {"wait": "10s"})],
    "round trip": [("0.1 s", {"rtt_s": 0.1}), ("0.4 s", {"rtt_s": 0.4})],
    "segments an ACK covers": [("2", {"d": 2})],
    "access links": [("10 Mb/s", {"access_rate": "10Mbps"})],
}
"""Every choice that section 4 leaves open, with other values."""


def sweep(setting: Many, name: str) -> Sweep:
    """A part of Figure 11 or 12 in another setting."""

    def scenario(algorithm: str, sources: int, seed: int) -> str:
        return setting.scenario(algorithm, sources, seed, DURATION_S)

    return Sweep(name, f"part of Figures 11 and 12: {name}", SAMPLE, scenario, READ)


BUFFERS = {"large": LARGE_BUFFER, "small": SMALL_BUFFER}
BASE = {buffer: sweep(setting, f"{buffer} buffer") for buffer, setting in BUFFERS.items()}
VARIATIONS = {
    (buffer, parameter, label): sweep(replace(setting, **change), f"{buffer} buffer, {parameter} {label}")
    for buffer, setting in BUFFERS.items()
    for parameter, values in VARIED.items()
    for label, change in values
}
HEADLINES = (("none", "over no filter"), ("classic", "over classic"), ("fifo", "over FIFO"))


def advantage(grid: Grid, other: str, quantity: str = "throughput") -> float:
    """By how many percent round robin exceeds another algorithm, averaged over sources and seeds."""
    mean = {a: float(np.nanmean(grid.at(algorithm=a)[quantity])) for a in ("rr", other)}
    return 100 * (mean["rr"] / mean[other] - 1)


@PAPER.figure(
    "unsaid",
    "",
    "What Figures 11 and 12 leave unsaid",
    "4",
    [*BASE.values(), *VARIATIONS.values()],
    evidence="evidence",
    slow=True,
)
def unsaid(*grids: Grid) -> Drawn:
    base = dict(zip(BASE, grids, strict=False))
    changed = dict(zip(VARIATIONS, grids[len(BASE) :], strict=True))
    charts, rows = [], []
    for buffer in BUFFERS:
        panels = []
        for other, title in HEADLINES:
            swings = []
            for parameter, values in VARIED.items():
                ends = [(label, advantage(changed[buffer, parameter, label], other)) for label, _ in values]
                swings.append(Swing(parameter, ends))
                rows += [
                    {"buffer": buffer, "over": other, "parameter": parameter, "value": l, "percent": v} for l, v in ends
                ]
            swings.append(Swing("average over", [("time", advantage(base[buffer], other, "pooled"))]))
            panels.append((title, advantage(base[buffer], other), None, swings))
        figure = "Figure 11, large buffer" if buffer == "large" else f"Figure 12, buffer of {SMALL}"
        charts.append(
            Tornado(
                f"unsaid-{buffer}",
                f"{figure}: advantage of per-connection filtering with round robin",
                panels,
                "advantage (%)",
            )
        )
    return Drawn(
        charts,
        {"advantages": pl.DataFrame(rows)},
        remark="Each row changes one choice and runs 2, 6, 12 and 20 sources again; the line in the middle is the page's setting. To the "
        'left of 0 round robin is worse. "Average over time" divides all bytes by all transfer times, instead of averaging the files\' '
        "throughputs, in which a connection that completes many files weighs more than one that completes few.",
    )


# --- What operators and RFCs offer for slow return paths, compared with the paper's filters


Table = dict[str, Any]


@dataclass(frozen=True)
class Modern:
    """One of what is compared: what differs from no filter and an ACK for each segment."""

    name: str
    colour: str
    dash: str = "-"
    queue: Table = field(default_factory=dict)
    stages: tuple[Table, ...] = ()
    ack: Table = field(default_factory=lambda: RECEIVER["ack"])


MODERN = {
    "none": Modern(NAMES["none"], COLOURS["none"]),
    "classic": Modern(NAMES["classic"], COLOURS["classic"], queue={"filter": static(1)}),
    "reconstructed": Modern(
        "classic, reconstructed",
        COLOURS["classic"],
        "--",
        {"filter": static(1)},
        ({"kind": "ack-reconstruction", "step": 1},),
    ),
    "rr": Modern(NAMES["rr"], COLOURS["rr"]),
    "cake": Modern("CAKE, conservative", "cake", queue={"filter": {"kind": "cake"}}),
    "cake-aggressive": Modern("CAKE, aggressive", "cake", "--", {"filter": {"kind": "cake", "aggressive": True}}),
    "compressed": Modern(
        "header compression", "header-compression", stages=({"kind": "header-compression", "slots": 32},)
    ),
    "acc": Modern("ACC", "acc", ack={"policy": "acc", "timer": "100ms"}),
}


class Today(Many):
    """Figure 10 with what the paper did not have."""

    def queue(self, algorithm: str) -> Table:
        """The reverse queue: the paper's for its round robin, and for ACC one that marks."""
        if algorithm == "rr":
            return super().queue(algorithm)
        if algorithm == "acc":
            most = min(self.buffer, 20)
            return {
                "kind": "red",
                "packets": self.buffer,
                "min": most / 4,
                "max": 3 * most / 4,
                "mean_packet": "40B",
                "ecn": True,
            }
        return {"kind": "drop-tail", "packets": self.buffer, **MODERN[algorithm].queue}

    def stages(self, algorithm: str) -> list[Table]:
        """What holds, makes or rewrites ACKs."""
        return list(MODERN[algorithm].stages)

    def receiver(self, algorithm: str) -> Table:
        """The destination's rules."""
        return {**RECEIVER, "ack": MODERN[algorithm].ack}


def _sweep(buffer: str) -> Sweep:
    setting = Today(buffer=BUFFERS[buffer].buffer)

    def scenario(algorithm: str, sources: int, seed: int) -> str:
        return setting.scenario(algorithm, sources, seed, DURATION_S)

    about = f"CAKE's filter, reconstruction, header compression and ACC beside the paper's filters, {buffer} buffer"
    return Sweep(f"today, {buffer} buffer", about, {**SAMPLE, "algorithm": tuple(MODERN)}, scenario, READ)


TODAY = {buffer: _sweep(buffer) for buffer in BUFFERS}


def _files(grid: Grid, algorithm: str) -> Any:
    """Mean throughput of a file by number of sources, Mb/s."""
    return 8e-6 * np.nanmean(grid.at(algorithm=algorithm)["throughput"], axis=1)


def _carried(grid: Grid, algorithm: str) -> Any:
    """What all sources together get through by their number, Mb/s."""
    return 8e-6 * grid.at(algorithm=algorithm)["bytes"].mean(axis=1) / DURATION_S


QUANTITIES = {
    "today": ("mean throughput of a file (Mb/s)", _files),
    "today-carried": ("all sources together (Mb/s)", _carried),
}


def _remark(large: Grid, small: Grid) -> str:
    """What the two charts say, with their numbers."""
    files = {algorithm: _files(large, algorithm) for algorithm in MODERN}
    together = {algorithm: _carried(large, algorithm)[-1] for algorithm in MODERN}
    filled = min(together[algorithm] for algorithm in MODERN if algorithm not in ("none", "acc"))
    gain = 100 * (files["reconstructed"][0] / files["classic"][0] - 1)
    late = int(small.at(algorithm="acc", sources=20)["timeouts"].mean())
    return (
        f"With 20 sources every filter and header compression fill the forward link ({filled:.2f} Mb/s and more), and only how evenly "
        "files share it is left to tell them apart: a mean over files counts the fast ones more. Compressed to 5 bytes (RFC 1144, 32 "
        "slots) ACKs never wait, which is "
        f"best with few sources ({files['compressed'][0]:.2f} Mb/s a file with two; {files['classic'][0]:.2f} filtered). Reconstruction "
        f"behind the slow link gives back an ACK a segment, spread over time: {gain:.0f} % with two sources and nothing where the link "
        "is full anyway. Nothing is lost on the way there and nobody sends SACK blocks, so CAKE's aggressive form does what the "
        "classic filter does, and its conservative one keeps a little more. ACC is the receiver's: it needs senders and a RED queue that "
        "marks, which are given to it here, thresholds at a quarter and three quarters of 20 packets or of the small buffer. It "
        "filters nothing, but as every connection probes for fewer segments an ACK, RED drops many ACKs too: "
        f"{_carried(small, 'acc')[-1]:.2f} Mb/s together and {late} timeouts in {DURATION_S} s with 20 sources and the small buffer. Its "
        "files look fast there for the same reason as without a filter: some connections get few ACKs through."
    )


@PAPER.figure(
    "today",
    "",
    "What stands on slow ways back today, beside the paper's filters",
    "4",
    list(TODAY.values()),
    evidence="evidence",
    slow=True,
)
def today(*grids: Grid) -> Drawn:
    found = {"large buffer": grids[0], f"buffer of {SMALL}": grids[1]}
    charts, compared = [], []
    for name, (words, quantity) in QUANTITIES.items():
        panels = []
        for title, grid in found.items():
            values = {algorithm: quantity(grid, algorithm) for algorithm in MODERN}
            lines = [
                Line(one.name, SAMPLE["sources"], values[algorithm], one.colour, one.dash, marker="o")
                for algorithm, one in MODERN.items()
            ]
            x = Axis("sources", low=0, high=21, ticks=SAMPLE["sources"])
            panels.append(Panel(title, x, Axis(words, low=0), lines))
            compared += [
                Compared(f"{title}, {one.name}: {words}", "", ", ".join(f"{v:.2f}" for v in values[algorithm]))
                for algorithm, one in MODERN.items()
            ]
        charts.append(Lines(name, "Figure 10's sources with what the paper did not have; means of three seeds", panels))
    frames = [
        grid.frame().with_columns(pl.lit(buffer).alias("buffer")) for buffer, grid in zip(BUFFERS, grids, strict=True)
    ]
    return Drawn(charts, {"today": pl.concat(frames)}, compared, _remark(*grids))
