"""Round trips of a simulation beside a capture's, as its place on the path shows them: what a change of a queue would change."""

from __future__ import annotations

from dataclasses import dataclass

from .place import place
from .value import Row

#: Columns that are compared: the median, and the 95th of 100.
COLUMNS = ("rtt_median_s", "rtt_p95_s")
#: Round trips agree if neither differs by more than this share of the captured round trip of the path.
AGREE = 0.15
#: Or by fewer seconds.
LEAST_S = 0.002


@dataclass(frozen=True)
class Waits:
    """The column that differs most."""

    captured_s: float
    """Round trip of the path in the capture."""
    simulated_s: float
    """The same in the simulation."""

    @property
    def apart(self) -> float:
        """Difference as a share of the captured one, without a sign."""
        return max(abs(self.simulated_s - self.captured_s) - LEAST_S, 0.0) / self.captured_s

    @property
    def agree(self) -> bool:
        """Whether the simulation may be asked about a queue."""
        return self.apart <= AGREE


def waits(captured: Row, simulated: Row | None) -> Waits | None:
    """The comparison of two rows of analyses at one place; None if nothing is comparable, as behind the bottleneck.

    The times from there to the receiver and back do not contain the queue.
    """
    if simulated is None or not captured["path_rtt_min_s"] or place(captured).behind:
        return None
    found = [
        Waits(*(captured["path_rtt_min_s"] + row[column] - row["rtt_min_s"] for row in (captured, simulated)))
        for column in COLUMNS
        if captured[column] is not None and simulated[column] is not None
    ]
    return max(found, key=lambda one: one.apart, default=None)
