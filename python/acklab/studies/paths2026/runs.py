"""What is run, and what is read from it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...compare.quantities import jain
from ...figures.stats import Sample
from ...reproduce.experiments import Effort, Replications
from ...reproduce.grid import Grid
from .setting import CONTROLS, COUNTINGS, FLOWS, MECHANISMS, PATHS, SIZES, download, scenario

Flow = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Few(Replications):
    """Replications with a handful of seeds in a full run and fewer in a quick one."""

    full: int = 10

    def seeds(self, effort: Effort) -> tuple[int, ...]:
        return (min(self.full, 3 if effort.quick else effort.seeds[-1]),)


class Reader:
    """Numbers from the downloads and the requests of a run."""

    def __init__(self, names: Sequence[str], reduce: Callable[[list[Flow], Flow], Sequence[float]]) -> None:
        self.names, self.reduce = tuple(names), reduce

    def __call__(self, line: bytes) -> tuple[float, ...]:
        flows = json.loads(line)["flows"]
        downs = [flow for flow in flows if flow["name"].startswith("down")]
        asked = next(flow for flow in flows if flow["name"] == "ping")
        return tuple(float("nan") if value is None else float(value) for value in self.reduce(downs, asked))


def acks_per_mb(flows: list[Flow]) -> float:
    """ACKs that reach the sender for each megabyte; what a filter erases crosses no link."""
    return float(1e6 * sum(f["acks_received"] for f in flows) / sum(f["bytes"] for f in flows))


def retransmitted(flows: list[Flow]) -> float:
    """Percent of the segments sent."""
    return float(100 * sum(f["retransmits"] for f in flows) / sum(f["segments_sent"] for f in flows))


def _transfer(downs: list[Flow], _: Flow) -> Sequence[Any]:
    (down,) = downs
    return down["completion_s"], acks_per_mb(downs), retransmitted(downs), down["timeouts"]


def _shared(downs: list[Flow], ping: Flow) -> Sequence[Any]:
    got = [f["segments_acked"] for f in downs]
    rate = sum(f["goodput_bps"] for f in downs) / 1e6
    return jain(got), rate, acks_per_mb(downs), retransmitted(downs), 1e3 * ping["mean_rtt_s"]


def _beside(downs: list[Flow], _: Flow) -> Sequence[Any]:
    mine, other = (f["segments_acked"] for f in downs)
    return (100 * mine / (mine + other),)


TRANSFER = Reader(("time_s", "acks_per_mb", "retransmits_percent", "timeouts"), _transfer)


def _one(counting: str, control: str, path: str, size: str, mechanism: str, seed: int) -> str:
    return scenario(path, mechanism, [download(mechanism, control, counting)], seed, SIZES[size])


def _four(control: str, path: str, mechanism: str, seed: int) -> str:
    return scenario(path, mechanism, [download(mechanism, control)] * FLOWS, seed)


def _pair(control: str, path: str, mechanism: str, seed: int) -> str:
    return scenario(path, mechanism, [download(mechanism, control), download("delayed", control)], seed)


ONE = Few(
    "transfers",
    "one download alone",
    {"counting": tuple(COUNTINGS), "control": tuple(CONTROLS), "path": tuple(PATHS), "size": tuple(SIZES), "mechanism": tuple(MECHANISMS)},
    _one,
    TRANSFER,
)  # fmt: skip
FOUR = Few(
    "sharing",
    "four endless downloads of one kind",
    {"control": tuple(CONTROLS), "path": tuple(PATHS), "mechanism": tuple(MECHANISMS)},
    _four,
    Reader(("jain", "goodput_mbps", "acks_per_mb", "retransmits_percent", "latency_ms"), _shared),
    {"control": ("cubic",)},
    full=6,
)
PAIR = Few(
    "neighbours",
    "an endless download beside one with delayed ACKs",
    {"control": tuple(CONTROLS), "path": tuple(PATHS), "mechanism": tuple(MECHANISMS)},
    _pair,
    Reader(("share_percent",), _beside),
    {"control": ("cubic",)},
    full=6,
)


def sample(grid: Grid, column: str, **at: Any) -> Sample:
    """One cell's values over the seeds."""
    return Sample.of(grid.at(**at)[column].tolist())
