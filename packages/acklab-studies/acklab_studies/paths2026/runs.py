"""What is run, and what is read from it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from acklab.reproduce.experiments import Effort, Replications
from acklab.study.metrics import ack_share, jain

from .setting import FLOWS, MECHANISMS, PATHS, SIZES, download, scenario

Flow = Mapping[str, Any]
Links = list[Mapping[str, Any]]


@dataclass(frozen=True, eq=False)
class Few(Replications):
    """Replications with a handful of seeds in a full run and fewer in a quick one."""

    full: int = 10

    def seeds(self, effort: Effort) -> tuple[int, ...]:
        return (min(self.full, 2 if effort.quick else effort.seeds[-1]),)


@dataclass(frozen=True)
class Result:
    """What a run's line tells."""

    downs: list[Flow]
    requests: list[Flow]
    up: Flow
    """The access link's return direction."""
    seconds: float
    """From the second at which downloads begin."""


class Reader:
    """Numbers from a run."""

    def __init__(self, names: Sequence[str], reduce: Callable[[Result], Sequence[float]]) -> None:
        self.names, self.reduce = tuple(names), reduce

    def __call__(self, line: bytes) -> tuple[float, ...]:
        told = json.loads(line)
        flows, end = told["flows"], told["end_s"]
        downs = [flow for flow in flows if flow["name"].startswith("down")]
        requests = [flow for flow in flows if flow["name"].startswith("ping") and flow["start_s"] < end]
        up = next(link for link in told["links"] if (link["from"], link["to"]) == ("C", "A"))
        values = self.reduce(Result(downs, requests, up, end - 1))
        return tuple(float("nan") if value is None else float(value) for value in values)


def acks_per_mb(flows: list[Flow]) -> float:
    """ACKs that reach the sender for each megabyte; what a filter erases crosses no link."""
    return float(1e6 * sum(f["acks_received"] for f in flows) / sum(f["bytes"] for f in flows))


def retransmitted(flows: list[Flow]) -> float:
    """Percent of the segments sent."""
    return float(100 * sum(f["retransmits"] for f in flows) / sum(f["segments_sent"] for f in flows))


def uplink_percent(up: Flow, seconds: float) -> float:
    """Percent of the uplink that ACKs take. The first second does not count, because nothing is sent in it. On 802.11 it is all air time
    of the direction, because a short frame takes much more air time than its bits."""
    if up["airtime_s"]:
        return float(100 * up["airtime_s"] / seconds)
    return 100 * ack_share(up) * (seconds + 1) / seconds


def latency_ms(requests: list[Flow], end_s: float, percent: float) -> float:
    """A percentile of the requests' completion times, in milliseconds; one that is not answered by the end took until then at least."""
    each = [flow["completion_s"] if flow["completed"] else end_s - flow["start_s"] for flow in requests]
    return 1e3 * float(np.percentile(each, percent, method="inverted_cdf"))


def _transfer(of: Result) -> Sequence[Any]:
    (down,) = of.downs
    return down["completion_s"], acks_per_mb(of.downs), retransmitted(of.downs), down["timeouts"]


def _shared(of: Result) -> Sequence[Any]:
    got = [f["segments_acked"] for f in of.downs]
    rate = sum(f["goodput_bps"] for f in of.downs) / 1e6
    return (
        jain(got), rate, acks_per_mb(of.downs), retransmitted(of.downs),
        latency_ms(of.requests, of.seconds + 1, 50), latency_ms(of.requests, of.seconds + 1, 99), uplink_percent(of.up, of.seconds),
    )  # fmt: skip


def _beside(of: Result) -> Sequence[Any]:
    mine, other = (f["segments_acked"] for f in of.downs)
    return (100 * mine / (mine + other),)


TRANSFER = Reader(("time_s", "acks_per_mb", "retransmits_percent", "timeouts"), _transfer)
CONTROLS = ("linux", "rfc")
"""The senders of the first part."""


def _one(sender: str, path: str, size: str, mechanism: str, seed: int) -> str:
    return scenario(path, mechanism, [download(mechanism, sender)], seed, SIZES[size])


def _four(path: str, mechanism: str, seed: int) -> str:
    return scenario(path, mechanism, [download(mechanism)] * FLOWS, seed, requests=True)


def _pair(path: str, mechanism: str, seed: int) -> str:
    # Two seeds have the same starts, with the flows exchanged: neither begins first on average.
    flows = [download(mechanism), download("delayed")]
    return scenario(path, mechanism, flows, seed, starts=((seed + 1) // 2, seed % 2 == 0))


ONE = Few(
    "transfers",
    "one download alone",
    {"sender": CONTROLS, "path": tuple(PATHS), "size": tuple(SIZES), "mechanism": tuple(MECHANISMS)},
    _one,
    TRANSFER,
)  # fmt: skip
FOUR = Few(
    "sharing",
    "four endless downloads of one kind, and small requests",
    {"path": tuple(PATHS), "mechanism": tuple(MECHANISMS)},
    _four,
    Reader(
        ("jain", "goodput_mbps", "acks_per_mb", "retransmits_percent", "p50_ms", "p99_ms", "uplink_percent"), _shared
    ),
)
PAIR = Few(
    "neighbours",
    "an endless download beside one with delayed ACKs",
    {"path": tuple(PATHS), "mechanism": tuple(MECHANISMS)},
    _pair,
    Reader(("share_percent",), _beside),
)
