"""The findings of a direction: which causes limited it, and the facts about its receiver and its capture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..text.numbers import seconds
from ..text.templates import TEMPLATES, Fact, fact, fact_of, fields, sentence

Row = Mapping[str, Any]

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
