"""Queue lengths and waits over time, and the packets that found no place."""

from __future__ import annotations

import polars as pl

from ..runs import Run, once_per_run
from .events import DEAD


@once_per_run
def queue(run: Run, link: str | None = None) -> pl.DataFrame:
    """Length at each change: ``time_s, link, queue_packets, queue_bytes, wait_ms``, last change of an instant only.

    ``wait_ms`` is the time until as many packets as waited then had left: in a FIFO queue, what its last packet still waits. It is
    null where they had not left when the run ended. A table that was thinned has it for the rows kept.
    """
    frame = run.queue if link is None else run.queue.filter(pl.col("link") == link)
    thinned = "wait_ms" in frame.columns
    frame = frame.select("time_s", "link", "queue_packets", "queue_bytes", *["wait_ms"] * thinned)
    frame = (
        frame.sort("link", "time_s", maintain_order=True) if link is None else frame.sort("time_s", maintain_order=True)
    )
    if not frame.height and not thinned:
        frame = frame.with_columns(wait_ms=pl.lit(None, pl.Float64))
    elif not thinned:
        frame = pl.concat([queue_waits(part) for part in frame.partition_by("link", maintain_order=True)])
    last = (pl.col("link") != pl.col("link").shift(-1)) | (pl.col("time_s") != pl.col("time_s").shift(-1))
    return frame.filter(last.fill_null(True))


def queue_waits(changes: pl.DataFrame) -> pl.DataFrame:
    """All changes of a queue with the wait of each: the n-th packet in leaves as the n-th out."""
    length = pl.col("queue_packets").cast(pl.Int64)
    step = length.diff().fill_null(length)
    rows = changes.with_columns(out=(-step).clip(0).cum_sum())
    leaves = rows.filter(pl.col("out") != pl.col("out").shift(1, fill_value=0)).select("out", left_s="time_s")
    rows = rows.with_columns(entered=pl.col("out") + length).join_asof(
        leaves, left_on="entered", right_on="out", strategy="forward"
    )
    wait = pl.when(length > 0).then((pl.col("left_s") - pl.col("time_s")) * 1e3).otherwise(0.0)
    return rows.select(*changes.columns, wait_ms=wait)


@once_per_run
def drops(run: Run, link: str | None = None) -> pl.DataFrame:
    """Packets that died on a link: ``time_s, link, event, flow, kind, seq, ack, queue_packets``.

    ``event`` is ``drop`` (the queue's doing), ``lose`` (the loss model's) or ``filter`` (an
    ACK filter's); ``queue_packets`` is the queue's length then, null if not recorded.
    """
    frame = run.packets.filter(DEAD)
    if link is not None:
        frame = frame.filter(pl.col("link") == link)
    frame = frame.select("time_s", "link", "event", "flow", "kind", "seq", "ack").sort("time_s", maintain_order=True)
    parts = [
        part.join_asof(queue(run, name).select("time_s", "queue_packets"), on="time_s", strategy="backward")
        for (name,), part in frame.partition_by("link", as_dict=True, maintain_order=True).items()
    ]
    return (
        pl.concat(parts).sort("time_s", maintain_order=True)
        if parts
        else frame.with_columns(queue_packets=pl.lit(None, pl.Int64))
    )


def fullest(run: Run) -> str | None:
    """The link whose queue grew longest; None if queues were not recorded."""
    if not run.queue.height:
        return None
    tops = run.queue.group_by("link").agg(pl.col("queue_packets").max())
    return tops.sort(["queue_packets", "link"], descending=[True, False])["link"][0]
