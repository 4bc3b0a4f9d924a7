"""How far a simulation is from a capture: times at which the same shares of the data are acknowledged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

#: Shares of the data that are compared.
SHARES = np.linspace(0.02, 1.0, 50)


@dataclass(frozen=True)
class Score:
    """A comparison of two curves of acknowledged data."""

    curve: float
    """Mean of the differences in time at :data:`SHARES`, as a share of the time that the capture took."""
    end: float
    """Difference of the last instants, as a share of the capture's; positive where the simulation takes longer."""
    acks: float
    """Difference of the numbers of ACKs of new data, as a share of the capture's."""


def times(acked: pl.DataFrame, amounts: Any) -> Any:
    """When so many bytes were acknowledged; infinite where they never were."""
    bytes_, time = acked["ack_bytes"].to_numpy(), acked["time_s"].to_numpy()
    places = np.searchsorted(bytes_, amounts, side="left")
    return np.where(places < len(time), time[np.minimum(places, len(time) - 1)], np.inf)


def score(measured: pl.DataFrame, simulated: pl.DataFrame) -> Score:
    """Compares the part of ``simulated`` that has the data of ``measured``; both have ``time_s`` and ``ack_bytes``."""
    if not simulated.height:
        return Score(float("inf"), float("inf"), float("inf"))
    amounts = SHARES * int(measured["ack_bytes"][-1])
    end = float(measured["time_s"][-1])
    ours = times(simulated, amounts)
    theirs = times(measured, amounts)
    until = simulated.filter(pl.col("ack_bytes") <= int(measured["ack_bytes"][-1])).height
    return Score(float(np.mean(np.abs(ours - theirs)) / end), float(ours[-1] / end - 1), until / measured.height - 1)
