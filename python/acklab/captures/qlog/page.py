"""What logs say of ACKs, for a terminal and as one offline page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from ...report.charts import Axis, Line, Lines, Panel
from ...report.pieces import closed, embedded, esc, listed, table
from ...report.report import Report, Table
from ...text.numbers import NB, amount
from ...text.templates import Fact, fact, fact_of, sentence
from ...text.terminal import one_line
from ..page import meanings
from ..text import span, title_of_file
from .connection import COLUMNS, Row

if TYPE_CHECKING:
    from . import QlogAnalysis

#: Directions with less data are counted only.
MAX_SHOWN = 20
#: Share of the ACKs in order that a rule has to cover to be named.
SHARE = 0.9


def facts(row: Row) -> list[Fact]:
    """How the receiver of a direction acknowledges: the rule of its ACKs first, and what else they show."""
    ordered, field, held = row["ordered_acks"], row["delay_field_median_s"], row["hold_median_s"]
    ruled = ordered and row["usual_acks"] >= SHARE * ordered
    around = row["new_acks"] - ordered
    rule = ("every" if row["usual_packets"] == 1 else "rule") if ruled else "mean"
    received = row["data"] == "received" and row["new_acks"]
    kinds = {
        "none" if not row["new_acks"] else rule: True,
        "gaps": around,
        "timer": received and row["timer_acks"],
        "no-timer": received and not row["timer_acks"],
        "missing": row["missing"],
        "field": received and field is not None and held is not None and field < held / 2,
    }
    return [fact_of(f"qlog-{kind}", {**row, "around": around}) for kind, holds in kinds.items() if holds]


def name(row: Row) -> str:
    """A direction's name."""
    title = f"{one_line(row['title'])}, " if row["title"] else ""
    group = f" {one_line(row['group'])[:16]}" if row["group"] else ""
    return f"{row['connection']}: {title}{one_line(row['vantage'])}{group}, data {row['data']}"


def waited(row: Row) -> str:
    """What the time from the oldest packet to its ACK is: a receiver's log shows how long the ACK was held, a sender's the round trip."""
    return "held" if row["data"] == "received" else "sent to ACK"


#: Of what a log need not have, or has for the other direction only.
NOT_LOGGED = "not logged"


def both(row: Row, one: str, other: str) -> str:
    """Two durations; one dash if there is neither."""
    return "-" if row[one] is None and row[other] is None else f"{span(row[one])}, {span(row[other])}"


def cells(row: Row) -> list[tuple[str, str]]:
    """What is shown of a direction."""
    mean = row["packets_per_ack"]
    ranges = "-" if row["ranges_mean"] is None else f"{row['ranges_mean']:.2f}, {row['ranges_max']}"
    window = row["cwnd_max_bytes"]
    return [
        ("packets", str(row["packets"])),
        ("ack-eliciting", "-" if row["eliciting"] is None else str(row["eliciting"])),
        ("bytes", amount(row["bytes"], "B") if row["bytes"] else "-"),
        ("lost, by the log", NOT_LOGGED if row["lost"] is None else str(row["lost"])),
        ("numbers missing", "-" if row["missing"] is None else str(row["missing"])),
        ("ACK frames", str(row["acks"])),
        ("packets an ACK", "-" if mean is None else f"{mean:.2f}"),
        ("ACKs in order of 1, 2, more packets", f"{row['acks_of_one']}, {row['acks_of_two']}, {row['acks_of_more']}"),
        ("ranges a frame: mean, most", ranges),
        ("ACK Delay: median, max", both(row, "delay_field_median_s", "delay_field_max_s")),
        (f"{waited(row)}: median, max", both(row, "hold_median_s", "hold_max_s")),
        ("max_ack_delay", NOT_LOGGED if row["max_ack_delay_s"] is None else span(row["max_ack_delay_s"])),
        ("round trip: min, median", NOT_LOGGED if row["rtt_min_s"] is None else both(row, "rtt_min_s", "rtt_median_s")),
        ("largest window", NOT_LOGGED if window is None else amount(window, "B")),
    ]


def phases(found: QlogAnalysis, row: Row) -> Table:
    """A direction's ACKs by phase."""
    heads = ["phase", "packets", "ACKs", "packets an ACK", "of 1", "of 2", "more"]
    rows = []
    for told in found.phases.to_dicts():
        if (told["connection"], told["data"]) == (row["connection"], row["data"]):
            order = "in order" if told["in_order"] else "at gaps"
            numbers = [str(told["new_acks"]), f"{told['packets_per_ack']:.2f}"]
            small = [str(told[f"acks_of_{n}"]) for n in ("one", "two", "more")]
            holds = [span(told["hold_median_s"]), span(told["hold_max_s"])]
            rows.append([one_line(told["phase"]), order, *numbers, *small, *holds, f"{told['ranges_mean']:.2f}"])
    return Table([*heads, f"{waited(row)}: median", "max", "ranges"], rows, names=2, bare=True)


def size(found: QlogAnalysis) -> Fact:
    """What is in the file."""
    connections = len({row["connection"] for row in found.rows})
    return fact("log", connections=connections, acks=sum(row["acks"] for row in found.rows))


def trips(found: QlogAnalysis) -> list[Fact]:
    """The round trips that the log names of its direction with most ACKs."""
    rows = [row for row in found.rows if row["rtt_min_s"] is not None]
    row = max(rows, key=lambda row: row["acks"], default=None)
    return [] if row is None else [fact("log-trips", least=row["rtt_min_s"], median=row["rtt_median_s"])]


def as_text(found: QlogAnalysis, most: int = MAX_SHOWN) -> str:
    """The directions with most ACKs, each with its numbers and its phases."""
    lines = [f"{title_of_file(found.file)}: {sentence(size(found))}", *map(sentence, [*trips(found), *found.notes])]
    shown = sorted(found.rows, key=lambda row: -row["acks"])[:most]
    for row in sorted(shown, key=lambda row: (row["connection"], row["data"])):
        numbers = cells(row)
        half = (len(numbers) + 1) // 2
        beside = [list(left + right) for left, right in zip(numbers[:half], [*numbers[half:], ("", "")], strict=False)]
        tables = [Table(["", "", "", ""], beside, names=4), phases(found, row)]
        lines += ["", Report("analyze", name(row), facts(row), tables).text()]
    if len(found.rows) > most:
        rest = [f"{len(found.rows) - most} directions"]
        lines += ["", sentence(fact("more-directions", more=len(found.rows) - most, sort="ACKs", policies=rest))]
    return "\n".join(lines).replace(NB, " ")


#: Directions of the table.
MAX_ROWS = 200
#: Points of a line or marks of a kind.
MAX_POINTS = 4_000


def page(found: QlogAnalysis) -> str:
    """The page's text."""
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
    main = max(found.rows, key=lambda row: row["acks"], default=None)
    top, picture = [size(found), fact("no-connection"), *found.notes], ""
    if main is not None:
        which = [fact("most-data", directions=len(found.rows), name=name(main))] if len(found.rows) > 1 else []
        told = facts(main)
        top = [size(found), *which, *trips(found), *told[:3], fact("log-limit"), *found.notes]
        picture = _section(found, main, listed(told[3:]) if told[3:] else "")
    tables = [Table(heads, rows, feet=feet, fold=len(rows) == 1, name="Directions")]
    return Report(
        "analyze", title_of_file(found.file, short=True), top, tables, picture, rest=meanings(COLUMNS.items())
    ).page()


def _cells(row: Row) -> list[str]:
    mean = "-" if row["packets_per_ack"] is None else f"{row['packets_per_ack']:.2f}"
    lost = NOT_LOGGED if row["lost"] is None else str(row["lost"])
    most = span(row["hold_max_s"])
    holds = [most, "-"] if row["data"] == "received" else ["-", most]
    return [name(row), str(row["packets"]), str(row["acks"]), mean, *holds, lost]


def _section(found: QlogAnalysis, row: Row, top: str) -> str:
    """A direction: what stands at its top, its charts and its counts."""
    numbers = [[esc(words), esc(value)] for words, value in cells(row)]
    half = (len(numbers) + 1) // 2
    beside = [left + right for left, right in zip(numbers[:half], [*numbers[half:], ["", ""]], strict=False)]
    table_of_phases = phases(found, row)
    charts = [chart for chart in (_progress(found, row), _times(found, row)) if chart]
    pictures = "".join(embedded(chart, wide=True) for chart in charts)
    counts = table(["", "", "", ""], beside, ["text", "", "text", ""], "pairs")
    return f"{top}{pictures}{table_of_phases.html() if table_of_phases.rows else ''}{closed(f'All {len(numbers)} numbers', counts)}"


def _mine(frame: pl.DataFrame, row: Row) -> pl.DataFrame:
    return frame.filter((pl.col("connection") == row["connection"]) & (pl.col("data") == row["data"]))


def _progress(found: QlogAnalysis, row: Row) -> Lines | None:
    """Packet numbers over time, the largest acknowledged, and the rate of the packets."""
    packets = found.drawn[row["connection"], row["data"]]
    if len(packets) < 2 or packets[-1][0] <= packets[0][0]:
        return None
    times, numbers, _ = (list(column) for column in zip(*packets, strict=True))
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
    return Lines(
        f"q{row['connection']}{row['data']}-progress",
        f"Packets over time, {'as they came' if row['data'] == 'received' else 'as they left'}.",
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
