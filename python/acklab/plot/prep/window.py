"""The sender's window over time: cwnd, ssthresh and what is in flight."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from ..runs import Run, once_per_run

#: A threshold higher than so many times the highest window is not worth the room.
_FAR = 2.5

_SHOWN = ["time_s", "flow", "cwnd_segments", "ssthresh_segments", "flight_segments", "state"]


def cwnd(run: Run, flow: str | None = None) -> pl.DataFrame:
    """The window at each change: ``time_s, flow, cwnd_segments, ssthresh_segments, flight_segments, state``.

    Where several changes bear the same time only the last is kept: it is the one that
    lasted. A slow-start threshold that has not been set (infinite, or beyond 2^30) is
    null, so that it does not flatten the chart.
    """
    return sender_states(run, flow).select(_SHOWN)


def window_shown(run: Run, flow: str | None = None) -> pl.DataFrame:
    """:func:`cwnd` as charts of it are drawn: without thresholds far above the flow's highest window, whose rise and fall were lines
    across the chart. The report's chart has the same rule.
    """
    top = pl.max_horizontal(pl.col("cwnd_segments").max(), pl.col("flight_segments").max()).over("flow")
    threshold = pl.col("ssthresh_segments")
    return cwnd(run, flow).with_columns(ssthresh_segments=pl.when(threshold <= _FAR * top).then(threshold))


def window_height(frames: Iterable[pl.DataFrame]) -> float | None:
    """How high charts of these windows reach: to the highest window or flight, and to ssthresh where it is not far above.

    A stack's first threshold may be as high as the receiver's largest window; its line then leaves the chart at the top
    instead of flattening the rest. The report's chart has the same rule (``chart_window.js``).
    """
    high, threshold = 0.0, 0.0
    for frame in frames:
        used = frame.select(pl.max_horizontal(pl.col("cwnd_segments").max(), pl.col("flight_segments").max())).item()
        high = max(high, used or 0.0)
        threshold = max(threshold, _most(frame["ssthresh_segments"]))
    if high <= 0:
        return None
    return max(high, threshold) if threshold <= _FAR * high else high


def _most(column: pl.Series) -> float:
    most = column.drop_nulls().max()
    return float(most) if isinstance(most, (int, float)) else 0.0


def window_events(run: Run, flow: str | None = None) -> pl.DataFrame:
    """When the sender cut its window: ``time_s, flow, event, cwnd_segments`` (the window after it).

    ``event`` is ``"timeout"`` or, where recovery began, ``"fast retransmit"``. Read from
    the series, so only as good as it: a table without states shows no recovery.
    """
    event = pl.when("timed_out").then(pl.lit("timeout")).when("recovers").then(pl.lit("fast retransmit"))
    frame = sender_states(run, flow).with_columns(event=event)
    return frame.drop_nulls("event").select("time_s", "flow", "event", "cwnd_segments")


@once_per_run
def sender_states(run: Run, flow: str | None = None) -> pl.DataFrame:
    """The columns of :func:`cwnd` with ``rto_s``, and which changes are timeouts (``timed_out``)
    or the beginning of a recovery (``recovers``).

    A timeout shows as a window that fell to one segment outside recovery. If the window was
    one segment already, a timeout shows as a timer that backed off, or as a silence as long
    as the timer. Tahoe's fast retransmit looks the same. So only as many of these changes
    are timeouts as the flow counted. Those where the timer backed off come first, then those
    after the longest silences.
    """
    frame = run.series if flow is None else run.series.filter(pl.col("flow") == flow)
    far = pl.col("ssthresh_segments").is_infinite() | (pl.col("ssthresh_segments") > 2**30)
    frame = (
        frame.select(*_SHOWN, "rtt_s", "rto_s")
        .with_columns(
            ssthresh_segments=pl.when(far).then(None).otherwise(pl.col("ssthresh_segments")),
            state=pl.col("state").fill_null(""),
        )
        .sort("flow", "time_s", maintain_order=True)
    )
    last = (pl.col("flow") != pl.col("flow").shift(-1)) | (pl.col("time_s") != pl.col("time_s").shift(-1))
    frame = frame.filter(last.fill_null(True))

    def before(column: str) -> pl.Expr:
        return pl.col(column).shift(1).over("flow")

    one = (pl.col("cwnd_segments") <= 1.0) & (pl.col("state") != "recovery")
    fell = one & (before("cwnd_segments") > 1.0)
    silence = pl.col("time_s") - before("time_s")
    unheard = pl.col("rtt_s").is_null()
    backed_off = unheard & (pl.col("rto_s") >= 1.5 * before("rto_s"))
    waited = unheard & (silence >= 0.95 * before("rto_s"))
    frame = frame.with_columns(
        fell=fell.fill_null(False),
        maybe=(one & ((before("cwnd_segments") > 1.0) | backed_off | waited)).fill_null(False),
        sure=silence + pl.when(backed_off.fill_null(False)).then(1e9).otherwise(0.0),
    )
    rank = pl.col("sure").rank("ordinal", descending=True).over("flow")
    ranks = frame.filter("maybe").select("flow", "time_s", rank=rank)
    counted = run.flows.select(flow="name", counted="timeouts" if "timeouts" in run.flows.columns else pl.lit(2**31))
    chosen = ranks.join(counted, on="flow", how="left").filter(pl.col("rank") <= pl.col("counted").fill_null(0))
    timed_out = frame.select("flow", "time_s").join(
        chosen.select("flow", "time_s", timed_out=pl.lit(True)),
        on=["flow", "time_s"],
        how="left",
        maintain_order="left",
    )
    began = (pl.col("state") == "recovery") & (before("state").fill_null("") != "recovery")
    return frame.with_columns(timed_out=timed_out["timed_out"].fill_null(False)).with_columns(
        recovers=began | (pl.col("fell") & ~pl.col("timed_out"))
    )
