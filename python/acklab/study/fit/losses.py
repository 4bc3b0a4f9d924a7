"""Which data packets were lost, by their number in the order in which they left the sender.

Before the bottleneck, the last transmission of what was sent again was lost. Behind it, numbers are missing in the order of arrival:
a packet beyond the next expected number shows how many were lost between. A gap that is filled within half a round trip was
reordering (RFC 4653 section 1 discusses such gaps), because a retransmission takes at least a round trip.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import polars as pl

from ...text.counts import counted
from ...text.templates import fact
from .errors import FitError
from .place import Place
from .value import Row, Value

#: Quantile of the normal distribution for 95 % intervals.
NORMAL = 1.96
#: A share of losses is determined if it is below this many times the lower end of its interval (the upper end is about as far).
SURE = 2.0
#: Most losses that are listed.
MOST = 20_000


def lost(data: pl.DataFrame, row: Row, place: Place) -> list[list[int]]:
    """Numbers of the lost packets, from 0, sorted; ``data`` are the packets with payload in order.

    Behind the losses two orders are possible where a retransmission arrived between the packets around a gap: it left before what was
    lost, or after. Both are returned if they differ.

    Raises:
        FitError: there are too many.
    """
    rows = list(
        zip(data["time_s"], data["seq_bytes"], data["payload_bytes"], data["kind"].cast(pl.String), strict=True)
    )
    unit = max(int(row["segment_bytes"]), 1)
    found = [_behind(rows, unit, place, first) for first in (False, True)] if place.behind else [_before(rows, unit)]
    numbers = [sorted(set(one)) for one in found]
    if len(numbers[0]) > MOST:
        raise FitError(f"{counted(len(numbers[0]), 'packet')} lost (at most {MOST:,})")
    return numbers[:1] if numbers[0] == numbers[-1] else numbers


def _before(rows: list[tuple[float, int, int, str]], unit: int) -> list[int]:
    """Seen before the losses: what is sent again was lost the time before."""
    number, found = 0, list[int]()
    last: dict[int, int] = {}
    for _, seq, payload, kind in rows:
        for part in range(max(math.ceil(payload / unit), 1)):
            key = seq + part * unit
            if kind == "resent" and key in last:
                found.append(last[key])
            last[key] = number
            number += 1
    return found


def _behind(rows: list[tuple[float, int, int, str]], unit: int, place: Place, first: bool) -> list[int]:
    """Seen behind the losses: what is missing in the order of arrival was lost; ``first`` if it left before the retransmissions around it."""
    number, fresh, high = 0, 0, None
    filled = set[int]()
    holes: list[tuple[int, int, float, range]] = []
    found: list[int] = []
    for time, seq, payload, kind in rows:
        if high is not None and seq > high:
            missing = math.ceil((seq - high) / unit)
            begin = fresh if first else number
            holes.append((high, seq, time, range(begin, begin + missing)))
            number += missing
        if high is not None and seq < high:
            hole = next((one for one in holes if one[0] <= seq < one[1]), None) if kind == "late" else None
            if hole is None or time - hole[2] >= place.rtt_s / 2:
                number += 1
            if hole is not None:
                low, end, since, numbers = hole
                at = min((seq - low) // unit, len(numbers) - 1)
                filled.update(numbers[at : at + max(math.ceil(payload / unit), 1)])
                if time - since >= place.rtt_s / 2:
                    found.append(numbers[at])
                if seq + payload >= end:
                    holes.remove(hole)
        else:
            number += max(math.ceil(payload / unit), 1)
            fresh = number
        high = max(high or 0, seq + payload)
    # What is still missing where the capture ends was lost, too, if it could have come by now.
    old = (numbers for _, _, since, numbers in holes if rows[-1][0] - since >= place.rtt_s / 2)
    return found + [one for numbers in old for one in numbers if one not in filled]


def events(numbers: Sequence[int], row: Row) -> int:
    """Losses more than a flight apart from the one before: those within a flight may have one cause."""
    flight = (row["max_flight_bytes"] or 0) / max(row["segment_bytes"], 1)
    return sum(later - earlier > flight for earlier, later in pairwise([-math.inf, *numbers]))


def share(row: Row, count: int, seen: bool) -> Value:
    """Share of the segments that were lost, with Wilson's interval (Wilson, JASA 1927).

    Args:
        row: the direction.
        count: of losses, or of what was sent again.
        seen: whether the capture shows the losses themselves.
    """
    sent = max(row["segments"], 1)
    part = min(count / sent, 1.0)
    centre, width = (
        part + NORMAL**2 / (2 * sent),
        NORMAL * math.sqrt(part * (1 - part) / sent + NORMAL**2 / (4 * sent**2)),
    )
    norm = 1 + NORMAL**2 / sent
    high = (centre + width) / norm
    if not count:
        return Value(
            "loss",
            0.0,
            "share",
            None,
            high,
            False,
            fact("how-no-loss", segments=sent),
        )
    low = max((centre - width) / norm, 0.0)
    how = fact("how-lost" if seen else "how-resent", lost=count, segments=sent)
    return Value("loss", part, "share", low, high, seen and part < SURE * low, how)
