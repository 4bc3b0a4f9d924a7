"""An analysis as one offline page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from .. import _core
from ..report.pieces import closed, embedded, esc, fold, listed, table
from ..report.report import Cell, Report, Table
from ..text.numbers import amount
from ..text.templates import Fact, fact, sentence
from . import text
from .charts import histogram, viewer
from .text import Spans, facts, ordered

if TYPE_CHECKING:
    from . import Analysis

#: Directions that are drawn, those with most data; all stand in the table.
MAX_DRAWN, MAX_LISTED = 8, 200
#: Facts of the direction with most data that stand at the top.
MAX_FACTS = 4

Row = Mapping[str, Any]


def page(found: Analysis) -> str:
    """The page's text."""
    summary = found.summary()
    rows, spans = summary["connections"], found.spans()
    drawn = ordered(sorted(rows, key=lambda row: -row["bytes"])[:MAX_DRAWN])
    shown = [row for row in drawn if row["data_packets"] or row["acks"]]
    charts = None
    if found.acks is not None and found.segments is not None and shown:
        charts = viewer(shown, pl.DataFrame(found.acks), pl.DataFrame(found.segments), spans)
    told = {id(row): [*facts(row), *text.faults(summary, row)] for row in shown}
    top, parts = [fact("no-connection")], []
    if main := max((row for row in shown if row["bytes"]), key=lambda row: row["bytes"], default=None):
        several = sum(row["bytes"] > 0 for row in shown)
        which = [fact("most-data", directions=several, name=text.title(main))] if several > 1 else []
        top = [*which, *told[id(main)][: MAX_FACTS - len(which)]]
        left = told[id(main)][MAX_FACTS - len(which) :]
        parts = [f'<section class="card" id="{_name(main)}">{_section(found, main, spans, left)}</section>']
    parts += [_folded(row, _section(found, row, spans, told[id(row)])) for row in shown if row is not main]
    rest = "".join([*parts, meanings((it["name"], it["about"]) for it in _core.columns("connections"))])
    name = text.title_of_file(summary["file"], short=True)
    listed_rows = [_list(rows, drawn)]
    return Report(
        "analyze", name, [text.size(summary), *top, *text.notes(summary)], listed_rows, viewer=charts, rest=rest
    ).page()


def _folded(row: Row, body: str) -> str:
    return fold(text.title(row), body).replace("<details ", f'<details id="{_name(row)}" ', 1)


def _name(row: Row) -> str:
    return f"c{row['connection']}w{row['direction']}"


def _list(rows: list[Row], drawn: list[Row]) -> Table:
    heads = ["data from", "to", "captured near", "policy", "limit"]
    heads += ["payload", "segments", "ACKs", "segments an ACK", "path RTT min"]
    cells: list[Sequence[str | Cell]] = [
        [
            Cell(row["from"], link=_name(row) if row in drawn else ""),
            *(row[name] for name in ("to", "vantage", "policy", "limit")),
            amount(row["bytes"], "B"),
            str(row["segments"]),
            str(row["acks"]),
            "-" if row["segments_per_ack"] is None else f"{row['segments_per_ack']:.2f}",
            text.span(row["path_rtt_min_s"]),
        ]
        for row in rows[:MAX_LISTED]
    ]
    feet = [fact("rows", shown=MAX_LISTED, all=len(rows))] if len(rows) > MAX_LISTED else []
    if len(drawn) < len(rows):
        feet.append(fact("drawn-directions", shown=len(drawn), all=len(rows)))
    return Table(heads, cells, "Directions", feet, names=5, lead=len(rows) > 1, fold=len(rows) == 1)


def meanings(columns: Iterable[tuple[str, str]]) -> str:
    """A closed part of a page with the meaning of each column."""
    rows = [[f"<code>{esc(name)}</code>", _CODE.sub(r"<code>\1</code>", esc(meaning))] for name, meaning in columns]
    return f'<details class="card fold"><summary><h2>What each number means</h2></summary>{table(["column", "meaning"], rows, ["text", "text wrap"])}</details>'


_CODE = re.compile(r"`([^`]+)`")


def wireshark(row: Row) -> str:
    """A display filter for the packets of a connection, in both directions.

    >>> wireshark({"from": "10.0.0.1:5000", "to": "[fd00::2]:443"})
    'ip.addr == 10.0.0.1 && tcp.port == 5000 && ipv6.addr == fd00::2 && tcp.port == 443'
    """
    ends = [end.rpartition(":") for end in (row["from"], row["to"])]
    parts = []
    for address, _, port in ends:
        field = "ipv6.addr" if address.startswith("[") else "ip.addr"
        parts.append(f"{field} == {address.strip('[]')} && tcp.port == {port}")
    return " && ".join(parts)


def _section(found: Analysis, row: Row, spans: Spans, told: Sequence[Fact]) -> str:
    """A direction: its limits, these of its facts, and its counts."""
    mine = (pl.col("connection") == row["connection"]) & (pl.col("direction") == row["direction"])
    figures = ""
    if hasattr(found, "acks") and row["plain_acks"]:
        chart = histogram(_name(row), pl.DataFrame(found.acks).filter(mine))
        figures = embedded(chart, wide=True)
    numbers = [
        [esc(f"{heading}: {words}"), esc(shown(row))] for heading, cells in text.COLUMNS for words, shown in cells
    ]
    half = (len(numbers) + 1) // 2
    beside = [left + right for left, right in zip(numbers[:half], numbers[half:], strict=False)]
    start = sentence(fact("spans", start=row["start_s"], took=row["duration_s"]))
    packets = (
        f'<p class="note">{esc(text.title(row))}. {esc(start)}. In Wireshark: <code>{esc(wireshark(row))}</code></p>'
    )
    shares = text.share_table(row, spans)
    counts = closed(f"All {len(numbers)} numbers", table(["", "", "", ""], beside, ["text", "", "text", ""], "pairs"))
    facts = listed(told) if told else ""
    return f"{shares.html() if shares.rows else ''}{packets}{facts}{figures}{counts}"
