"""Goodput: payload bytes the receiver has in order, and their rate in bins."""

from __future__ import annotations

import math

import polars as pl

from ..runs import Run
from .growth import CARRIES, Growth
from .journeys import journeys


def progress(run: Run, flow: str, ways: pl.DataFrame | None = None) -> pl.DataFrame:
    """Bytes in order at the receiver: ``time_s, bytes``, one row for each time they grew.

    A unit is in order once it and all before it have arrived. So its time is the latest of
    their first arrivals: a running maximum over the sequence numbers.
    """
    if run.thinned.progress is not None:
        return run.thinned.progress.filter(pl.col("flow") == flow).drop("flow")
    ways = journeys(run) if ways is None else ways
    came = ways.filter((pl.col("flow") == flow) & CARRIES).select("ended_s", "seq", "len")
    if not came.height:
        return pl.DataFrame(schema={"time_s": pl.Float64, "bytes": pl.Int64})
    return Growth(run.unit_bytes(flow)).add(came)


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
