"""The headline: who finished when and where the time went, in sentences.

One run shows no cause: the sentences say what was measured, and what one run leaves open.
"""

from __future__ import annotations

from statistics import fmean, median
from typing import Any

from ...results.together import WITHOUT_LIMIT
from ...results.validity import short
from ...text.counts import counted, grouped
from ...text.numbers import amount, count, digits, listing, percent, seconds
from ..runs import Run
from . import change, groups
from .verdict import Limits, busiest, limits
from .window import window_events

_PHRASE = {
    "timeout": "waiting for a retransmission timer",
    "recovery": "repairing losses",
    "window": "a flight at its ceiling below cwnd",
    "slow start": "slow start",
    "path": "congestion avoidance",
}


def headline(runs: list[Run]) -> dict[str, Any]:
    """``{"title": sentence, "points": [{"run": label or None, "about": topic, "text": sentences}]}``.

    Of an invalid run nothing is told but why it is.
    """
    if wrong := [run for run in runs if run.invalid]:
        told = [
            (run.label if len(runs) > 1 else None, run.invalid.removeprefix(short(run.invalid)).removeprefix("; "))
            for run in wrong
        ]
        points = [{"run": label, "about": "invalid", "text": _sentence(rest)} for label, rest in told if rest]
        return {"title": f"Invalid: {short(wrong[0].invalid)}.", "points": points}
    if len(runs) > 1:
        points = [(run.label, "run", _brief(run)) for run in runs]
        title = _compare(runs)
    else:
        title, told = _one(runs[0])
        points = [(None, about, text) for about, text in told if text]
    points += [(run.label if len(runs) > 1 else None, "thinned", _thinned(run)) for run in runs if run.thinned.rows]
    return {"title": title, "points": [{"run": r, "about": a, "text": t} for r, a, t in points]}


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _one(run: Run) -> tuple[str, list[tuple[str, str]]]:
    path = [("path", groups.paths(run))]
    losses = [("losses", _losses(run)), ("acks", _acks(run))]
    if run.flows.height == 1:
        row = run.flow(run.flow_names[0])
        found = limits(run, row["name"])
        endless = run.groups[0].manner == WITHOUT_LIMIT and found.active_s and row.get("goodput_bps")
        done = (
            f"{row['name']} sent for {seconds(found.active_s)} at {amount(row['goodput_bps'], 'b/s')}"
            if endless
            else _finish(run, row)
        )
        title = f"Flow {done}{_spent(run, found)}{_waited(run)}."
        return title, [*path, ("speed", _speed(run, row, found)), ("time", _time(found)), *losses]
    if (what := change.headline(run)) and not _most_finished(run):
        wait = _waited(run).removeprefix("; ")
        return f"{what}.", [
            *path,
            *groups.points(run),
            ("waited", f"{wait[:1].upper()}{wait[1:]}, over the whole run." if wait else ""),
            *losses,
        ]
    slowest = _slowest(run) if _most_finished(run) else ""
    return f"{_finishes(run)}{_waited(run) or _spent_by_all(run)}.", [
        *path,
        ("slowest", slowest),
        *groups.points(run),
        *losses,
    ]


def _brief(run: Run) -> str:
    """What a run says for itself among others."""
    if run.flows.height == 1:
        row = run.flow(run.flow_names[0])
        found = limits(run, row["name"])
        first = _sentence(f"{_finish(run, row).removeprefix(row['name']).lstrip()}{_spent(run, found)}")
    else:
        first = f"{change.headline(run) or _finishes(run) + _spent_by_all(run)}."
    return " ".join(p for p in (first, _losses(run), _acks(run)) if p)


def _finish(run: Run, row: dict[str, Any]) -> str:
    took = row.get("completion_s")
    if took is not None:
        return f"{row['name']} finished in {seconds(took)}"
    return f"{row['name']} was still sending when the run ended at {seconds(run.end_s)}"


def _finishes(run: Run) -> str:
    n = run.flows.height
    times = _completions(run)
    if not _most_finished(run) and (text := groups.carried(run)):
        return text
    if not times:
        rate = _sum(run, "goodput_bps")
        together = f" at {amount(rate, 'b/s')} together" if rate else ""
        return f"In {seconds(run.end_s)} {count(n, 'flow')} carried {amount(_sum(run, 'bytes'), 'B')}{together}"
    if not _most_finished(run):
        # Most have no end, such as a download without a size: what they carried says more than who was done.
        return (
            f"{n} flows carried {amount(_sum(run, 'goodput_bps'), 'b/s')} together, and {len(times)} of them finished"
        )
    who = f"All {count(n, 'flow')}" if len(times) == n else f"{len(times)} of {count(n, 'flow')}"
    spread = f"in {seconds(times[0])}"
    if len(times) > 1:
        spread += f" to {seconds(times[-1])} (median {seconds(median(times))})"
    return f"{who} finished, {spread}"


def _most_finished(run: Run) -> bool:
    if any(group.manner == WITHOUT_LIMIT and group.begun for group in run.groups):
        return False
    return 2 * len(_completions(run)) >= run.flows.height


def _completions(run: Run) -> list[float]:
    if "completion_s" not in run.flows.columns:
        return []
    return sorted(run.flows["completion_s"].drop_nulls().to_list())


def _spent(run: Run, found: Limits) -> str:
    """Where most of a flow's time went, and how much of it into repairs, as the rest of a sentence."""
    main = found.main
    if main is None:
        return ""
    share = found.share(main)
    parts = []
    if main == "link" and found.busiest:
        parts.append(f"the link {_link(found.busiest[0])} was busy {percent(found.busiest[1])} of {_of_time(run)}")
    elif main == "window":
        flight = f"{digits(found.window_segments or 0)} {'segment' if found.window_segments == 1 else 'segments'}"
        parts.append(f"{percent(share)} of it {flight} were in flight, its most, though cwnd allowed more")
    elif main not in ("timeout", "recovery") and share > 0:
        cuts = int(run.flow(found.flow).get("window_cuts") or 0) if main == "path" else 0
        cut = f", the window cut {count(cuts, 'time')}" if cuts else ""
        parts.append(f"{percent(share)} of it was {_PHRASE[main]}{cut}")
    repair = found.share("timeout") + found.share("recovery")
    if repair >= 0.05:
        # The links count ACKs too; those were not repaired.
        lost = _link_sum(run, "drops") + _link_sum(run, "lost") - _sum(run, "acks_dropped")
        lost = max(0, int(lost)) if run.flows.height == 1 else 0
        whose = f"repairing the loss of {count(lost, 'packet')}" if lost else "repairing losses"
        waits = found.share("timeout")
        timer = ", most of it waiting for the timer" if waits > repair / 2 else ""
        parts.append(f"{percent(repair)}{'' if parts else ' of it'} went into {whose}{timer}")
    return "; " + (", and " if "," in parts[0] else " and ").join(parts) if parts else ""


def _spent_by_all(run: Run) -> str:
    """The same for all flows of a run: the link that was busy, or what most of their time together was."""
    found = [limits(run, name) for name in run.flow_names]
    busy = max((f.busiest for f in found if f.busiest), key=lambda b: b[1], default=None)
    if busy and busy[1] >= 0.9:
        return f"; the link {_link(busy[0])} was busy {percent(busy[1])} of the run"
    whole = sum(f.active_s for f in found)
    spent = {c: sum(f.seconds.get(c, 0.0) for f in found) for c in _PHRASE}
    main = max(spent, key=lambda c: spent[c])
    if not whole or not spent[main]:
        return ""
    return f"; {percent(spent[main] / whole)} of their time was {_PHRASE[main]}"


def _waited(run: Run) -> str:
    """The queue in which packets waited longest on average, if that is longer than the shortest round trip."""
    known = {"sent_wait_s", "packets"} <= set(run.links.columns) and "min_rtt_s" in run.flows.columns
    shortest = run.flows["min_rtt_s"].drop_nulls().min() if known else None
    if not shortest:
        return ""
    rows = [row for row in run.links.iter_rows(named=True) if row["packets"]]
    if not rows:
        return ""
    row = max(rows, key=lambda row: row["sent_wait_s"] / row["packets"])
    wait, link = row["sent_wait_s"] / row["packets"], f"{row['from']}→{row['to']}"
    times = wait / float(shortest)  # type: ignore[arg-type]
    if times < 1.05:
        return ""
    what = "ACKs" if row.get("ack_packets") == row["packets"] else "packets"
    shortest_text = f"the shortest round trip measured, {seconds(float(shortest))}"  # type: ignore[arg-type]
    return f"; {what} waited {seconds(wait)} for {groups.link_of(run, link)} on average, {digits(times, 2)} times {shortest_text}"


def _of_time(run: Run) -> str:
    """The time that a busy share is of: a link's own is known for the whole run only, unless one flow has it to itself."""
    return "that time" if run.flows.height == 1 else "the run"


def _link(name: str) -> str:
    return name.replace("->", "→")


def _speed(run: Run, row: dict[str, Any], found: Limits) -> str:
    """What was carried, and how busy the links were, as the table of links has it."""
    text = ""
    if row.get("bytes") is not None and row.get("goodput_bps") is not None:
        text = f"{amount(row['bytes'], 'B')} at a goodput of {amount(row['goodput_bps'], 'b/s')}{_from_when(row)}"
    data, acks = busiest(run, row["name"], "data"), busiest(run, row["name"], "ack")
    if data and found.main != "link":
        text += f"; the busiest link on the way of the data, {_link(data[0])}, was busy {percent(data[1])} of the run"
        if acks and acks[1] > data[1]:
            text += f", and on the way of the ACKs, {_link(acks[0])}, {percent(acks[1])}"
    return f"{text}." if text else ""


def _from_when(row: dict[str, Any]) -> str:
    """What the completion time leaves out, where it is much: the handshake."""
    start, first, took = row.get("start_s"), row.get("first_data_s"), row.get("completion_s")
    if None in (start, first, took) or first - start < 0.01 * took:  # type: ignore[operator]
        return ""
    return f" from the first data to the last ACK, after {seconds(first - start)} of handshake"  # type: ignore[operator]


def _time(found: Limits) -> str:
    parts = [
        f"{_PHRASE[c]} {percent(found.share(c))}"
        for c in sorted(found.seconds, key=lambda c: -found.seconds[c])
        if found.share(c) >= 0.005
    ]
    return f"Where the time went: {listing(parts)}." if len(parts) > 1 else ""


def _losses(run: Run) -> str:
    parts = []
    for row in run.links.iter_rows(named=True):
        where = f"{row['from']}→{row['to']}"
        if row.get("drops"):
            parts.append(f"the queue of {where} dropped {count(row['drops'], 'packet')}")
        if row.get("lost"):
            parts.append(f"{where} lost {count(row['lost'], 'packet')}")
        if row.get("retry_drops"):
            parts.append(f"{where} gave {count(row['retry_drops'], 'packet')} up after its last attempt")
    if len(parts) > 4:
        parts = [f"{count(len(parts), 'queue or loss model', 'queues and loss models')} took packets"]
    sums = {c: _sum(run, c) for c in ("retransmits", "timeouts", "fast_retransmits")}
    repairs = [
        count(sums["retransmits"], "retransmission") + _needless(run, int(sums["retransmits"])),
        count(sums["timeouts"], "timeout") + _uncut(run, int(sums["timeouts"])),
        count(sums["fast_retransmits"], "fast retransmit"),
    ]
    if not parts and not any(sums.values()):
        return "No packet was lost, and none was sent again."
    lost = listing(parts) if parts else "no queue dropped anything"
    text = (
        f"{lost}; {listing([r for r, v in zip(repairs, sums.values(), strict=True) if v] or ['nothing was resent'])}."
    )
    return text[0].upper() + text[1:]


def _needless(run: Run, resent: int) -> str:
    """How many retransmissions had no loss of data to repair, at least: each loss needs one."""
    lost = _link_sum(run, "drops") + _link_sum(run, "lost") + _link_sum(run, "retry_drops") - _sum(run, "acks_dropped")
    more = resent - max(0, int(lost))
    return f" (at least {grouped(more)} of data that was not lost)" if more > 0 else ""


def _uncut(run: Run, timeouts: int) -> str:
    """Whether no timeout cut the window, so that its chart marks none: QUIC's first one is a probe."""
    cut = "window_cuts" not in run.flows.columns or _sum(run, "window_cuts") > _sum(run, "fast_retransmits")
    if not timeouts or cut or not run.series.height or (window_events(run)["event"] == "timeout").any():
        return ""
    return f" ({'which' if timeouts == 1 else 'they'} cut no window)"


def _acks(run: Run) -> str:
    sent, data = _sum(run, "acks_sent"), _sum(run, "segments_sent")
    # The links count ACKs too.
    arrived = data - max(0.0, _link_sum(run, "drops") + _link_sum(run, "lost") - _sum(run, "acks_dropped"))
    if not sent or arrived <= 0:
        return ""
    ratio = digits(arrived / sent, 2)
    text = (
        "One ACK for every segment that arrived"
        if ratio in ("1", "1.0")
        else f"One ACK for every {ratio} segments that arrived"
    )
    gone = [(_sum(run, "acks_dropped"), "lost on the way"), (_sum(run, "acks_filtered"), "taken out by a filter")]
    gone = [(n, why) for n, why in gone if n]
    if gone:
        text += ", " + listing(
            [
                f"{percent(n / sent) if n >= sent / 100 else f'{grouped(n)} of {grouped(sent)} ACKs'}{' of them' if n >= sent / 100 else ''} {why}"
                for n, why in gone
            ]
        )
    if sum(n for n, _ in gone) >= sent / 2:
        text += ": at most half of them reached the sender"
    return text + "."


def _thinned(run: Run) -> str:
    """What the charts of a long run leave out; :mod:`acklab.plot.reading` has the rules."""
    thinned, shown = run.thinned, []
    if thinned.ways is not None:
        shown.append((thinned.ways.height, thinned.sent, "packet"))
    for table, what in (("series", "state of a sender"), ("queue", "queue length")):
        if table in thinned.rows:
            shown.append((getattr(run, table).height, thinned.rows[table], what))
    parts = [f"{count(kept, 'of', 'of')} {count(rows, what, _MANY[what])}" for kept, rows, what in shown]
    return (
        f"Reduced view: the charts show {listing(parts)}, the extremes of each short span of time. "
        "Closer up, rows are missing; the tables have all."
    )


_MANY = {"packet": "packets", "state of a sender": "states of senders", "queue length": "queue lengths"}


def _slowest(run: Run) -> str:
    rows = [r for r in run.flows.iter_rows(named=True) if r.get("completion_s") is not None]
    if not rows:
        return ""
    row = max(rows, key=lambda r: r["completion_s"])
    return f"The slowest: {_finish(run, row)}{_spent(run, limits(run, row['name']))}."


def _compare(runs: list[Run]) -> str:
    """Who finished first, and how much longer the others took; means over the flows of runs in which all finished."""
    whole = [run for run in runs if len(_completions(run)) == run.flows.height]
    # A mean over those of a run's flows that were quick enough would flatter it.
    means = {run.label: fmean(_completions(run)) for run in whole if run.flows.height}
    if not means:
        return _compare_rates(runs)
    order = sorted(means, key=lambda k: means[k])
    best = means[order[0]]
    if any(run.flows.height > 1 for run in whole):
        text = f"{_name(order[0])} had the shortest mean completion time, {seconds(best)}"
    else:
        text = f"{_name(order[0])} finished in {seconds(best)}"
    others = []
    for k in order[1:]:
        more = means[k] / best - 1 if best else 0.0
        others.append(
            f"{_name(k)} took {percent(more)} longer" if more >= 0.0005 else f"{_name(k)} as long to within 0.05\u00a0%"
        )
    if others:
        text += "; " + listing(others[:4]) + (f", {counted(len(others) - 4, 'other')} more" if len(others) > 4 else "")
    if behind := [run.label for run in runs if run.label not in means]:
        text += f"; not every flow of {listing([_name(k) for k in behind])} finished"
    return f"{text}. {_ONCE}"


#: What an order of single runs leaves open.
_ONCE = "One run each: slightly other delays, or another seed where something is random, can change the order."


def _compare_rates(runs: list[Run]) -> str:
    """The same where no run finished all of its flows: by what they carried."""
    rates = {r.label: _sum(r, "goodput_bps") for r in runs}
    order = sorted(rates, key=lambda k: -rates[k])
    best = rates[order[0]]
    if not best:
        return "No run finished its flows."
    if 1 - rates[order[-1]] / best < 0.001:
        return f"Each run carried {amount(best, 'b/s')}, to within 0.1 %. {_ONCE}"
    less = [f"{_name(k)} {percent(1 - rates[k] / best)} less" for k in order[1:5]]
    return f"{_name(order[0])} carried most, {amount(best, 'b/s')}; {listing(less)}. {_ONCE}"


def _name(label: str) -> str:
    """A run's label in a sentence: quoted unless it is a single word."""
    return label if label.isalnum() else f"“{label}”"


def _link_sum(run: Run, column: str) -> float:
    return float(run.links[column].sum() or 0) if column in run.links.columns else 0.0


def _sum(run: Run, column: str) -> float:
    return float(run.flows[column].sum() or 0) if column in run.flows.columns else 0.0
