"""What logs say of ACKs, as one offline page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from ...figures.charts import Axis, Bar, Bars, Line, Lines, Panel
from ...figures.html import document, esc, header, table
from ...figures.pictures import embedded
from ..page import meanings
from ..text import title_of_file
from . import COLUMNS, text
from .connection import Row

if TYPE_CHECKING:
    from . import QlogAnalysis

#: Directions that are drawn, those with most ACKs.
MOST_DRAWN = 8
#: ACKs of a direction that is drawn beside the one with most, at least.
LEAST_DRAWN = 10
#: Points of a line or marks of a kind.
MOST_POINTS = 4_000
#: Bins of the rate.
MOST_BINS = 100
#: The histogram's last bar holds all ACKs of this many packets or more.
MOST_PACKETS = 12


def page(found: QlogAnalysis) -> str:
    """The page's text."""
    drawn = sorted(found.rows, key=lambda row: -row["acks"])[:MOST_DRAWN]
    drawn.sort(key=lambda row: (row["connection"], row["data"]))
    heads = [
        "direction",
        "packets",
        "ACKs",
        "packets an ACK",
        "held at most",
        "sent to ACK, at most",
        "lost, by the log",
    ]
    rows = [_cells(row) for row in sorted(found.rows, key=lambda row: (row["connection"], row["data"]))[:200]]
    notes = "".join(f'<p class="note">{esc(note)}</p>' for note in found.notes)
    more = f'<p class="note">... and {len(found.rows) - 200} more.</p>' if len(found.rows) > 200 else ""
    body = [
        header(*_lead(drawn), quick=False),
        f'<p class="note">{esc(text.heading(found, short=True))}</p>{notes}',
        "</header><main>",
        f'<section class="card">{table(heads, rows, ["text", "", "", "", "", "", ""])}{more}</section>',
        *(_section(found, row, told=len(drawn) > 1) for row in drawn),
        meanings(COLUMNS.items()),
        '</main><footer class="foot">The same numbers are in analysis.json and connections.parquet.</footer>',
    ]
    return document(f"ACKs of {title_of_file(found.file, short=True)}", "".join(body))


def _lead(drawn: list[Row]) -> tuple[str, str, str]:
    """The headline, what stands above it, and a sentence below: what the direction with most ACKs shows."""
    if not drawn:
        return "No connection in this log, so nothing is known of ACKs.", "acklab analyze", ""
    most = max(drawn, key=lambda row: row["acks"])
    where = "" if len(drawn) == 1 else f", of {len(drawn)} directions that with most ACKs: {text.name(most)}"
    rule, *more = text.facts(most)
    return rule, f"acklab analyze{where}", " ".join(more)


def _cells(row: Row) -> list[str]:
    mean = "-" if row["packets_per_ack"] is None else f"{row['packets_per_ack']:.2f}"
    lost = text.NOT_LOGGED if row["lost"] is None else str(row["lost"])
    most = text.span(row["hold_max_s"])
    return [
        esc(text.name(row)),
        str(row["packets"]),
        str(row["acks"]),
        mean,
        *([most, "-"] if row["data"] == "received" else ["-", most]),
        lost,
    ]


def _section(found: QlogAnalysis, row: Row, *, told: bool) -> str:
    """A direction; ``told`` with its finding, which is else the page's headline."""
    facts = [[esc(words), esc(value)] for words, value in text.cells(row)]
    half = (len(facts) + 1) // 2
    beside = [left + right for left, right in zip(facts[:half], [*facts[half:], ["", ""]], strict=False)]
    most = max(found.rows, key=lambda one: one["acks"])
    told_of = "".join(f"<li>{esc(fact)}</li>" for fact in text.facts(row))
    lead = f"<ul>{told_of}</ul>" if told and row is not most else ""
    heads, rows = text.phase_rows(found, row)
    phases = table(heads, [[esc(cell) for cell in cells] for cells in rows], ["text", "text"]) if rows else ""
    drawn = row is most or row["new_acks"] >= LEAST_DRAWN
    charts = [
        chart
        for chart in (_progress(found, row), _times(found, row), _histogram(found, row))
        if chart is not None and drawn
    ]
    pictures = "".join(embedded(chart, wide=True) for chart in charts)
    return (
        f'<section class="card"><h2>{esc(text.name(row))}</h2>{lead}{pictures}'
        f"{phases}{table(['', '', '', ''], beside, ['text', '', 'text', ''], 'pairs')}</section>"
    )


def _mine(frame: pl.DataFrame, row: Row) -> pl.DataFrame:
    return frame.filter((pl.col("connection") == row["connection"]) & (pl.col("data") == row["data"]))


def _histogram(found: QlogAnalysis, row: Row) -> Bars | None:
    """How many packets the ACKs cover."""
    if not row["new_acks"]:
        return None
    acks = _mine(found.acks, row).filter(pl.col("packets") > 0)
    groups = []
    for n in range(1, min(MOST_PACKETS, max(4, *acks["packets"].to_list())) + 1):
        these = acks.filter(pl.col("packets") == n if n < MOST_PACKETS else pl.col("packets") >= n)
        ordered = float(these["in_order"].sum())
        groups.append(Bar(str(n) if n < MOST_PACKETS else f"{n} or more", [ordered, float(len(these)) - ordered]))
    about = "ACKs by how many packets, of those that ask for one, they cover for the first time."
    keys = ["packets in order", "at gaps, or late packets"]
    return Bars(
        f"q{row['connection']}{row['data']}-packets", about, keys, ["blue", "red"], groups, Axis("ACKs (count)"), 2.4
    )


def _progress(found: QlogAnalysis, row: Row) -> Lines | None:
    """Packet numbers over time, the largest acknowledged, and the rate of the packets."""
    packets = found.drawn[row["connection"], row["data"]]
    if len(packets) < 2 or packets[-1][0] <= packets[0][0]:
        return None
    times, numbers, sizes = (list(column) for column in zip(*packets, strict=True))
    lines = [Line("packet", times, numbers, "blue", dash="", marker=".")]
    acks = _thin(_mine(found.acks, row)) if len(found.acks) else found.acks
    if len(acks):
        lines.append(
            Line(
                "largest acknowledged",
                acks["time_s"].to_list(),
                acks["largest"].cum_max().to_list(),
                "green",
                step=True,
            )
        )
    panels = [Panel("packets and their ACKs", Axis("time (s)"), Axis("packet number"), lines)]
    if sum(sizes):
        start, bins = times[0], min(MOST_BINS, max(4, len(packets) // 8))
        wide = (max(times) - start) / bins
        sums = [0.0] * bins
        for time, size in zip(times, sizes, strict=True):
            sums[min(bins - 1, int((time - start) / wide))] += size
        rates = [8e-6 * total / wide for total in sums]
        panels.append(
            Panel(
                "rate of the packets",
                Axis("time (s)"),
                Axis("Mb/s", low=0.0),
                [Line("rate", [start + wide * k for k in range(bins + 1)], [*rates, rates[-1]], "slate", step=True)],
            )
        )
    return Lines(
        f"q{row['connection']}{row['data']}-progress",
        f"Packets over time, {'as they came' if row['data'] == 'received' else 'as they left'}; the rate is a mean over bins.",
        panels,
        2.6,
    )


def _times(found: QlogAnalysis, row: Row) -> Lines | None:
    """How old the oldest packet was that an ACK covers; and the window, where the log has one."""
    if not row["new_acks"]:
        return None
    acks = _thin(_mine(found.acks, row).filter(pl.col("packets") > 0))
    ordered, others = acks.filter(pl.col("in_order")), acks.filter(~pl.col("in_order"))
    marks = [
        Line(words, these["time_s"].to_list(), (these["hold_s"] * 1e3).to_list(), colour, dash="", marker=".")
        for words, these, colour in (("packets in order", ordered, "blue"), ("at gaps, or late packets", others, "red"))
        if len(these)
    ]
    about = "wait of the oldest packet for its ACK" if row["data"] == "received" else "round trip of the oldest packet"
    panels = [Panel(about, Axis("time (s)"), Axis("ms", low=0.0), marks)]
    if row["data"] == "sent" and "cwnd_bytes" in found.metrics.columns:
        known = found.metrics.filter(pl.col("connection") == row["connection"])
        lines = []
        for column, words, colour in (("cwnd_bytes", "window", "blue"), ("flight_bytes", "in flight", "slate")):
            these = _thin(known.drop_nulls(column))
            if len(these):
                lines.append(Line(words, these["time_s"].to_list(), (these[column] / 1e3).to_list(), colour, step=True))
        if lines:
            panels.append(Panel("congestion window", Axis("time (s)"), Axis("kB", low=0.0), lines))
    return Lines(
        f"q{row['connection']}{row['data']}-times",
        "How old the oldest packet was that an ACK covers, by the time of the ACK.",
        panels,
        2.6,
    )


def _thin(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.gather_every(max(1, -(-len(frame) // MOST_POINTS)))
