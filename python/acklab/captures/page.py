"""An analysis as one offline page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from .. import _core
from ..figures import pictures
from ..figures.html import aside, esc, table
from ..render.page import listed
from ..render.report import Cell, Report, Table
from ..text.numbers import amount
from ..text.templates import Fact, fact, sentence
from . import text
from .charts import histogram, viewer
from .findings import Spans, facts, limit, ordered, policy

if TYPE_CHECKING:
    from . import Analysis

#: Directions that are drawn, those with most data; all stand in the table.
MAX_DRAWN, MAX_LISTED = 8, 200

Row = Mapping[str, Any]


def page(found: Analysis) -> str:
    """The page's text."""
    summary = found.summary()
    rows, spans = summary["connections"], found.spans()
    drawn = ordered(sorted(rows, key=lambda row: -row["bytes"])[:MAX_DRAWN])
    shown = [row for row in drawn if row["data_packets"] or row["acks"]]
    charts = None
    if found.acks is not None and found.segments is not None and shown:
        charts = viewer(shown, pl.DataFrame(found.acks), pl.DataFrame(found.segments))
    parts = [_section(found, row, spans, text.faults(summary, row)) for row in shown]
    rest = "".join([*parts, meanings((it["name"], it["about"]) for it in _core.columns("connections"))])
    top = [text.size(summary), *_lead(shown), *text.notes(summary)]
    name = text.title_of_file(summary["file"], short=True)
    return Report("analyze", name, top, [_list(rows, drawn)], viewer=charts, rest=rest).page()


def _lead(shown: list[Row]) -> list[Fact]:
    """What the direction with most data shows."""
    several = [row for row in shown if row["bytes"]]
    if not several:
        return [fact("no-connection")]
    most = max(several, key=lambda row: row["bytes"])
    which = [fact("most-data", directions=len(several), name=text.title(most))] if len(several) > 1 else []
    return [*which, limit(most), policy(most)]


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
    return Table(heads, cells, "Directions", feet, names=5)


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


def _section(found: Analysis, row: Row, spans: Spans, faults: Sequence[Fact]) -> str:
    """A direction: its limits, its facts and its counts."""
    mine = (pl.col("connection") == row["connection"]) & (pl.col("direction") == row["direction"])
    figures = ""
    if hasattr(found, "acks") and row["plain_acks"]:
        chart = histogram(_name(row), pl.DataFrame(found.acks).filter(mine))
        figures = pictures.embedded(chart, wide=True)
    numbers = [
        [esc(f"{heading}: {words}"), esc(shown(row))] for heading, cells in text.COLUMNS for words, shown in cells
    ]
    half = (len(numbers) + 1) // 2
    beside = [left + right for left, right in zip(numbers[:half], numbers[half:], strict=False)]
    start = sentence(fact("spans", start=row["start_s"], took=row["duration_s"]))
    packets = aside(
        "Its packets in Wireshark",
        f'<p class="note">Its packets in Wireshark: <code>{esc(wireshark(row))}</code>. A mark\'s packet is <code>frame.number</code> there: '
        "point at the mark, or read the chart's table.</p>",
    )
    shares = text.share_table(row, spans)
    all_numbers = aside(
        f"All {len(numbers)} numbers", table(["", "", "", ""], beside, ["text", "", "text", ""], "pairs")
    )
    return (
        f'<section class="card" id="{_name(row)}"><h2>{esc(text.title(row))}</h2><p class="note">{esc(start)}</p>{packets}'
        f"{listed([*facts(row), *faults])}{shares.html() if shares.rows else ''}{figures}"
        f"{all_numbers}</section>"
    )
