"""What changed when flows came or went in the middle of a run; :mod:`acklab.results.change` has the rule."""

from __future__ import annotations

import polars as pl

from ...results.change import Moved, mean_of, rates
from ...results.together import Group, trips
from ...text.numbers import seconds
from ..runs import Run, once_per_run
from .journeys import journeys
from .throughput import progress


@once_per_run
def moved(run: Run) -> list[Moved]:
    """What each group that stays got in each part; nothing without a visit, or without recorded packets."""
    change = run.change
    if change is None or not run.packets.height:
        return []
    grown = {row["name"]: acknowledged(run, row["name"]) for group in change.stayers for row in group.flows}

    def bytes_by(flow: str, time_s: float) -> float:
        at = int(grown[flow]["time_s"].search_sorted(time_s, side="right"))
        return float(grown[flow]["bytes"][at - 1]) if at else 0.0

    found = []
    for group in change.stayers:
        flows = [row["name"] for row in group.flows]
        means = tuple(mean_of(run.part_trips, flows, number) for number in range(len(change.parts)))
        found.append(Moved(group, rates(change.parts, flows, bytes_by), means if any(means) else ()))
    return found


def acknowledged(run: Run, flow: str) -> pl.DataFrame:
    """Payload that the sender knows to have arrived, ``time_s, bytes``: what the table's goodput counts.

    Where ACKs do not tell it (a QUIC sender's have packet numbers), payload in order at the receiver.
    """
    acks = journeys(run).filter(
        pl.col("flow") == flow, pl.col("kind") == "ack", pl.col("fate") == "delivered", ~pl.col("syn")
    )
    grown = acks.sort("ended_s").select(time_s="ended_s", ack=pl.col("ack").cum_max())
    told, unit = run.flow(flow).get("bytes"), run.unit_bytes(flow)
    first = (
        journeys(run)
        .filter(pl.col("flow") == flow, pl.col("kind") == "data", pl.col("len") > 0, ~pl.col("syn"))["seq"]
        .min()
    )
    if told is None or first is None or not grown.height or abs((grown["ack"][-1] - first) * unit - told) > 2 * unit:  # type: ignore[operator]
        return progress(run, flow)
    return grown.select("time_s", bytes=pl.col("ack").sub(first).clip(0) * unit)  # type: ignore[arg-type]


def latency(run: Run, group: Group) -> list[tuple[str, dict[str, float]]]:
    """The round trips of what is written now and then, median, ends and count, in each part: when, and the values."""
    parts = run.change.parts if run.change is not None else ()
    spans = [(part.from_s if number else 0.0, part.to_s if number + 1 < len(parts) else float("inf")) for number, part in enumerate(parts)]  # fmt: skip
    rows = []
    for number, (low, high) in enumerate(spans or [(0.0, float("inf"))]):
        if seen := trips(run.samples, group, low, high):
            when = f"{seconds(parts[number].from_s)} to {seconds(parts[number].to_s)}" if parts else ""
            rows.append(
                (when, {"median": seen.median_s, "low": seen.low_s, "high": seen.high_s, "samples": seen.number})
            )
    return rows


def name_of(group: Group) -> str:
    """A group's flows, and between which nodes."""
    return f"{group.names}{' (' + group.route.replace('->', '→') + ')' if group.route else ''}"
