"""What changed when flows came or went in the middle of a run, in sentences; :mod:`acklab.results.change` has the rule."""

from __future__ import annotations

import polars as pl

from ...results.change import Change, Moved, mean_of, rates, verb
from ...results.together import Group, Trips, trips
from ...text.numbers import amount, count, listing, seconds
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


def headline(run: Run) -> str:
    """What the first group that stays lost or won, without a full stop; nothing if that is not known."""
    if not (told := moved(run)):
        return ""
    change, first = run.change, told[0]
    assert change is not None
    visitor, text = named(change.visitors), ""
    several = len(first.group.flows) > 1
    if len(change.parts) == 3:
        text = f"While {visitor} sent, from {seconds(change.parts[1].from_s)} to {seconds(change.parts[1].to_s)}, "
    elif change.visit == 1:
        text = f"When {visitor} began at {seconds(change.parts[1].from_s)}, "
    else:
        text = f"When {visitor} ended at {seconds(change.parts[0].to_s)}, "
    text += f"{name_of(first.group)} {_from_to(first.rates, 'b/s')}{' together' if several else ''}"
    if first.trips and first.trips[0] and first.trips[1]:
        text += (
            f", and {'their' if several else 'its'} mean round trip {_from_to((first.trips[0], first.trips[1]), 's')}"
        )
    return text


def _from_to(values: tuple[float, ...], unit: str) -> str:
    before, after = (seconds(value) if unit == "s" else amount(value, unit) for value in values[:2])
    what = verb(*values[:2])
    return f"{what} at {after}" if what == "stayed" else f"{what} from {before} to {after}"


def point(run: Run, group: Group) -> str:
    """What a group that stays got in each part, without a full stop; nothing of another group."""
    for one in moved(run):
        if one.group.flows[0]["name"] == group.flows[0]["name"]:
            several = " together" if len(one.group.flows) > 1 else ""
            parts = [
                f"{amount(rate, 'b/s')}{'' if number else several}{_trip(one, number)} {when}{'' if number else ' (slow start included)'}"
                for number, (rate, when) in enumerate(zip(one.rates, whens(run.change), strict=True))
            ]
            return _then(parts)
    return ""


def _trip(one: Moved, number: int) -> str:
    mean = one.trips[number] if one.trips else None
    return "" if mean is None else f" at a {'' if number else 'mean '}round trip of {seconds(mean)}"


def whens(change: Change | None) -> list[str]:
    """What each part is called."""
    assert change is not None
    name = change.name
    begin, end = (seconds(time) for time in (change.parts[change.visit].from_s, change.parts[change.visit].to_s))
    if len(change.parts) == 3:
        return [f"before {name} began at {begin}", f"while {name} sent", f"after {end}"]
    return (
        [f"before {name} began at {begin}", "from then on"]
        if change.visit == 1
        else [f"while {name} sent, to {end}", "from then on"]
    )


def latency(run: Run, group: Group) -> str:
    """The round trips of what is written now and then: median, spread and count, of each part where there are parts."""
    if run.change is None:
        found = trips(run.samples, group)
        return f"median round trip {_spread(found)}" if found else ""
    told = [(trips(run.samples, group, part.from_s if number else 0.0, part.to_s if number + 1 < len(run.change.parts) else float("inf")), when)
            for number, (part, when) in enumerate(zip(run.change.parts, whens(run.change), strict=True))]  # fmt: skip
    known = [f"{_spread(found)} {when}" for found, when in told if found]
    return f"median round trip {_then(known)}" if known else ""


def _then(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])}, and {parts[-1]}"


def _spread(found: Trips) -> str:
    if found.number == 1:
        return f"{seconds(found.median_s)} (1 sample)"
    which = "all" if found.all else "90 % of"
    return f"{seconds(found.median_s)} ({which} {count(found.number, 'sample')} from {seconds(found.low_s)} to {seconds(found.high_s)})"


def named(groups: tuple[Group, ...]) -> str:
    """What groups are called, and between which nodes."""
    return listing([name_of(group) for group in groups])


def name_of(group: Group) -> str:
    """A group's flows, and between which nodes."""
    return f"{group.names}{' (' + group.route.replace('->', '→') + ')' if group.route else ''}"
