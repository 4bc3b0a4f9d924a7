"""The charts of one direction, as data; :mod:`acklab.figures.draw` draws them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from ..figures.charts import Axis, Bar, Bars, Line, Lines, Mark, Panel
from ..plot.prep.thin import thin_points, thin_steps

#: Columns of dots a chart has room for; more rows are thinned.
COLUMNS = 400
#: Segments an ACK told apart in the histogram; more are one bar.
MOST = 8

Row = Mapping[str, Any]
Chart = Lines | Bars


def charts(row: Row, name: str, acks: pl.DataFrame, segments: pl.DataFrame) -> list[Chart]:
    """What is drawn of a direction: numbers against time, segments an ACK, delays, round trips and flight."""
    start = min((frame["time_s"][0] for frame in (acks, segments) if frame.height), default=0.0)
    acks = acks.with_columns(pl.col("time_s") - start)
    segments = segments.with_columns(pl.col("time_s") - start)
    end = max(float(frame["time_s"].max() or 0) for frame in (acks, segments))  # type: ignore[arg-type]
    time = Axis("time (s)", low=0, high=1.02 * end or 1.0)
    found: list[Chart] = [_sequence(name, time, acks, segments)]
    if row["plain_acks"]:
        found += [_per_ack(name, acks), _delay(row, name, time, acks)]
    return [*found, _flight(row, name, time, acks, segments)]


def _room(label: str, values: pl.Series, factor: float) -> Axis:
    """An axis from zero with room for its farthest mark."""
    top = factor * float(values.max() or 0)  # type: ignore[arg-type]
    return Axis(label, low=0, high=1.08 * top or 1.0)


def _dots(name: str, frame: pl.DataFrame, column: str, factor: float, colour: str, marker: str = ".") -> list[Line]:
    frame = thin_points(frame, COLUMNS, each=2)
    if not frame.height:
        return []
    values = (frame[column] * factor).to_numpy()
    return [Line(name, frame["time_s"].to_numpy(), values, colour, dash=" ", marker=marker)]


def _steps(name: str, frame: pl.DataFrame, column: str, factor: float, colour: str) -> list[Line]:
    frame = thin_steps(frame.drop_nulls(column), column, COLUMNS)
    if not frame.height:
        return []
    return [Line(name, frame["time_s"].to_numpy(), (frame[column] * factor).to_numpy(), colour, step=True)]


def _scale(top: float) -> tuple[float, str]:
    """A factor that makes bytes readable, and the unit it leads to."""
    return (1e-6, "MB") if top >= 2e6 else (1e-3, "kB") if top >= 2e3 else (1.0, "B")


def _sequence(name: str, time: Axis, acks: pl.DataFrame, segments: pl.DataFrame) -> Lines:
    top = max(segments["seq_bytes"].max() or 0, acks["ack_bytes"].max() or 0)  # type: ignore[type-var]
    factor, unit = _scale(float(top))  # type: ignore[arg-type]
    data = segments.filter(pl.col("payload_bytes") > 0)
    new, again = data.filter(pl.col("kind") == "new"), data.filter(pl.col("kind").is_in(["resent", "late"]))
    duplicates = acks.filter(pl.col("kind") == "duplicate")
    lines = [
        *_steps("acknowledged", acks.filter(pl.col("kind").is_in(["new", "repeated"])), "ack_bytes", factor, "ack"),
        *_dots("segment", new, "seq_bytes", factor, "data"),
        *_dots("resent or late", again, "seq_bytes", factor, "retransmit", "x"),
        *_dots("duplicate ACK", duplicates, "ack_bytes", factor, "sack", "+"),
    ]
    panel = Panel("Segments and their acknowledgment", time, Axis(f"sequence number ({unit})", low=0), lines)
    return Lines(
        f"{name}-sequence", "Each dot is a segment's first number; the line is the highest acknowledged.", [panel], 3.4
    )


def _per_ack(name: str, acks: pl.DataFrame) -> Bars:
    plain = acks.filter(pl.col("plain"))["acked_segments"]
    groups = [Bar(str(n), [float((plain == n).sum())]) for n in range(1, MOST)]
    groups.append(Bar(f"{MOST} or more", [float((plain >= MOST).sum())]))
    if (plain == 0).any():
        groups.insert(0, Bar("part of one", [float((plain == 0).sum())]))
    about = "Segments that an ACK acknowledges for the first time; only ACKs of plain new data."
    return Bars(
        f"{name}-segments", about, ["ACKs by the segments they cover"], ["blue"], groups, Axis("ACKs (count)"), 2.4
    )


def _delay(row: Row, name: str, time: Axis, acks: pl.DataFrame) -> Lines:
    plain = acks.filter(pl.col("plain") & pl.col("delay_s").is_not_null())
    one, more = plain.filter(pl.col("acked_segments") <= 1), plain.filter(pl.col("acked_segments") > 1)
    lines = [
        *_dots("ACK of one segment", one, "delay_s", 1e3, "blue"),
        *_dots("of several", more, "delay_s", 1e3, "orange"),
    ]
    marks = []
    if row["timer_s"] is not None:
        marks.append(Mark(1e3 * (row["timer_s"] + row["delay_min_s"]), "timer"))
    panel = Panel("ACK delay", time, _room("delay (ms)", plain["delay_s"], 1e3), lines, marks)
    about = "Time from the segment that completes what an ACK covers to the ACK, where it was captured."
    return Lines(f"{name}-delay", about, [panel], 2.4)


def _flight(row: Row, name: str, time: Axis, acks: pl.DataFrame, segments: pl.DataFrame) -> Lines:
    data = segments.filter(pl.col("payload_bytes") > 0)
    window = data.with_columns(cwnd_bytes=pl.col("cwnd_segments") * float(row["segment_bytes"]))
    both = pl.concat([data.select("time_s", "flight_bytes"), _after(acks)]).sort("time_s", maintain_order=True)
    factor, unit = _scale(float(both["flight_bytes"].max() or 0))  # type: ignore[arg-type]
    flight = [
        *_steps("outstanding", both, "flight_bytes", factor, "flight"),
        *_steps("window, as a receiver estimates it", window, "cwnd_bytes", factor, "cwnd"),
    ]
    samples = acks.filter(pl.col("rtt_s").is_not_null())
    round_trips = _dots("round trip to the receiver", samples, "rtt_s", 1e3, "rto")
    panels = [
        Panel(
            "Outstanding data",
            time,
            _room(f"data ({unit})", pl.concat([both["flight_bytes"].cast(pl.Float64), window["cwnd_bytes"]]), factor),
            flight,
        ),
        Panel("Round trips from here", time, _room("round trip (ms)", samples["rtt_s"], 1e3), round_trips),
    ]
    return Lines(f"{name}-flight", "What was sent and not acknowledged, as seen where it was captured.", panels, 2.6)


def _after(acks: pl.DataFrame) -> pl.DataFrame:
    """What is outstanding after each ACK of new data."""
    new = acks.filter(pl.col("kind") == "new")
    left = (pl.col("flight_bytes").cast(pl.Int64) - pl.col("acked_bytes").cast(pl.Int64)).clip(0)
    return new.select("time_s", flight_bytes=left.cast(pl.UInt64))
