"""Queue lengths over time, and the packets that found no place."""

from __future__ import annotations

import polars as pl

from ..runs import Run, once_per_run
from .events import DEAD


@once_per_run
def queue(run: Run, link: str | None = None) -> pl.DataFrame:
    """Length at each change: ``time_s, link, queue_packets, queue_bytes``, last change of an instant only."""
    frame = run.queue if link is None else run.queue.filter(pl.col("link") == link)
    frame = frame.select("time_s", "link", "queue_packets", "queue_bytes")
    frame = (
        frame.sort("link", "time_s", maintain_order=True) if link is None else frame.sort("time_s", maintain_order=True)
    )
    last = (pl.col("link") != pl.col("link").shift(-1)) | (pl.col("time_s") != pl.col("time_s").shift(-1))
    return frame.filter(last.fill_null(True))


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
