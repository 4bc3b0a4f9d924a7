"""The sender's window over time: cwnd, ssthresh and what is in flight."""

from __future__ import annotations

import polars as pl

from ..runs import Run, once_per_run


@once_per_run
def cwnd(run: Run, flow: str | None = None) -> pl.DataFrame:
    """The window at each change: ``time_s, flow, cwnd_segments, ssthresh_segments, flight_segments, state``.

    Where several changes bear the same time only the last is kept: it is the one that
    lasted. A slow-start threshold that has not been set (infinite, or beyond 2^30) is
    null, so that it does not flatten the chart.
    """
    frame = run.series if flow is None else run.series.filter(pl.col("flow") == flow)
    far = pl.col("ssthresh_segments").is_infinite() | (pl.col("ssthresh_segments") > 2**30)
    return (
        frame.select("time_s", "flow", "cwnd_segments", "ssthresh_segments", "flight_segments", "state")
        .with_columns(ssthresh_segments=pl.when(far).then(None).otherwise(pl.col("ssthresh_segments")))
        .sort("flow", "time_s", maintain_order=True)
        .filter(
            (pl.col("flow") != pl.col("flow").shift(-1)).fill_null(True)
            | (pl.col("time_s") != pl.col("time_s").shift(-1))
        )
    )


def window_events(run: Run, flow: str | None = None) -> pl.DataFrame:
    """When the sender cut its window: ``time_s, flow, event, cwnd_segments`` (the window after it).

    ``event`` is ``"timeout"`` where the window fell to one segment without entering
    recovery, ``"fast retransmit"`` where recovery began. Read from the series, so only
    as good as it: a table without states shows no recovery.
    """
    frame = cwnd(run, flow)
    before = pl.col("cwnd_segments").shift(1).over("flow")
    was = pl.col("state").shift(1).over("flow").fill_null("")
    state = pl.col("state").fill_null("")
    # A window that was already one segment shows its timeout only by the silence before
    # it and the doubled RTO; those are left out rather than guessed.
    collapse = (pl.col("cwnd_segments") <= 1.0) & (before > 1.0) & (state != "recovery")
    begins = (state == "recovery") & (was != "recovery")
    return (
        frame.with_columns(event=pl.when(collapse).then(pl.lit("timeout")).when(begins).then(pl.lit("fast retransmit")))
        .drop_nulls("event")
        .select("time_s", "flow", "event", "cwnd_segments")
    )
