"""What a run's page says above its charts: short facts, each with its numbers; where a flow's time went; what changed as flows came or went.

Every moment between a flow's first data and its end is assigned to one state of the
sender. In order of precedence:

- ``timeout``: silence that ended with a retransmission timeout.
- ``recovery``: repairing losses.
- ``window``: the flight was at its ceiling while cwnd allowed more. Another window was full, or nothing more was to be sent.
- ``slow start``: cwnd below ssthresh.
- ``path``: congestion avoidance. cwnd grows and is cut as the path allows.

The states say what the sender was doing, not what would have been faster. The words of
the headline say no more than that. :mod:`acklab.results.together` has the rule of what changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from statistics import fmean
from typing import Any

import polars as pl

from ...results.together import (
    BEGINNING,
    WITHOUT_LIMIT,
    WRITES,
    Group,
    Moved,
    Way,
    Ways,
    rates,
    span,
    trips,
    uneven,
)
from ...results.validity import short
from ...text.numbers import amount, seconds
from ...text.templates import Fact, fact, sentence
from ..runs import Run, once_per_run
from .packets import LOST
from .series import journeys, progress, sender_states

CAUSES = ("timeout", "recovery", "window", "slow start", "path")

#: A ceiling is only believed if the flight stood at it for this share of the time.
_PLATEAU = 0.10
#: Stretches shorter than this share of the flow's time are drawn together.
_DRAWN = 0.0025


@dataclass(frozen=True)
class Limits:
    """Where one flow's time went."""

    active_s: float
    #: Cause -> seconds; empty if the series was not recorded.
    seconds: dict[str, float] = field(default_factory=dict)
    #: Cause, begin and seconds of each stretch, in the order of time; those too short to be drawn are together, with the last of them.
    spans: list[tuple[str, float, float]] = field(default_factory=list)


@once_per_run
def limits(run: Run, flow: str) -> Limits:
    """Put a flow's time down to causes; see the module's text."""
    row = run.flow(flow)
    start = row.get("first_data_s")
    start = row.get("start_s") or 0.0 if start is None else start
    end = row.get("finished_s")
    end = run.end_s if end is None else end
    return Limits(max(0.0, end - start), *_spent(run, flow, row, start, end))


def _spent(
    run: Run, flow: str, row: dict[str, Any], start: float, end: float
) -> tuple[dict[str, float], list[tuple[str, float, float]]]:
    series = sender_states(run, flow)
    if series.height < 2 or end <= start:
        return {}, []
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
    return {c: sums.get(c, 0.0) for c in CAUSES}, _drawn(stretches, _DRAWN * (end - start))


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
        found.append(Moved(group, rates(change.parts, flows, bytes_by)))
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


#: Paths and late flows that are facts; queues that are named.
MAX_PATHS, MAX_LATE, MAX_QUEUES = 2, 3, 3
#: Facts of a single run that the headline, the bars or the tables of several runs show.
SHOWN = ("finished", "still-sending", "completions", "busy", "needless", "acks", "acks-missing")


def headline(runs: list[Run]) -> dict[str, Any]:
    """``{"title": text, "points": [{"run": label or None, "about": kind, "text": text}]}``; of an invalid run only why it is."""
    several = len(runs) > 1
    if wrong := [run for run in runs if run.invalid]:
        told = [(run, Fact("invalid", {"why": run.invalid})) for run in wrong]
        return {"title": sentence(fact("invalid", why=short(wrong[0].invalid))), "points": _points(told, several)}
    if several:
        return {"title": sentence(_compared(runs)), "points": _points(list(_beside(runs)), several)}
    told = [(runs[0], one) for one in facts(runs[0])]
    return {"title": sentence(told[0][1]), "points": _points(told[1:], several)}


def _beside(runs: list[Run]) -> Iterator[tuple[Run | None, Fact]]:
    """The facts of several runs: once what all of them have, then of each what the headline, the bars and the tables do not show."""
    each = [[one for one in facts(run) if one.kind not in SHOWN] for run in runs]
    shared = [one for one in each[0] if all(one in others for others in each)]
    yield from ((None, one) for one in shared)
    yield from ((run, one) for run, its in zip(runs, each, strict=True) for one in its if one not in shared)


def _points(told: Sequence[tuple[Run | None, Fact]], several: bool) -> list[dict[str, Any]]:
    return [
        {"run": run.label if several and run is not None else None, "about": one.kind, "text": sentence(one)}
        for run, one in told
    ]


def facts(run: Run) -> list[Fact]:
    """What flows got, before and after others came, where packets waited, what was lost, how many ACKs, and the paths."""
    change = [fact("moved", **one) for one in _moved(run)]
    return [*change, *_flows(run), *_waited(run), *_losses(run), *_acks(run), *_late(run), *_paths(run), *_thinned(run)]


def _compared(runs: list[Run]) -> Fact:
    """Each run's mean completion time; what it carried, where not every flow of every run finished."""
    if all(run.flows.height == len(_completions(run)) > 0 for run in runs):
        return fact("runs-completion", values=[f"{run.label} {seconds(fmean(_completions(run)))}" for run in runs])
    rates = [(run.label, amount(_sum(run, "goodput_bps"), "b/s")) for run in runs]
    return fact("runs-carried", values=[f"{label} {rate}" for label, rate in rates])


def _completions(run: Run) -> list[float]:
    return sorted(run.flows["completion_s"].drop_nulls().to_list()) if "completion_s" in run.flows.columns else []


def _flows(run: Run) -> Iterator[Fact]:
    """The one flow, or each group of flows."""
    if run.flows.height == 1:
        row = run.flow(run.flow_names[0])
        took, rate = row.get("completion_s"), row.get("goodput_bps") or 0.0
        yield fact("finished", flow=row["name"], took=took, rate=rate) if took is not None else fact("still-sending", flow=row["name"], end=run.end_s, rate=rate)  # fmt: skip
        if busy := busiest(run, row["name"], "data"):
            yield fact("busy", link=_arrow(busy[0]), share=busy[1])
        return
    timed = uneven(run.groups, run.end_s)
    times = _completions(run)
    if len(times) > 1:
        yield fact("completions", flows=len(times), of=run.flows.height, least=times[0], most=times[-1])
    for group in run.groups:
        if group.begun:
            yield from _group(run, group, timed)


def _group(run: Run, group: Group, timed: bool) -> Iterator[Fact]:
    if group.manner == WRITES:
        yield from (fact("latency", flows=name_of(group), when=when, **values) for when, values in latency(run, group))
        return
    if group.goodput_bps is None:
        return
    over = span(group) if timed else ""
    when = "" if isinstance(over, str) else f"{seconds(over[0])} to {seconds(over[1])}"
    told = {"flows": name_of(group), "rate": group.goodput_bps, "when": when}
    yield (
        fact("carried-of", share=group.share, link=_arrow(group.link), **told)
        if group.share
        else fact("carried", **told)
    )
    if group.fairness is not None:
        yield fact("fairness", flows=name_of(group), index=group.fairness)
    elif len(group.begun) > 1 and group.manner == WITHOUT_LIMIT and group.apart_s > BEGINNING * run.end_s:
        yield fact("apart", flows=name_of(group), apart=group.apart_s)


def _moved(run: Run) -> Iterator[dict[str, Any]]:
    """What each group that stays got before others came or after they went, and while they sent."""
    if run.change is None:
        return
    visit = run.change.visit
    other = 0 if visit else 1
    part = run.change.parts[visit]
    for one in moved(run):
        yield {
            "visitors": ", ".join(map(name_of, run.change.visitors)), "from_s": part.from_s, "to_s": part.to_s, "flows": name_of(one.group),
            "alone": one.rates[other], "beside": one.rates[visit],
        }  # fmt: skip


def _waited(run: Run) -> Iterator[Fact]:
    """The queue in which packets waited longest on average, if that is longer than the shortest round trip."""
    known = {"sent_wait_s", "packets"} <= set(run.links.columns) and "min_rtt_s" in run.flows.columns
    shortest: Any = run.flows["min_rtt_s"].drop_nulls().min() if known else None
    rows = [row for row in run.links.iter_rows(named=True) if row["packets"]] if shortest else []
    if rows:
        row = max(rows, key=lambda row: row["sent_wait_s"] / row["packets"])
        wait = row["sent_wait_s"] / row["packets"]
        if wait > shortest:
            kind = "ACKs" if row.get("ack_packets") == row["packets"] else "packets"
            longest: Any = run.series["rtt_s"].max()
            known_longest = "" if longest is None else f"longest {seconds(longest)}"
            link = f"{row['from']}→{row['to']}"
            yield fact("waited", what=kind, link=link, wait=wait, shortest=shortest, longest=known_longest)


def _losses(run: Run) -> Iterator[Fact]:
    """What queues and links lost, and what was sent again."""
    places = []
    for row in run.links.iter_rows(named=True):
        if taken := sum(int(row.get(key) or 0) for key in ("drops", "lost", "retry_drops")):
            places.append((taken, f"{row['from']}→{row['to']}"))
    sums = {key: int(_sum(run, key)) for key in ("retransmits", "timeouts", "fast_retransmits")}
    if not places and not any(sums.values()):
        yield fact("no-loss")
        return
    places.sort(reverse=True)
    where = [place for _, place in places[:MAX_QUEUES]]
    first: Any = run.packets.filter(LOST)["time_s"].min() if run.packets.height else None
    when = "" if first is None else f"first at {seconds(first)}"
    yield fact("losses", lost=sum(taken for taken, _ in places), where=where, when=when, **sums)
    data = sum(taken for taken, _ in places) - int(_sum(run, "acks_dropped"))
    if (needless := sums["retransmits"] - max(0, data)) > 0:  # each loss of data needs one
        yield fact("needless", needless=needless, retransmits=sums["retransmits"])


def _acks(run: Run) -> Iterator[Fact]:
    """How many segments that arrived an ACK stands for, and how many ACKs did not reach the sender."""
    sent, data = _sum(run, "acks_sent"), _sum(run, "segments_sent")
    # The links count ACKs too.
    arrived = data - max(0.0, _link_sum(run, "drops") + _link_sum(run, "lost") - _sum(run, "acks_dropped"))
    if not sent or arrived <= 0:
        return
    gone = int(_sum(run, "acks_dropped") + _sum(run, "acks_filtered"))
    yield fact("acks-missing", ratio=arrived / sent, gone=gone, sent=int(sent)) if gone else fact("acks", ratio=arrived / sent)  # fmt: skip


def _late(run: Run) -> Iterator[Fact]:
    late = [row["name"] for group in run.groups for row in group.late]
    if run.access and late == ["up"]:
        yield fact("no-upload")
    elif late:
        yield fact("late", flows=late[:MAX_LATE], count=len(late))


def _paths(run: Run) -> Iterator[Fact]:
    """The nodes on the way, the delay there and back, and the slowest link of each direction."""
    if not {"rate_bps", "delay_s"} <= set(run.links.columns):
        return
    ways, known = Ways(run.links.iter_rows(named=True)), {}
    for group in run.groups:
        for row in group.begun:
            ends = (row.get("from") or "", row.get("to") or "")
            if ends not in known and ends[::-1] not in known:
                known[ends] = ways.way(*ends)
    for way in [way for way in known.values() if way.there and way.back][:MAX_PATHS]:
        nodes = "→".join([way.there[0]["from"], *(link["to"] for link in way.there)])
        slow, back = Way.slowest(way.there), Way.slowest(way.back)
        if slow and back:
            names = [_arrow(f"{link['from']}->{link['to']}") for link in (slow, back)]
            yield fact("path", nodes=nodes, trip=way.round_trip_s, there=names[0], rate=slow["rate_bps"], back=names[1], rate_back=back["rate_bps"])  # fmt: skip


def _thinned(run: Run) -> Iterator[Fact]:
    """What the charts of a long run leave out; :mod:`acklab.plot.reading` has the rules."""
    thinned = run.thinned
    if not thinned.rows:
        return
    shown = [(thinned.ways.height, thinned.sent, "packets")] if thinned.ways is not None else []
    names = {"series": "states of senders", "queue": "queue lengths"}
    shown += [
        (getattr(run, table).height, thinned.rows[table], names[table]) for table in names if table in thinned.rows
    ]
    yield fact("thinned", parts=[f"{some:,} of {rows:,} {what}" for some, rows, what in shown])


def _arrow(name: str) -> str:
    return name.replace("->", "→")


def _sum(run: Run, column: str) -> float:
    return float(run.flows[column].sum() or 0) if column in run.flows.columns else 0.0


def _link_sum(run: Run, column: str) -> float:
    return float(run.links[column].sum() or 0) if column in run.links.columns else 0.0
