"""What logs say of ACKs, as one offline page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from ...report.charts import Axis, Bar, Bars, Line, Lines, Panel
from ...report.pictures import embedded
from ...report.pieces import closed, esc, fold, listed, table
from ...report.report import Report, Table
from ...text.templates import fact
from ..page import meanings
from ..text import title_of_file
from . import text
from .connection import COLUMNS, Row

if TYPE_CHECKING:
    from . import QlogAnalysis

#: Directions that are drawn, those with most ACKs.
MAX_DRAWN = 8
#: Directions of the table.
MAX_ROWS = 200
#: ACKs of a direction that is drawn beside the one with most, at least.
MIN_DRAWN = 10
#: Points of a line or marks of a kind.
MAX_POINTS = 4_000
#: Bins of the rate.
MAX_BINS = 100
#: The histogram's last bar holds all ACKs of this many packets or more.
MAX_PACKETS = 12


def page(found: QlogAnalysis) -> str:
    """The page's text."""
    drawn = sorted(found.rows, key=lambda row: -row["acks"])[:MAX_DRAWN]
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
    rows = [_cells(row) for row in sorted(found.rows, key=lambda row: (row["connection"], row["data"]))[:MAX_ROWS]]
    feet = [fact("rows", shown=MAX_ROWS, all=len(found.rows))] if len(found.rows) > MAX_ROWS else []
    main = max(drawn, key=lambda row: row["acks"], default=None)
    others = [fold(text.name(row), _section(found, row, listed(text.facts(row)))) for row in drawn if row is not main]
    rest = "".join([*others, meanings(COLUMNS.items())])
    top, picture = [text.size(found), fact("no-connection"), *found.notes], ""
    if main is not None:
        which = [fact("most-data", directions=len(drawn), name=text.name(main))] if others else []
        facts = text.facts(main)
        top = [text.size(found), *which, *text.trips(found), *facts[:3], *found.notes]
        picture = _section(found, main, listed(facts[3:]) if facts[3:] else "")
    tables = [Table(heads, rows, feet=feet, fold=len(rows) == 1, name="Directions")]
    return Report("analyze", title_of_file(found.file, short=True), top, tables, picture, rest=rest).page()


def _cells(row: Row) -> list[str]:
    mean = "-" if row["packets_per_ack"] is None else f"{row['packets_per_ack']:.2f}"
    lost = text.NOT_LOGGED if row["lost"] is None else str(row["lost"])
    most = text.span(row["hold_max_s"])
    holds = [most, "-"] if row["data"] == "received" else ["-", most]
    return [text.name(row), str(row["packets"]), str(row["acks"]), mean, *holds, lost]


def _section(found: QlogAnalysis, row: Row, top: str) -> str:
    """A direction: what stands at its top, its charts and its counts."""
    numbers = [[esc(words), esc(value)] for words, value in text.cells(row)]
    half = (len(numbers) + 1) // 2
    beside = [left + right for left, right in zip(numbers[:half], [*numbers[half:], ["", ""]], strict=False)]
    most = max(found.rows, key=lambda one: one["acks"])
    phases = text.phases(found, row)
    drawn = row is most or row["new_acks"] >= MIN_DRAWN
    charts = [chart for chart in (_progress(found, row), _times(found, row), _histogram(found, row)) if chart and drawn]
    pictures = "".join(embedded(chart, wide=True) for chart in charts)
    counts = table(["", "", "", ""], beside, ["text", "", "text", ""], "pairs")
    return f"{top}{pictures}{phases.html() if phases.rows else ''}{closed(f'All {len(numbers)} numbers', counts)}"


def _mine(frame: pl.DataFrame, row: Row) -> pl.DataFrame:
    return frame.filter((pl.col("connection") == row["connection"]) & (pl.col("data") == row["data"]))


def _histogram(found: QlogAnalysis, row: Row) -> Bars | None:
    """How many packets the ACKs cover."""
    if not row["new_acks"]:
        return None
    acks = _mine(found.acks, row).filter(pl.col("packets") > 0)
    groups = []
    for n in range(1, min(MAX_PACKETS, max(4, *acks["packets"].to_list())) + 1):
        these = acks.filter(pl.col("packets") == n if n < MAX_PACKETS else pl.col("packets") >= n)
        ordered = float(these["in_order"].sum())
        groups.append(Bar(str(n) if n < MAX_PACKETS else f"{n} or more", [ordered, float(len(these)) - ordered]))
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
        start, bins = times[0], min(MAX_BINS, max(4, len(packets) // 8))
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
    return frame.gather_every(max(1, -(-len(frame) // MAX_POINTS)))
