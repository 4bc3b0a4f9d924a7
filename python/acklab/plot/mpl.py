"""Charts for papers: matplotlib figures, and the SVG and PNG files beside the report.

Files are drawn with matplotlib for three reasons. It needs neither a browser nor a
network. It draws a million-packet run from thinned data and keeps the rows out of the
file, while a Vega-Lite chart holds all of its data. And papers are typeset with it. The
Altair charts of :mod:`acklab.plot` are for notebooks.

Every function takes one run or several and returns a ``Figure``; several flows share
the axes, one colour a run (or a flow, within one run).
"""

from __future__ import annotations

import pathlib
from collections.abc import Iterator, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.path import Path
from matplotlib.textpath import TextPath
from matplotlib.ticker import EngFormatter
from matplotlib.transforms import Affine2D

from ..results.files import replacing
from . import palette, prep
from .items import Item, items_of
from .runs import Run, read_runs, recorded
from .style import drawing, drawn, label

#: How wide a figure's data is drawn, in columns of dots: what data is thinned to, all flows together.
COLUMNS = 1600

#: At most so many flows are drawn unless one is named: a reader cannot distinguish more.
MOST = 8

#: More marks than this are held in an SVG as a picture.
_MARKS = 4000


@drawn
def cwnd(runs: Any, flow: str | None = None) -> Figure:
    """Congestion window, slow-start threshold and flight size over time."""
    runs = recorded(runs, "series")
    figure, axes = _figure(runs, "cwnd", height=3.0)
    items = items_of(runs, flow, MOST, bulk=True)
    high = prep.window_height(prep.window_shown(item.run, item.flow) for item in items)
    for item in items:
        frame = prep.thin_steps(prep.window_shown(item.run, item.flow), "cwnd_segments", _columns(items))
        time = frame["time_s"]
        names = [label(item.name), None, None]
        if item.alone:
            names = ["cwnd", "ssthresh", "outstanding"]
            axes.fill_between(
                time,
                frame["flight_segments"],
                step="post",
                color=item.colour("flight"),
                alpha=0.25,
                lw=0,
                label=names[2],
            )
        threshold = {"color": item.colour("ssthresh"), "ls": "--", "lw": 0.9, "label": names[1]}
        axes.step(time, frame["ssthresh_segments"], where="post", **threshold)
        axes.step(time, frame["cwnd_segments"], where="post", color=item.colour("cwnd"), lw=1.5, label=names[0])
        for row in prep.window_events(item.run, item.flow).iter_rows(named=True):
            letter = "T" if row["event"] == "timeout" else "F"
            axes.annotate(
                letter, (row["time_s"], 1), xycoords=("data", "axes fraction"), ha="center", va="bottom",
                color=item.colour("drop"), fontsize=7, fontweight="bold", annotation_clip=False,
            )  # fmt: skip
    axes.set_ylim(0, None if high is None else 1.05 * high)
    return _finish(figure, axes)


@drawn
def rtt(runs: Any, flow: str | None = None) -> Figure:
    """Round-trip time samples."""
    runs = recorded(runs, "series")
    figure, axes = _figure(runs, "rtt", height=2.4)
    items = items_of(runs, flow, MOST)
    for item in items:
        frame = prep.thin_points(prep.rtt(item.run, item.flow), _columns(items))
        axes.plot(frame["time_s"], frame["rtt_ms"], ".", ms=2.5, color=item.colour("rtt"), label=label(item.name))
    axes.set_ylim(bottom=0)
    return _finish(figure, axes)


@drawn
def queue(runs: Any, link: str | None = None) -> Figure:
    """Queue lengths with what was dropped; of each run the fullest queue unless one is named."""
    runs = recorded(runs, "queue")
    figure, axes = _figure(runs, "queue", height=2.4)
    several, told = len(runs) > 1, ""
    for run, slot in _runs_with_slots(runs):
        name = link or prep.fullest(run)
        if name is None:
            continue
        frame = prep.thin_steps(prep.queue(run, name), "queue_packets", COLUMNS)
        colour, crosses = (
            (palette.SLOTS[slot]["light"],) * 2 if several else map(palette.role_colour, ("queue", "drop"))
        )
        told = label(f"{run.label} {_arrow(name)}" if several else _arrow(name))
        length = told if several else "length"
        axes.step(frame["time_s"], frame["queue_packets"], where="post", lw=0.9, color=colour, label=length)
        axes.fill_between(frame["time_s"], frame["queue_packets"], step="post", color=colour, alpha=0.15, lw=0)
        lost = prep.thin_points(prep.drops(run, name), COLUMNS)
        height = lost["queue_packets"].fill_null(0)
        if lost.height:
            axes.plot(
                lost["time_s"],
                height,
                "x",
                ms=4,
                mew=1.2,
                color=crosses,
                label=None if several else "dropped, lost\nor filtered",
            )
    axes.set_ylim(bottom=0)
    if not several and told:
        axes.set_title(told, fontsize=8, loc="left")
    return _finish(figure, axes)


@drawn
def throughput(runs: Any, flow: str | None = None, bin_s: float | None = None) -> Figure:
    """Goodput in bins, with the rate of the slowest link on the way."""
    runs = recorded(runs, "packets")
    figure, axes = _figure(runs, "throughput", height=2.4)
    items = items_of(runs, flow, MOST, bulk=True)
    for item in items:
        frame = prep.throughput(item.run, item.flow, bin_s)
        if not frame["goodput_bps"].sum():
            continue
        edges = [*frame["start_s"], frame["end_s"][-1]]
        axes.stairs(
            frame["goodput_bps"], edges, color=item.colour("goodput"), lw=1.3, label=label(item.name), fill=False
        )
    axes.yaxis.set_major_formatter(EngFormatter(places=None))
    axes.set_ylim(bottom=0)
    return _finish(figure, axes)


@drawn
def time_sequence(runs: Any, flow: str | None = None) -> Figure:
    """The time-sequence graph in tcptrace's conventions."""
    runs = recorded(runs, "packets")
    items = items_of(runs, flow, MOST, bulk=True)
    unit = "bytes" if any(prep.sequence_unit(i.run, i.flow) == "bytes" for i in items) else "segments"
    figure, axes = _figure(runs, f"sequence:{unit}", height=4.2)
    columns = _columns(items)
    for item in items:
        layers = prep.time_sequence(item.run, item.flow)
        _segments(axes, item, layers, columns)
        acks = layers["acks"].with_columns(highest=layers["acks"]["ack"].cum_max())
        acks = prep.thin_steps(acks, "highest", columns)
        axes.step(acks["time_s"], acks["highest"], where="post", lw=1, color=item.colour("ack"), alpha=0.8)
        sacks = prep.thin_points(layers["sacks"], columns)
        _ticks(axes, sacks["time_s"], sacks["start"], sacks["end"], item.colour("sack"), 0.8, alpha=0.6)
        edge = prep.thin_steps(layers["window"], "edge", columns)
        axes.step(edge["time_s"], edge["edge"], where="post", lw=1, ls="--", color=item.colour("window"))
        lost = prep.thin_points(layers["drops"], columns)
        axes.plot(lost["time_s"], lost["seq"], "x", ms=4, mew=1.1, color=item.colour("drop"))
        # The legend's samples: of the layers if one flow is drawn, else of the flows.
        there = {"data": "|", "ack": "-", "retransmit": _letter("R"), "sack": "|", "window": "--", "drop": "x"}
        rows = {
            "sack": sacks.height,
            "window": edge.height,
            "drop": lost.height,
            "retransmit": any(layers["segments"]["retransmit"]),
        }
        for role, mark in there.items() if item.alone else [("data", "-")]:
            if rows.get(role, True):
                style = {"ls": mark} if mark in ("-", "--") else {"ls": "", "marker": mark}
                axes.plot(
                    [], [], color=item.colour(role), label=_WORDS[role] if item.alone else label(item.name), **style
                )
    axes.autoscale()
    axes.yaxis.set_major_formatter(EngFormatter(places=None))
    return _finish(figure, axes)


@drawn
def timeline(runs: Any, flow: str | None = None, bands: int = prep.BANDS) -> Figure:
    """The timeline diagram of the first flow (or the one named) of each run, runs below each other."""
    runs = recorded(runs, "packets")
    chosen = list({id(item.run): item for item in reversed(items_of(runs, flow))}.values())[::-1]
    frames = [prep.timeline(i.run, i.flow, bands=bands) for i in chosen]
    counts = [max(1, (f["band"].max() or 0) + 1) for f in frames]
    figure = Figure(figsize=(7.0, 0.35 * len(chosen) + 0.62 * sum(counts)), layout="constrained")
    grid = figure.subplots(sum(counts), 1, squeeze=False)[:, 0]
    row = 0
    for item, frame, count in zip(chosen, frames, counts, strict=True):
        length = prep.band_length(0.0, item.run.end_s, bands)
        for band in range(count):
            axes = grid[row]
            row += 1
            _band(axes, frame.filter(frame["band"] == band))
            axes.set(xlim=(0, length), ylim=(1.04, -0.04), xticks=[], yticks=[])
            axes.set_ylabel(f"{band * length:g} s", rotation=0, ha="right", va="center")
            axes.spines[["left", "right"]].set_visible(False)
            if band == 0:
                name = f"{label(item.name)}: " if len(chosen) > 1 else ""
                axes.set_title(
                    f"{name}upper edge sender, lower edge receiver, {length:g} s a band", fontsize=8, loc="left"
                )
    marks = [Line2D([], [], color=palette.role_colour(role), lw=1) for role in ("data", "ack", "retransmit")]
    marks.append(Line2D([], [], color=palette.role_colour("drop"), marker="x", ls="", ms=4))
    figure.legend(
        marks, ["data", "ACK", "resent", "lost"], frameon=False, fontsize=8, loc="outside lower left", ncols=4
    )
    return figure


_WORDS = {
    "data": "data",
    "ack": "ACK line",
    "retransmit": "resent",
    "sack": "SACK",
    "window": "window",
    "drop": "lost",
}

CHARTS = {
    "time_sequence": time_sequence,
    "cwnd": cwnd,
    "timeline": timeline,
    "rtt": rtt,
    "queue": queue,
    "throughput": throughput,
}

_NEEDS = {"cwnd": "series", "rtt": "series", "queue": "queue"}


def save_all(runs: Any, folder: str | pathlib.Path, formats: Sequence[str] = ("svg", "png")) -> list[pathlib.Path]:
    """Write every chart that the runs' tables allow; returns the files."""
    runs = read_runs(runs)
    out = pathlib.Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    files = []
    with drawing():
        for name, chart in CHARTS.items():
            if not all(getattr(run, _NEEDS.get(name, "packets")).height for run in runs):
                continue
            figure = chart(runs)
            for kind in formats:
                file = out / f"{name}.{kind}"
                # No date inside: the same run gives the same file.
                meta = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind, {})
                with replacing(file) as scratch:
                    figure.savefig(scratch, dpi=160, metadata=meta)
                files.append(file)
    return files


def _figure(runs: Any, axis: str, height: float) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(7.0, height), layout="constrained")
    axes = figure.subplots()
    axes.set(xlabel=prep.label("time"), ylabel=prep.label(axis))
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25, lw=0.5)
    return figure, axes


def _finish(figure: Figure, axes: Axes) -> Figure:
    handles, labels = axes.get_legend_handles_labels()
    if len(labels) > 1:
        axes.legend(handles, labels, frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    axes.set_xlim(left=0)
    return figure


def _letter(letter: str) -> Path:
    """A letter as a mark."""
    outline = TextPath((0, 0), letter)
    box = outline.get_extents()
    return outline.transformed(Affine2D().translate(-(box.x0 + box.x1) / 2, -(box.y0 + box.y1) / 2))


def _columns(items: Sequence[Item]) -> int:
    return COLUMNS // max(1, len(items))


def _segments(axes: Axes, item: Item, layers: dict[str, Any], columns: int) -> None:
    sent = layers["segments"]
    fresh = prep.thin_points(sent.filter(~sent["retransmit"]), columns, each=2, time="sent_s")
    again = prep.thin_points(sent.filter(sent["retransmit"]), columns, each=2, time="sent_s")
    _ticks(axes, fresh["sent_s"], fresh["seq"], fresh["end"], item.colour("data"), 1.0)
    _ticks(axes, again["sent_s"], again["seq"], again["end"], item.colour("retransmit"), 1.4)
    if again.height <= 60:
        for row in again.iter_rows(named=True):
            axes.annotate(
                "R", (row["sent_s"], row["end"]), ha="center", va="bottom", fontsize=6, fontweight="bold",
                color=item.colour("retransmit"),
            )  # fmt: skip


def _ticks(axes: Axes, x: Any, low: Any, high: Any, colour: str, width: float, alpha: float = 1.0) -> None:
    lines = [((t, a), (t, b)) for t, a, b in zip(x, low, high, strict=True)]
    axes.add_collection(
        LineCollection(lines, colors=colour, linewidths=width, alpha=alpha, rasterized=len(lines) > _MARKS)
    )


def _band(axes: Axes, pieces: Any) -> None:
    thin = prep.thin_points(pieces.sort("x0_s"), COLUMNS // 4, each=2, time="x0_s")
    kinds = [
        ("ack", thin.filter(thin["kind"] == "ack")),
        ("data", thin.filter((thin["kind"] == "data") & ~thin["retransmit"])),
        ("retransmit", pieces.filter(pieces["retransmit"])),
    ]
    for role, rows in kinds:
        lines = [((a, b), (c, d)) for a, b, c, d in rows.select("x0_s", "y0", "x1_s", "y1").iter_rows()]
        axes.add_collection(LineCollection(lines, colors=palette.role_colour(role), linewidths=0.5, alpha=0.85))
    dead = pieces.filter(pieces["ends"] & (pieces["fate"] != "delivered"))
    axes.plot(dead["x1_s"], dead["y1"], "x", ms=3.5, mew=1, color=palette.role_colour("drop"))


def _runs_with_slots(runs: Any) -> Iterator[tuple[Run, str]]:
    found = read_runs(runs)
    return zip(found, palette.run_slots(len(found)), strict=True)


def _arrow(link: str) -> str:
    return link.replace("->", "→")
