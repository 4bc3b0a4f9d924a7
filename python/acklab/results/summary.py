"""A run's summary as aligned columns: numbers to the right, units in the header."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any

from ..text.columns import align
from ..text.counts import counted, grouped
from ..text.escapes import one_line
from .change import Change, Moved, span, uneven
from .columns import FLOWS, LINKS, Column
from .together import OTHER, WITHOUT_LIMIT, WRITES, Group, began, groups, manners, trips

#: Rows shown of each table; the rest is counted.
MAX_ROWS = 40
#: Unit in a heading -> by what a value in the column's unit is multiplied.
_FACTORS = {"ms": 1e3, "Mb/s": 1e-6, "%": 100.0}

Row = Mapping[str, Any]
Columns = list[tuple[str, Callable[[Row], str]]]


def _number(value: float | None, digits: int = 4) -> str:
    """At least ``digits`` significant digits, without exponent for what people meet."""
    if value is None:
        return "-"
    if value == 0 or 1e-4 <= abs(value) < 1e7:
        whole = len(str(int(abs(value))))
        return grouped(value, max(0, digits - whole))
    return f"{value:.{digits}g}"


def _count(key: str) -> Callable[[Row], str]:
    return lambda row: "-" if row[key] is None else grouped(row[key])


def _milliseconds(key: str) -> Callable[[Row], str]:
    return lambda row: "-" if row[key] is None else f"{1e3 * row[key]:.3f}"


#: Of packets one way between two ports.
STREAM_COLUMNS: Columns = [
    ("stream", lambda row: row["name"]),
    ("packets", _count("packets")),
    ("kB", lambda row: f"{row['bytes'] / 1e3:.1f}"),
    *(
        (head, _count(key))
        for head, key in (
            ("arrived", "arrived"),
            ("retx", "retransmits"),
            ("dropped", "dropped"),
            ("lost", "lost"),
            ("marked", "marked"),
        )
    ),
    *((head, _milliseconds(f"delay_p{share}_s")) for head, share in (("delay ms: p50", 50), ("p95", 95), ("p99", 99))),
]


def flow_columns(rows: Sequence[Row]) -> Columns:
    """Heading and cell of each column of a table of flows; the first two are names."""
    ends = [("flow", lambda row: row["name"]), ("path", lambda row: f"{row['from']}->{row['to']}")]
    return [*ends, *_declared(FLOWS, rows)]


def link_columns(rows: Sequence[Row]) -> Columns:
    """The same of a table of link directions; the first is a name."""
    return [("link", lambda row: f"{row['from']}->{row['to']}"), *_declared(LINKS, rows)]


def _declared(columns: Mapping[str, Column], rows: Sequence[Row]) -> Columns:
    """The columns that have a heading and that the rows have; some only where a row counts any."""
    return [
        (column.head, partial(_cell, column))
        for column in columns.values()
        if column.head
        and all(column.name in row for row in rows)
        and (not column.if_any or any(row[column.name] for row in rows))
    ]


def _cell(column: Column, row: Row) -> str:
    value = row[column.name]
    if value is None:
        return "-"
    if column.kind.startswith("bool"):
        return "yes" if value else "no"
    if column.kind.startswith("whole"):
        return grouped(value)
    # A mean of packets is shown to 4 places, so that an almost empty queue has no exponent.
    return _number(round(value, 4) if column.unit == "packets" else value * _FACTORS.get(column.head.split()[-1], 1.0))


def endless(scenario_toml: str) -> set[str]:
    """Names of the flows of an expanded scenario that have no size: none of them has failed if it is not complete at the run's end."""
    return {name for name, manner in manners(scenario_toml).items() if manner in (WITHOUT_LIMIT, WRITES, OTHER)}


def sections(
    summary: Mapping[str, Any], endless: Collection[str] = (), most: int = MAX_ROWS
) -> list[tuple[list[str], list[list[str]]]]:
    """Header and cells of the flow table and of the link table, at most ``most`` rows each; flows that have not begun are left out."""
    flows = [
        {**row, "completed": row["completed"] or None} if row["name"] in endless else row
        for row in _shown(summary)[:most]
    ]
    tables = [(flow_columns(flows), flows), (link_columns(summary["links"]), summary["links"])]
    return [
        ([head for head, _ in columns], [[cell(row) for _, cell in columns] for row in rows[:most]])
        for columns, rows in tables
    ]


def _shown(summary: Mapping[str, Any]) -> Sequence[Row]:
    """The flows that have begun; all, if none has."""
    return [row for row in summary["flows"] if began(row, summary["end_s"])] or summary["flows"]


def as_text(
    summary: Mapping[str, Any],
    endless: Collection[str] = (),
    *,
    changed: Sequence[str] = (),
    together: Sequence[str] = (),
) -> str:
    """The summary for a terminal; no colour, and as wide as its columns need (about 100).

    Args:
        summary: a run's.
        endless: names of the flows that have no size.
        changed: keys of the scenario's file that the user set, under its title.
        together: lines after the table of flows.
    """
    flows, links = summary["flows"], summary["links"]
    unlimited = [row for row in flows if row["name"] in endless and not row["completed"]]
    finite = [row for row in flows if row["name"] not in endless or row["completed"]]
    running = sum(began(row, summary["end_s"]) for row in unlimited)
    counts = [
        f"{grouped(sum(row['completed'] for row in finite))} of {counted(len(finite), 'flows', 'flows')} completed"
        if finite
        else "",
        counted(running, "endless flow") if running else "",
        f"{grouped(len(unlimited) - running)} not begun" if running < len(unlimited) else "",
    ]
    lines = [
        one_line(summary["title"]) or "(no title)",
        *([f"changed: {one_line(', '.join(changed))}"] if changed else []),
        f"seed {summary['seed']}, ended at {_number(summary['end_s'])} s, {', '.join(filter(None, counts))}",
    ]
    for (heads, rows), names, all_rows, more in zip(
        sections(summary, endless), (2, 1), (_shown(summary), links), (together, ()), strict=True
    ):
        lines += ["", *align(heads, rows, names)]
        if len(all_rows) > len(rows):
            lines.append(f"... and {grouped(len(all_rows) - len(rows))} more (--json and --out have them all)")
        lines += ["", *more] if more else []
    return "\n".join(lines)


def together(
    summary: Mapping[str, Any],
    how: Mapping[str, str],
    samples: Any = None,
    change: Change | None = None,
    moved: Sequence[Moved] = (),
    more: str = "",
) -> list[str]:
    """What groups of flows did together, a line each, where there is something to add up.

    Args:
        summary: a run's.
        how: the flows' manners of sending.
        samples: round trips of the flows that write now and then, if they were recorded.
        change: the visit of flows in the middle of the run.
        moved: what the flows that stay got before, in and after it.
        more: how to get the round trips that were not recorded.
    """
    found = groups(summary["flows"], summary["links"], summary["end_s"], how)
    timed = uneven(found, summary["end_s"])
    lines = [
        line for group in found for line in _group(group, samples, _over(group) if timed and group.begun else "", more)
    ]
    return [*lines, *([""] if lines and moved else []), *_moved(change, moved, samples, found)]


def _moved(change: Change | None, moved: Sequence[Moved], samples: Any, found: Sequence[Group]) -> list[str]:
    """Each part of the run in a line."""
    if change is None or not moved:
        return []
    lines = []
    for number, part in enumerate(change.parts):
        told = []
        for one in moved:
            mean = one.trips[number] if one.trips else None
            trip = "" if mean is None else f", mean round trip {_number(1e3 * mean)} ms"
            told.append(
                f"{one.group.names} {_number(1e-6 * one.rates[number])} Mb/s{' together' if len(one.group.flows) > 1 else ''}{trip}"
            )
        for group in found:
            first, last = number == 0, number + 1 == len(change.parts)
            if group.manner == WRITES and (
                seen := trips(samples, group, 0.0 if first else part.from_s, float("inf") if last else part.to_s)
            ):
                told.append(f"{group.names} median round trip {_number(1e3 * seen.median_s)} ms")
        lines.append(
            f"{'0' if number == 0 else f'{part.from_s:g}'} to {part.to_s:g} s{'' if number else ' (slow start included)'}, {'with' if part.visited else 'without'} {change.name}: {'; '.join(told)}"
        )
    return lines


def _over(group: Group) -> str:
    over = span(group)
    return f", {over}" if isinstance(over, str) else f", from {over[0]:.4g} to {over[1]:.4g} s"


def _group(group: Group, samples: Any, over: str, more: str) -> list[str]:
    lines = []
    if group.manner == WRITES and group.mean_rtt_s is not None:
        seen = trips(samples, group)
        which = "" if seen is None else "all" if seen.all else "90 % of"
        shares = (
            more
            if seen is None
            else f", median {_number(1e3 * seen.median_s)} ms, {which} {grouped(seen.number)} from {_number(1e3 * seen.low_s)} to {_number(1e3 * seen.high_s)} ms"
        )
        lines.append(f"{group.names}{over}: mean round trip {_number(1e3 * group.mean_rtt_s)} ms{shares}")
    elif group.manner != WRITES and len(group.begun) > 1 and group.goodput_bps is not None:
        share = f", {_number(100 * group.share, 3)} % of {group.link}" if group.share else ""
        fairness = "" if group.fairness is None else f"; Jain's index {group.fairness:.3f}"
        lines.append(f"{group.names} together{over}: {_number(1e-6 * group.goodput_bps)} Mb/s{share}{fairness}")
    late = group.late
    return [
        *lines,
        *(
            f"{row['name']}: {'begins at ' + _number(row['start_s']) + ' s, after the end' if row['start_s'] is not None else 'did not begin'}"
            for row in late[:3]
        ),
    ]
