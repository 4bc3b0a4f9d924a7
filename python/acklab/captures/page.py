"""An analysis as one offline page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from .. import _core
from ..figures import pictures
from ..figures.html import VIEWER, aside, document, esc, header, table
from ..text.numbers import amount, seconds
from . import text
from .charts import histogram, viewer
from .findings import HEADS, Spans, facts, limit, ordered, policy, share_rows

if TYPE_CHECKING:
    from . import Analysis

#: Directions that are drawn, those with most data; all stand in the table.
MOST_DRAWN = 8
MOST_LISTED = 200

Row = Mapping[str, Any]


def page(found: Analysis) -> str:
    """The page's text."""
    summary = found.summary()
    rows, spans = summary["connections"], found.spans()
    drawn = sorted(rows, key=lambda row: -row["bytes"])[:MOST_DRAWN]
    drawn = ordered(drawn)
    notes = "".join(f'<p class="note">{esc(note)}</p>' for note in text.notes(summary))
    shown = [row for row in drawn if row["data_packets"] or row["acks"]]
    charts = None
    if found.acks is not None and found.segments is not None and shown:
        charts = viewer(shown, pl.DataFrame(found.acks), pl.DataFrame(found.segments))
    body = [
        header(*_lead(shown), quick=False),
        f'<p class="note">{esc(text.heading(summary, short=True))}</p>{notes}',
        "</header><main>",
        f'<section class="card">{_list(rows, drawn)}</section>',
        VIEWER if charts else "",
        *(_section(found, row, spans, text.faults(summary, row)) for row in shown),
        meanings((name, meaning) for name, _, meaning in _core.columns("connections")),
        '</main><footer class="foot">The same numbers are in analysis.json and connections.parquet.</footer>',
    ]
    return document(f"ACKs of {text.title_of_file(summary['file'], short=True)}", "".join(body), viewer=charts)


def _lead(shown: list[Row]) -> tuple[str, str, str]:
    """The headline, what stands above it, and the sentence below: what the direction with most data shows."""
    told = [row for row in shown if row["bytes"]]
    if not told:
        return "No data in these connections, so nothing is known of their ACKs.", "acklab analyze", ""
    most = max(told, key=lambda row: row["bytes"])
    where = "" if len(told) == 1 else f", of {len(told)} directions with data that with most: {text.title(most)}"
    return limit(most), f"acklab analyze{where}", policy(most)


def _name(row: Row) -> str:
    return f"c{row['connection']}w{row['direction']}"


def _list(rows: list[Row], drawn: list[Row]) -> str:
    heads = [
        "data from",
        "to",
        "payload",
        "segments",
        "ACKs",
        "segments an ACK",
        "path RTT min",
        "captured near",
        "policy",
        "limit",
    ]
    cells = [
        [
            f'<a href="#{_name(row)}">{esc(row["from"])}</a>' if row in drawn else esc(row["from"]),
            esc(row["to"]),
            amount(row["bytes"], "B") if row["bytes"] else "0",
            str(row["segments"]),
            str(row["acks"]),
            "-" if row["segments_per_ack"] is None else f"{row['segments_per_ack']:.2f}",
            text.span(row["path_rtt_min_s"]),
            esc(row["vantage"]),
            esc(row["policy"]),
            esc(row["limit"]),
        ]
        for row in rows[:MOST_LISTED]
    ]
    more = f'<p class="note">... and {len(rows) - MOST_LISTED} more.</p>' if len(rows) > MOST_LISTED else ""
    if len(drawn) < len(rows):
        more += f'<p class="note">Drawn are the {len(drawn)} with most payload; the tables have all.</p>'
    shown = len(heads) - 2 * (len(rows) == 1)  # of one direction the headline has policy and limit
    kinds = ["text", "text", "", "", "", "", "", "text", "text", "text"]
    return table(heads[:shown], [row[:shown] for row in cells], kinds[:shown]) + more


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


def _section(found: Analysis, row: Row, spans: Spans, faults: Sequence[str]) -> str:
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
    start = f"begins at {seconds(row['start_s'])}, lasts {seconds(row['duration_s'])}"
    packets = aside(
        "Its packets in Wireshark",
        f'<p class="note">Its packets in Wireshark: <code>{esc(wireshark(row))}</code>. A mark\'s packet is <code>frame.number</code> there: '
        "point at the mark, or read the chart's table.</p>",
    )
    cells = [list(map(esc, line)) for line in share_rows(row, spans)]
    limits = table(HEADS, cells, ["text", "text"]) if cells else ""
    told = "".join(f"<li>{esc(fact)}</li>" for fact in [limit(row), *facts(row), *faults])
    all_numbers = aside(
        f"All {len(numbers)} numbers", table(["", "", "", ""], beside, ["text", "", "text", ""], "pairs")
    )
    return (
        f'<section class="card" id="{_name(row)}"><h2>{esc(text.title(row))}</h2><p class="note">{esc(start)}</p>{packets}'
        f"<ul>{told}</ul>{limits}{figures}"
        f"{all_numbers}</section>"
    )
