"""What the groups of flows of a run carried, and the paths they took, in sentences.

:mod:`acklab.results.together` has the rule of the groups.
"""

from __future__ import annotations

from ...results.change import span, uneven
from ...results.together import BEGINNING, SIZED, WITHOUT_LIMIT, WRITES, Group, Way, Ways
from ...text.numbers import amount, count, digits, listing, percent, seconds
from ..runs import Run
from . import change
from .change import name_of

#: Most groups that the headline names, and most paths that are described.
MOST_GROUPS, MOST_PATHS = 3, 2


#: What the nodes of an access path are.
ACCESS = (
    "S is the server, A the operator's end of the access link, and C the customer: A→C is the downlink, C→A the uplink."
)


def link_of(run: Run, link: str) -> str:
    """A link by its name; on an access path also as what the customer calls it."""
    called = {"A→C": "the downlink ", "C→A": "the uplink "}.get(_arrow(link), "") if run.access else ""
    return called + _arrow(link)


def carried(run: Run) -> str:
    """What each group carried that sends more than now and then, as the headline's beginning; nothing where these are many."""
    bulk = [
        group
        for group in run.groups
        if group.manner in (WITHOUT_LIMIT, SIZED) and group.begun and group.goodput_bps is not None
    ]
    if not 0 < len(bulk) <= MOST_GROUPS:
        return ""
    told = [
        f"{name_of(group)}{' together' if len(group.begun) > 1 else ''} {amount(group.goodput_bps or 0.0, 'b/s')}"
        for group in bulk
    ]
    first = f"{name_of(bulk[0])} carried {amount(bulk[0].goodput_bps or 0.0, 'b/s')}{' together' if len(bulk[0].begun) > 1 else ''}"
    if uneven(run.groups, run.end_s):
        first += f" {_over(bulk[0])}"
    text = listing([first, *told[1:]])
    if bulk[0].names.endswith(" flows"):
        return text
    return f"{'Flows' if len(bulk[0].begun) > 1 else 'Flow'} {text}"


def points(run: Run) -> list[tuple[str, str]]:
    """A point for each group, and one for what did not begin: what about, and the sentences."""
    told = [
        ("fairness" if group.fairness is not None else "together", _group(run, group))
        for group in run.groups
        if group.begun
    ]
    late = [row for group in run.groups for row in group.late]
    if run.access and [row["name"] for row in late] == ["up"]:
        told.append(("late", "No upload in this run: --set upload=1s starts one after 1 s."))
    elif late:
        begins = [
            f"{row['name']}{' at ' + seconds(row['start_s']) if row.get('start_s') is not None else ''}"
            for row in late[:3]
        ]
        more = f" and {count(len(late) - 3, 'other flow')}" if len(late) > 3 else ""
        told.append(("late", f"To begin after the end of the run: {listing(begins)}{more}."))
    return [(about, text) for about, text in told if text]


def _group(run: Run, group: Group) -> str:
    if group.manner == WRITES:
        found = change.latency(run, group)
        return f"{name_of(group)}, which writes now and then: {found}." if found else _mean_trip(group)
    if len(run.groups) == 1 and len(group.begun) == 1 or group.goodput_bps is None:
        return ""
    if not change.moved(run):
        return f"{name_of(group)}: {f'{_over(group)} ' if uneven(run.groups, run.end_s) else ''}{_whole(run, group)}."
    assert run.change is not None
    told = []
    for one in (*run.change.stayers, *run.change.visitors):
        if one.flows[0] in group.flows:
            parts = change.point(run, one)
            told.append(
                f"{name_of(one)}: {parts}. Over the whole run {_whole(run, one)}."
                if parts
                else f"{name_of(one)}: {_whole(run, one)}, while {'they' if len(one.flows) > 1 else 'it'} sent."
            )
    return " ".join(told)


def _over(group: Group) -> str:
    over = span(group)
    return over if isinstance(over, str) else f"from {seconds(over[0])} to {seconds(over[1])}"


def _whole(run: Run, group: Group) -> str:
    """What a group carried in all the time that it sent, and Jain's index."""
    several = len(group.begun) > 1
    text = f"{amount(group.goodput_bps or 0.0, 'b/s')}{' together' if several else ''}"
    if group.share:
        text += f", {percent(group.share)} of the rate of {link_of(run, group.link)}"
    if group.fairness is not None:
        text += f". Jain's fairness index of these {count(len(group.begun), 'flow')}, which send without limit, is {digits(group.fairness, 3)}"
    elif several and group.manner == WITHOUT_LIMIT and group.apart_s > BEGINNING * run.end_s:
        text += f". They begin up to {seconds(group.apart_s)} apart, so that their shares are not compared"
    return text


def _mean_trip(group: Group) -> str:
    """The mean alone, where no samples were recorded."""
    return (
        ""
        if group.mean_rtt_s is None
        else f"{name_of(group)}, which writes now and then: mean round trip {seconds(group.mean_rtt_s)}."
    )


def paths(run: Run) -> str:
    """The nodes on the way, the delays one way and there and back, and the slowest link of each direction."""
    if not {"rate_bps", "delay_s"} <= set(run.links.columns):
        return ""
    ways, known = Ways(run.links.iter_rows(named=True)), {}
    for group in run.groups:
        for row in group.begun:
            ends = (row.get("from") or "", row.get("to") or "")
            if ends not in known and ends[::-1] not in known:
                known[ends] = ways.way(*ends)
    found = [way for way in known.values() if way.there and way.back]
    if not found:
        return ""
    if len(found) > MOST_PATHS:
        times = sorted(way.round_trip_s for way in found)
        span = seconds(times[0]) if times[0] == times[-1] else f"{seconds(times[0])} to {seconds(times[-1])}"
        return f"{count(len(found), 'path')}; their delays there and back: {span}."
    told: dict[str, list[str]] = {}
    for way in found:
        told.setdefault(_path(way), []).append("→".join([way.there[0]["from"], *(link["to"] for link in way.there)]))
    ends = f" {ACCESS}" if run.access else ""
    return " ".join(f"{listing(nodes)}: {text}." for text, nodes in told.items()) + ends


def _path(way: Way) -> str:
    text = f"delay {seconds(way.one_way_s)} one way, {seconds(way.round_trip_s)} there and back"
    slow, slow_back = Way.slowest(way.there), Way.slowest(way.back)
    if slow and slow_back:
        text += f"; slowest link {_arrow(slow['from'] + '->' + slow['to'])} with {amount(slow['rate_bps'], 'b/s')}"
        same = (slow["from"], slow["to"], slow["rate_bps"]) == (
            slow_back["to"],
            slow_back["from"],
            slow_back["rate_bps"],
        )
        back = f"{_arrow(slow_back['from'] + '->' + slow_back['to'])} with {amount(slow_back['rate_bps'], 'b/s')}"
        text += ", and as much on the way back" if same else f", on the way back {back}"
    return text


def _arrow(name: str) -> str:
    return name.replace("->", "→")
