"""From rows to fewer and larger ones: packet events of links to journeys from edge to edge, arrivals to bytes in order, changes to waits.

**Thinning.** A static chart of a million changes has perhaps a thousand columns of dots. In each column
the eye sees four points of a line: where it begins, its lowest, its highest, and where it
ends. Those rows are kept, unchanged. The others make no visible difference. The page does
the same with pyramids, at every zoom.
"""

from __future__ import annotations

import math
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


#: Data that arrived. SYN and FIN take a sequence number but carry no payload.
CARRIES = (
    (pl.col("kind") == "data") & (pl.col("fate") == "delivered") & (pl.col("len") > 0) & ~pl.col("syn") & ~pl.col("fin")
)


class Growth:
    """One receiver's bytes in order, counted as its packets are told."""

    def __init__(self, unit_bytes: int) -> None:
        self._unit_bytes = unit_bytes
        self._bytes, self._next, self._at = 0, None, -math.inf
        self._waiting: pl.DataFrame | None = None

    def add(self, came: pl.DataFrame) -> pl.DataFrame:
        """Takes arrivals ``ended_s, seq, len``, none of which came before those told already; ``time_s, bytes`` as they grow."""
        came = came.select("ended_s", "seq", "len")
        if self._waiting is not None:
            came = self._beyond(pl.concat([self._waiting, came]))
        pieces = _first_arrivals(came).sort("seq")
        # Behind a hole nothing is in order, until it is filled.
        reached = pl.col("end").shift(1).fill_null(pl.col("seq").first() if self._next is None else self._next)
        pieces = pieces.with_columns(hole=(pl.col("seq") > reached).cum_max())
        waiting = pieces.filter("hole").select("ended_s", "seq", len=pl.col("end") - pl.col("seq"))
        inorder = pieces.filter(~pl.col("hole")).with_columns(
            time_s=pl.max_horizontal(pl.col("ended_s").cum_max(), pl.lit(self._at)),
            bytes=self._bytes + (pl.col("end") - pl.col("seq")).cum_sum() * self._unit_bytes,
        )
        if inorder.height:
            self._next, self._bytes, self._at = inorder.select("end", "bytes", "time_s").row(-1)
        self._waiting = waiting
        return inorder.group_by("time_s").agg(pl.col("bytes").max()).sort("time_s")

    def _beyond(self, came: pl.DataFrame) -> pl.DataFrame:
        """What of these arrivals is not in order yet."""
        seq = pl.max_horizontal("seq", pl.lit(self._next))
        return came.with_columns(seq=seq, len=pl.col("seq") + pl.col("len") - seq).filter(pl.col("len") > 0)


def _first_arrivals(came: pl.DataFrame) -> pl.DataFrame:
    """Disjoint pieces ``seq, end, ended_s`` with the time each first arrived."""
    first = came.group_by("seq", "len").agg(pl.col("ended_s").min()).sort("seq", "len")
    first = first.with_columns(end=pl.col("seq") + pl.col("len"))
    if first.height < 2 or not (first["seq"][1:] < first["end"][:-1]).any():
        return first.select("seq", "end", "ended_s")
    # Retransmissions cut at other places than the originals: cut everything at every edge.
    edges = pl.concat([first["seq"], first["end"]]).unique().sort()
    cells = pl.DataFrame({"seq": edges[:-1], "end": edges[1:]})
    position = {int(e): i for i, e in enumerate(edges)}
    best = [math.inf] * cells.height
    for seq, end, at in first.select("seq", "end", "ended_s").iter_rows():
        for i in range(position[seq], position[end]):
            best[i] = min(best[i], at)
    return cells.with_columns(ended_s=pl.Series(best)).filter(pl.col("ended_s").is_finite())


def thin_steps(frame: pl.DataFrame, value: str, columns: int = 1000, time: str = "time_s") -> pl.DataFrame:
    """Keep each column's first, lowest, highest and last row; nothing is changed below 4 rows a column."""
    if frame.height <= 4 * columns:
        return frame
    return extremes(frame.with_columns(_cell(frame, columns, time)), ["_cell"], [pl.col(value)]).drop("_cell")


def extremes(frame: pl.DataFrame, groups: list[str], values: list[pl.Expr]) -> pl.DataFrame:
    """Keep each group's first and last row, and the rows with its lowest and its highest of each of ``values``."""
    at = pl.col("_row")
    wanted = [at.first(), at.last(), *(at.get(place) for v in values for place in (v.arg_min(), v.arg_max()))]
    rows = frame.with_row_index("_row")
    keep = rows.group_by(groups).agg(pl.concat_list(wanted).alias("_keep"))
    kept = keep.explode("_keep").select(_row="_keep").unique().drop_nulls()
    return rows.join(kept, on="_row", how="semi").sort("_row").drop("_row")


def thin_points(frame: pl.DataFrame, columns: int = 1000, each: int = 3, time: str = "time_s") -> pl.DataFrame:
    """Keep at most ``each`` rows a column, evenly taken; nothing is changed where there are fewer."""
    if frame.height <= columns * each:
        return frame
    rows = frame.with_columns(_cell(frame, columns, time))
    nth, size = pl.int_range(pl.len()).over("_cell"), pl.len().over("_cell")
    step = (size / each).ceil().cast(pl.Int64).clip(1)
    return rows.filter(nth % step == 0).drop("_cell")


def _cell(frame: pl.DataFrame, columns: int, time: str) -> pl.Expr:
    low, high = frame[time].min(), frame[time].max()
    span = (high - low) or 1.0
    return ((pl.col(time) - low) / span * columns).floor().cast(pl.Int64).clip(0, columns - 1).alias("_cell")


class Waits:
    """The waits of some rows of a table that is read in pieces; besides these rows only the latest piece is held.

    The n-th packet in leaves as the n-th out. ``entered`` is how many have to leave.
    """

    def __init__(self) -> None:
        self._last: dict[str, tuple[int, int]] = {}
        """Of each link, how many have left, and the length."""
        self._leaves = pl.DataFrame()
        self._pending: pl.DataFrame | None = None
        self._known: list[pl.DataFrame] = []

    def counted(self, piece: pl.DataFrame) -> pl.DataFrame:
        """All changes of a piece with ``entered``, in their order."""
        parts = []
        for (link,), rows in (
            piece.with_row_index("_row").partition_by("link", as_dict=True, maintain_order=True).items()
        ):
            left, before = self._last.get(str(link), (0, 0))
            step = pl.col("length").diff().fill_null(pl.col("length") - before)
            rows = rows.with_columns(length=pl.col("queue_packets").cast(pl.Int64)).with_columns(
                out=left + (-step).clip(0).cum_sum()
            )
            self._last[str(link)] = rows["out"][-1], rows["length"][-1]
            parts.append(rows.with_columns(left=pl.col("out") != pl.col("out").shift(1, fill_value=left)))
        whole = pl.concat(parts).sort("_row")
        self._leaves = whole.filter("left").select("link", "out", left_s="time_s")
        return whole.select(*piece.columns, entered=pl.col("out") + pl.col("length"))

    def keep(self, rows: pl.DataFrame) -> None:
        """Takes rows of the latest piece, and finds the waits of those that are known by now."""
        rows = rows if self._pending is None else pl.concat([self._pending, rows])
        found = rows.sort("entered").join_asof(
            self._leaves.sort("out"),
            left_on="entered",
            right_on="out",
            by="link",
            strategy="forward",
            check_sortedness=False,
        )
        wait = pl.when(pl.col("queue_packets") > 0).then((pl.col("left_s") - pl.col("time_s")) * 1e3).otherwise(0.0)
        found = found.with_columns(wait_ms=wait)
        self._known.append(found.filter(pl.col("wait_ms").is_not_null()).drop("entered", "out", "left_s", strict=False))
        self._pending = found.filter(pl.col("wait_ms").is_null()).select(rows.columns)

    def frame(self) -> pl.DataFrame:
        """The rows with ``wait_ms``, null where it was not over at the end."""
        assert self._pending is not None
        return pl.concat([*self._known, self._pending.drop("entered").with_columns(wait_ms=pl.lit(None, pl.Float64))])
