"""A run's summary as aligned columns: numbers to the right, units in the header."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from ..text.columns import align
from ..text.escapes import one_line
from ..text.toml import loads

#: Rows shown of each table; the rest is counted.
MOST_ROWS = 40

Row = Mapping[str, Any]
Columns = list[tuple[str, Callable[[Row], str]]]


def _number(value: float | None, digits: int = 4) -> str:
    """At least ``digits`` significant digits, without exponent for what people meet."""
    if value is None:
        return "-"
    if value == 0 or 1e-4 <= abs(value) < 1e7:
        whole = len(str(int(abs(value))))
        return f"{value:.{max(0, digits - whole)}f}"
    return f"{value:.{digits}g}"


def _times(factor: float, key: str) -> Callable[[Row], str]:
    return lambda row: _number(None if row[key] is None else row[key] * factor)


def _count(key: str) -> Callable[[Row], str]:
    return lambda row: str(row[key])


def _milliseconds(key: str) -> Callable[[Row], str]:
    return lambda row: "-" if row[key] is None else f"{1e3 * row[key]:.3f}"


#: Header, cell; the first of each table are left-aligned names.
FLOW_COLUMNS: Columns = [
    ("flow", lambda row: row["name"]),
    ("path", lambda row: f"{row['from']}->{row['to']}"),
    ("done", lambda row: "-" if row["completed"] is None else "yes" if row["completed"] else "no"),
    ("start s", lambda row: _number(row["start_s"])),
    ("time s", lambda row: _number(row["completion_s"])),
    ("Mb/s", _times(1e-6, "goodput_bps")),
    ("sent", _count("segments_sent")),
    ("retx", _count("retransmits")),
    ("RTOs", _count("timeouts")),
    ("fast", _count("fast_retransmits")),
    ("undone", _count("undone")),
    ("ACKs", _count("acks_sent")),
    ("lost ACKs", _count("acks_dropped")),
    ("RTT ms", _times(1e3, "mean_rtt_s")),
]
LINK_COLUMNS: Columns = [
    ("link", lambda row: f"{row['from']}->{row['to']}"),
    ("Mb/s", _times(1e-6, "rate_bps")),
    ("delay ms", _times(1e3, "delay_s")),
    ("packets", _count("packets")),
    ("drops", _count("drops")),
    ("lost", _count("lost")),
    ("filtered", _count("filtered")),
    ("reordered", _count("reordered")),
    ("duplicated", _count("duplicated")),
    ("thinned", _count("thinned")),
    ("mean queue", lambda row: _number(round(row["mean_queue_packets"], 4))),
    ("max queue", _count("max_queue_packets")),
    ("busy %", _times(100, "utilisation")),
]
#: Of packets one way between two ports.
STREAM_COLUMNS: Columns = [
    ("stream", lambda row: row["name"]),
    ("packets", _count("packets")),
    ("kB", lambda row: f"{row['bytes'] / 1e3:.1f}"),
    *((head, _count(key)) for head, key in (("arrived", "arrived"), ("retx", "retransmits"), ("dropped", "dropped"), ("lost", "lost"), ("marked", "marked"))),
    *((head, _milliseconds(f"delay_p{share}_s")) for head, share in (("delay ms: p50", 50), ("p95", 95), ("p99", 99))),
]
#: Columns left out where no row counts any.
_IF_ANY = ("undone", "reordered", "duplicated", "thinned")


def told(columns: Columns, rows: Sequence[Row]) -> Columns:
    """The columns that say something of these rows."""
    return [column for column in columns if column[0] not in _IF_ANY or any(row[column[0]] for row in rows)]


def endless(scenario_toml: str) -> set[str]:
    """Names of the flows of an expanded scenario that have no end, and so never complete."""
    tables = [table for table in loads(scenario_toml)["flow"] if table.get("size", "unlimited") == "unlimited"]
    return {
        table["name"] + (str(number) if table["count"] > 1 else "")
        for table in tables
        for number in range(table["count"])
    }


def sections(
    summary: Mapping[str, Any], endless: Collection[str] = (), most: int = MOST_ROWS
) -> list[tuple[list[str], list[list[str]]]]:
    """Header and cells of the flow table and of the link table, at most ``most`` rows each."""
    flows = [{**row, "completed": None} if row["name"] in endless else row for row in summary["flows"][:most]]
    tables = [(told(columns, rows), rows) for columns, rows in ((FLOW_COLUMNS, flows), (LINK_COLUMNS, summary["links"]))]
    return [
        ([head for head, _ in columns], [[cell(row) for _, cell in columns] for row in rows[:most]])
        for columns, rows in tables
    ]


def as_text(summary: Mapping[str, Any], endless: Collection[str] = ()) -> str:
    """The summary for a terminal; no colour, and as wide as its columns need (about 100). Flows named ``endless`` have no end."""
    flows, links = summary["flows"], summary["links"]
    finite = [row for row in flows if row["name"] not in endless]
    done = f"{sum(row['completed'] for row in finite)} of {len(finite)} flows completed" if finite else ""
    without_end = len(flows) - len(finite)
    if without_end:
        from ..text.counts import counted

    counts = [done, counted(without_end, "endless flow") if without_end else ""]
    lines = [
        one_line(summary["title"]) or "(no title)",
        f"seed {summary['seed']}, ended at {_number(summary['end_s'])} s, {', '.join(filter(None, counts))}",
    ]
    for (heads, rows), names, all_rows in zip(sections(summary, endless), (2, 1), (flows, links), strict=True):
        lines += ["", *align(heads, rows, names)]
        if len(all_rows) > len(rows):
            lines.append(f"... and {len(all_rows) - len(rows)} more (--json and --out have them all)")
    return "\n".join(lines)
