"""A run's summary as aligned columns: numbers to the right, units in the header."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any

from ..text.numbers import counted, grouped
from ..text.terminal import align, one_line
from .columns import FLOWS, LINKS, Column
from .together import OTHER, WITHOUT_LIMIT, WRITES, Group, began, groups, manners, span, trips, uneven

#: Rows shown of each table, and late flows that are named; the rest is counted.
MAX_ROWS, MAX_LATE = 40, 3
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
) -> list[str]:
    """What groups of flows did together, where there is something to add up.

    Args:
        summary: a run's.
        how: the flows' manners of sending.
        samples: round trips of the flows that write now and then, if they were recorded.
    """
    found = groups(summary["flows"], summary["links"], summary["end_s"], how)
    timed = uneven(found, summary["end_s"])
    lines = _table([row for group in found if (row := _group(group, samples, timed))], names=1)
    trips = samples is None and any(group.manner == WRITES and group.mean_rtt_s is not None for group in found)
    late = [row["name"] for group in found for row in group.late]
    if not (trips or late):
        return lines
    from ..text.templates import fact, sentence  # most runs say nothing of this

    if trips:
        lines.append(sentence(fact("trips-out")))
    if late:
        lines.append(sentence(fact("late", count=len(late), flows=late[:MAX_LATE])))
    return lines


def _table(rows: Sequence[Mapping[str, str]], names: int = 0) -> list[str]:
    """Lines of a table with all columns that a row has."""
    heads = list(dict.fromkeys(head for row in rows for head in row))
    return align(heads, [[row.get(head, "") for head in heads] for row in rows], names) if rows else []


def _group(group: Group, samples: Any, timed: bool) -> dict[str, str]:
    """What a group did: round trips of one that writes now and then, rates of several that send."""
    row = {"together": group.names}
    if timed and group.begun and not isinstance(over := span(group), str):
        row |= {"from s": f"{over[0]:.4g}", "to s": f"{over[1]:.4g}"}
    if group.manner == WRITES and group.mean_rtt_s is not None:
        row["mean RTT ms"] = _number(1e3 * group.mean_rtt_s)
        if seen := trips(samples, group):
            heads = ("p50 ms", "min ms", "max ms") if seen.all else ("p50 ms", "p5 ms", "p95 ms")
            times = zip(heads, (seen.median_s, seen.low_s, seen.high_s), strict=True)
            row |= {"round trips": grouped(seen.number), **{head: _number(1e3 * time) for head, time in times}}
        return row
    if group.manner == WRITES or len(group.begun) < 2 or group.goodput_bps is None:
        return {}
    row["Mb/s"] = _number(1e-6 * group.goodput_bps)
    if group.share:
        row |= {"% of": _number(100 * group.share, 3), "link": group.link}
    if group.fairness is not None:
        row["Jain's index"] = f"{group.fairness:.3f}"
    return row
