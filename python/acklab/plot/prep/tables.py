"""The flow and link tables as they are read: chosen columns, plain headings, one unit a column."""

from __future__ import annotations

from typing import Any

from ..runs import Run
from .facts import limits

#: Column -> heading, unit, decimals (None for text and whole numbers), what it means.
_FLOW = {
    "name": ("flow", "", None, ""),
    "route": ("route", "", None, "from which node to which"),
    "completion_s": ("completion", "s", 3, "from the first data segment sent to the ACK of the last byte"),
    "last_data_s": ("last data", "s", 3, "from the first data segment sent to the last in-order byte received"),
    "bytes": ("payload", "B", 1, ""),
    "goodput_bps": ("goodput", "b/s", 2, ""),
    "limit": ("most time", "", None, "the sender's state that lasted longest"),
    "segments_sent": ("segments", "", None, "segments sent, retransmissions and SYNs included"),
    "retransmits": ("resent", "", None, "retransmissions"),
    "timeouts": ("timeouts", "", None, ""),
    "fast_retransmits": ("fast rtx", "", None, "fast retransmits"),
    "undone": ("undone", "", None, "reductions of the window taken back, since nothing had been lost"),
    "acks_sent": ("ACKs sent", "", None, "by the receiver"),
    "acks_received": ("ACKs rcvd", "", None, "by the sender"),
    "acks_dropped": ("ACKs lost", "", None, "dropped or lost on the way"),
    "acks_filtered": ("filtered", "", None, "ACKs a filter or a stage took out"),
    "acks_created": ("created", "", None, "ACKs that stages on the way made"),
    "mean_rtt_s": ("mean RTT", "ms", 1, ""),
    "min_rtt_s": ("min RTT", "ms", 1, ""),
}

_LINK = {
    "link": ("link", "", None, ""),
    "rate_bps": ("rate", "b/s", 2, ""),
    "delay_s": ("delay", "ms", 2, "propagation, one way"),
    "packets": ("packets", "", None, "packets sent onto the wire"),
    "bytes": ("bytes", "B", 1, ""),
    "drops": ("drops", "", None, "packets the queue refused or pushed out"),
    "lost": ("lost", "", None, "packets the loss model took"),
    "filtered": ("filtered", "", None, "ACKs a filter took out"),
    "reordered": ("reordered", "", None, "packets that later ones overtook"),
    "duplicated": ("duplicated", "", None, "packets that arrived twice"),
    "thinned": ("thinned", "", None, "ACKs a stage took out"),
    "wait_s": ("mean wait", "ms", 2, "in the queue, of a packet that was sent"),
    "mean_queue_packets": ("mean queue", "packets", 2, "waiting, time average"),
    "max_queue_packets": ("max queue", "packets", None, ""),
    "utilisation": ("busy", "%", 1, "share of the run's time"),
}

#: Columns left out when they are zero for all.
_ONLY_IF_ANY = {"acks_created", "acks_filtered", "duplicated", "filtered", "lost", "reordered", "thinned", "undone"}

_LIMIT_WORDS = {
    "timeout": "timeouts",
    "recovery": "loss recovery",
    "window": "flight at its ceiling",
    "slow start": "slow start",
    "path": "congestion avoidance",
}

#: Rates are in Mb/s in every table and on every axis.
_RATE = (1e-6, "Mb/s")
_PREFIXES = [(1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, "")]


def flow_table(runs: list[Run]) -> dict[str, Any]:
    """``{"columns": [{key, label, unit, digits or figures, about}], "rows": [{run, item, ...}]}`` for all flows.

    Values are in the column's unit. A column is left out if it has no value at all, if
    it would say the same endpoint of all flows, or nothing but that no filter acted.
    """
    rows = []
    for r, run in enumerate(runs):
        late = {row["name"] for group in run.groups for row in group.late}
        for row in run.flows.iter_rows(named=True):
            if row["name"] in late and len(late) < run.flows.height:
                continue  # what has not begun has nothing but zeros
            spent = limits(run, row["name"]).seconds
            main = max(spent, key=lambda cause: spent[cause], default=None) if any(spent.values()) else None
            route = f"{row['from']}→{row['to']}" if row.get("from") and row.get("to") else None
            rows.append({**row, "run": r, "route": route, "limit": _LIMIT_WORDS.get(main or "")})
    same = ["route"] if len({row["route"] for row in rows}) == 1 else []
    return _table(_FLOW, rows, leave=same)


def link_table(runs: list[Run]) -> dict[str, Any]:
    """The same for the links, one row for each direction of each."""
    rows = []
    for r, run in enumerate(runs):
        for row in run.links.iter_rows(named=True):
            wait = (
                row["sent_wait_s"] / row["packets"]
                if row.get("packets") and row.get("sent_wait_s") is not None
                else None
            )
            rows.append({**row, "run": r, "link": f"{row['from']}→{row['to']}", "wait_s": wait})
    return _table(_LINK, rows)


def _table(
    spec: dict[str, tuple[str, str, int | None, str]], rows: list[dict[str, Any]], leave: list[str] = ()
) -> dict[str, Any]:
    columns, scales = [], {}
    for key, (label, unit, places, about) in spec.items():
        values = [row[key] for row in rows if row.get(key) is not None]
        if not values or key in leave or (key in _ONLY_IF_ANY and not any(values)):
            continue
        scales[key], unit = _scale(unit, values)
        # Rates, and payloads of which one would round to nothing, have three significant figures instead of the same decimals.
        factor = scales[key]
        small = unit == _RATE[1] or (
            unit.endswith("B") and factor is not None and any(0 < abs(v * factor) < 0.1 for v in values)
        )
        columns.append(
            {
                "key": key,
                "label": label,
                "unit": unit,
                "digits": places,
                "about": about,
                **({"figures": 3} if small else {}),
            }
        )
    out = []
    for row in rows:
        new = {"run": row["run"]}
        for key, factor in scales.items():
            value = row.get(key)
            new[key] = value * factor if factor is not None and value is not None else value
        out.append(new)
    return {"columns": columns, "rows": out}


def _scale(unit: str, values: list[Any]) -> tuple[float | None, str]:
    """The factor from the table's unit to the one shown, and that one's name."""
    if unit == "ms":
        return 1e3, unit
    if unit == "%":
        return 1e2, unit
    if unit == "b/s":
        return _RATE
    if unit == "B":
        top = max(abs(v) for v in values)
        for factor, prefix in _PREFIXES:
            if top >= factor:
                return 1 / factor, prefix + unit
    return None, unit
