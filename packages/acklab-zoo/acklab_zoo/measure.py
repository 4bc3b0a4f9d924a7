"""Numbers about how a client acknowledges, from the packets of one download."""

from __future__ import annotations

from typing import Any

import numpy as np

from .packets import Download
from .paths import Path

#: Packets that leave within this time of each other are one burst.
BURST_S = 1e-4
#: An ACK that leaves within this time of a packet is its immediate answer. Timers are ten times longer.
AT_ONCE_S = 1e-3


def measure(seen: Download, path: Path) -> dict[str, Any]:
    """A row of numbers; None where the download does not show one.

    ``packets``, ``acks``: data packets that arrived, packets back. ``per_ack`` is their ratio; ``per_ack_first`` in the first two round
    trips, ``per_ack_filling`` from there until the link has been busy for a round trip, ``per_ack_steady`` afterwards. ``most_per_ack``
    is the largest number of packets that one ACK may cover there. ``held_ms`` (median, 95 %, most) is the age of the oldest packet
    that an ACK covers. ``ack_bytes`` is the median size of packets back, from the header of IP on. ``gap``, ``late`` and ``ce``:
    packets that arrive behind a gap, too late, or with a mark, and the share of them that an ACK answers within a millisecond.
    ``burst`` (median, 95 %, most): packets that leave the server together.
    """
    row: dict[str, Any] = {"packets": len(seen.arrived_s), "acks": len(seen.back_s)}
    if not len(seen.back_s):
        return row
    covered, held = _covered(seen)
    row["per_ack"] = len(seen.arrived_s) / len(seen.back_s)
    begin = seen.arrived_s[0]
    first = begin + 2 * path.rtt_s
    full = _full(seen, path)
    spans = {"first": (begin, first), "filling": (first, full), "steady": (full, seen.arrived_s[-1])}
    for name, (low, high) in spans.items():
        row[f"per_ack_{name}"] = _ratio(seen, low, high)
    steady = covered[(seen.back_s >= full) & (covered > 0)]
    row["most_per_ack"] = int(steady.max()) if len(steady) else None
    new = held[covered > 0]
    for name, share in (("p50", 50), ("p95", 95), ("max", 100)):
        row[f"held_{name}_ms"] = float(np.percentile(new, share)) * 1e3 if len(new) else None
    row["ack_bytes"] = float(np.median(seen.back_bytes))
    row["ect_share"] = float(seen.ect.mean())
    highest = np.maximum.accumulate(seen.number)
    late = seen.number < highest
    opens = np.concatenate([[False], seen.number[1:] > highest[:-1] + 1])
    for name, which in (("gap", opens), ("late", late), ("ce", seen.ce)):
        row[f"{name}_packets"] = int(which.sum())
        row[f"{name}_at_once"] = _at_once(seen, which)
    bursts = np.diff(np.concatenate([[-1], np.nonzero(np.diff(seen.sent_s) > BURST_S)[0], [len(seen.sent_s) - 1]]))
    for name, share in (("p50", 50), ("p95", 95), ("max", 100)):
        row[f"burst_{name}"] = float(np.percentile(bursts, share))
    return row


def waits(seen: Download) -> list[float]:
    """The time in ms from each arrival to the next packet back."""
    following = np.searchsorted(seen.back_s, seen.arrived_s)
    return [
        float(1e3 * (seen.back_s[at] - time))
        for time, at in zip(seen.arrived_s, following, strict=True)
        if at < len(seen.back_s)
    ]


def _covered(seen: Download) -> tuple[np.ndarray, np.ndarray]:
    """Of each packet back, how many data packets came since the one before, and the age of the oldest of them."""
    ends = np.searchsorted(seen.arrived_s, seen.back_s, side="right")
    starts = np.concatenate([[0], ends[:-1]])
    oldest = seen.arrived_s[np.minimum(starts, len(seen.arrived_s) - 1)]
    return ends - starts, np.where(ends > starts, seen.back_s - oldest, 0.0)


def _ratio(seen: Download, low: float, high: float) -> float | None:
    """Packets an ACK in a span of time."""
    packets = int(((seen.arrived_s >= low) & (seen.arrived_s < high)).sum())
    acks = int(((seen.back_s >= low) & (seen.back_s < high)).sum())
    return packets / acks if acks and packets >= 10 else None


def _full(seen: Download, path: Path) -> float:
    """When the link has been busy for a whole round trip, for the first time; without such a time, the last arrival."""
    size = float(np.median(seen.bytes)) + 28
    fits = int(0.95 * path.rate_mbps * 1e6 * path.rtt_s / 8 / size)
    if fits < 1 or len(seen.arrived_s) <= fits:
        return float(seen.arrived_s[-1])
    within = np.nonzero(seen.arrived_s[fits:] - seen.arrived_s[:-fits] <= path.rtt_s)[0]
    return float(seen.arrived_s[within[0] + fits]) if len(within) else float(seen.arrived_s[-1])


def _at_once(seen: Download, which: np.ndarray) -> float | None:
    """The share of these packets that a packet back follows within :data:`AT_ONCE_S`, before the next data packet."""
    times = seen.arrived_s[which]
    if not len(times):
        return None
    next_data = np.append(seen.arrived_s, np.inf)[np.nonzero(which)[0] + 1]
    next_back = np.append(seen.back_s, np.inf)[np.searchsorted(seen.back_s, times)]
    return float(((next_back - times <= AT_ONCE_S) & (next_back <= next_data)).mean())
