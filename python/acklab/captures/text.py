"""An analysis for a terminal."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .. import _core
from ..plot.words import NB, amount, count, seconds
from ..text.escapes import one_line
from .select import chosen

#: Directions shown; the rest is counted.
MOST = 20
WIDTH = 100
#: Link types that are often met and not read.
LINKS = {189: " (USB)", 220: " (USB)", 187: " (Bluetooth)", 195: " (IEEE 802.15.4)", 227: " (CAN)", 253: " (Netlink)"}
#: Tunnels, as they are called.
TUNNELS = {"ip": "IP in IP", "gre": "GRE", "erspan": "ERSPAN", "vxlan": "VXLAN", "geneve": "Geneve", "gtp": "GTP"}

Row = Mapping[str, Any]


def as_text(summary: Row, only: Sequence[str] = (), sort: str | None = None, most: int = MOST) -> str:
    """What the packets were, and for each direction a table and a conclusion.

    It shows at most ``most`` directions. Without ``sort`` these are the ones with most data, in the order of their first packets.
    With ``sort`` they are the first by that column. If ``only`` names connections, no others are shown.
    """
    rows = chosen(summary["connections"], only, sort)
    lines = [heading(summary), *notes(summary)]
    if only:
        lines.append(f"{len(rows)} of {len(summary['connections'])} directions are of {' or '.join(only)}")
    if sort is None:
        shown = sorted(rows, key=lambda row: -max(row["bytes"], row["acked_bytes"]))[:most]
        shown.sort(key=lambda row: (row["connection"], row["direction"]))
    else:
        shown = rows[:most]
    for row in shown:
        if row["bytes"] or row["acked_bytes"] > 2:
            lines += [
                "",
                title(row),
                *textwrap.wrap(row["headline"], WIDTH),
                *_table(row),
                *textwrap.wrap(row["finding"], WIDTH),
            ]
            lines += [line for told in faults(summary, row) for line in textwrap.wrap(told, WIDTH)]
        else:
            lines += ["", f"{title(row)}\n  {_without_data(row)}"]
    if len(rows) > most:
        listed = {id(row) for row in shown}
        rest = [row for row in rows if id(row) not in listed]
        policies = Counter(row["policy"] for row in rest).most_common()
        words = ", ".join(f"{number} {policy}" for policy, number in policies)
        less = "with less data" if sort is None else f"with less {sort}"
        lines.append(f"\n... and {len(rest)} more {less}: {words} (--json and --out have them all)")
    return "\n".join(lines).replace(NB, " ")


def faults(summary: Row, row: Row) -> list[str]:
    """The faults that a direction shows, a sentence each."""
    key = row["connection"], row["direction"]
    return [one["told"] for one in summary.get("faults", ()) if (one["connection"], one["direction"]) == key]


def _without_data(row: Row) -> str:
    """What there was of a connection that carried nothing."""
    opened = "opened" if row["handshake"] else "not opened, as far as it passed here"
    return f"no data; {opened}{', and reset' if row['reset'] else ''}"


def heading(summary: Row, *, short: bool = False) -> str:
    """The file in a line; ``short`` without its directory."""
    file = title_of_file(summary["file"], short=short)
    packets = summary["packets"]
    connections = len({row["connection"] for row in summary["connections"]})
    return (
        f"{file}: {count(packets['packets'], 'packet')}, {amount(packets['bytes'], 'B')}, "
        f"{seconds(summary['length_s'])}, {count(connections, 'TCP connection')}"
    )


def title_of_file(file: str, *, short: bool = False) -> str:
    """What a file is called; ``short`` without its directory."""
    name = file.replace("\\", "/").rpartition("/")[2] if short else file
    return "standard input" if file == "-" else one_line(name)


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
    if packets["udp"]:
        quic = f", {packets['quic']} of it like QUIC" if packets["quic"] else ""
        found.append(f"of these {packets['udp']} UDP{quic}")
    if packets["tunnels"]:
        kinds = ", ".join(f"{TUNNELS[kind]} {number}" for kind, number in packets["tunnels"].items())
        found.append(f"tunnels that were opened: {kinds} (connections are those inside)")
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
    if packets["clock_steps"]:
        found.append(
            f"the clock goes back by more than a second {count(packets['clock_steps'], 'time')}: it was set, or files were "
            "joined; time goes on from where it was"
        )
    if packets["resolution_ns"] is not None:
        found.append(_clock(packets["resolution_ns"]))
    if packets["wild_times"]:
        found.append(
            f"{count(packets['wild_times'], 'time')} that do not go with those before and after: taken as that before"
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


def _clock(resolution_ns: int) -> str:
    """What a coarse clock counts in; one that stands still has no tick."""
    if resolution_ns >= 10**10:
        return "all packets have the same time: no span and no rate is known"
    tick = seconds(resolution_ns * 1e-9)
    return f"the clock counts in steps of {tick}: every time between two packets is a multiple"


def title(row: Row) -> str:
    """A direction's name."""
    return f"{row['connection']}: {row['from']} -> {row['to']}"


#: What is shown, by column, each with its heading: words before the value, and the value.
COLUMNS: list[tuple[str, list[tuple[str, Callable[[Row], str]]]]] = [
    (
        "data",
        [
            ("segments", lambda row: str(row["segments"])),
            ("payload", lambda row: amount(row["bytes"], "B") if row["bytes"] else f"0{NB}B"),
            ("resent", lambda row: str(row["resent"])),
            ("late", lambda row: str(row["late"])),
            ("fast recoveries", lambda row: str(row["fast_recoveries"])),
            ("timeouts", lambda row: "-" if row["timeouts"] is None else str(row["timeouts"])),
            (
                "most unacknowledged",
                lambda row: amount(row["max_flight_bytes"], "B") if row["max_flight_bytes"] else "-",
            ),
            ("goodput", lambda row: "-" if row["goodput_bps"] is None else amount(row["goodput_bps"], "b/s")),
            (
                "bottleneck",
                lambda row: "not seen" if row["bottleneck_bps"] is None else amount(row["bottleneck_bps"], "b/s"),
            ),
        ],
    ),
    (
        "ACKs",
        [
            ("all", lambda row: str(row["acks"])),
            ("of new data", lambda row: str(row["new_acks"])),
            ("duplicate", lambda row: str(row["duplicate_acks"])),
            ("other, as a SYN's", lambda row: str(row["acks"] - row["new_acks"] - row["duplicate_acks"])),
            ("with SACK", lambda row: str(row["sack_acks"])),
            ("with DSACK", lambda row: str(row["dsack_acks"])),
            ("ends in a segment", lambda row: str(row["divided_acks"])),
            ("window closed", lambda row: span(row["zero_window_s"]) if row["zero_window"] else "never"),
        ],
    ),
    (
        "plain ACKs",
        [
            ("of one segment", lambda row: str(row["acks_of_one"])),
            ("of two", lambda row: str(row["acks_of_two"])),
            ("of more", lambda row: str(row["acks_of_more"])),
            (
                "segments an ACK",
                lambda row: "-" if row["segments_per_ack"] is None else f"{row['segments_per_ack']:.2f}",
            ),
            ("delay here, median", lambda row: span(row["delay_median_s"])),
            ("timer", lambda row: "not seen" if row["timer_s"] is None else span(row["timer_s"])),
        ],
    ),
    (
        "round trips",
        [
            ("of the path, min", lambda row: span(row["path_rtt_min_s"])),
            ("handshake", lambda row: span(row["handshake_rtt_s"])),
            ("to the sender, min", lambda row: span(row["sender_rtt_min_s"])),
            ("to the receiver, min", lambda row: trip(row, "rtt_min_s")),
            ("its median", lambda row: trip(row, "rtt_median_s")),
            ("its 95 of 100", lambda row: trip(row, "rtt_p95_s")),
        ],
    ),
]


def span(value: float | None) -> str:
    """A duration, if there is one."""
    return "-" if value is None else seconds(value)


def has_trips(row: Row) -> bool:
    """Whether the times from a segment to its ACK are round trips: near the receiver they are the receiver's own delay."""
    least = row["rtt_min_s"]
    return least is not None and not (row["vantage"] in ("receiver", "both") and least <= _core.NEAR_S)


def trip(row: Row, column: str) -> str:
    """A round trip from here to the receiver and back; near the receiver there is none, and it says so."""
    return span(row[column]) if has_trips(row) or row[column] is None else "near it"


def _table(row: Row) -> list[str]:
    """The columns beside each other, each under its heading."""
    columns = []
    for heading, cells in COLUMNS:
        shown = [(words, value(row)) for words, value in cells]
        words, numbers = (max(len(cell[place]) for cell in shown) for place in (0, 1))
        lines = [f"{label:<{words}} {number:>{numbers}}" for label, number in shown]
        width = max(len(heading), words + 1 + numbers)
        columns.append([f"{line:<{width}}" for line in (heading, *lines)])
    height = max(map(len, columns))
    padded = [column + [" " * len(column[0])] * (height - len(column)) for column in columns]
    return ["  " + "   ".join(line).rstrip() for line in zip(*padded, strict=True)]
