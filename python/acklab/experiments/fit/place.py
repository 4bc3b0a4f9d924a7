"""The place of a capture on the path: before or behind the bottleneck, and how far from either end."""

from __future__ import annotations

from dataclasses import dataclass

from .errors import FitError
from .value import Row

#: Least delay of a link of the fitted scenario.
LEAST_S = 1e-6


@dataclass(frozen=True)
class Place:
    """Where the capture was taken."""

    behind: bool
    """Whether data pass the bottleneck before they pass here."""
    before_s: float
    """Least one-way time between the sender and here: half of a round trip."""
    after_s: float
    """Least one-way time between here and the receiver."""

    @property
    def rtt_s(self) -> float:
        """Least round trip of the path."""
        return 2 * (self.before_s + self.after_s)

    @property
    def end(self) -> str:
        """The link end of the fitted scenario that has the same place."""
        return "A->B@B" if self.behind else "S->A@A"

    def delays(self, rtt_s: float) -> tuple[float, float, float]:
        """One-way delays of the links before, at and behind the bottleneck, for a round trip of the path in seconds."""
        share = self.before_s / max(self.before_s + self.after_s, LEAST_S)
        before, after = share * rtt_s / 2, (1 - share) * rtt_s / 2
        near, middle, far = (0.0, before, after) if self.behind else (before, after, 0.0)
        if middle < LEAST_S and not self.behind:
            near, middle = near / 2, near / 2
        return max(near, LEAST_S), max(middle - LEAST_S, LEAST_S), max(far, LEAST_S)


def place(row: Row) -> Place:
    """The place of a direction's capture.

    Raises:
        FitError: the capture does not show how far the ends are.
    """
    whole, near = row["path_rtt_min_s"], row["sender_rtt_min_s"]
    if whole is None or near is None:
        raise FitError(
            "the distances to the two ends are not in the capture: it has no handshake and no timestamps, or its clock is too coarse. "
            "Begin the capture before the connection"
        )
    near = min(near, whole)
    if row["vantage"] in ("sender", "receiver", "both"):
        behind = row["vantage"] == "receiver"
    elif row["bottleneck_from"]:
        behind = row["bottleneck_from"] == "data"
    else:
        behind = near > whole / 2
    return Place(behind, near / 2, (whole - near) / 2)
