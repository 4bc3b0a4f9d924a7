"""What the groups of flows of a run carried, and the paths they took, in sentences.

:mod:`acklab.results.together` has the rule of the groups.
"""

from __future__ import annotations

from ...results.together import BEGINNING, SIZED, WITHOUT_LIMIT, WRITES, Group, Way, Ways, percentiles
from ..runs import Run
from ..words import amount, count, digits, listing, percent, seconds

#: Most groups that the headline names, and most paths that are described.
MOST_GROUPS, MOST_PATHS = 3, 2


def carried(run: Run) -> str:
    """What each group carried that sends more than now and then, as the headline's beginning; nothing where these are many."""
    bulk = [group for group in run.groups if group.manner in (WITHOUT_LIMIT, SIZED) and group.begun and group.goodput_bps is not None]
    if not 0 < len(bulk) <= MOST_GROUPS:
        return ""
    told = [f"{name_of(group)}{' together' if len(group.begun) > 1 else ''} {amount(group.goodput_bps or 0.0, 'b/s')}" for group in bulk]
    first = f"{name_of(bulk[0])} carried {amount(bulk[0].goodput_bps or 0.0, 'b/s')}{' together' if len(bulk[0].begun) > 1 else ''}"
    text = listing([first, *told[1:]])
    if bulk[0].names.endswith(" flows"):
        return text
    return f"{'Flows' if len(bulk[0].begun) > 1 else 'Flow'} {text}"


def name_of(group: Group) -> str:
    """A group's flows, and between which nodes."""
    return f"{group.names}{f' ({_arrow(group.route)})' if group.route else ''}"


def points(run: Run) -> list[tuple[str, str]]:
    """A point for each group, and one for what did not begin: what about, and the sentences."""
    told = [("fairness" if group.fairness is not None else "together", _group(run, group)) for group in run.groups if group.begun]
    late = [row for group in run.groups for row in group.late]
    if late:
        begins = [f"{row['name']}{' at ' + seconds(row['start_s']) if row.get('start_s') is not None else ''}" for row in late[:3]]
        more = f" and {count(len(late) - 3, 'other flow')}" if len(late) > 3 else ""
        told.append(("late", f"To begin after the end of the run: {listing(begins)}{more}."))
    return [(about, text) for about, text in told if text]


def _group(run: Run, group: Group) -> str:
    if group.manner == WRITES:
        return _writes(run, group)
    if len(run.groups) == 1 and len(group.begun) == 1 or group.goodput_bps is None:
        return ""
    several = len(group.begun) > 1
    text = f"{name_of(group)}: {amount(group.goodput_bps, 'b/s')}{' together' if several else ''}"
    if group.share:
        text += f", {percent(group.share)} of the rate of {_arrow(group.link)}"
    if group.fairness is not None:
        text += f". Jain's fairness index of these {count(len(group.begun), 'flow')}, which send without limit, is {digits(group.fairness, 3)}"
    elif several and group.manner == WITHOUT_LIMIT and group.apart_s > BEGINNING * run.end_s:
        text += f". They begin up to {seconds(group.apart_s)} apart, so that their shares are not compared"
    return f"{text}."


def _writes(run: Run, group: Group) -> str:
    """Round trips of what is written now and then: the latency beside the others."""
    if group.mean_rtt_s is None:
        return ""
    text = f"{name_of(group)}, which writes now and then: round trip {seconds(group.mean_rtt_s)} on average"
    if found := percentiles(run.samples, group):
        text += f", {seconds(found[0])} at the median, {seconds(found[1])} at the 99th percentile"
    least = [row["min_rtt_s"] for row in group.begun if row.get("min_rtt_s") is not None]
    return f"{text}{f', {seconds(min(least))} at least' if least else ''}."


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
        return f"{count(len(found), 'path')}; their delays there and back, without queues: {span}."
    told: dict[str, list[str]] = {}
    for way in found:
        told.setdefault(_path(way), []).append("→".join([way.there[0]["from"], *(link["to"] for link in way.there)]))
    return " ".join(f"{listing(nodes)}: {text}." for text, nodes in told.items())


def _path(way: Way) -> str:
    text = f"delay {seconds(way.one_way_s)} one way, round trip without queues {seconds(way.round_trip_s)}"
    slow, slow_back = Way.slowest(way.there), Way.slowest(way.back)
    if slow and slow_back:
        text += f"; slowest link {_arrow(slow['from'] + '->' + slow['to'])} with {amount(slow['rate_bps'], 'b/s')}"
        same = (slow["from"], slow["to"], slow["rate_bps"]) == (slow_back["to"], slow_back["from"], slow_back["rate_bps"])
        back = f"{_arrow(slow_back['from'] + '->' + slow_back['to'])} with {amount(slow_back['rate_bps'], 'b/s')}"
        text += ", and as much on the way back" if same else f", on the way back {back}"
    return text


def _arrow(name: str) -> str:
    return name.replace("->", "→")
