"""What logs say of ACKs, for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...report.report import Report, Table
from ...text.escapes import one_line
from ...text.numbers import NB, amount, seconds
from ...text.templates import Fact, fact, fact_of, sentence
from ..text import title_of_file
from .connection import Row

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


def span(value: float | None) -> str:
    """A duration, if there is one."""
    return "-" if value is None else seconds(value)


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
