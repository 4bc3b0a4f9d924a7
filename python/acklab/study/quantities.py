"""Quantities of a run: one number of its summary, for the flows or the links that a metric names."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

from ..results.columns import FLOWS, LESS, LINKS, MORE, NEITHER

#: Every aggregate by name, with its meaning.
AGGREGATES = {
    "sum": "the values of all rows, added up",
    "mean": "the sum over the number of rows; every row counts the same",
    "min": "the least value",
    "max": "the largest value",
    "pN": "the N-th percentile: the least value that N % of the rows do not exceed (p50, p99, p99.9)",
}
_PERCENTILE = re.compile(r"p(\d{1,2}(?:\.\d+)?)")


def is_aggregate(name: str) -> bool:
    """Whether there is such an aggregate."""
    return name in AGGREGATES.keys() - {"pN"} or (_PERCENTILE.fullmatch(name) is not None and float(name[1:]) > 0)


def aggregate(name: str, values: Sequence[float]) -> float:
    """The aggregate of some rows' values; NaN of none, and NaN where it depends on a value that is missing (NaN) or not
    known to be finite (infinity).

    >>> aggregate("p50", [3.0, 1.0, 2.0, math.inf]), aggregate("mean", [1.0, 2.0, math.inf])
    (2.0, nan)
    """
    if not values or any(math.isnan(value) for value in values):
        return math.nan
    found = _aggregate(name, values)
    return found if math.isfinite(found) else math.nan


def _aggregate(name: str, values: Sequence[float]) -> float:
    if name == "min":
        return min(values)
    if name == "max":
        return max(values)
    if name.startswith("p"):
        rank = math.ceil(round(float(name[1:]) * len(values) / 100, 9))
        return sorted(values)[max(rank, 1) - 1]
    total = math.fsum(values)
    return total / len(values) if name == "mean" else total


Summary = Mapping[str, Any]
"""A run's summary."""

_COMPLETION = FLOWS["completion_s"]


@dataclass(frozen=True)
class Quantity:
    """A kind of metric."""

    name: str
    about: str
    unit: str
    better: int
    """Which values are better: ``MORE``, ``LESS`` or ``NEITHER``."""
    of_link: bool
    read: Callable[[Summary, str], float]
    why: str = ""
    """Why these values are better."""

    @property
    def more_is_better(self) -> bool:
        """Whether a ranking begins with the largest value."""
        return self.better == MORE


def _flows(summary: Summary, where: str) -> list[Mapping[str, Any]]:
    """The transfers that were due to start before the end. What follows a transfer that has not ended has no start."""
    named = (flow for flow in summary["flows"] if fnmatchcase(flow["name"], where))
    return [flow for flow in named if flow["start_s"] is not None and flow["start_s"] < summary["end_s"]]


def _mean(values: Sequence[float | None]) -> float:
    found = [value for value in values if value is not None]
    return sum(found) / len(found) if found else math.nan


def _completion(summary: Summary, where: str) -> float:
    # A mean over those that were quick enough would flatter.
    return aggregate("mean", [_COMPLETION.cell(flow) for flow in _flows(summary, where)])


def _goodput(summary: Summary, where: str) -> float:
    flows = _flows(summary, where)
    if not flows:
        return math.nan
    ends = [flow["finished_s"] if flow["completed"] else summary["end_s"] for flow in flows]
    span = max(ends) - min(flow["start_s"] for flow in flows)
    return 8e-6 * sum(flow["bytes"] for flow in flows) / span if span > 0 else math.nan


def _transfer_rate(summary: Summary, where: str) -> float:
    return _mean([rate for flow in _flows(summary, where) if (rate := _rate(flow)) is not None])


def _rate(flow: Mapping[str, Any]) -> float | None:
    """A completed transfer's size over its duration."""
    if not flow["completed"] or flow["finished_s"] <= flow["start_s"]:
        return None
    return float(8e-6 * flow["bytes"] / (flow["finished_s"] - flow["start_s"]))


def _rtt(summary: Summary, where: str) -> float:
    return 1e3 * _mean([flow["mean_rtt_s"] for flow in _flows(summary, where)])


def jain(shares: Sequence[float]) -> float:
    """Jain's fairness index (Jain, Chiu and Hawe 1984): 1 if all shares are equal, 1/n if one of n has everything; NaN without any.

    >>> jain([2.0, 2.0]), jain([1.0, 0.0])
    (1.0, 0.5)
    """
    squares = sum(share * share for share in shares)
    return sum(shares) ** 2 / (len(shares) * squares) if squares else math.nan


def _fairness(summary: Summary, where: str) -> float:
    shares = [flow["goodput_bps"] for flow in _flows(summary, where)]
    return jain(shares) if len(shares) > 1 else math.nan


def _retransmits(summary: Summary, where: str) -> float:
    flows = _flows(summary, where)
    sent = sum(flow["segments_sent"] for flow in flows)
    return 100 * sum(flow["retransmits"] for flow in flows) / sent if sent else math.nan


def _repair(summary: Summary, where: str) -> float:
    flows = _flows(summary, where)
    recoveries, seconds = (sum(FLOWS[name].cell(flow) for flow in flows) for name in ("recoveries", "repair_s"))
    return seconds / recoveries if recoveries else math.nan


def _links(summary: Summary, where: str) -> list[Mapping[str, Any]]:
    return [link for link in summary["links"] if fnmatchcase(f"{link['from']}->{link['to']}", where)]


def _over(part: float, whole: float) -> float:
    return part / whole if whole else math.nan


def _queue_delay(summary: Summary, where: str) -> float:
    links = _links(summary, where)
    return 1e3 * _over(sum(link["sent_wait_s"] for link in links), sum(link["packets"] for link in links))


def _utilisation(summary: Summary, where: str) -> float:
    return 100 * _mean([link["utilisation"] for link in _links(summary, where)])


def ack_share(link: Mapping[str, Any]) -> float:
    """Share of a link direction's time that ACKs take: that in which it is busy, by their share of its bytes.

    Any server has it so, also one whose rate varies. On a wlan, where short frames take more air than their bytes, it is exact only
    for a direction that carries ACKs alone.

    >>> ack_share({"utilisation": 0.5, "ack_bytes": 30, "bytes": 60})
    0.25
    """
    return float(link["utilisation"] * link["ack_bytes"] / link["bytes"]) if link["bytes"] else 0.0


def _ack_share(summary: Summary, where: str) -> float:
    return 100 * _mean([ack_share(link) for link in _links(summary, where)])


def _ack_overhead(summary: Summary, where: str) -> float:
    links = _links(summary, where)
    ends = {(link["to"], link["from"]) for link in links}
    data = sum(link["bytes"] - link["ack_bytes"] for link in summary["links"] if (link["from"], link["to"]) in ends)
    return 100 * _over(sum(link["ack_bytes"] for link in links), data)


def of_column(name: str, of_link: bool, how: str = "") -> Quantity:
    """A column of the flows or links table, aggregated as it is unless ``how`` says otherwise."""
    column = (LINKS if of_link else FLOWS)[name]
    how = how or column.aggregate

    def read(summary: Summary, where: str) -> float:
        rows = _links(summary, where) if of_link else _flows(summary, where)
        return aggregate(how, [column.cell(row) for row in rows])

    return Quantity(f"{how}({name})", f"column {name}", column.unit, column.better, of_link, read, column.why)


def of_transfers(name: str, how: str) -> Quantity:
    """An aggregate of a quantity that each transfer has by itself."""
    whole, each = QUANTITIES[name], EACH[name]

    def read(summary: Summary, where: str) -> float:
        return aggregate(how, [each(flow) for flow in _flows(summary, where)])

    return Quantity(f"{how}({name})", whole.about, whole.unit, whole.better, False, read, whole.why)


def in_ms(quantity: Quantity) -> Quantity:
    """A quantity of seconds in milliseconds."""
    return replace(quantity, unit="ms", read=lambda summary, where: 1e3 * quantity.read(summary, where))


#: Quantities of each transfer, for aggregates other than the usual one. Not completed is as slow as can be.
EACH: dict[str, Callable[[Mapping[str, Any]], float]] = {
    "completion": _COMPLETION.cell,
    "transfer-rate": lambda flow: _rate(flow) or 0.0,
    "rtt": lambda flow: 1e3 * FLOWS["mean_rtt_s"].cell(flow),
}


QUANTITIES: dict[str, Quantity] = {
    quantity.name: quantity
    for quantity in (
        Quantity("completion", "time of a transfer, mean over the transfers; none if one does not finish", "s", LESS, False, _completion, "a transfer ends earlier"),
        Quantity("goodput", "payload acknowledged, sum over the flows, over the time from first start (handshake included) to last end; `goodput_bps`, as run prints it, is each flow's without its handshake", "Mb/s", MORE, False, _goodput, "more data in the same time"),
        Quantity("transfer-rate", "size over duration, mean over the completed transfers", "Mb/s", MORE, False, _transfer_rate, "more data in the same time"),
        Quantity("fairness", "Jain's index of the flows' goodputs, 1 if they are equal; none for one flow. Name flows that compete, as in fairness@down*", "", MORE, False, _fairness, "more equal shares"),
        Quantity("rtt", "mean round trip of a flow, mean over the flows", "ms", LESS, False, _rtt, "what waits arrives later"),
        Quantity("retransmits", "segments sent again, sum over the flows, of all segments sent", "%", LESS, False, _retransmits, "less of what is sent is sent twice"),
        Quantity("repair", "time from the start of a loss recovery to its end, mean over the recoveries", "s", LESS, False, _repair, "data behind a loss waits shorter"),
        Quantity("queue-delay", "time for which a transmitted packet waited for the link, mean over these packets", "ms", LESS, True, _queue_delay, "what waits arrives later"),
        Quantity("utilisation", "share of time the link is busy, mean over the link directions", "%", NEITHER, True, _utilisation, "a link may be busy with data or with overhead"),
        Quantity("ack-share", "share of the link's time that ACKs take, mean over the link directions", "%", NEITHER, True, _ack_share, "grows with the data that the ACKs serve"),
        Quantity("ack-overhead", "bytes of ACKs, of the bytes of data that the opposite direction carries", "%", LESS, True, _ack_overhead, "the same data for fewer bytes of ACKs"),
    )
}  # fmt: skip
"""Every quantity by name."""
