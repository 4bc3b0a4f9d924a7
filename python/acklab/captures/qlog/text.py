"""What logs say of ACKs, for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...plot.words import NB, amount, count, seconds
from ...text.columns import align, wrapped
from ...text.counts import counted
from ...text.escapes import one_line
from ..text import title_of_file
from .connection import Row

if TYPE_CHECKING:
    from . import QlogAnalysis

#: Directions with less data are counted only.
MOST = 20
#: Share of the ACKs in order that a rule has to cover to be named.
SHARE = 0.9


def finding(row: Row) -> str:
    """How the receiver of a direction acknowledges, with the numbers behind it."""
    if not row["new_acks"]:
        return "No ACK frame covers a packet that asks for one."
    ordered = row["ordered_acks"]
    acks, around = row["new_acks"], row["new_acks"] - ordered
    said = []
    if ordered and row["usual_acks"] >= SHARE * ordered:
        said.append(
            f"{row['usual_acks']} of {ordered} ACKs of packets in order cover {count(row['usual_packets'], 'packet')}."
        )
    said.append(
        f"In all, {counted(acks, 'ACK covers', 'ACKs cover')} {row['packets_per_ack']:.2f} packets {'in the mean' if acks > 1 else ''}".rstrip()
        + "."
    )
    if row["data"] == "received":
        timed = row["timer_acks"]
        timer = (
            f"A timer sent {timed} of them, {seconds(row['timer_s'])} after the oldest packet (median)"
            if timed
            else "No ACK in order waited for a timer"
        )
        said.append(f"{timer}; a packet waited {seconds(row['hold_max_s'])} at most.")
    if around:
        said.append(f"{counted(around, 'ACK')} came at a gap in the packet numbers, or for late packets.")
    if row["missing"]:
        said.append(
            f"{counted(row['missing'], 'packet number is', 'packet numbers are')} missing: lost, or skipped by the sender."
        )
    return " ".join(said).replace(NB, " ")


def headline(row: Row) -> str:
    """How the receiver of a direction acknowledges, in a few words."""
    if not row["new_acks"]:
        return finding(row)
    ordered, usual = row["ordered_acks"], row["usual_packets"]
    if ordered and row["usual_acks"] >= SHARE * ordered:
        told = "An ACK for every packet in order" if usual == 1 else f"An ACK for every {usual} packets in order"
    else:
        told = f"{row['packets_per_ack']:.2f} packets an ACK, by no fixed number"
    around = row["new_acks"] - ordered
    return (
        f"{told}; {around} of {counted(row['new_acks'], 'ACK')} at gaps or for late packets." if around else f"{told}."
    )


def delays(row: Row) -> str:
    """Why the field ACK Delay of a receiver is far below the time for which it held an ACK; empty where it is not."""
    field, held = row["delay_field_median_s"], row["hold_median_s"]
    if row["data"] != "received" or field is None or held is None or field >= held / 2:
        return ""
    text = (
        f"The field ACK Delay is {seconds(field)}, though the ACKs were held for {seconds(held)} (medians). The field counts from the largest packet acknowledged "
        "(RFC 9000 section 13.2.5), the hold from the oldest."
    )
    if not row["timer_acks"]:
        text += " Here each ACK in order left within 0.1 ms of its newest packet: it waited for that packet, not for a timer."
    return text.replace(NB, " ").replace("\u202f", " ")


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


def phase_rows(found: QlogAnalysis, row: Row) -> tuple[list[str], list[list[str]]]:
    """A direction's ACKs by phase: heads and cells."""
    heads = [
        "phase",
        "packets",
        "ACKs",
        "packets an ACK",
        "of 1",
        "of 2",
        "more",
        f"{waited(row)}: median",
        "max",
        "ranges",
    ]
    rows = []
    for told in found.phases.to_dicts():
        if (told["connection"], told["data"]) == (row["connection"], row["data"]):
            order = "in order" if told["in_order"] else "at gaps"
            numbers = [str(told["new_acks"]), f"{told['packets_per_ack']:.2f}"]
            small = [str(told[f"acks_of_{n}"]) for n in ("one", "two", "more")]
            holds = [span(told["hold_median_s"]), span(told["hold_max_s"])]
            rows.append([one_line(told["phase"]), order, *numbers, *small, *holds, f"{told['ranges_mean']:.2f}"])
    return heads, rows


def heading(found: QlogAnalysis, *, short: bool = False) -> str:
    """The file in a line; ``short`` without its directory."""
    file = title_of_file(found.file, short=short)
    connections = len({row["connection"] for row in found.rows})
    return (
        f"{file}: {count(connections, 'QUIC connection')}, {count(sum(row['acks'] for row in found.rows), 'ACK frame')}"
    )


def as_text(found: QlogAnalysis, most: int = MOST) -> str:
    """The directions with most ACKs, each with its numbers, its phases and a conclusion."""
    lines = [heading(found), *found.notes]
    shown = sorted(found.rows, key=lambda row: -row["acks"])[:most]
    for row in sorted(shown, key=lambda row: (row["connection"], row["data"])):
        told = cells(row)
        wide = max(len(words) for words, _ in told)
        lines += ["", name(row), *wrapped(filter(None, (finding(row), delays(row))))]
        half = (len(told) + 1) // 2
        left = [f"  {words:<{wide}} {value}" for words, value in told]
        room = max(map(len, left[:half])) + 2
        lines += [f"{one:<{room}}{two}".rstrip() for one, two in zip(left[:half], [*left[half:], ""], strict=False)]
        heads, rows = phase_rows(found, row)
        if rows:
            lines += [f"  {line}" for line in align(heads, rows, names=2)]
    if len(found.rows) > most:
        lines.append(f"\n... and {len(found.rows) - most} more directions (--json and --out have them all)")
    return "\n".join(lines).replace(NB, " ")
