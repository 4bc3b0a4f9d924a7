"""Goodput: payload bytes the receiver has in order, and their rate in bins."""

from __future__ import annotations

import math

import polars as pl

from ..runs import Run
from .journeys import journeys


#: Data that arrived. SYN and FIN take a sequence number but carry no payload.
CARRIES = (
    (pl.col("kind") == "data")
    & (pl.col("fate") == "delivered")
    & (pl.col("len") > 0)
    & ~pl.col("syn")
    & ~pl.col("fin")
)


def progress(run: Run, flow: str, ways: pl.DataFrame | None = None) -> pl.DataFrame:
    """Bytes in order at the receiver: ``time_s, bytes``, one row for each time they grew.

    A unit is in order once it and all before it have arrived, so its time is the latest
    first arrival up to it: a running maximum over the sequence numbers.
    """
    if run.thinned.progress is not None:
        return run.thinned.progress.filter(pl.col("flow") == flow).drop("flow")
    ways = journeys(run) if ways is None else ways
    came = ways.filter((pl.col("flow") == flow) & CARRIES).select("ended_s", "seq", "len")
    if not came.height:
        return pl.DataFrame(schema={"time_s": pl.Float64, "bytes": pl.Int64})
    return Growth(run.unit_bytes(flow)).add(came)


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


def throughput(run: Run, flow: str, bin_s: float | None = None, ways: pl.DataFrame | None = None) -> pl.DataFrame:
    """Goodput in bins: ``start_s, end_s, goodput_bps`` from 0 to the end of the run.

    Without ``bin_s`` the run is cut into some hundred bins of a round length.
    """
    done = progress(run, flow, ways)
    width = bin_s or nice_bin(run.end_s / 100)
    count = max(1, math.ceil(run.end_s / width - 1e-9))
    edges = pl.DataFrame({"time_s": [i * width for i in range(count + 1)]})
    at = edges.join_asof(done, on="time_s", strategy="backward").with_columns(pl.col("bytes").fill_null(0))
    # The last bin ends with the run, so that its rate is not diluted by time that never was.
    start, end = at["time_s"][:-1], at["time_s"][1:].clip(upper_bound=run.end_s)
    total = done["bytes"][-1] if done.height else 0
    got = at["bytes"].to_list()
    got[-1] = total
    grown = pl.Series(got).diff()[1:]
    return pl.DataFrame({"start_s": start, "end_s": end}).with_columns(
        goodput_bps=grown * 8 / (pl.col("end_s") - pl.col("start_s"))
    )


def nice_bin(at_least: float) -> float:
    """The smallest of 1, 2, 5 times a power of ten that is at least this long.

    >>> nice_bin(0.03), nice_bin(0.2), nice_bin(7)
    (0.05, 0.2, 10.0)
    """
    if at_least <= 0:
        return 1.0
    power = math.floor(math.log10(at_least))
    for p in (power, power + 1):
        for step in (1, 2, 5):
            value = float(f"{step}e{p}")
            if value >= at_least * (1 - 1e-9):
                return value
    return float(f"1e{power + 2}")
