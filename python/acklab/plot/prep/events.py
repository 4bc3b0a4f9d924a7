"""Packet events of links, paired to the journeys of packets from edge to edge."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import polars as pl

#: A packet's own fields. Copies with equal fields cannot be distinguished. Events are
#: grouped by a 64-bit hash of these fields. In runs of a million packets, two different
#: packets have the same hash once in ten million runs.
KEY = ["flow", "kind", "seq", "len", "ack", "retransmit", "syn", "fin", "sack"]

#: Events at which a journey begins, and at which it ends.
LEAVES = pl.col("origin") & (pl.col("event") == "enqueue")
ARRIVES = pl.col("goal") & (pl.col("event") == "deliver")
DEAD = pl.col("event").is_in(["drop", "lose", "filter"])
LOST = pl.col("event").is_in(["drop", "lose"])


def paired(events: pl.DataFrame) -> pl.DataFrame:
    """The journeys that these events tell of, in any order; ``depth`` is still to come."""
    dead = events.filter(DEAD)
    sends = events.filter(LEAVES)
    ends = events.filter(ARRIVES)
    marked = dead.select("key").unique()
    parts = [_pair(_without(sends, marked), _without(ends, marked))]
    if dead.height:
        parts.extend(_with_losses(events, marked, sends, ends, dead))
    return pl.concat([p.select(KEY + _ROW) for p in parts])


_ROW = ["size_bytes", "window", "row", "sent_s", "ended_s", "fate", "where"]


def events_of(packets: pl.DataFrame, flows: pl.DataFrame, first_row: int = 0) -> pl.DataFrame:
    """The events with each packet's two edges, and whether an event is at one of them."""
    if "window" not in packets.columns:
        packets = packets.with_columns(pl.lit(None, pl.Int64).alias("window"))
    ends = flows.select(flow=pl.col("name"), a=pl.col("from"), b=pl.col("to")).unique("flow")
    # Which end of its way a link is, decided once for each flow, kind and link.
    split = pl.col("link").str.splitn("->", 2).struct
    data = pl.col("kind") == "data"
    roles = (
        packets.select("flow", "kind", "link")
        .unique()
        .join(ends, on="flow")
        .with_columns(at=split.field("field_0"), to=split.field("field_1"))
        .with_columns(
            origin=pl.col("at") == pl.when(data).then(pl.col("a")).otherwise(pl.col("b")),
            goal=pl.col("to") == pl.when(data).then(pl.col("b")).otherwise(pl.col("a")),
        )
        .drop("a", "b")
    )
    return (
        packets.with_row_index("row", first_row)
        .filter(pl.col("event") != "dequeue")
        .join(roles, on=["flow", "kind", "link"], how="inner", maintain_order="left")
        .with_columns(key=pl.struct(KEY).hash())
    )


def _without(frame: pl.DataFrame, keys: pl.DataFrame) -> pl.DataFrame:
    return frame.join(keys, on="key", how="anti", maintain_order="left") if keys.height else frame


def _pair(sends: pl.DataFrame, ends: pl.DataFrame) -> pl.DataFrame:
    """The k-th of equal copies to leave with the k-th to arrive."""
    nth = pl.int_range(pl.len()).over("key").alias("nth")
    left = sends.select(*KEY, "key", "size_bytes", "window", "row", nth, sent_s=pl.col("time_s"))
    right = ends.select("key", nth, ended_s=pl.col("time_s"))
    return left.join(right, on=["key", "nth"], how="left").with_columns(
        fate=pl.when(pl.col("ended_s").is_null()).then(pl.lit("in flight")).otherwise(pl.lit("delivered")),
        where=pl.lit(None, pl.String),
    )


def _with_losses(
    events: pl.DataFrame, marked: pl.DataFrame, sends: pl.DataFrame, ends: pl.DataFrame, dead: pl.DataFrame
) -> list[pl.DataFrame]:
    """Journeys of the packets some copy of which was lost."""
    n = pl.len()
    counts = (
        marked.join(sends.group_by("key").agg(left=n), on="key", how="left")
        .join(ends.group_by("key").agg(came=n), on="key", how="left")
        .join(dead.group_by("key").agg(died=n), on="key", how="left")
        .with_columns(pl.col("left", "came", "died").fill_null(0))
    )
    # The common case is one copy that died. Its loss is joined to its departure, if it has
    # one: a packet that its first queue refused departs and dies in a single event.
    single = (pl.col("died") == 1) & (pl.col("came") == 0) & (pl.col("left") <= 1)
    once = counts.filter(single).select("key")
    one = (
        dead.join(once, on="key", how="semi", maintain_order="left")
        .rename({"time_s": "ended_s", "event": "fate", "link": "where"})
        .join(sends.select("key", sent_s=pl.col("time_s")), on="key", how="left")
        .with_columns(pl.col("sent_s").fill_null(pl.col("ended_s")))
    )
    rest = counts.filter(~single).select("key")
    many = events.join(rest, on="key", how="semi", maintain_order="left").sort("row")
    rows: list[dict[str, Any]] = []
    for _, group in many.group_by("key", maintain_order=True):
        rows.extend(_follow(group.to_dicts()))
    out = [one]
    if rows:
        schema = {c: t for c, t in many.schema.items() if c in (*KEY, "size_bytes", "window", "row")}
        out.append(
            pl.DataFrame(
                rows,
                schema={**schema, "sent_s": pl.Float64, "ended_s": pl.Float64, "fate": pl.String, "where": pl.String},
            )
        )
    return out


def _follow(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Follow equal copies event by event, first in first out on every link."""
    journeys: list[dict[str, Any]] = []
    on_link: dict[str, list[dict[str, Any]]] = defaultdict(list)
    at_node: dict[str, list[dict[str, Any]]] = defaultdict(list)

    def start(e: dict[str, Any]) -> dict[str, Any]:
        j = {c: e[c] for c in (*KEY, "size_bytes", "window", "row")}
        j.update(sent_s=e["time_s"], ended_s=None, fate="in flight", where=None, moved=e["time_s"])
        journeys.append(j)
        return j

    for e in events:
        link, now = e["link"], e["time_s"]
        if e["event"] == "enqueue":
            j = at_node[e["at"]].pop(0) if at_node[e["at"]] else start(e)
            j["moved"] = now
            on_link[link].append(j)
        elif e["event"] == "deliver":
            j = on_link[link].pop(0) if on_link[link] else start(e)
            j["moved"] = now
            if e["goal"]:
                j.update(ended_s=now, fate="delivered")
            else:
                at_node[e["to"]].append(j)
        else:
            j = _victim(on_link[link], at_node[e["at"]], now)
            if j is None:
                j = start(e) if e["origin"] or not on_link[link] else on_link[link].pop(0)
            j.update(ended_s=now, fate=e["event"], where=link)
    for j in journeys:
        del j["moved"]
    return journeys


def _victim(queued: list[dict[str, Any]], waiting: list[dict[str, Any]], now: float) -> dict[str, Any] | None:
    """The copy that a loss at this instant befell: the one that has just moved here."""
    for place in (queued, waiting):
        for i in range(len(place) - 1, -1, -1):
            if place[i]["moved"] == now:
                return place.pop(i)
    return waiting.pop(0) if waiting else None
