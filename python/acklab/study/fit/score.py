"""How far a simulation is from a capture: when the same shares of the data are acknowledged, and by how many ACKs."""

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
    sizes: float = 0.0
    """Share of the ACKs that acknowledge another number of bytes: the distributions' total variation. Errors that cancel in ``acks`` do not here."""

    @property
    def cost(self) -> float:
        """What a search makes small: the difference of the curves, and a tenth of that of the ACKs' numbers."""
        return self.curve + 0.1 * min(abs(self.acks), 1.0)


NONE = Score(float("inf"), float("inf"), float("inf"), 1.0)
"""Of a simulation without data."""


def times(curve: pl.DataFrame, amounts: Any) -> Any:
    """When so many bytes were acknowledged; infinite where they never were."""
    bytes_, time = curve["ack_bytes"].to_numpy(), curve["time_s"].to_numpy()
    places = np.searchsorted(bytes_, amounts, side="left")
    return np.where(places < len(time), time[np.minimum(places, len(time) - 1)], np.inf)


def score(measured: pl.DataFrame, simulated: pl.DataFrame) -> Score:
    """Compares ``simulated`` with ``measured`` as far as that goes; both have ``time_s`` and ``ack_bytes``."""
    if not simulated.height or not measured.height:
        return NONE
    reached = int(measured["ack_bytes"][-1])
    end = max(float(measured["time_s"][-1]), 1e-9)
    ours, theirs = times(simulated, SHARES * reached), times(measured, SHARES * reached)
    until = simulated.filter(pl.col("ack_bytes") <= reached).height
    sizes = _apart(_sizes(simulated.head(until)), _sizes(measured))
    return Score(
        float(np.mean(np.abs(ours - theirs)) / end), float(ours[-1] / end - 1), until / measured.height - 1, sizes
    )


def _sizes(curve: pl.DataFrame) -> dict[int, float]:
    """Share of the ACKs that acknowledge each number of bytes."""
    found, counts = np.unique(np.diff(curve["ack_bytes"].to_numpy(), prepend=0), return_counts=True)
    return dict(zip(found.tolist(), (counts / max(curve.height, 1)).tolist(), strict=True))


def _apart(one: dict[int, float], other: dict[int, float]) -> float:
    return sum(abs(one.get(size, 0.0) - other.get(size, 0.0)) for size in {*one, *other}) / 2


def after(curve: pl.DataFrame, done: int) -> pl.DataFrame:
    """A curve from the instant at which ``done`` bytes were acknowledged."""
    start = curve.filter(pl.col("ack_bytes") >= done)["time_s"].min()
    later = curve.filter(pl.col("ack_bytes") > done)
    return later.select(time_s=pl.col("time_s") - (start or 0.0), ack_bytes=pl.col("ack_bytes") - done)
