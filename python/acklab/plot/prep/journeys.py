"""Each packet's journey from one edge to the other, from the events of the links it passed.

The packets table says what happened on each link. The charts need to know when a packet
left, when it arrived, or where it died. The events of one packet are found by its own
fields (flow, kind, seq, ack, ...). Some packets have equal fields, such as duplicate
ACKs. They keep their order on a path of FIFO queues, so the k-th to leave is the k-th
to arrive. Only where some of them were lost, their order is followed link by link.
"""

from __future__ import annotations

import polars as pl

from ..runs import Run, once_per_run
from .events import KEY, events_of, paired

#: How a journey can end.
FATES = ("delivered", "drop", "lose", "filter", "in flight")

#: Columns of the result, in order.
COLUMNS = [*KEY, "size_bytes", "window", "sent_s", "ended_s", "fate", "where", "depth"]


@once_per_run
def journeys(run: Run) -> pl.DataFrame:
    """One row for each packet sent, in the order of sending.

    Columns: ``flow, kind, seq, len, ack, retransmit, syn, fin, sack, size_bytes, window,
    sent_s, ended_s, fate, where, depth``.

    ``sent_s`` is when the packet was offered to its first link. ``ended_s`` is when it was
    delivered at the other edge or lost (null if it is in flight at the end of the run).
    ``where`` names the link it was lost on. ``depth`` is how far along its path that was
    (0 = where it was sent, 1 = the other edge).
    """
    events = events_of(run.packets, run.flows)
    if run.thinned.ways is not None:
        out = run.thinned.ways
    elif events.height:
        out = paired(events)
    else:
        return pl.DataFrame(schema=dict.fromkeys(COLUMNS, pl.Null))
    out = _depths(out.sort("sent_s", "row", maintain_order=True), run, events)
    return out.select(COLUMNS)


def _depths(out: pl.DataFrame, run: Run, events: pl.DataFrame) -> pl.DataFrame:
    """How far along its path a packet was lost.

    By the propagation delay it had behind it, so that its line in the timeline has the
    slope of the others'; by the links passed if delays are not told. Losses are told
    where a link begins; kept a little off the edges, they stay visible.
    """
    if out["where"].null_count() == out.height:
        return out.with_columns(depth=pl.lit(None, pl.Float64))
    # Links in the order in which they first saw a packet of the flow.
    path = events.group_by("flow", "kind", "link").agg(pl.col("row").min()).sort("flow", "kind", "row")
    if run.links.height and "delay_s" in run.links.columns:
        delays = run.links.select("delay_s", link=pl.format("{}->{}", "from", "to")).unique("link")
        path = path.join(delays, on="link", how="left", maintain_order="left")
    else:
        path = path.with_columns(delay_s=pl.lit(1.0))
    # A path without any delay counts its links.
    length = pl.col("delay_s").fill_null(0.0)
    length = pl.when(length.sum().over("flow", "kind") > 0).then(length).otherwise(1.0)
    path = path.with_columns(length=length).with_columns(
        depth=(pl.col("length").cum_sum() - pl.col("length")).over("flow", "kind")
        / pl.col("length").sum().over("flow", "kind")
    )
    path = path.select("flow", "kind", where="link", depth=pl.col("depth").clip(0.04, 0.96))
    return out.join(path, on=["flow", "kind", "where"], how="left", maintain_order="left")
