"""An analysis for a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .. import _core
from ..report.report import Report, Table
from ..text.escapes import one_line
from ..text.numbers import NB, amount, percent, seconds
from ..text.templates import TEMPLATES, Fact, fact, fact_of, sentence
from .faults import Fault
from .findings import CAUSES, FEW, Spans, evidence, ordered, shares
from .findings import facts as facts_of
from .select import chosen

#: Directions shown; the rest is counted.
MAX_SHOWN = 20
#: Link types that are often met and not read.
LINKS = {189: " (USB)", 220: " (USB)", 187: " (Bluetooth)", 195: " (IEEE 802.15.4)", 227: " (CAN)", 253: " (Netlink)"}
#: Tunnels, as they are called.
TUNNELS = {"ip": "IP in IP", "gre": "GRE", "erspan": "ERSPAN", "vxlan": "VXLAN", "geneve": "Geneve", "gtp": "GTP"}

Row = Mapping[str, Any]


def as_text(
    summary: Row, spans: Spans | None = None, only: Sequence[str] = (), sort: str | None = None, most: int = MAX_SHOWN
) -> str:
    """What the packets were, and for each direction its limits, facts and counts; ``spans`` are the rows of ``limits``.

    It shows at most ``most`` directions. Without ``sort`` these are the ones with most data, as :func:`findings.ordered` has them.
    With ``sort`` they are the first by that column. If ``only`` names connections, no others are shown.
    """
    rows = chosen(summary["connections"], only, sort)
    lines = [f"{title_of_file(summary['file'])}: {sentence(size(summary))}", *map(sentence, notes(summary))]
    if only:
        lines.append(sentence(fact("only", shown=len(rows), all=len(summary["connections"]), names=only)))
    shown = rows[:most]
    if sort is None:
        shown = ordered(sorted(rows, key=lambda row: -max(row["bytes"], row["acked_bytes"]))[:most])
    for row in shown:
        if row["bytes"] or row["acked_bytes"] > 2:
            facts = [*facts_of(row), *faults(summary, row)]
            little = row["new_acks"] < FEW and row is not shown[0]
            tables = [] if little else [share_table(row, spans or {})]
            lines += ["", Report("analyze", title(row), facts, tables).text(), *([] if little else ["", *_table(row)])]
        else:
            opened = "opened" if row["handshake"] else "not opened, as far as it passed here"
            empty = fact("no-data", opened=opened, reset="reset" if row["reset"] else "")
            lines += ["", Report("analyze", title(row), [empty], []).text()]
    if len(rows) > most:
        listed = {id(row) for row in shown}
        policies = Counter(row["policy"] for row in rows if id(row) not in listed).most_common()
        counts = [f"{number} {name}" for name, number in policies]
        lines += [
            "",
            sentence(fact("more-directions", more=len(rows) - len(shown), sort=sort or "data", policies=counts)),
        ]
    return "\n".join(lines).replace(NB, " ")


def faults(summary: Row, row: Row) -> list[Fact]:
    """The faults that a direction shows."""
    key = row["connection"], row["direction"]
    return [Fault(**one).fact() for one in summary.get("faults", ()) if (one["connection"], one["direction"]) == key]


def share_table(row: Row, spans: Spans) -> Table:
    """The same as a table; without rows where there are too few data."""
    rows = [
        [
            CAUSES["network" if one["kind"] == "not-known" else one["kind"]][1],
            evidence(one["kind"], one["evidence"]),
            percent(one["share"]),
            seconds(one["seconds"]),
            "-" if one["frames"] is None or one["frames"][0] > one["frames"][1] else "-".join(map(str, one["frames"])),
        ]
        for one in shares(row, spans)
    ]
    return Table(["limit", "evidence", "share", "time", "longest in frames"], rows, names=2, bare=True)


def size(summary: Row) -> Fact:
    """What is in the file."""
    packets, several = summary["packets"], {row["connection"] for row in summary["connections"]}
    values = {"packets": packets["packets"], "bytes": packets["bytes"], "span": summary["length_s"]}
    return fact("file", **values, connections=len(several))


def title_of_file(file: str, *, short: bool = False) -> str:
    """What a file is called; ``short`` without its directory."""
    name = file.replace("\\", "/").rpartition("/")[2] if short else file
    return "standard input" if file == "-" else one_line(name)


def notes(summary: Row) -> list[Fact]:
    """What was passed over, and what is odd about the file: a fact for each count that is not 0."""
    packets = summary["packets"]
    still = packets["resolution_ns"] is not None and packets["resolution_ns"] >= 10**10
    values = {
        **packets,
        "backward_s": packets["backward_max_ns"] * 1e-9,
        "tick_s": None if still else (packets["resolution_ns"] or 0) * 1e-9,
        "still": still,
        "links": ", ".join(f"{kind}{LINKS.get(kind, '')}" for kind in packets["unknown_links"]),
        "kinds": ", ".join(f"{TUNNELS[kind]} {number}" for kind, number in packets["tunnels"].items()),
        "followed": _core.MOST_CONNECTIONS,
        "room": _core.MOST_ROWS,
    }
    return [fact_of(kind, values) for kind in TEMPLATES if kind.startswith("file-") and values[kind[5:]]]


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
