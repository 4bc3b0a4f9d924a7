"""What can be compared: one number of a run's summary, for the flows or the link that a metric names."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Any

from .errors import CompareError

Tree = Mapping[str, Any]
"""A scenario, expanded."""
Summary = Mapping[str, Any]
"""A run's summary."""


@dataclass(frozen=True)
class Quantity:
    """A kind of metric."""

    name: str
    about: str
    unit: str
    more_is_better: bool
    of_link: bool
    read: Callable[[Summary, Tree, str], float]


@dataclass(frozen=True)
class Metric:
    """A quantity of some flows or of a link direction, under a name."""

    name: str
    quantity: Quantity
    where: str

    @property
    def label(self) -> str:
        """Name and unit."""
        return f"{self.name} ({self.quantity.unit})"

    def read(self, summary: Summary, tree: Tree) -> float:
        """Its value in a run; NaN where there was nothing to measure."""
        return self.quantity.read(summary, tree, self.where)

    def check(self, summary: Summary) -> None:
        """Says what there is, where it names no flow or link of the scenario.

        Raises:
            CompareError: it names nothing.
        """
        if self.quantity.of_link:
            names = [f"{link['from']}->{link['to']}" for link in summary["links"]]
            what = "link direction"
        else:
            names = list(dict.fromkeys(flow["name"] for flow in summary["flows"]))
            what = "flow"
        if not any(fnmatchcase(name, self.where) for name in names):
            raise CompareError(f"metric {self.name}: no {what} `{self.where}`; there are {', '.join(names[:12])}")


def metric(text: str) -> Metric:
    """A metric as it is written: ``[NAME:] QUANTITY[@WHERE]``, such as ``download: goodput@down*``.

    Raises:
        CompareError: it is none.
    """
    name, colon, rest = text.partition(":")
    if not colon:
        name, rest = "", text
    kind, at, where = rest.strip().partition("@")
    kind, where = kind.strip(), where.strip()
    if kind not in QUANTITIES:
        near = [f"did you mean `{it}`?" for it in get_close_matches(kind, QUANTITIES, n=1)]
        raise CompareError(f"metric {text!r}: no quantity `{kind}`; {near[0] if near else 'there are ' + ', '.join(QUANTITIES)}")
    quantity = QUANTITIES[kind]
    if quantity.of_link and not where:
        raise CompareError(f"metric {text!r}: `{kind}` is of a link direction; write {kind}@FROM->TO")
    if at and not where:
        raise CompareError(f"metric {text!r}: after @ comes a flow's name, or a pattern such as down*")
    shown = name.strip() or (f"{kind} of {where}" if where else kind)
    return Metric(shown, quantity, where or "*")


def _flows(summary: Summary, where: str) -> list[Mapping[str, Any]]:
    return [flow for flow in summary["flows"] if fnmatchcase(flow["name"], where) and flow["start_s"] < summary["end_s"]]


def _mean(values: Sequence[float | None]) -> float:
    found = [value for value in values if value is not None]
    return sum(found) / len(found) if found else math.nan


def _completion(summary: Summary, tree: Tree, where: str) -> float:
    flows = [flow for flow in summary["flows"] if fnmatchcase(flow["name"], where)]
    if not all(flow["completed"] for flow in flows):
        return math.nan  # a mean over those that were quick enough would flatter
    return _mean([flow["completion_s"] for flow in flows])


def _goodput(summary: Summary, tree: Tree, where: str) -> float:
    flows = _flows(summary, where)
    if not flows:
        return math.nan
    ends = [flow["finished_s"] if flow["completed"] else summary["end_s"] for flow in flows]
    span = max(ends) - min(flow["start_s"] for flow in flows)
    return 8e-6 * sum(flow["bytes"] for flow in flows) / span if span > 0 else math.nan


def _transfer_rate(summary: Summary, tree: Tree, where: str) -> float:
    done = [flow for flow in _flows(summary, where) if flow["completed"] and flow["finished_s"] > flow["start_s"]]
    return _mean([8e-6 * flow["bytes"] / (flow["finished_s"] - flow["start_s"]) for flow in done])


def _rtt(summary: Summary, tree: Tree, where: str) -> float:
    return 1e3 * _mean([flow["mean_rtt_s"] for flow in _flows(summary, where)])


def _retransmits(summary: Summary, tree: Tree, where: str) -> float:
    flows = _flows(summary, where)
    sent = sum(flow["segments_sent"] for flow in flows)
    return 100 * sum(flow["retransmits"] for flow in flows) / sent if sent else math.nan


def _links(summary: Summary, where: str) -> list[Mapping[str, Any]]:
    return [link for link in summary["links"] if fnmatchcase(f"{link['from']}->{link['to']}", where)]


def _queue_delay(summary: Summary, tree: Tree, where: str) -> float:
    """Little's law: waiting packets, averaged over time, divided by how many a second leave the queue."""
    links = _links(summary, where)
    left = sum(link["packets"] + link["filtered"] for link in links)
    waited = sum(link["mean_queue_packets"] for link in links) * summary["end_s"]
    return 1e3 * waited / left if left else math.nan


def _utilisation(summary: Summary, tree: Tree, where: str) -> float:
    return 100 * _mean([link["utilisation"] for link in _links(summary, where)])


def _ack_share(summary: Summary, tree: Tree, where: str) -> float:
    """ACKs that crossed the link in bits, of what it could have carried. Counts those that reached their sender, at
    their size without SACK blocks."""
    shares = []
    for link in _links(summary, where):
        hop = (link["from"], link["to"])
        bits = 0.0
        for table in tree["flow"]:
            if hop in route(tree, table["to"], table["from"]):
                size = table["receiver"]["ack_size"]
                bits += 8 * size * sum(f["acks_received"] for f in summary["flows"] if belongs(f["name"], table))
        shares.append(bits / (link["rate_bps"] * summary["end_s"]))
    return 100 * _mean(shares)


def belongs(name: str, table: Mapping[str, Any]) -> bool:
    """Whether a row's flow is one of a table's."""
    if table["count"] == 1:
        return bool(name == table["name"])
    digits = name.removeprefix(table["name"])
    return digits != name and digits.isdigit() and int(digits) < table["count"]


def route(tree: Tree, start: str, end: str) -> list[tuple[str, str]]:
    """The links that packets take: fewest, ties to the link listed first."""
    came: dict[str, str] = {start: ""}
    reached = [start]
    for node in reached:
        for link in tree["link"]:
            if node in link["between"]:
                one, other = link["between"]
                far = other if node == one else one
                if far not in came:
                    came[far] = node
                    reached.append(far)
    hops = []
    node = end
    while came.get(node):
        hops.append((came[node], node))
        node = came[node]
    return hops[::-1]


QUANTITIES: dict[str, Quantity] = {
    quantity.name: quantity
    for quantity in (
        Quantity("completion", "mean time of a transfer; none if one does not finish", "s", False, False, _completion),
        Quantity("goodput", "payload acknowledged, over the time from first start (handshake included) to last end", "Mb/s", True, False, _goodput),
        Quantity("transfer-rate", "size over duration, averaged over completed transfers", "Mb/s", True, False, _transfer_rate),
        Quantity("rtt", "mean round trip, averaged over the flows", "ms", False, False, _rtt),
        Quantity("retransmits", "segments sent again", "%", False, False, _retransmits),
        Quantity("queue-delay", "mean time a packet waits for a link", "ms", False, True, _queue_delay),
        Quantity("utilisation", "share of time a link is busy", "%", True, True, _utilisation),
        Quantity("ack-share", "share of a link's capacity that ACKs take", "%", False, True, _ack_share),
    )
}
"""Every quantity by name."""
