"""A run's tables as charts take them: whole, or thinned where they are too long to hold.

A table of at most ``WHOLE`` rows is read whole. A longer one is read in pieces. A run's
time is divided into cells, finer than a chart's columns of dots. Of each piece, only the
rows are kept that a chart of the whole run would show:

- ``series``: for each flow and cell, the first and the last row. Also those with the lowest
  and the highest window, flight, threshold and round trip. Also the first and the last
  change of state or timeout.
- ``queue``: for each link and cell, the first, last, lowest and highest length. Also the
  length at each loss that is kept.
- ``packets``: for each flow, kind, cell and sort (new, resent, dropped, ...), the first and
  the last packet sent. Also those with the lowest and the highest number. Goodput is
  counted before packets are left out.

So memory is bounded by cells and flows, not by the run's length.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl

from .prep.packets import ARRIVES, CARRIES, DEAD, LEAVES, Growth, Waits, events_of, extremes, paired
from .tables import SCHEMA, Thinned, table

#: Rows up to which a table on disk is read whole; one that is in memory anyway, up to ``HELD`` times as many.
WHOLE = {"series": 200_000, "queue": 500_000, "packets": 600_000}
HELD = 16

#: Cells of all flows (or links) of a run together.
CELLS = {"series": 40_000, "queue": 60_000, "packets": 120_000}

#: Rows read at a time.
PIECE = 1 << 17

#: A packet under way for so many pieces without an event is not waited for.
_PATIENCE = 4

_OPTIONAL = {"packets": ["sack", "window"]}


def read(sources: dict[str, Any]) -> tuple[dict[str, pl.DataFrame], Thinned]:
    """The tables, and what of them was thinned."""
    tables, long = {}, {}
    for name, source in sources.items():
        if name not in WHOLE or source is None:
            tables[name] = table(name, source)
            continue
        on_disk = isinstance(source, pl.LazyFrame)
        lazy = source if on_disk else pl.DataFrame(source).lazy()
        rows = lazy.select(pl.len()).collect().item()
        if rows <= WHOLE[name] * (1 if on_disk else HELD):
            # Queues tell what a packet's leaving one would.
            needed = lazy.filter(pl.col("event") != "dequeue") if on_disk and name == "packets" else lazy
            tables[name] = table(name, needed.collect())
        else:
            long[name] = _Long(name, lazy, rows)
    more: dict[str, Any] = {}
    if "packets" in long:
        tables["packets"], more = _packets(long["packets"], tables["flows"])
    if "series" in long:
        tables["series"] = _series(long["series"])
    if "queue" in long:
        tables["queue"] = _queue(long["queue"], tables["packets"].filter(DEAD))
    return {name: tables[name] for name in SCHEMA}, Thinned({name: t.rows for name, t in long.items()}, **more)


class _Long:
    """A table that is read in pieces."""

    def __init__(self, name: str, lazy: pl.LazyFrame, rows: int) -> None:
        self.name, self.rows = name, rows
        known = [*SCHEMA[name], *_OPTIONAL.get(name, [])]
        self.lazy = lazy.select(column for column in lazy.collect_schema().names() if column in known)
        whose = "link" if name == "queue" else "flow"
        about = lazy.select(pl.col("time_s").max(), pl.col(whose).n_unique()).collect()
        self.end_s: float = about.item(0, 0) or 1.0
        self.cells = max(1, CELLS[name] // about.item(0, 1))

    def __iter__(self) -> Iterator[tuple[int, pl.DataFrame]]:
        """The pieces, each with the number of its first row."""
        for first in range(0, self.rows, PIECE):
            yield first, table(self.name, self.lazy.slice(first, PIECE).collect())

    def cell(self, time: str = "time_s") -> pl.Expr:
        """The cell of a row."""
        return (pl.col(time) / self.end_s * self.cells).floor().cast(pl.Int64).alias("cell")


def _series(long: _Long) -> pl.DataFrame:
    kept = []
    for _, piece in long:
        rows = _lasting(piece, "flow").with_columns(long.cell())
        before = {c: pl.col(c).shift(1).over("flow") for c in ("time_s", "state", "cwnd_segments", "rto_s")}
        # As `sender_states` finds timeouts.
        waited = pl.col("time_s") - before["time_s"] >= 0.95 * before["rto_s"]
        backed_off = pl.col("rto_s") >= 1.5 * before["rto_s"]
        timeout = (pl.col("cwnd_segments") <= 1) & ((before["cwnd_segments"] > 1) | backed_off | waited)
        rows = rows.with_columns(turn=((pl.col("state") != before["state"]) | timeout).fill_null(False))
        turns = pl.col("turn") | pl.col("turn").shift(-1, fill_value=False).over("flow")
        values = ["cwnd_segments", "flight_segments", "ssthresh_segments", "rtt_s"]
        found = [
            extremes(rows, ["flow", "cell"], [pl.col(c) for c in values]),
            extremes(rows.filter(turns), ["flow", "cell"], []),
        ]
        kept.append(pl.concat(found).unique(["flow", "time_s"]).sort("time_s", "flow").select(piece.columns))
    return pl.concat(kept)


def _queue(long: _Long, deaths: pl.DataFrame) -> pl.DataFrame:
    waits = Waits()
    for _, piece in long:
        rows = _lasting(waits.counted(piece), "link").with_columns(long.cell())
        found = [extremes(rows, ["link", "cell"], [pl.col("queue_packets")])]
        for (link,), lost in deaths.partition_by("link", as_dict=True).items():
            here = rows.filter(pl.col("link") == link)
            at = lost.select("time_s").sort("time_s").join_asof(here.select("time_s", at="time_s"), on="time_s")
            found.append(here.join(at.select(time_s="at"), on="time_s", how="semi"))
        waits.keep(pl.concat(found).unique(["link", "time_s"]).select(*piece.columns, "entered"))
    return waits.frame().sort("time_s", "link")


def _lasting(piece: pl.DataFrame, whose: str) -> pl.DataFrame:
    """The last change of each instant."""
    return piece.filter((pl.col("time_s") != pl.col("time_s").shift(-1).over(whose)).fill_null(True))


def _packets(long: _Long, flows: pl.DataFrame) -> tuple[pl.DataFrame, dict[str, Any]]:
    """The events that charts ask for (losses, and the first of each flow on each link), and what replaces the others."""
    units = dict(flows.select("name", "unit_bytes").iter_rows()) if "unit_bytes" in flows.columns else {}
    route = ["flow", "kind", "link"]
    firsts, deaths, ways, progress = [], [], [], []
    growth: dict[str, Growth] = {}
    under_way, sent = None, 0
    for first_row, piece in long:
        events = events_of(piece, flows, first_row)
        lost = events.filter(DEAD).with_columns(long.cell())
        deaths.append(extremes(lost, [*route, "event", "cell"], []).select("row", *piece.columns))
        firsts.append(events.unique(route, keep="first", maintain_order=True).select("row", *piece.columns))
        over, under_way = _settled(events if under_way is None else pl.concat([under_way, events]))
        last = first_row + piece.height >= long.rows
        new = paired(pl.concat([over, under_way]) if last else over).sort("sent_s", "row")
        sent += new.height
        for (flow,), came in new.filter(CARRIES).partition_by("flow", as_dict=True).items():
            grown = growth.setdefault(flow, Growth(units.get(flow) or 1)).add(came)
            grown = extremes(grown.with_columns(long.cell()), ["cell"], []).drop("cell")
            progress.append(grown.select(pl.lit(flow).alias("flow"), "time_s", "bytes"))
        number = pl.when(pl.col("kind") == "data").then("seq").otherwise("ack")
        sort = ["flow", "kind", "fate", "retransmit", "cell"]
        ways.append(extremes(new.with_columns(long.cell("sent_s")), sort, [number]).drop("cell"))
    known = pl.concat(firsts).unique(route, keep="first", maintain_order=True)
    packets = pl.concat([known, *deaths]).unique("row").sort("row").drop("row")
    none = pl.DataFrame(schema={"flow": pl.String, "time_s": pl.Float64, "bytes": pl.Int64})
    return packets, {"ways": pl.concat(ways), "sent": sent, "progress": pl.concat([none, *progress])}


def _settled(events: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The events of packets that have reached their ends, and those of packets under way."""
    ends = (ARRIVES | DEAD).sum().cast(pl.Int64)
    left = LEAVES.sum().cast(pl.Int64)
    newest = (events["row"].max() or 0) - _PATIENCE * PIECE
    keys = events.group_by("key").agg(missing=left - ends, row=pl.col("row").max())
    open_ = keys.filter((pl.col("missing") > 0) & (pl.col("row").cast(pl.Int64) > newest)).select("key")
    return (events.join(open_, on="key", how=how, maintain_order="left") for how in ("anti", "semi"))
