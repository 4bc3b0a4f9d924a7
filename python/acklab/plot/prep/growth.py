"""Growth of the bytes that a receiver has in order."""

from __future__ import annotations

import math

import polars as pl

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
