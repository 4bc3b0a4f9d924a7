"""Charts for notebooks, with Altair: pictures, or pages with exact values on hover (``chart.save(file, inline=True)``).

Each function takes one run or several (see :mod:`acklab.plot.runs`) and returns an
``altair.Chart`` to compose further. The data comes ready from :mod:`.prep`, thinned to
what a screen can show, and is held inside the chart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import altair as alt
import polars as pl

from ..text.templates import fact, sentence
from . import palette, prep
from .files import write
from .runs import Item, items_of, read_runs, recorded

if alt.renderers.active == "default":  # a notebook draws without the network, unless its user chose otherwise
    alt.renderers.enable("svg")

#: Columns of dots that data is thinned to: what an Altair chart can hold and stay quick.
COLUMNS = 700

#: At most so many flows are drawn unless one is named.
MOST = 12


_Draw = TypeVar("_Draw", bound=Callable[..., Any])


def _marked(chart: _Draw) -> _Draw:
    """A function that draws runs; a chart of an invalid run says so."""

    @wraps(chart)
    def call(runs: Any, *args: Any, **named: Any) -> Any:
        runs = read_runs(runs)
        drawn = chart(runs, *args, **named)
        invalid = any(run.invalid for run in runs)
        return (
            drawn.properties(title={"text": sentence(fact("invalid-chart")), "color": "#a4161a"}) if invalid else drawn
        )

    return call  # type: ignore[return-value]


@_marked
def cwnd(runs: Any, flow: str | None = None) -> alt.LayerChart:
    """Congestion window (solid), slow-start threshold (dashed) and flight size (thin)."""
    runs = recorded(runs, "series")
    items = items_of(runs, flow, MOST, bulk=True)
    high = prep.window_height(prep.window_shown(item.run, item.flow) for item in items)
    frame = _join(
        items, lambda i: prep.thin_steps(prep.window_shown(i.run, i.flow), "cwnd_segments", COLUMNS).drop("flow")
    )
    frame = frame.rename({"cwnd_segments": "cwnd", "ssthresh_segments": "ssthresh", "flight_segments": "outstanding"})
    long = frame.unpivot(["cwnd", "ssthresh", "outstanding"], index=["time_s", "item", "state"], variable_name="line")
    long = long.drop_nulls("value")
    lines = alt.Chart(long).mark_line(interpolate="step-after", clip=True)
    height = _value("cwnd", "value").scale(domain=[0, 1.05 * high] if high else alt.Undefined)
    dashes = alt.StrokeDash(
        "line:N", scale=alt.Scale(domain=["cwnd", "ssthresh", "outstanding"], range=[[1, 0], [6, 4], [2, 2]])
    )
    colour = _colour(items)
    if len(items) == 1:
        lines_of = {"cwnd": "cwnd", "ssthresh": "ssthresh", "outstanding": "flight"}
        shades = [palette.role_colour(role) for role in lines_of.values()]
        colour = alt.Color("line:N", scale=alt.Scale(domain=list(lines_of), range=shades), title=None)
    tips = ["item:N", "line:N", _time_tip(), alt.Tooltip("value:Q", format=".3f"), "state:N"]
    return alt.layer(lines.encode(x=_time(), y=height, color=colour, strokeDash=dashes, tooltip=tips)).properties(
        width=640, height=260
    )


@_marked
def rtt(runs: Any, flow: str | None = None) -> alt.Chart:
    """Round-trip time samples."""
    runs = recorded(runs, "series")
    items = items_of(runs, flow, MOST)
    frame = _join(items, lambda i: prep.thin_points(prep.rtt(i.run, i.flow), COLUMNS).drop("flow"))
    tips = ["item:N", _time_tip(), alt.Tooltip("rtt_ms:Q", format=".3f"), alt.Tooltip("rto_ms:Q", format=".1f")]
    return (
        alt.Chart(frame)
        .mark_point(size=8, filled=True)
        .encode(x=_time(), y=_value("rtt", "rtt_ms"), color=_colour(items), tooltip=tips)
        .properties(width=640, height=200)
        .interactive(bind_y=False)
    )


@_marked
def queue(runs: Any, link: str | None = None) -> alt.LayerChart:
    """Queue lengths and losses; of each run the fullest queue unless a link is named."""
    found = recorded(runs, "queue")
    lengths, losses = [], []
    for run in found:
        name = link or prep.fullest(run)
        if name is None:
            continue
        who = pl.lit((f"{run.label} " if len(found) > 1 else "") + name.replace("->", "→")).alias("item")
        lengths.append(prep.thin_steps(prep.queue(run, name), "queue_packets", COLUMNS).with_columns(who))
        losses.append(prep.thin_points(prep.drops(run, name), COLUMNS).with_columns(who))
    frame, lost = pl.concat(lengths), pl.concat(losses)
    domain = frame["item"].unique(maintain_order=True).to_list()
    slots = palette.run_slots(len(found)) if len(found) > 1 else [palette.ROLES["queue"]]
    shades = [palette.SLOTS[s]["light"] for s in slots]
    colour = alt.Color("item:N", scale=alt.Scale(domain=domain, range=shades), title=None)
    area = alt.Chart(frame).mark_area(interpolate="step-after", opacity=0.3, line=True)
    crosses = alt.Chart(lost).mark_point(shape="cross", angle=45, size=30, filled=True)
    if len(found) == 1:
        crosses = crosses.encode(color=alt.value(palette.role_colour("drop")))
    else:
        crosses = crosses.encode(color=colour)
    area_tips = ["item:N", _time_tip(), "queue_packets:Q"]
    cross_tips = ["item:N", _time_tip(), "event:N", "flow:N", "kind:N", "seq:Q", "ack:Q"]
    return alt.layer(
        area.encode(x=_time(), y=_value("queue", "queue_packets", stack=None), color=colour, tooltip=area_tips),
        crosses.encode(x=_time(), y=_value("queue", "queue_packets", stack=None), tooltip=cross_tips),
    ).properties(width=640, height=200)


@_marked
def throughput(runs: Any, flow: str | None = None, bin_s: float | None = None) -> alt.Chart:
    """Goodput in bins."""
    runs = recorded(runs, "packets")
    items = items_of(runs, flow, MOST, bulk=True)
    frame = _join(items, lambda i: prep.throughput(i.run, i.flow, bin_s))
    tips = ["item:N", alt.Tooltip("start_s:Q"), alt.Tooltip("end_s:Q"), alt.Tooltip("goodput_bps:Q", format=".4s")]
    return (
        alt.Chart(frame)
        .mark_line(interpolate="step-after")
        .encode(x=_time("start_s"), y=_value("throughput", "goodput_bps"), color=_colour(items), tooltip=tips)
        .properties(width=640, height=200)
        .interactive(bind_y=False)
    )


@_marked
def time_sequence(runs: Any, flow: str | None = None) -> alt.LayerChart:
    """The time-sequence graph in tcptrace's conventions."""
    runs = recorded(runs, "packets")
    items = items_of(runs, flow, MOST, bulk=True)
    unit = "bytes" if any(prep.sequence_unit(i.run, i.flow) == "bytes" for i in items) else "segments"
    axis = f"sequence:{unit}"
    layers = {id(i): prep.time_sequence(i.run, i.flow) for i in items}

    def layer(name: str, time: str = "time_s", each: int = 2) -> pl.DataFrame:
        return _join(items, lambda i: prep.thin_points(layers[id(i)][name], COLUMNS, each, time=time))

    def colour(role: str) -> alt.Color | Any:
        return alt.value(palette.role_colour(role)) if len(items) == 1 else _colour(items)

    sent = layer("segments", "sent_s", 4)
    acks = _join(items, lambda i: prep.thin_steps(_highest(layers[id(i)]["acks"]), "highest", COLUMNS))
    tips = ["item:N", alt.Tooltip("sent_s:Q", format=".6f"), "seq:Q", "end:Q", "retransmit:N", "fate:N"]
    ticks = alt.Chart(sent.filter(~pl.col("retransmit"))).mark_rule(strokeWidth=1.5)
    again = alt.Chart(sent.filter(pl.col("retransmit"))).mark_text(text="R", fontWeight="bold", fontSize=10, dy=-4)
    line = alt.Chart(acks).mark_line(interpolate="step-after", strokeWidth=1.2)
    sacks = alt.Chart(layer("sacks")).mark_rule(strokeWidth=1, opacity=0.6)
    edge = alt.Chart(layer("window")).mark_line(interpolate="step-after", strokeDash=[6, 3])
    lost = alt.Chart(layer("drops")).mark_point(shape="cross", angle=45, size=30, filled=True)
    y = _value(axis, "seq", zero=False)
    return alt.layer(
        edge.encode(x=_time(), y=_value(axis, "edge", zero=False), color=colour("window")),
        sacks.encode(x=_time(), y=_value(axis, "start", zero=False), y2="end:Q", color=colour("sack")),
        line.encode(
            x=_time(),
            y=_value(axis, "highest", zero=False),
            color=colour("ack"),
            tooltip=["item:N", _time_tip(), "highest:Q"],
        ),
        ticks.encode(x=_time("sent_s"), y=y, y2="end:Q", color=colour("data"), tooltip=tips),
        again.encode(x=_time("sent_s"), y=y, color=colour("retransmit"), tooltip=tips),
        lost.encode(
            x=_time(), y=y, color=colour("drop"), tooltip=["item:N", _time_tip(), "event:N", "link:N", "seq:Q"]
        ),
    ).properties(width=640, height=400)


@_marked
def timeline(runs: Any, flow: str | None = None, bands: int = prep.BANDS) -> alt.FacetChart | alt.VConcatChart:
    """The timeline diagram of the first flow (or the one named) of each run."""
    runs = recorded(runs, "packets")
    charts = []
    seen: set[int] = set()
    for item in items_of(runs, flow):
        if id(item.run) in seen:
            continue
        seen.add(id(item.run))
        charts.append(_bands(item, bands))
    return charts[0] if len(charts) == 1 else alt.vconcat(*charts)


CHARTS = {
    "time_sequence": time_sequence,
    "cwnd": cwnd,
    "timeline": timeline,
    "rtt": rtt,
    "queue": queue,
    "throughput": throughput,
}
_NEEDS = {"cwnd": "series", "rtt": "series", "queue": "queue"}


def save_all(runs: Any, folder: Path, formats: Sequence[str]) -> list[Path]:
    """Writes every chart that the runs' tables allow as ``folder/NAME.FORMAT``; returns the files."""
    runs = read_runs(runs)
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for name, chart in CHARTS.items():
        if all(getattr(run, _NEEDS.get(name, "packets")).height for run in runs):
            here = [folder / f"{name}.{kind}" for kind in formats]
            write(chart(runs).to_dict(), *here)
            files += here
    return files


def _bands(item: Item, bands: int) -> alt.FacetChart:
    length = prep.band_length(0.0, item.run.end_s, bands)
    frame = prep.thin_points(prep.timeline(item.run, item.flow, bands=bands), COLUMNS * 4, each=1, time="x0_s")
    frame = frame.with_columns(
        line=pl.when(pl.col("retransmit")).then(pl.lit("retransmit")).otherwise(pl.col("kind")),
        start_s=pl.col("band") * length,
    )
    roles = ["data", "ack", "retransmit"]
    colour = alt.Color(
        "line:N", scale=alt.Scale(domain=roles, range=[palette.role_colour(r) for r in roles]), title=None
    )
    edge = alt.Axis(values=[0, 1], labelExpr="datum.value == 0 ? 'sender' : 'receiver'", title=None, grid=False)
    return (
        alt.Chart(frame)
        .mark_rule(strokeWidth=0.6)
        .encode(
            x=alt.X("x0_s:Q", scale=alt.Scale(domain=[0, length]), title="time in the band (s)"),
            x2="x1_s:Q",
            y=alt.Y("y0:Q", scale=alt.Scale(domain=[0, 1], reverse=True), axis=edge),
            y2="y1:Q",
            color=colour,
            tooltip=["kind:N", "seq:Q", "ack:Q", "fate:N"],
        )
        .properties(width=640, height=70)
        .facet(row=alt.Row("start_s:Q", title="band begins at (s)"), title=item.name)
    )


def _highest(acks: pl.DataFrame) -> pl.DataFrame:
    return acks.with_columns(highest=pl.col("ack").cum_max())


def _join(items: list[Item], frame_of: Any) -> pl.DataFrame:
    frames = [frame_of(item).with_columns(item=pl.lit(item.name)) for item in items]
    return pl.concat(frames, how="vertical_relaxed")


def _colour(items: list[Item]) -> alt.Color:
    names = [item.name for item in items]
    shades = [palette.SLOTS[item.slot]["light"] for item in items]
    legend = None if len(items) == 1 else alt.Legend()
    return alt.Color("item:N", scale=alt.Scale(domain=names, range=shades), title=None, legend=legend)


def _time(column: str = "time_s") -> alt.X:
    return alt.X(f"{column}:Q", title=prep.label("time"))


def _value(axis: str, column: str, zero: bool = True, **more: Any) -> alt.Y:
    shape = alt.Axis(format="~s") if prep.AXES[axis].si else alt.Undefined
    return alt.Y(f"{column}:Q", title=prep.label(axis), scale=alt.Scale(zero=zero), axis=shape, **more)


def _time_tip() -> alt.Tooltip:
    return alt.Tooltip("time_s:Q", format=".6f")
