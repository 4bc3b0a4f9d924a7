"""What is drawn of an analysis: lines and marks over time for the page's viewer, and a histogram for each direction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import polars as pl

from ..plot import palette
from ..plot.prep.packets import thin_points, thin_steps
from ..plot.prep.series import AXES, label
from ..report.charts import Axis, Bar, Bars
from ..report.encode import NANO, Blocks, coarse
from ..report.page import Viewer
from ..text.templates import fact, sentence
from . import text
from .text import CAUSES, Spans

#: Places along the whole capture that a layer is thinned to.
COLUMNS = 20_000
#: Charts whose axis may be logarithmic, and the ratio of the greatest value to the median above which it is.
LOGARITHMIC, FLATTENED = ("delay", "trips"), 20.0
#: The histogram's last bar holds all ACKs that cover this many segments or more.
MAX_SEGMENTS = 8

#: The receiver's window is not drawn where its median is so many times the most that was outstanding: it would flatten that.
#: Nor without a handshake, which has the window's scale.
WIDE = 3.0

Row = Mapping[str, Any]


def _layer(key: str, name: str, kind: str, role: str) -> dict[str, str]:
    return {"key": key, "name": name, "kind": kind, "slot": palette.ROLES.get(role, role)}


def caption(kind: str) -> str:
    """The caption of a chart."""
    return sentence(fact(f"chart-{kind}"))


#: The colours of the causes of limits; what is not known has none.
SHADES = ("slate", "orange", "red", "pink", "sky", "green", "purple", "blue", "gold")
#: The charts from the top. A layer's values are the column of its chart and key in :func:`_layers`.
CHARTS: list[dict[str, Any]] = [
    {
        "id": "limits", "title": "What limited the transfer", "height": 54,
        "about": caption("limits"),
        "axis": {"label": "", "unit": "", "band": True},
        "layers": [_layer(cause, name, "band", shade) for (cause, (_, name)), shade in zip(CAUSES.items(), SHADES, strict=False)],
    },
    {
        "id": "sequence", "title": "Segments and their acknowledgment", "height": 260,
        "about": caption("sequence"),
        "axis": {"label": "sequence number", "unit": "B", "si": True},
        "layers": [_layer("acked", "acknowledged", "steps", "ack"), _layer("edge", "right edge of the window", "steps", "orange"), _layer("new", "segment", "dots", "data"),
                   _layer("again", "resent or late", "cross", "retransmit"), _layer("duplicate", "duplicate ACK", "cross", "sack")],
    },
    {
        "id": "throughput", "title": "Goodput", "height": 160,
        "about": caption("throughput"),
        "roles": [
            {"key": "goodput", "name": "goodput", "sample": "area"},
            {"key": "capacity", "name": "bottleneck", "sample": "dashed", "about": caption("capacity")},
        ],
    },
    {
        "id": "trips", "title": "Round trips from here", "height": 160,
        "about": caption("trips"),
        "axis": {"label": "round trip", "unit": "ms", "zero": True},
        "layers": [_layer("trip", "round trip to the receiver", "dots", "rto")],
    },
    {
        "id": "flight", "title": "Outstanding data", "height": 180,
        "about": caption("flight"),
        "axis": {"label": "data", "unit": "B", "si": True, "zero": True},
        "layers": [_layer("flight", "outstanding", "steps", "flight"), _layer("cwnd", "window, as a receiver estimates it", "steps", "cwnd"),
                   _layer("window", "receiver's window", "steps", "orange"), _layer("closed", "window of 0", "cross", "retransmit")],
    },
    {
        "id": "delay", "title": "ACK delay", "height": 160,
        "about": caption("delay"),
        "axis": {"label": "delay", "unit": "ms", "zero": True},
        "layers": [_layer("one", "ACK of one segment", "dots", "blue"), _layer("several", "of several", "dots", "orange"),
                   _layer("timer", "timer", "level", "slate")],
    },
]  # fmt: skip


def viewer(rows: Sequence[Row], acks: pl.DataFrame, segments: pl.DataFrame, spans: Spans) -> Viewer:
    """What the page's charts draw of these directions; ``spans`` are the rows of ``limits``."""
    blocks, items = Blocks(), []
    values: dict[str, list[pl.Series]] = {}
    ends = [float(frame["time_s"].max() or 0.0) for frame in (acks, segments)]  # type: ignore[arg-type]
    slots = palette.run_slots(len(rows))
    for row, slot in zip(rows, slots, strict=True):
        mine = (pl.col("connection") == row["connection"]) & (pl.col("direction") == row["direction"])
        layers = _layers(row, acks.filter(mine), segments.filter(mine)) | _bands(row, spans)
        for name, frame in layers.items():
            values.setdefault(name.partition(" ")[0], []).append(frame["value"])
        tables = {
            name: blocks.add(frame, coarse(frame, {"time_s": NANO, "value": 1e-6}))
            for name, frame in layers.items()
            if frame.height
        }
        if row["goodput_bps"] is not None:
            progress = (
                layers["sequence acked"]
                .drop("frame")
                .rename({"value": "bytes"})
                .with_columns(pl.col("bytes").cast(pl.Int64))
            )
            tables["progress"] = blocks.add(progress, coarse(progress, {"time_s": NANO}))
        items.append(
            {
                "run": 0,
                "flow": text.title(row),
                "unit": "bytes",
                "tables": tables,
                "end_s": max(ends),
                "slot": slot,
                "capacity_bps": row["bottleneck_bps"],
            }
        )
    recorded = {"series": True, "queue": False, "packets": True}
    run: dict[str, Any] = {
        "label": "capture",
        "seed": None,
        "end_s": max(ends),
        "slot": slots[0],
        "queues": [],
        "recorded": recorded,
    }
    colours = {"slots": palette.SLOTS, "roles": palette.ROLES, "background": palette.BACKGROUND}
    axes = {"throughput": {**asdict(AXES["throughput"]), "label": label("throughput")}}
    drawn = {name.partition(" ")[0] for item in items for name in item["tables"]}
    charts = [
        {**_shown(_scaled(chart, values), rows), "frames": True}
        for chart in CHARTS
        if ("progress" if chart["id"] == "throughput" else chart["id"]) in drawn
    ]
    return {"runs": [run], "items": items, "charts": charts, "axes": axes, "palette": colours}, blocks


def _shown(chart: dict[str, Any], rows: Sequence[Row]) -> dict[str, Any]:
    """A chart as these directions need it: no legend of a bottleneck that none has, and what outstanding data mean near the receiver."""
    if chart["id"] == "throughput" and all(row["bottleneck_bps"] is None for row in rows):
        return {**chart, "roles": [role for role in chart["roles"] if role["key"] != "capacity"]}
    if chart["id"] == "flight" and all(row["vantage"] == "receiver" for row in rows):
        return {**chart, "about": caption("flight-near")}
    return chart


def _scaled(chart: dict[str, Any], values: Mapping[str, Sequence[pl.Series]]) -> dict[str, Any]:
    """A chart of times with a logarithmic axis from its least value, where the greatest would flatten the others on a linear one."""
    if chart["id"] not in LOGARITHMIC:
        return chart
    known = pl.concat(values[chart["id"]])
    positive = known.filter(known > 0)
    if not len(positive) or float(positive.max()) <= FLATTENED * float(positive.median()):  # type: ignore[arg-type]
        return chart
    return {**chart, "axis": {**chart["axis"], "log": 0.8 * float(positive.min())}}  # type: ignore[arg-type]


def _layers(row: Row, acks: pl.DataFrame, segments: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Time and value of every mark, by chart and layer; none of what the capture does not show."""
    kind = pl.col("kind").cast(pl.String)
    data = segments.filter(pl.col("payload_bytes") > 0)
    # Away from the receiver a delay contains the path: the round trips are the same, once.
    here = row["delay_max_s"] is not None and not text.has_trips(row)
    plain = acks.filter(pl.col("plain") & pl.col("delay_s").is_not_null() & pl.lit(here))
    trips = acks.filter(pl.col("rtt_s").is_not_null() & pl.lit(text.has_trips(row)))
    left = (pl.col("flight_bytes").cast(pl.Int64) - pl.col("acked_bytes").cast(pl.Int64)).clip(0)
    after = acks.filter(kind == "new").select("time_s", "frame", flight_bytes=left.cast(pl.UInt64))
    both = pl.concat([data.select("time_s", "frame", "flight_bytes"), after]).sort("time_s", maintain_order=True)
    window = data.drop_nulls("cwnd_segments").with_columns(
        cwnd=pl.col("cwnd_segments") * float(row["segment_bytes"] or 0)
    )
    offered = acks.drop_nulls("window_bytes").with_columns(pl.col("window_bytes").cast(pl.Int64))
    wide = float(offered["window_bytes"].median() or 0.0) > WIDE * max(row["max_flight_bytes"], 1)  # type: ignore[arg-type]
    hidden = wide or not row["handshake"]
    # A packet that others have overtaken moves no edge back.
    edge = offered.with_columns(edge_bytes=(pl.col("ack_bytes").cast(pl.Int64) + pl.col("window_bytes")).cum_max())
    timer = [] if row["timer_s"] is None or not here else [1e3 * (row["timer_s"] + (row["delay_min_s"] or 0.0))]
    return {
        "sequence acked": _steps(acks.filter(kind.is_in(["new", "repeated"])), "ack_bytes"),
        "sequence edge": _steps(edge.clear() if hidden else edge, "edge_bytes"),
        "sequence new": _dots(data.filter(kind == "new"), "seq_bytes"),
        "sequence again": _dots(data.filter(kind.is_in(["resent", "late"])), "seq_bytes"),
        "sequence duplicate": _dots(acks.filter(kind == "duplicate"), "ack_bytes"),
        "delay one": _dots(plain.filter(pl.col("acked_segments") <= 1), "delay_s", 1e3),
        "delay several": _dots(plain.filter(pl.col("acked_segments") > 1), "delay_s", 1e3),
        "delay timer": pl.DataFrame(
            {"time_s": [0.0] * len(timer), "value": timer}, schema={"time_s": pl.Float64, "value": pl.Float64}
        ),
        "flight flight": _steps(both, "flight_bytes"),
        "flight cwnd": _steps(window, "cwnd"),
        "flight window": _steps(offered.clear() if hidden else offered, "window_bytes"),
        "flight closed": _dots(offered.filter(pl.col("window_bytes") == 0), "window_bytes"),
        "trips trip": _dots(trips, "rtt_s", 1e3),
    }


def _bands(row: Row, spans: Spans) -> dict[str, pl.DataFrame]:
    """Begin, end and first packet of each span of time, by its cause."""
    own = () if row["limit"] in ("short", "unknown") else spans.get((row["connection"], row["direction"]), ())
    found: dict[str, list[tuple[float, float, int]]] = {}
    for span in own:
        found.setdefault(f"limits {span['limit']}", []).append((span["start_s"], span["end_s"], span["first_frame"]))
    found.pop("limits network", None)
    schema = {"time_s": pl.Float64, "value": pl.Float64, "frame": pl.Int64}
    return {name: pl.DataFrame(each, schema=schema, orient="row") for name, each in found.items()}


def _dots(frame: pl.DataFrame, column: str, factor: float = 1.0) -> pl.DataFrame:
    return _value(thin_points(frame, COLUMNS, each=2), column, factor)


def _steps(frame: pl.DataFrame, column: str) -> pl.DataFrame:
    return _value(thin_steps(frame.drop_nulls(column), column, COLUMNS), column, 1.0)


def _value(frame: pl.DataFrame, column: str, factor: float) -> pl.DataFrame:
    return frame.select("time_s", "frame", value=pl.col(column).cast(pl.Float64) * factor)


def histogram(name: str, acks: pl.DataFrame) -> Bars:
    """Segments that the ACKs of one direction cover."""
    plain = acks.filter(pl.col("plain"))["acked_segments"]
    groups = [Bar(str(n), [float((plain == n).sum())]) for n in range(1, MAX_SEGMENTS)]
    groups.append(Bar(f"{MAX_SEGMENTS}+", [float((plain >= MAX_SEGMENTS).sum())]))
    if (plain == 0).any():
        groups.insert(0, Bar("part of one", [float((plain == 0).sum())]))
    about = "Segments that an ACK acknowledges for the first time; only ACKs of plain new data."
    return Bars(
        f"{name}-segments", about, ["ACKs by the segments they cover"], ["blue"], groups, Axis("ACKs (count)"), 2.4
    )
