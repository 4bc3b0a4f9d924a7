"""A scenario with fitted parameters, as people write it, and its simulation at the capture's place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from .errors import FitError
from .measure import HEADERS, STAMPS, Measured

#: Delay of the fast links at either end, where captures are taken.
NEAR_S = 5e-6
#: Packets of a queue that never fills.
DEEP = 100_000
#: A simulation ends after so many times what the capture took.
PATIENCE = 4.0


@dataclass(frozen=True)
class Point:
    """A choice of what is searched for."""

    rate_bps: float
    rtt_s: float
    queue_packets: int
    control: str
    stack: str
    ack: Mapping[str, Any] | str
    losses: Sequence[int] = ()
    """Numbers of the data packets that the path loses, from 0 in the order of their departure; none but the queue's without."""


def tree(measured: Measured, point: Point, size: int | None = None, sets: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The scenario's tree; it sends ``size`` bytes, or as many as the capture acknowledges."""
    row, values = measured.row, measured.values
    mss = int(values["mss"].value)
    header = HEADERS + STAMPS * ("timestamps" in row["options"])
    # The least round trip includes one small packet's transmission at the bottleneck each way, which is left out.
    sender: dict[str, Any] = {"stack": point.stack, "packet": mss, "control": {"kind": point.control}, "timestamps": "timestamps" in row["options"]}
    if header == HEADERS:
        sender["header"] = HEADERS
    if values["initial window"].determined:
        sender["initial_window"] = values["initial window"].value
    if values["window"].determined:
        sender["window"] = f"{values['window'].value}B"
    middle: dict[str, Any] = {
        "between": ["A", "B"],
        "rate": f"{point.rate_bps:.0f}bps",
        "delay": f"{max(point.rtt_s / 2 - 2 * NEAR_S, 1e-6):.9f}s",
        "queue": {"kind": "drop-tail", "packets": point.queue_packets},
        "back": {"rate": "10Gbps", "queue": {"kind": "drop-tail", "packets": DEEP}},
    }
    if point.losses:
        middle["loss"] = {"list": list(point.losses)}
    near = {"rate": "10Gbps", "delay": f"{NEAR_S:.9f}s", "queue": {"kind": "drop-tail", "packets": DEEP}}
    return {
        "title": f"Fitted to {row['from']} -> {row['to']}",
        "seed": 1,
        "stop": {"when": "flows-complete", "at_most": f"{PATIENCE * measured.end_s + 10:.3f}s"},
        "record": {"packets": True},
        "link": [{"between": ["S", "A"], **near}, middle, {"between": ["B", "R"], **near}],
        "flow": [{"name": "f", "from": "S", "to": "R", "size": {"bytes": f"{size or measured.bytes}B"}, "sender": sender, "receiver": {"stack": point.stack, "ack": point.ack}}],
    }


@dataclass(frozen=True)
class Simulated:
    """A simulation as a capture at the same place would show it."""

    acked: pl.DataFrame
    """``time_s`` from the first data, ``ack_bytes`` acknowledged."""
    acks: int
    completed: bool

    @property
    def end_s(self) -> float:
        """From the first data to the last ACK of new data."""
        return float(self.acked["time_s"][-1]) if self.acked.height else float("inf")


def simulate(scenario: Mapping[str, Any], place: str, sets: Sequence[str] = ()) -> Simulated:
    """Runs a scenario and looks at it from ``place``.

    Raises:
        FitError: it is no legal scenario.
    """
    import json

    from ... import _core

    try:
        result = _core.Simulation(json.dumps(scenario), file="fitted scenario", sets=list(sets)).run()
    except _core.ScenarioError as error:
        raise FitError(str(error)) from None
    packets = pl.DataFrame(result.packets)
    data, acks = ("S->A", "A->S") if place == "sender" else ("B->R", "R->B")
    event = {"sender": ("dequeue", "deliver"), "receiver": ("deliver", "dequeue")}[place]
    first = packets.filter((pl.col("link") == data) & (pl.col("event") == event[0]) & (pl.col("kind") == "data") & ~pl.col("syn"))["time_s"].min()
    back = packets.filter((pl.col("link") == acks) & (pl.col("event") == event[1]) & (pl.col("kind") == "ack") & ~pl.col("syn"))
    back = back.select("time_s", ack_bytes=pl.col("ack").cast(pl.Int64).cum_max() - 1)
    back = back.filter(pl.col("ack_bytes") > pl.col("ack_bytes").shift(1, fill_value=0))
    if first is None or not back.height:
        return Simulated(pl.DataFrame({"time_s": [], "ack_bytes": []}), 0, False)
    completed = bool(json.loads(result.json(False))["flows"][0]["completed"])
    return Simulated(back.with_columns(time_s=pl.col("time_s") - first), back.height, completed)
