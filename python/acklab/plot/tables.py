"""Tables of a run with the columns and types that charts read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import polars as pl

#: Columns each table must have, with the type the charts read them as.
SCHEMA: dict[str, dict[str, Any]] = {
    "flows": {"name": pl.String, "from": pl.String, "to": pl.String},
    "links": {"from": pl.String, "to": pl.String},
    "series": {
        "time_s": pl.Float64,
        "flow": pl.String,
        "cwnd_segments": pl.Float64,
        "ssthresh_segments": pl.Float64,
        "flight_segments": pl.Float64,
        "rtt_s": pl.Float64,
        "rto_s": pl.Float64,
        "state": pl.String,
    },
    "queue": {
        "time_s": pl.Float64,
        "link": pl.String,
        "queue_packets": pl.Int64,
        "queue_bytes": pl.Int64,
    },
    "packets": {
        "time_s": pl.Float64,
        "link": pl.String,
        "event": pl.String,
        "flow": pl.String,
        "kind": pl.String,
        "seq": pl.Int64,
        "len": pl.Int64,
        "ack": pl.Int64,
        "size_bytes": pl.Int64,
        "retransmit": pl.Boolean,
        "syn": pl.Boolean,
        "fin": pl.Boolean,
    },
}

#: Columns a table may lack, and what stands in for them.
_DEFAULTS: dict[str, dict[str, Any]] = {
    "series": {"rtt_s": None, "rto_s": None, "state": None, "flight_segments": None, "ssthresh_segments": None},
    "queue": {"queue_bytes": None},
    "packets": {"ack": 0, "size_bytes": 0, "retransmit": False, "syn": False, "fin": False},
}


@dataclass(frozen=True)
class Thinned:
    """What stands in for tables that are too long for a chart; see :mod:`acklab.plot.reading`."""

    #: Table -> how many rows it has, of those that were thinned.
    rows: dict[str, int] = field(default_factory=dict)
    #: The journeys kept, and how many there were.
    ways: pl.DataFrame | None = None
    sent: int = 0
    #: Bytes in order at the receivers: ``flow, time_s, bytes``.
    progress: pl.DataFrame | None = None


def table(name: str, value: Any) -> pl.DataFrame:
    """A table, or a piece of one, with the columns and types that charts read."""
    columns = SCHEMA[name]
    if value is None:
        if name == "flows":
            raise ValueError("a run needs its flows table")
        return pl.DataFrame(schema=columns)
    frame = value if isinstance(value, pl.DataFrame) else pl.DataFrame(value)
    for column, default in _DEFAULTS.get(name, {}).items():
        if column not in frame.columns:
            frame = frame.with_columns(pl.lit(default).alias(column))
    missing = [c for c in columns if c not in frame.columns]
    if missing:
        raise ValueError(f"the {name} table lacks {', '.join(missing)}; it has {', '.join(frame.columns)}")
    frame = frame.with_columns(pl.col(c).cast(t) for c, t in columns.items())
    if name == "packets":
        # A column that does not apply (an ACK's seq, the ack of data) counts as zero.
        frame = frame.with_columns(
            _sack_text(frame).alias("sack"), pl.col("seq", "len", "ack", "size_bytes").fill_null(0)
        )
    return frame


def _sack_text(frame: pl.DataFrame) -> pl.Expr:
    """SACK blocks as ``"a-b,c-d"``, whether they came as text or as lists of pairs."""
    if "sack" not in frame.columns:
        return pl.lit("")
    kind = frame.schema["sack"]
    if kind == pl.List:
        inner = kind.inner  # type: ignore[attr-defined]
        element = pl.element()
        if inner == pl.Struct:
            names = [f.name for f in inner.fields]
            pair = pl.format("{}-{}", element.struct.field(names[0]), element.struct.field(names[1]))
        elif inner == pl.Array:
            pair = element.arr.to_list().cast(pl.List(pl.String)).list.join("-")
        else:
            pair = element.cast(pl.List(pl.String)).list.join("-")
        return pl.col("sack").list.eval(pair).list.join(",").fill_null("")
    return pl.col("sack").cast(pl.String).fill_null("")
