"""What a run's page says above its charts: short facts, each with its numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import Any

from ...results.change import span, uneven
from ...results.together import BEGINNING, WITHOUT_LIMIT, WRITES, Group, Way, Ways
from ...results.validity import short
from ...text.numbers import amount, seconds
from ...text.templates import Fact, fact, sentence
from ..runs import Run
from .change import latency, moved, name_of
from .events import LOST
from .verdict import busiest

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
            longest = run.series["rtt_s"].max() if "rtt_s" in run.series.columns else None
            yield fact(
                "waited", what=kind, link=f"{row['from']}→{row['to']}", wait=wait, shortest=shortest, longest=longest
            )


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
