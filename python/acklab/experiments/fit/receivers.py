"""The receiver by name: which known receivers acknowledge as the captured one does, with odds; silence where the capture does not tell.

The fitted connection, with the captured losses one by one, is simulated with each known receiver and captured at the same place. A
*signature* counts what both captures show: segments that ACKs acknowledge at the beginning and later, and the ACKs above gaps. Each
receiver then has a likelihood. ACKs of one connection are not independent, so they count as :data:`MOST` at most. A receiver that is not
known may be like none, so a name needs a signature that is near, too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ...scenario.given import assignments
from .errors import FitError
from .measure import Measured
from .scenario import simulate
from .search import Search, Tried

if TYPE_CHECKING:
    from ...captures import Analysis

ACK, STAGES = "flow.0.receiver.ack", "link.2.stages"
LINUX, NEWER, BARE, MERGED, EVERY, SECOND = (
    "Linux 4.18 to 6.18", "Linux since 6.19", "Linux without SACK compression", "Linux behind GRO",
    "every segment", "every second segment, from the first",
)  # fmt: skip
#: How the names of Linux' receivers begin: rules that changed between versions may not show.
LINUX_NAMES = "Linux"
KERNELS = (LINUX, NEWER, BARE, MERGED)
#: Segments of the beginning; classes of segments an ACK, by their least.
BEGINNING, CLASSES = 30, (1, 2, 3, 4, 5, 6, 7, 8, 12, 16)
#: Each part of a signature has the weight of so many ACKs at most.
MOST, MOST_ABOVE = 30, 15
#: Fewest ACKs of new data. A part with fewer than these is no evidence against a receiver.
LEAST, LEAST_PART = 20, 10
#: Share of each distribution that is even, because no simulation is exact.
EVEN = 0.02
#: A name needs this share of the likelihood, and every part of the signature within this distance (total variation).
SURE, NEAR = 0.95, 0.2
#: ACKs above gaps are evidence only if the replay costs at most this: the losses must come at the same places.
FITS = 0.01


#: ACKs of new data by their class of segments, for the first segments and for the others; and the number of ACKs above gaps.
Signature = tuple[Any, Any, int]


@dataclass(frozen=True)
class Named:
    """What the receiver acknowledges like."""

    odds: Mapping[str, float]
    """Share of the likelihood of each known receiver, the largest first; all were as likely before."""
    far: float
    """Largest distance (total variation) of a part of the signature from the likeliest receiver's, 0 to 1."""

    @property
    def names(self) -> Sequence[str]:
        """The fewest receivers that have :data:`SURE` of the likelihood together."""
        reached = np.cumsum(list(self.odds.values()))
        return list(self.odds)[: int(np.searchsorted(reached, SURE)) + 1]

    @property
    def known(self) -> bool:
        """Whether a name is said: one receiver is left, or several of Linux; and it is near."""
        return self.far <= NEAR and (len(self.names) == 1 or all(one.startswith(LINUX_NAMES) for one in self.names))


def called(names: Sequence[str]) -> str:
    """Receivers that the capture does not distinguish, as one name."""
    if len(names) == 1:
        return names[0]
    several = [one.removeprefix(LINUX_NAMES).strip() for one in known(None) if one in names]
    if len(several) == len(KERNELS):
        return f"{LINUX_NAMES} (this connection does not show which)"
    return f"{LINUX_NAMES} ({', '.join(several[:-1])} or {several[-1]})"


def known(every: int | None) -> dict[str, dict[str, Any]]:
    """The receivers that are known, as keys of the fitted scenario.

    ``every`` is the captured number of segments an ACK. Linux' rules are those of the policy ``linux``
    (docs/howto/ack-policies.md#linux). It has SACK compression since 4.18 (commit 5d9f4262b7ea); 6.19 changed how long it waits
    (``tcp_comp_sack_rtt_percent``). The others are the rules of RFC 5681 section 4.2 with a number of segments.
    """
    newer = {"policy": "linux", "sack_share": 0.33, "sack_slack": "10us"}
    found: dict[str, dict[str, Any]] = {
        LINUX: {ACK: "linux"},
        NEWER: {ACK: newer},
        BARE: {ACK: {"policy": "linux", "sack_delay": "0s"}},
        MERGED: {ACK: "linux", STAGES: [{"kind": "gro", "coalesce": "50us"}]},
        EVERY: {ACK: {"policy": "every"}},
        SECOND: {ACK: {"policy": "delayed", "segments": 2}},
    }
    for number in sorted({3, 4, 8, *([every] if every and every > 2 else [])}):
        found[f"every {number} segments"] = {ACK: {"policy": "delayed", "segments": number}}
    return found


def name(measured: Measured, search: Search, replay: Tried, found: Analysis) -> Named | None:
    """What the receiver acknowledges like; None where too few ACKs show."""
    seen = signature(found, measured.row)
    if seen[0].sum() + seen[1].sum() < LEAST:
        return None
    kept = {key: value for key, value in replay.sets.items() if not key.startswith(ACK)}
    logs, fars = dict[str, float](), dict[str, float]()
    for who, sets in known(measured.row["ack_every"]).items():
        try:
            simulated = simulate(search.text, measured.place.end, assignments({**kept, **sets}), replay.seed)
        except FitError:
            continue
        if simulated.found is not None and simulated.row is not None:
            logs[who], fars[who] = compared(seen, signature(simulated.found, simulated.row), replay.cost <= FITS)
    if not logs:
        return None
    most = max(logs.values())
    shares = {who: math.exp(one - most) for who, one in logs.items()}
    odds = {who: shares[who] / sum(shares.values()) for who in sorted(shares, key=lambda who: -shares[who])}
    return Named(odds, fars[next(iter(odds))])


def signature(found: Analysis, row: Mapping[str, Any]) -> Signature:
    """What a capture shows of a direction."""
    mine = (pl.col("connection") == row["connection"]) & (pl.col("direction") == row["direction"])
    acks = pl.DataFrame(found.acks).filter(mine)
    new = acks.filter((pl.col("acked_bytes") > 0) & pl.col("plain"))
    several = np.maximum(new["acked_segments"].to_numpy(), 1)
    classes = np.searchsorted(CLASSES, several, side="right") - 1
    early = np.cumsum(several) <= BEGINNING
    repeats = acks.filter((pl.col("acked_bytes") == 0) & (pl.col("sack_blocks") > 0)).height
    return np.bincount(classes[early], minlength=len(CLASSES)), np.bincount(classes[~early], minlength=len(CLASSES)), repeats


def compared(seen: Signature, simulated: Signature, above: bool = True) -> tuple[float, float]:
    """The logarithm of the likelihood of what was seen, and the largest distance of a distribution; ``above``: with the ACKs above gaps."""
    total, far = 0.0, 0.0
    for ours, theirs in zip(seen[:2], simulated[:2], strict=True):
        count = ours.sum()
        if not count:
            continue
        share = ours / count
        chance = (theirs + 0.5) / (theirs.sum() + 0.5 * len(theirs))
        chance = (1 - EVEN) * chance + EVEN / len(theirs)
        total += float(min(count, MOST) * np.sum(share * np.log(chance)))
        if count >= LEAST_PART and theirs.sum():
            far = max(far, float(np.abs(share - theirs / theirs.sum()).sum() / 2))
    if not above:
        return total, far
    # The numbers of ACKs above gaps, by their ratio: its logarithm has the variance of so many.
    ratio = math.log((seen[2] + 2) / (simulated[2] + 2))
    return total - ratio**2 * (min(seen[2], MOST_ABOVE) + 2) / 2, far
