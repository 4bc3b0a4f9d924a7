"""Round-trip times as the sender measured them."""

from __future__ import annotations

import polars as pl

from ..runs import Run


def rtt(run: Run, flow: str | None = None) -> pl.DataFrame:
    """Each sample: ``time_s, flow, rtt_ms, rto_ms`` (the timer after the sample; null if not recorded)."""
    frame = run.series if flow is None else run.series.filter(pl.col("flow") == flow)
    return (
        frame.drop_nulls("rtt_s")
        .select("time_s", "flow", rtt_ms=pl.col("rtt_s") * 1e3, rto_ms=pl.col("rto_s") * 1e3)
        .sort("flow", "time_s", maintain_order=True)
    )
