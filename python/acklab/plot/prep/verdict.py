"""Where a flow's time went.

Every moment between a flow's first data and its end is assigned to one state of the
sender. In order of precedence:

- ``timeout``: silence that ended with a retransmission timeout.
- ``recovery``: repairing losses.
- ``window``: the flight was at its ceiling while cwnd allowed more. Another window was full, or nothing more was to be sent.
- ``slow start``: cwnd below ssthresh.
- ``path``: congestion avoidance. cwnd grows and is cut as the path allows.

The states say what the sender was doing, not what would have been faster. The words of
the headline say no more than that.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import polars as pl

from ..runs import Run, once_per_run
from .window import sender_states

CAUSES = ("timeout", "recovery", "window", "slow start", "path")

#: A ceiling is only believed if the flight stood at it for this share of the time.
_PLATEAU = 0.10
#: Stretches shorter than this share of the flow's time are drawn together.
_DRAWN = 0.0025


@dataclass(frozen=True)
class Limits:
    """Where one flow's time went, and the numbers that explain it."""

    flow: str
    active_s: float
    #: Cause -> seconds; empty if the series was not recorded.
    seconds: dict[str, float] = field(default_factory=dict)
    #: Cause, begin and seconds of each stretch, in the order of time; those too short to be drawn are together, with the last of them.
    spans: list[tuple[str, float, float]] = field(default_factory=list)
    #: The height of the ceiling the flight stood at, if it did.
    window_segments: float | None = None
    #: The busiest link in the data's direction: name and share of time busy.
    busiest: tuple[str, float] | None = None

    def share(self, cause: str) -> float:
        """The part of the flow's time put down to a cause, 0 to 1."""
        return self.seconds.get(cause, 0.0) / self.active_s if self.active_s > 0 else 0.0

    @property
    def main(self) -> str | None:
        """``"link"`` if one was busy nine tenths of the time, else the state that lasted longest."""
        if self.busiest and self.busiest[1] >= 0.9:
            return "link"
        if not self.seconds:
            return None
        return max(CAUSES, key=lambda c: self.seconds.get(c, 0.0))


@once_per_run
def limits(run: Run, flow: str) -> Limits:
    """Put a flow's time down to causes; see the module's text."""
    row = run.flow(flow)
    start = row.get("first_data_s")
    start = row.get("start_s") or 0.0 if start is None else start
    end = row.get("finished_s")
    end = run.end_s if end is None else end
    spent, spans, ceiling = _spent(run, flow, row, start, end)
    return Limits(
        flow=flow,
        active_s=max(0.0, end - start),
        seconds=spent,
        spans=spans,
        window_segments=ceiling,
        busiest=_busiest(run, row, max(0.0, end - start)),
    )


def _spent(
    run: Run, flow: str, row: dict[str, Any], start: float, end: float
) -> tuple[dict[str, float], list[tuple[str, float, float]], float | None]:
    series = sender_states(run, flow)
    if series.height < 2 or end <= start:
        return {}, [], None
    steps = series.with_columns(
        until=pl.col("time_s").shift(-1, fill_value=end).clip(start, end),
        since=pl.col("time_s").clip(start, end),
        # The time before a timeout is a wait for it.
        timeout=pl.col("timed_out").shift(-1, fill_value=False),
    )
    steps = steps.with_columns(took=pl.col("until") - pl.col("since")).filter(pl.col("took") > 0)
    flight, window = pl.col("flight_segments"), pl.col("cwnd_segments")
    ceiling = _ceiling(steps, row)
    full = (flight >= (ceiling or float("inf")) - 0.5) & (window >= flight + 1)
    cause = (
        pl.when("timeout").then(pl.lit("timeout"))
        .when(pl.col("state") == "recovery").then(pl.lit("recovery"))
        .when(full.fill_null(False)).then(pl.lit("window"))
        .when(pl.col("state") == "slow-start").then(pl.lit("slow start"))
        .otherwise(pl.lit("path"))
    )  # fmt: skip
    steps = steps.with_columns(cause=cause)
    sums = dict(steps.group_by("cause").agg(pl.col("took").sum()).iter_rows())
    stretches = steps.group_by(pl.col("cause").rle_id().alias("stretch"), maintain_order=True).agg(
        pl.col("cause", "since").first(), pl.col("took").sum()
    )
    return {c: sums.get(c, 0.0) for c in CAUSES}, _drawn(stretches, _DRAWN * (end - start)), ceiling


def _drawn(stretches: pl.DataFrame, least: float) -> list[tuple[str, float, float]]:
    """The stretches that can be drawn: shorter ones of a cause wait until they are long enough together, so that no time is lost."""
    spans: list[tuple[str, float, float]] = []
    waiting: dict[str, tuple[float, float]] = {}
    for name, since, took in stretches.select("cause", "since", "took").iter_rows():
        begun, before = waiting.pop(name, (since, 0.0))
        if before + took < least:
            waiting[name] = begun, before + took
        else:
            spans.append((name, since, before + took))
    spans = sorted([*spans, *((name, *rest) for name, rest in waiting.items())], key=lambda span: span[1])
    runs = [list(some) for _, some in groupby(spans, key=lambda span: span[0])]
    return [(some[0][0], some[0][1], sum(took for _, _, took in some)) for some in runs]


def _ceiling(steps: pl.DataFrame, row: dict[str, Any]) -> float | None:
    """The window other than cwnd: as told by the flow, or where the flight stood still under a larger cwnd."""
    told = row.get("window_segments")
    if told is not None:
        return float(told)
    calm = steps.filter(pl.col("state") != "recovery")
    highest = calm["flight_segments"].max()
    if highest is None or highest <= 1:
        return None
    there = calm.filter(
        (pl.col("flight_segments") >= highest - 0.5) & (pl.col("cwnd_segments") >= pl.col("flight_segments") + 1)
    )
    if there["took"].sum() < _PLATEAU * steps["took"].sum():
        return None
    return float(highest)


def _busiest(run: Run, row: dict[str, Any], active_s: float) -> tuple[str, float] | None:
    """The busiest link that carried the flow's data, over the time the flow was there.

    A link's utilisation is over the whole run. With one flow it was only busy while the
    flow was active, so that share is stretched to that time; with several it is left.
    """
    found = busiest(run, row["name"], "data")
    if found and run.flows.height == 1 and active_s > 0:
        return found[0], min(1.0, found[1] * run.end_s / active_s)
    return found


def busiest(run: Run, flow: str, kind: str) -> tuple[str, float] | None:
    """Of the links that carried a flow's packets of a kind (``data``, ``ack``) the busiest, and the share of the run that it was busy.

    Without recorded packets, of all links for ``data``, and None for ``ack``.
    """
    links = run.links
    if not links.height or "utilisation" not in links.columns:
        return None
    if run.packets.height:
        links = links.filter(pl.format("{}->{}", "from", "to").is_in(run.links_of(flow, kind)))
    elif kind != "data":
        return None
    links = links.drop_nulls("utilisation").sort("utilisation", descending=True)
    if not links.height:
        return None
    top = links.row(0, named=True)
    return f"{top['from']}->{top['to']}", float(top["utilisation"])
