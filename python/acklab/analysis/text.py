"""An analysis for a terminal."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from .. import _core
from .._texts import one_line
from ..plot.words import NB, amount, count, seconds

#: Directions shown; the rest is counted.
MOST = 20
WIDTH = 100
#: Link types that are often met and not read.
LINKS = {105: " (IEEE 802.11)", 127: " (IEEE 802.11 with radiotap)", 192: " (PPI)", 189: " (USB)", 220: " (USB)"}

Row = Mapping[str, Any]


def as_text(summary: Row) -> str:
    """What the packets were, and for each direction a table and what it amounts to."""
    rows = summary["connections"]
    lines = [heading(summary), *notes(summary)]
    shown = sorted(rows, key=lambda row: -max(row["bytes"], row["acked_bytes"]))[:MOST]
    for row in sorted(shown, key=lambda row: (row["connection"], row["way"])):
        if row["bytes"] or row["acked_bytes"] > 2:
            lines += ["", title(row), *_table(row), *textwrap.wrap(row["finding"], WIDTH)]
        else:
            lines += ["", f"{title(row)}\n  {_without_data(row)}"]
    if len(rows) > MOST:
        listed = {id(row) for row in shown}
        rest = [row for row in rows if id(row) not in listed]
        policies = Counter(row["policy"] for row in rest).most_common()
        words = ", ".join(f"{number} {policy}" for policy, number in policies)
        lines.append(f"\n... and {len(rest)} more with less data: {words} (--json and --out have them all)")
    return "\n".join(lines).replace(NB, " ").replace("\u202f", " ")


def _without_data(row: Row) -> str:
    """What there was of a connection that carried nothing."""
    opened = "opened" if row["handshake"] else "not opened, as far as it passed here"
    return f"no data; {opened}{', and reset' if row['reset'] else ''}"


def heading(summary: Row) -> str:
    """The file in a line."""
    packets = summary["packets"]
    connections = len({row["connection"] for row in summary["connections"]})
    return (
        f"{title_of_file(summary['file'])}: {count(packets['packets'], 'packet')}, {amount(packets['bytes'], 'B')}, "
        f"{seconds(summary['length_s'])}, {count(connections, 'TCP connection')}"
    )


def title_of_file(file: str) -> str:
    """What a file is called."""
    return "standard input" if file == "-" else one_line(file)


def notes(summary: Row) -> list[str]:
    """What was passed over, and what is odd about the file."""
    packets = summary["packets"]
    reasons = {
        "not_ip": "no IP",
        "not_tcp": "no TCP",
        "cut": "cut before the end of their TCP header",
        "malformed": "malformed",
    }
    passed = [f"{packets[key]} {words}" for key, words in reasons.items() if packets[key]]
    found = [f"passed over: {', '.join(passed)}"] if passed else []
    if packets["fragments"]:
        overlapping = packets["overlapping"]
        found.append(
            f"{count(packets['fragments'], 'fragment')}, put together to {count(packets['reassembled'], 'segment')}"
            + (f"; {overlapping} left out, whose parts overlap" if overlapping else "")
        )
    if packets["unknown_links"]:
        types = ", ".join(f"{kind}{LINKS.get(kind, '')}" for kind in packets["unknown_links"])
        found.append(f"link types that are not read: {types}")
    if packets["backward"]:
        found.append(
            f"{count(packets['backward'], 'packet')} earlier than the one before, "
            f"by up to {seconds(packets['backward_max_ns'] * 1e-9)}: taken as simultaneous"
        )
    if packets["options_cut"]:
        found.append(
            f"{count(packets['options_cut'], 'packet')} cut within the TCP options: timestamps, SACK blocks and window "
            "scales may be missing (capture 128 bytes of each)"
        )
    if packets["untimed"]:
        found.append(f"{count(packets['untimed'], 'packet')} without a time, not read (simple packet blocks)")
    if packets["unfollowed"]:
        found.append(
            f"{count(packets['unfollowed'], 'segment')} not looked at: {_core.MOST_CONNECTIONS:,} connections are followed, "
            "and these belong to later ones (split the capture, or filter it, to see them)"
        )
    if packets["forgotten"]:
        found.append(
            f"{count(packets['forgotten'], 'segment or gap', 'segments and gaps')} forgotten before an ACK settled them, "
            "because too many were outstanding: later ACKs may be counted wrongly"
        )
    if packets["rows_left_out"]:
        found.append(
            f"{count(packets['rows_left_out'], 'row')} left out of the tables of ACKs and segments, which have room for "
            f"{_core.MOST_ROWS:,}; the connections count every packet"
        )
    if packets["damaged"]:
        found.append(f"the file is damaged, what stands before counts: {packets['damaged']}")
    if packets["broken_off"]:
        found.append("the file breaks off, within a packet or its compressed data; what stands before counts")
    return found


def title(row: Row) -> str:
    """A direction's name."""
    return f"{row['connection']}: {row['from']} -> {row['to']}"


#: What is shown, four to a line: words before the value, and the value.
CELLS: list[tuple[str, Callable[[Row], str]]] = [
    ("segments", lambda row: str(row["segments"])),
    ("ACKs", lambda row: str(row["acks"])),
    ("of one segment", lambda row: str(row["acks_of_one"])),
    ("RTT min", lambda row: span(row["rtt_min_s"])),
    ("payload", lambda row: amount(row["bytes"], "B") if row["bytes"] else f"0{NB}B"),
    ("of new data", lambda row: str(row["new_acks"])),
    ("of two", lambda row: str(row["acks_of_two"])),
    ("RTT mean", lambda row: span(row["rtt_mean_s"])),
    ("resent", lambda row: str(row["resent"])),
    ("duplicate", lambda row: str(row["duplicate_acks"])),
    ("of more", lambda row: str(row["acks_of_more"])),
    ("ACK delay", lambda row: span(row["delay_median_s"])),
    ("late", lambda row: str(row["late"])),
    ("with SACK", lambda row: str(row["sack_acks"])),
    ("divided", lambda row: str(row["divided_acks"])),
    ("timer", lambda row: span(row["timer_s"])),
    ("most in flight", lambda row: amount(row["max_flight_bytes"], "B") if row["max_flight_bytes"] else "-"),
    ("with DSACK", lambda row: str(row["dsack_acks"])),
    ("segments an ACK", lambda row: "-" if row["segments_per_ack"] is None else f"{row['segments_per_ack']:.2f}"),
    ("goodput", lambda row: "-" if row["goodput_bps"] is None else amount(row["goodput_bps"], "bit/s")),
]
COLUMNS = 4


def span(value: float | None) -> str:
    """A duration, if there is one."""
    return "-" if value is None else seconds(value)


def _table(row: Row) -> list[str]:
    cells = [cell for words, shown in CELLS for cell in (words, shown(row))]
    lines = [cells[at : at + 2 * COLUMNS] for at in range(0, len(cells), 2 * COLUMNS)]
    widths = [max(len(line[place]) for line in lines) for place in range(2 * COLUMNS)]
    return [
        "  "
        + "  ".join(
            f"{line[place]:<{widths[place]}} {line[place + 1]:>{widths[place + 1]}}"
            for place in range(0, 2 * COLUMNS, 2)
        )
        for line in lines
    ]
