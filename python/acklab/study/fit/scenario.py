"""The scenario of a fit as people write it, and its simulation, seen as the capture saw the connection."""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from .errors import FitError
from .measure import Measured
from .score import NONE, Score, score
from .value import STAMPS, Row, header, stamped

if TYPE_CHECKING:
    from ...captures import Analysis

#: Rate of the links that are no bottleneck, and packets of a queue that never fills.
FAST, DEEP = "100Gbps", 100_000
#: A simulation ends after so many times what the capture took, and a few seconds.
PATIENCE, MORE_S = 4.0, 10.0


def base(measured: Measured, size: int | None = None, whole: Measured | None = None) -> dict[str, Any]:
    """The scenario's tree without what a search chooses.

    Args:
        measured: the estimates.
        size: bytes to send; as many as the capture acknowledges without it.
        whole: whose application and duration it has, if not those of ``measured``.
    """
    row, values, whole = measured.row, measured.values, whole or measured
    rtt = values["round trip"].value
    delays = measured.place.delays(rtt)
    sender: dict[str, Any] = {
        "packet": row["segment_bytes"] + STAMPS * stamped(row), "header": header(row), "timestamps": stamped(row),
        "initial_window": values["initial window"].value, "window": f"{max(values['window'].value, 2 * row['segment_bytes'])}B",
    }  # fmt: skip
    deep = {"kind": "drop-tail", "packets": DEEP}
    middle = {
        "between": ["A", "B"], "rate": f"{values['rate'].value:.0f}bps", "delay": f"{delays[1]:.9f}s", "queue": dict(deep),
        "back": {"queue": deep},
    }  # fmt: skip
    near = {"between": ["S", "A"], "rate": FAST, "delay": f"{delays[0]:.9f}s", "queue": deep}
    far = {"between": ["B", "R"], "rate": FAST, "delay": f"{delays[2]:.9f}s", "queue": deep}
    flow: dict[str, Any] = {"name": "fitted", "from": "S", "to": "R"}
    wanted = size or whole.bytes
    if whole.writes:
        flow["source"] = {"kind": "listed", "writes": _listed(whole, wanted, rtt)}
    else:
        flow["size"] = {"bytes": f"{wanted}B"}
    return {
        "title": f"Fitted to {row['from']} -> {row['to']}",
        "seed": 1,
        "stop": {"when": "flows-complete", "at_most": f"{PATIENCE * whole.end_s + MORE_S:.3f}s"},
        "link": [middle, near, far],
        "flow": [{**flow, "sender": sender, "receiver": {}}],
    }


def _listed(whole: Measured, wanted: int, rtt: float) -> list[list[str]]:
    """The writes, later than the handshake, up to ``wanted`` bytes together.

    If data ended the captured handshake, the first write was there before: the simulated handshake must end with the same packet, because
    its time may be the least round trip.
    """
    early, rows, total = whole.row["handshake"] and whole.row["handshake_rtt_s"] is None, list[list[str]](), 0
    shift = rtt if early else 1.5 * rtt + 0.01
    for time, size in whole.writes:
        size = min(size, wanted - total)
        if size <= 0:
            break
        rows.append([f"{0.0 if early and not rows else shift + time:.6f}s", f"{size}B"])
        total += size
    if total < wanted and rows:
        rows[-1][1] = f"{int(rows[-1][1][:-1]) + wanted - total}B"
    return rows


@dataclass(frozen=True)
class Simulated:
    """A simulation as a capture at the same place shows it."""

    found: Analysis | None
    row: Row | None
    curve: pl.DataFrame
    """``time_s`` from the first data, ``ack_bytes`` acknowledged."""
    start_s: float = 0.0

    @property
    def end_s(self) -> float:
        """From the first data to the last ACK of new data; infinite without any."""
        return float(self.curve["time_s"][-1]) if self.curve.height else math.inf

    def against(self, curve: pl.DataFrame) -> Score:
        """The comparison with a capture's curve."""
        return score(curve, self.curve) if self.curve.height else NONE


NOTHING = Simulated(
    None, None, pl.DataFrame({"time_s": [], "ack_bytes": []}, schema={"time_s": pl.Float64, "ack_bytes": pl.Int64})
)


def simulate(scenario: str, end: str, sets: Sequence[str] = (), seed: int | None = None) -> Simulated:
    """Runs a scenario, writes a capture at a link end, and analyses that.

    Raises:
        FitError: it is no legal scenario, or the run failed.
    """
    from ... import _core
    from ...captures import of_capture

    try:
        result = _core.Simulation(scenario, file="the fitted scenario", sets=list(sets), seed=seed, captures=True).run()
    except (_core.ScenarioError, _core.RunError) as error:
        raise FitError(str(error)) from None
    with tempfile.TemporaryDirectory(prefix="acklab-fit-") as folder:
        path = Path(folder) / "simulated.pcapng"
        _core.capture(result, end, path, snap_length=128)
        found = of_capture(path)
    rows = [row for row in found.rows() if row["acked_bytes"]]
    if not rows:
        return NOTHING
    row = max(rows, key=lambda one: one["acked_bytes"])
    acks = pl.DataFrame(found.acks).filter((pl.col("direction") == row["direction"]) & (pl.col("acked_bytes") > 0))
    data = pl.DataFrame(found.segments).filter(
        (pl.col("direction") == row["direction"]) & (pl.col("payload_bytes") > 0)
    )
    if not data.height or not acks.height:
        return NOTHING
    start = float(data["time_s"][0])
    curve = acks.select(
        time_s=(pl.col("time_s") - start).clip(0.0), ack_bytes=pl.col("acked_bytes").cum_sum().cast(pl.Int64)
    )
    return Simulated(found, row, curve, start)


def deepest(scenario: str, sets: Sequence[str]) -> int:
    """Packets that waited at most at the bottleneck, which is the first link."""
    from ... import _core

    result = _core.Simulation(scenario, file="the fitted scenario", sets=list(sets)).run()
    link: dict[str, Any] = json.loads(result.json(False))["links"][0]
    return int(link["max_queue_packets"])


def text(tree: Mapping[str, Any]) -> str:
    """A tree as one line."""
    return json.dumps(tree)
