"""The receiver by name: which known receivers acknowledge as the captured one does, with odds; silence where the capture does not tell.

The fitted connection, with the captured losses one by one, is simulated with each receiver and captured at the same place. A
*signature* counts what both captures show: segments that ACKs acknowledge, in four parts of the data; how long ACKs waited, near the
receiver; and the ACKs above gaps. Each receiver then has a likelihood. ACKs of one connection are not independent, so they count as
:data:`MOST` at most.

A receiver that is not known may be like none. So other policies of acklab (:data:`OTHERS`) have their share of the odds, too. And odds
compare receivers with each other only, so the likeliest one that is known must also explain the ACKs by itself (:attr:`Named.explains`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ...scenario.given import assignments
from .measure import Measured
from .place import FitError, of_direction
from .search import Search, Tried, simulate

if TYPE_CHECKING:
    from ...captures import Analysis

ACK, STAGES = "flow.0.receiver.ack", "link.2.stages"
LINUX, NEWER, BARE, MERGED, EVERY, SECOND = (
    "Linux 4.18 to 6.18", "Linux since 6.19", "Linux without SACK compression", "Linux behind GRO",
    "every segment", "every second segment, from the first",
)  # fmt: skip
#: How the names of Linux' receivers begin: rules that changed between versions may not show.
LINUX_ALL = "Linux"
KERNELS = (LINUX, NEWER, BARE, MERGED)
#: Policies that no known receiver has, as far as acklab knows. They stand for receivers that are not known.
AFTER, CLOCK, ROOM = (
    "ACKs of each segment in slow start only (daass)",
    "a clock of ACKs (periodic)",
    "ACKs of each segment while there is room (smart)",
)
OTHERS = (AFTER, CLOCK, ROOM)
#: Where a part of the data ends, in acknowledged segments; classes of segments an ACK, and of seconds that it waited, by their least.
PARTS, CLASSES, WAITS_S = (30, 100, 300), (1, 2, 3, 4, 5, 6, 7, 8, 12, 16), (0.0, 0.005, 0.015, 0.03, 0.06, 0.12, 0.25)
#: Each part of a signature has the weight of so many ACKs at most.
MOST, MOST_ABOVE = 20, 15
#: Fewest ACKs of new data. A part with fewer than these is no evidence against a receiver.
LEAST, LEAST_PART = 20, 10
#: Share of each distribution that is even, because no simulation is exact.
EVEN = 0.02
#: A name needs this share of the likelihood, every part of the signature within this distance (total variation), and a simulation of at
#: most this cost.
SURE, NEAR, NEAR_COST = 0.95, 0.12, 0.05
#: And the receiver must explain the ACKs by itself: this share of the numbers that either acknowledges are acknowledged by both,
SAME = 0.8
#: or each part of its signature is within this distance, and its ACKs above gaps are as many, up to this factor.
EXACT, ABOVE = 0.01, 1.3
#: A name is of so many receivers at most, where all of Linux are one.
MOST_NAMES = 2
#: ACKs above gaps are evidence only if the replay costs at most this: the losses must come at the same places.
FITS = 0.01


@dataclass(frozen=True)
class Signature:
    """What a capture shows of a receiver."""

    parts: Sequence[Any]
    """ACKs of new data by their class of segments, for each part of the data; then by their waits."""
    above: int
    """ACKs above gaps."""
    numbers: Any
    """Acknowledgment numbers of new data, in bytes."""


@dataclass(frozen=True)
class Named:
    """What the receiver acknowledges like."""

    odds: Mapping[str, float]
    """Share of the likelihood of each known receiver, the largest first; all were as likely before."""
    far: float
    """Largest distance (total variation) of a part of the signature from that of the likeliest receiver which is known, 0 to 1."""
    cost: float = 0.0
    """How far the simulation with that receiver is from the capture, as a share of the time (:attr:`Score.cost`)."""
    same: float = 1.0
    """Share of the acknowledgment numbers of capture and simulation that are in both."""
    above: float = 1.0
    """ACKs above gaps in the capture for one in the simulation; 1 where the losses do not come at the same places."""

    @property
    def names(self) -> Sequence[str]:
        """The fewest receivers that have :data:`SURE` of the likelihood together."""
        reached = np.cumsum(list(self.odds.values()))
        return list(self.odds)[: int(np.searchsorted(reached, SURE)) + 1]

    @property
    def explains(self) -> bool:
        """Whether the likeliest receiver that is known explains the ACKs by itself."""
        near = self.far <= NEAR and self.cost <= NEAR_COST
        return near and (self.same >= SAME or self.far <= EXACT and 1 / ABOVE <= self.above <= ABOVE)

    @property
    def known(self) -> bool:
        """Whether a name is said: few receivers are left, one of them is known, and the likeliest of these explains the ACKs."""
        groups = {_group(one) for one in self.names}
        return self.explains and len(groups) <= MOST_NAMES and not groups <= set(OTHERS)


def called(names: Sequence[str]) -> list[str]:
    """Receivers that the capture does not distinguish, those that are known first; of Linux where it may be each version."""
    linux = [one for one in KERNELS if one in names]
    rest = sorted({_group(one) for one in names} - {LINUX_ALL}, key=OTHERS.__contains__)
    return [*([LINUX_ALL] if len(linux) == len(KERNELS) else linux), *rest]


def _group(name: str) -> str:
    """What names have in common that differ by a version or an interval."""
    return next((one for one in (LINUX_ALL, CLOCK) if name.startswith(one)), name)


def others(gap_s: float | None) -> dict[str, dict[str, Any]]:
    """Policies that stand for receivers which are not known; ``gap_s`` is the median time between ACKs."""
    found: dict[str, dict[str, Any]] = {
        AFTER: {ACK: {"policy": "daass"}},
        CLOCK: {ACK: {"policy": "periodic"}},
        ROOM: {ACK: {"policy": "smart"}},
    }
    if gap_s is not None:
        found[f"{CLOCK}, at this interval"] = {ACK: {"policy": "periodic", "interval": f"{max(gap_s, 1e-3):.6f}s"}}
    return found


def known(every: int | None, timer_s: float | None = None) -> dict[str, dict[str, Any]]:
    """The receivers that are known, as keys of the fitted scenario.

    ``every`` is the captured number of segments an ACK, ``timer_s`` the captured timer. Linux' rules are those of the policy ``linux``
    (docs/howto/ack-policies.md#linux). It has SACK compression since 4.18 (commit 5d9f4262b7ea); 6.19 changed how long it waits
    (``tcp_comp_sack_rtt_percent``). The others are the rules of RFC 5681 section 4.2 with a number of segments.
    """
    newer = {"policy": "linux", "sack_share": 0.33, "sack_slack": "10us"}
    timer = {"timer": f"{timer_s:.4f}s"} if timer_s is not None else {}
    found: dict[str, dict[str, Any]] = {
        LINUX: {ACK: "linux"},
        NEWER: {ACK: newer},
        BARE: {ACK: {"policy": "linux", "sack_delay": "0s"}},
        MERGED: {ACK: "linux", STAGES: [{"kind": "gro", "coalesce": "50us"}]},
        EVERY: {ACK: {"policy": "every"}},
        SECOND: {ACK: {"policy": "delayed", "segments": 2, **timer}},
    }
    for number in sorted({3, 4, 8, *([every] if every and every > 2 else [])}):
        found[f"every {number} segments"] = {ACK: {"policy": "delayed", "segments": number, **timer}}
    return found


def name(measured: Measured, search: Search, replay: Tried, found: Analysis) -> Named | None:
    """What the receiver acknowledges like; None where too few ACKs show."""
    seen = signature(found, measured.row, measured.place.behind)
    if sum(part.sum() for part in seen.parts[: len(PARTS) + 1]) < LEAST:
        return None
    kept = {key: value for key, value in replay.sets.items() if not key.startswith(ACK)}
    logs, judged = dict[str, float](), dict[str, tuple[float, ...]]()
    timer, gap = measured.values["ACK timer"], measured.curve["time_s"].diff().median()
    every = {
        **known(measured.row["ack_every"], timer.value if timer.determined else None),
        **others(gap if isinstance(gap, float) else None),
    }
    for who, sets in every.items():
        try:
            simulated = simulate(search.text, measured.place.end, assignments({**kept, **sets}), replay.seed)
        except FitError:
            continue
        if simulated.found is not None and simulated.row is not None:
            theirs = signature(simulated.found, simulated.row, measured.place.behind)
            logs[who], far = compared(seen, theirs, replay.cost <= FITS)
            above = (seen.above + 2) / (theirs.above + 2) if replay.cost <= FITS else 1.0
            judged[who] = (far, simulated.against(measured.curve).cost, same(seen, theirs), above)
    if not logs:
        return None
    most = max(logs.values())
    shares = {who: math.exp(one - most) for who, one in logs.items()}
    odds = {who: shares[who] / sum(shares.values()) for who in sorted(shares, key=lambda who: -shares[who])}
    first = next((who for who in odds if _group(who) not in OTHERS), None)
    return None if first is None else Named(odds, *judged[first])


def signature(found: Analysis, row: Mapping[str, Any], waits: bool) -> Signature:
    """What a capture shows of a direction; ``waits``: also how long ACKs waited, as only the receiver's side of a bottleneck shows."""
    acks = of_direction(found.acks, row)
    new = acks.filter((pl.col("acked_bytes") > 0) & pl.col("plain"))
    several = np.maximum(new["acked_segments"].to_numpy(), 1)
    classes = np.searchsorted(CLASSES, several, side="right") - 1
    part = np.searchsorted(PARTS, np.cumsum(several))
    counts = [np.bincount(classes[part == one], minlength=len(CLASSES)) for one in range(len(PARTS) + 1)]
    if waits:
        waited = new["delay_s"].drop_nulls().to_numpy()
        counts.append(
            np.bincount(np.searchsorted(WAITS_S, np.maximum(waited, 0.0), side="right") - 1, minlength=len(WAITS_S))
        )
    repeats = acks.filter((pl.col("acked_bytes") == 0) & (pl.col("sack_blocks") > 0)).height
    return Signature(counts, repeats, acks.filter(pl.col("acked_bytes") > 0)["ack_bytes"].to_numpy())


def same(one: Signature, other: Signature) -> float:
    """Share of the acknowledgment numbers of both that are in both."""
    return len(np.intersect1d(one.numbers, other.numbers)) / max(len(np.union1d(one.numbers, other.numbers)), 1)


def compared(seen: Signature, simulated: Signature, above: bool = True) -> tuple[float, float]:
    """The logarithm of the likelihood of what was seen, and the largest distance of a distribution; ``above``: with the ACKs above gaps."""
    total, far = 0.0, 0.0
    for ours, theirs in zip(seen.parts, simulated.parts, strict=True):
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
    ratio = math.log((seen.above + 2) / (simulated.above + 2))
    return total - ratio**2 * (min(seen.above, MOST_ABOVE) + 2) / 2, far
