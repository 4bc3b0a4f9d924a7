"""The timeline diagram: time runs along, data slants down, ACKs rise, bands stack.

The upper edge of a band is the sender, the lower the receiver. A packet is a line between
two edges. It begins at the time it left and ends at the time it arrived. A line that
crosses the end of a band continues in the next.
"""

from __future__ import annotations

import math

import polars as pl

from ..runs import Run
from .journeys import journeys
from .throughput import nice_bin

BANDS = 14


def band_length(start_s: float, end_s: float, bands: int = BANDS) -> float:
    """A round length that needs at most so many bands for the span.

    >>> band_length(0, 6.3)
    0.5
    """
    return nice_bin((end_s - start_s) / bands)


def timeline(
    run: Run,
    flow: str,
    start_s: float = 0.0,
    end_s: float | None = None,
    bands: int = BANDS,
    ways: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """Line pieces: ``band, kind, retransmit, fate, seq, ack, x0_s, y0, x1_s, y1, ends``.

    ``x`` is the time since the band began, ``y`` is 0 at the sender's edge and 1 at the
    receiver's. ``ends`` is true on the piece on which the packet arrives or dies. A
    packet on the way when the run stopped takes as long as the last of its kind that
    arrived. Its line is cut at the run's end.
    """
    ways = journeys(run) if ways is None else ways
    stop = run.end_s if end_s is None else end_s
    length = band_length(start_s, stop, bands)
    count = max(1, math.ceil((stop - start_s) / length - 1e-9))
    data = pl.col("kind") == "data"
    whole = ways.filter(pl.col("flow") == flow)
    arrived = pl.col("fate") == "delivered"
    took = (
        (pl.col("ended_s") - pl.col("sent_s"))
        .filter(arrived)
        .sort_by(pl.col("sent_s").filter(arrived))
        .last()
        .over("kind")
    )
    flying = pl.col("ended_s").is_null() & took.is_not_null()
    whole = whole.with_columns(
        t0=pl.col("sent_s"),
        t1=pl.when(flying)
        .then(pl.max_horizontal(pl.lit(run.end_s), pl.col("sent_s") + took))
        .otherwise(pl.col("ended_s").fill_null(run.end_s)),
        reach=pl.when(arrived | flying).then(1.0).otherwise(pl.col("depth").fill_null(0.5)),
    )
    whole = whole.filter((pl.col("t1") >= start_s) & (pl.col("t0") < stop))
    whole = whole.with_columns(
        first=((pl.col("t0") - start_s) / length).floor().cast(pl.Int64).clip(0, count - 1),
        last=((pl.min_horizontal("t1", pl.lit(run.end_s)) - start_s) / length)
        .floor()
        .cast(pl.Int64)
        .clip(0, count - 1),
    )
    pieces = whole.with_columns(band=pl.int_ranges("first", pl.col("last") + 1)).explode("band")
    begin = start_s + pl.col("band") * length
    p0 = pl.max_horizontal("t0", begin)
    p1 = pl.min_horizontal("t1", begin + length, pl.lit(run.end_s))
    took = pl.col("t1") - pl.col("t0")

    def way(at: pl.Expr) -> pl.Expr:
        gone = pl.when(took > 0).then((at - pl.col("t0")) / took).otherwise(1.0) * pl.col("reach")
        return pl.when(data).then(gone).otherwise(1.0 - gone)

    return pieces.select(
        "band",
        "kind",
        "retransmit",
        "fate",
        "seq",
        "ack",
        x0_s=p0 - begin,
        y0=way(p0),
        x1_s=p1 - begin,
        y1=way(p1),
        ends=(pl.col("band") == pl.col("last")) & pl.col("ended_s").is_not_null(),
    ).sort("band", "x0_s", maintain_order=True)
