"""The time-sequence graph: what was sent and acknowledged, seen from the sender's edge.

The conventions are tcptrace's. A segment is a vertical tick at the time it was sent, from
its first unit to the one after its last. Retransmissions are marked R. The ACK line steps
up when ACKs *reach the sender*. SACK blocks stand above it. The advertised window is a
line.
"""

from __future__ import annotations

import polars as pl

from ..runs import Run
from .journeys import journeys


def sequence_unit(run: Run, flow: str) -> str:
    """``"bytes"`` or ``"segments"``: what the flow's sequence numbers count."""
    return "bytes" if run.unit_bytes(flow) == 1 else "segments"


def time_sequence(run: Run, flow: str, ways: pl.DataFrame | None = None) -> dict[str, pl.DataFrame]:
    """The five layers of one flow's graph, each a frame sorted by time.

    - ``segments``: ``sent_s, seq, end, retransmit, fate``.
    - ``acks``: ``time_s, ack, duplicate`` of arrivals at the sender.
    - ``sacks``: ``time_s, start, end, block``. Block 0 is the one the ACK names first.
    - ``window``: ``time_s, edge``. The edge is the acknowledged number plus the advertised window, if known.
    - ``drops``: ``time_s, seq, end, event, link``. They say where data died on the path.

    ``ways`` takes the run's journeys if the caller has them already.
    """
    ways = journeys(run) if ways is None else ways
    ways = ways.filter(pl.col("flow") == flow)
    data = ways.filter(pl.col("kind") == "data").with_columns(end=pl.col("seq") + pl.col("len"))
    acks = acks_at_sender(ways)
    return {
        "segments": data.select("sent_s", "seq", "end", "retransmit", "fate"),
        "acks": acks.select("time_s", "ack", "duplicate"),
        "sacks": sack_blocks(acks).select("time_s", "start", "end", "block"),
        "window": _window(run, flow, data, acks),
        "drops": data.filter(pl.col("fate").is_in(["drop", "lose"]))
        .select(time_s="ended_s", seq="seq", end="end", event="fate", link="where")
        .sort("time_s"),
    }


def acks_at_sender(ways: pl.DataFrame) -> pl.DataFrame:
    """The ACKs that reached the sender, in the order they did; ``duplicate`` ones moved nothing."""
    acks = ways.filter((pl.col("kind") == "ack") & (pl.col("fate") == "delivered"))
    acks = acks.with_columns(time_s=pl.col("ended_s")).sort("time_s", maintain_order=True)
    highest = pl.col("ack").cum_max().shift(1)
    return acks.with_columns(duplicate=(pl.col("ack") <= highest).fill_null(False)).with_row_index("nth")


def sack_blocks(acks: pl.DataFrame) -> pl.DataFrame:
    """One row for each SACK block: ``nth`` (of the ACK), ``time_s, start, end, block``."""
    with_blocks = acks.filter(pl.col("sack") != "").select("nth", "time_s", pl.col("sack").str.split(","))
    edges = pl.col("sack").str.splitn("-", 2).struct
    return (
        with_blocks.explode("sack")
        .with_columns(
            block=pl.int_range(pl.len()).over("nth"),
            start=edges.field("field_0").cast(pl.Int64),
            end=edges.field("field_1").cast(pl.Int64),
        )
        .drop("sack")
    )


def _window(run: Run, flow: str, data: pl.DataFrame, acks: pl.DataFrame) -> pl.DataFrame:
    known = acks.drop_nulls("window")
    if known.height:
        return known.select("time_s", edge=pl.col("ack") + pl.col("window"))
    row = run.flow(flow)
    segments = row.get("window_segments")
    if segments is None or not acks.height:
        return pl.DataFrame(schema={"time_s": pl.Float64, "edge": pl.Int64})
    # A constant window is told in segments; in a byte sequence a segment is the usual length.
    each = int(data["len"].max() or 1)
    return acks.select("time_s", edge=pl.col("ack").cum_max() + int(segments * each))
