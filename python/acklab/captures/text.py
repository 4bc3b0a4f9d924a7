"""What an analysis says: which directions are shown and in which order, what limited each, its receiver; as a terminal's tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .. import _core
from ..report.report import Report, Table
from ..text.numbers import NB, amount, percent, seconds
from ..text.templates import TEMPLATES, Fact, fact, fact_of, fields, sentence
from ..text.terminal import one_line
from .faults import Fault

Row = Mapping[str, Any]


def sortable() -> list[str]:
    """Columns to sort by."""
    return [column["name"] for column in _core.columns("connections")]


def matches(row: Row, text: str) -> bool:
    """Whether a direction is of a connection that ``text`` names: an address, ``:port``, ``address:port`` or ``#number``.

    >>> row = {"connection": 3, "from": "10.0.0.1:5000", "to": "[fd00::2]:443"}
    >>> [text for text in ("10.0.0.1", ":443", "[fd00::2]:443", "#3", "fd00::2", "10.0.0", ":44") if matches(row, text)]
    ['10.0.0.1', ':443', '[fd00::2]:443', '#3', 'fd00::2']
    """
    if text.startswith("#"):
        return text[1:] == str(row["connection"])
    for end in (row["from"], row["to"]):
        address, _, port = end.rpartition(":")
        if text in (end, address, address.strip("[]"), f":{port}"):
            return True
    return False


def chosen(rows: Sequence[Row], only: Sequence[str] = (), sort: str | None = None) -> list[Row]:
    """The directions that one of ``only`` names, all without it; by the column ``sort``, the largest first, if it is given."""
    found = [row for row in rows if not only or any(matches(row, text) for text in only)]
    if sort is None:
        return found
    known = [row for row in found if row[sort] is not None]
    return sorted(known, key=lambda row: row[sort], reverse=True) + [row for row in found if row[sort] is None]


CAUSES = {
    "application": ("application_limited_s", "idle application"),
    "receiver-window": ("window_limited_s", "receiver's window"),
    "closed-window": ("closed_limited_s", "closed window"),
    "recovery": ("recovery_limited_s", "losses and repair"),
    "slow-start": ("slow_start_limited_s", "slow start"),
    "path-rate": ("path_limited_s", "path's rate"),
    "ack-path": ("ack_path_limited_s", "late ACKs"),
    "cwnd": ("cwnd_limited_s", "congestion window"),
    "sender-window": ("sender_window_limited_s", "sender's window"),
    "network": ("network_limited_s", "not known"),
}
"""The causes of ``limits``: the column of their seconds, and their name in tables."""

EVIDENCE = {
    "receiver-window": ("window_limit_min_bytes", "window_limit_max_bytes", "path_rtt_min_s"),
    "closed-window": ("zero_window_s",),
    "recovery": ("resent", "late", "timeout_wait_s"),
    "slow-start": ("initial_window_bytes",),
    "path-rate": ("bottleneck_bps", "path_filled_s"),
    "ack-path": ("acks_late_median_s",),
    "sender-window": ("max_flight_bytes",),
}
"""Columns of ``connections`` that are the evidence of a cause."""
#: Facts beside limit, policy and place, in the order in which they are shown.
FACTS = (
    "timer", "again", "late-answer", "late-ack", "split", "series", "copies", "lacking", "bottleneck", "offloaded", "compressed", "probes", "echoes",
    "counter", "fell-back", "closed", "held",
)  # fmt: skip
#: Shares from which what is counted is a fact: compressed ACKs and copies of all, waits of the time.
UNUSUAL, WAITS = 0.05, 0.02
#: Directions with fewer ACKs of new data show little: they come last, and closed.
FEW = 12

Spans = Mapping[tuple[int, str], Sequence[Row]]
"""The rows of ``limits``, by connection and direction."""


def shares(row: Row, spans: Spans) -> list[dict[str, Any]]:
    """What limited a direction, the largest share first: ``kind``, ``share``, ``seconds``, ``evidence`` and ``frames``.

    ``frames`` are the first and the last packet of the cause's longest span among ``spans``, the rows of ``limits``. Time whose cause cannot be told is
    ``not-known``, which is all of it where the limit is ``unknown``. A direction with too few data has none.
    """
    if row["limit"] == "short":
        return []
    parts = {cause: row[column] for cause, (column, _) in CAUSES.items()}
    if row["limit"] == "unknown":
        parts = {"network": row["limits_s"]}
    own = spans.get((row["connection"], row["direction"]), ())
    found = []
    for cause, took in sorted(parts.items(), key=lambda part: -part[1]):
        if not took:
            continue
        mine = [span for span in own if span["limit"] == cause or row["limit"] == "unknown"]
        longest = max(mine, key=lambda span: span["end_s"] - span["start_s"], default=None)
        evidence = {name: row[name] for name in EVIDENCE.get(cause, ()) if row[name] is not None}
        rate = 8 * (row["window_limit_max_bytes"] or 0) / (row["path_rtt_min_s"] or float("inf"))
        if cause == "receiver-window" and 0 < rate <= (row["bottleneck_bps"] or float("inf")):
            evidence["window_bps"] = rate
        if row["limit_why"]:
            evidence["why"] = row["limit_why"]
        frames = None if longest is None else [longest["first_frame"], longest["last_frame"]]
        kind = "not-known" if cause == "network" else cause
        share = took / row["limits_s"]
        found.append({"kind": kind, "share": share, "seconds": took, "evidence": evidence, "frames": frames})
    return found


def evidence(cause: str, numbers: Row) -> str:
    """The numbers that show a cause, as a cell."""
    if cause == "not-known":
        return sentence(fact(f"why-{numbers['why']}")) if numbers.get("why") else ""
    for ending in ("-rate", "", "-queue"):
        kind = f"evidence-{cause}{ending}"
        if kind in TEMPLATES and all(name in numbers for name in fields(kind)):
            return sentence(fact_of(kind, numbers))
    return ""


def limit(row: Row) -> Fact:
    """What limits a direction: the cause of more than half of the time, or that none is known."""
    kind = row["limit"]
    if kind not in CAUSES:
        return fact_of(f"limit-{kind}", {**row, "why": _why(row, "limit_why")})
    column, cause = CAUSES[kind]
    values = {**row, "cause": cause, "share": row[column] / row["limits_s"]}
    return fact_of("limit-network" if kind == "network" else "limit", values)


def policy(row: Row) -> Fact:
    """The receiver's policy."""
    kind = "waits" if row["policy_why"] == "waits" and row["policy"] != "undecided" else row["policy"]
    return fact_of(f"policy-{kind}", {**row, "why": _why(row, "policy_why")})


def _why(row: Row, column: str) -> Fact | None:
    kind = f"why-{row[column]}"
    return fact_of(kind, row) if kind in TEMPLATES else None


def facts(row: Row) -> list[Fact]:
    """What a direction shows: limit, policy, place, and each fact whose values are known and not 0."""
    seen = row["vantage"] if row["bytes"] else "no-data"
    where = seen if row["acks"] else "no-acks"
    few = {
        "copies": row["copies"] < UNUSUAL * (row["data_packets"] + row["acks"]),
        "compressed": (row["compressed_acks"] or 0) < UNUSUAL * row["new_acks"],
        "held": (row["delayed_ack_wait_s"] or 0.0) < WAITS * row["limits_s"],
        "probes": row["probes"] < 2,
        "echoes": row["ecn"] == "accurate" or not row["ece"],
        "counter": row["ace_marks"] is None or not row["ace_marks"] + row["ce"],
        "fell-back": not row["ecn_fell_back"],
    }
    bounds = (row["bottleneck_low_bps"], row["bottleneck_high_bps"])
    values = {**row, "after_loss": str(row["quick_after_loss"]), "bottleneck_range_bps": bounds}
    kinds = [
        f"seen-{kind}"
        for kind in FACTS
        if not few.get(kind) and (kind in ("echoes", "counter") or all(values[name] for name in fields(f"seen-{kind}")))
    ]
    legs = {end: _leg(row, end) for end in ("receiver", "sender")}
    return [limit(row), policy(row), *(fact_of(kind, {**values, **legs}) for kind in (f"place-{where}", *kinds))]


def _leg(row: Row, end: str) -> str:
    secs = row[f"{end}_rtt_min_s"]
    return "?" if secs is None else ("at most " if row[f"{end}_rtt_at_most"] else "") + seconds(secs)


def ordered(rows: Sequence[Row]) -> list[Row]:
    """Directions as they are shown: those with few ACKs after the others, of a connection that with more data first."""
    return sorted(
        rows, key=lambda row: (row["new_acks"] < FEW, row["connection"], -max(row["bytes"], row["acked_bytes"]))
    )


#: Directions shown; the rest is counted.
MAX_SHOWN = 20
#: Link types that are often met and not read.
LINKS = {189: " (USB)", 220: " (USB)", 187: " (Bluetooth)", 195: " (IEEE 802.15.4)", 227: " (CAN)", 253: " (Netlink)"}
#: Tunnels, as they are called.
TUNNELS = {"ip": "IP in IP", "gre": "GRE", "erspan": "ERSPAN", "vxlan": "VXLAN", "geneve": "Geneve", "gtp": "GTP"}


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
            told = [*facts(row), *faults(summary, row)]
            little = row["new_acks"] < FEW and row is not shown[0]
            tables = [] if little else [share_table(row, spans or {})]
            lines += ["", Report("analyze", title(row), told, tables).text(), *([] if little else ["", *_table(row)])]
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
