"""What two captures of one connection, at its sender and at its receiver, show together.

Each packet that is in both has a one-way time, up to the difference of the two clocks. The least of each direction add up to the base delay, in
which that difference cancels. A packet that only its own end has was lost between, if one that left later has arrived: what left last may be on
the way. And the receiver's capture shows its delays as they are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import polars as pl

from ...text.numbers import counted
from ...text.templates import Fact, fact
from .estimates import share
from .measure import Measured, measure
from .place import FitError, Row, Value, of_direction

if TYPE_CHECKING:
    from ...captures import Analysis

#: Columns of a direction that the receiver's capture shows better.
RECEIVER = (
    "policy",
    "ack_every",
    "policy_why",
    "policy_evidence",
    "policy_of",
    "quick_segments",
    "ack_period_s",
    "segments_per_ack",
    "timer_s",
    "timer_low_s",
    "timer_high_s",
    "delay_min_s",
)
#: Fewest packets of a way that are in both captures.
MIN_PACKETS = 10
#: Seconds by which a packet may be quicker than the quickest that passed once: resolution of a clock.
TICK_S = 1e-4


@dataclass(frozen=True)
class Ways:
    """One-way times by two clocks."""

    there_s: float
    """Least from the sender to the receiver. Each capture's clock begins with its first packet."""
    back_s: float
    ahead_s: float
    """First packet of the receiver's capture after that of the sender's, each by its own clock."""
    lost_acks: int
    """ACKs that the receiver sent and the sender did not see."""
    acks: int
    """ACKs that the receiver sent, but those after the last that arrived."""

    @property
    def rtt_s(self) -> float:
        """Least round trip: the clocks' difference cancels."""
        return self.there_s + self.back_s

    @property
    def offset_s(self) -> float:
        """By how much the receiver's clock is ahead, if both directions are equally long."""
        return self.ahead_s + (self.there_s - self.back_s) / 2

    def facts(self, lost: int) -> list[Fact]:
        """The clocks, and what was lost between the captures."""
        gone = fact("between-captures", lost=lost, lost_acks=self.lost_acks, acks=self.acks)
        return [fact("clocks", offset=self.offset_s), gone]


def joined(found: Analysis, measured: Measured, other: Analysis) -> tuple[Measured, Ways]:
    """What the sender's capture shows (``found``, ``measured``), with what the receiver's (``other``) shows of the same connection.

    Raises:
        FitError: the second capture does not have the connection from its beginning; or they are not of its two ends.
    """
    row = measured.row
    theirs = next((one for one in other.rows() if (one["from"], one["to"]) == (row["from"], row["to"])), None)
    if theirs is None:
        raise FitError(f"the second capture has no data from {row['from']} to {row['to']}")
    if not (row["handshake"] and theirs["handshake"]):
        raise FitError("both captures need the connection's handshake, to count its bytes alike")
    if row["vantage"] == "receiver" or theirs["vantage"] == "sender":
        raise FitError("the first capture has to be the sender's, the second the receiver's")
    far = measure(other, theirs)
    sent, acks, arrived, answers = (
        _packets(one, of, table) for one, of in ((found, row), (other, theirs)) for table in ("segments", "acks")
    )
    there, back = _least(sent, arrived, "seq_bytes", "payload_bytes"), _least(answers, acks, "ack_bytes", "acked_bytes")
    begun = [one.summary()["start_s"] for one in (found, other)]
    settled = _settled(answers, acks, back)
    ways = Ways(there, back, begun[1] - begun[0], max(settled - acks.height, 0), settled)
    if ways.rtt_s <= 0:
        raise FitError(
            "packets of the two captures that look alike are not the same ones: their times contradict each other"
        )
    values = dict(measured.values) | {name: far.values[name] for name in ("ACK policy", "segments an ACK", "ACK timer")}
    trip = ways.rtt_s
    values["round trip"] = Value("round trip", trip, "s", 0.98 * trip, trip, True, fact("how-both-ends"))
    if far.values["rate"].determined and not values["rate"].determined:
        values["rate"] = far.values["rate"]
    lost: Sequence[Sequence[int]] = measured.lost
    if not (row["offloaded"] or theirs["offloaded"]):
        lost = [_lost(sent, arrived, there)]
        values["loss"] = share(row, len(lost[0]), seen=True)
    return replace(measured, row={**row, **{name: theirs[name] for name in RECEIVER}}, values=values, lost=lost), ways


def _packets(found: Analysis, row: Row, table: str) -> pl.DataFrame:
    frame = of_direction(getattr(found, table), row)
    return frame if table == "segments" else frame.filter(pl.col("kind").cast(pl.String) != "probe")


def _least(left: pl.DataFrame, came: pl.DataFrame, *same: str) -> float:
    """Least time of packets that are once in both tables, by what is the ``same``.

    Raises:
        FitError: there are too few.
    """
    once = [
        frame.filter(pl.struct(same).is_unique()).select(*same, pl.col("time_s").alias(name))
        for frame, name in ((left, "left"), (came, "came"))
    ]
    both = once[0].join(once[1], on=list(same))
    if both.height < MIN_PACKETS:
        raise FitError(
            f"only {counted(both.height, 'packet')} of a direction in both captures (at least {MIN_PACKETS})"
        )
    return float((both["came"] - both["left"]).min())  # type: ignore[arg-type]


def _settled(answers: pl.DataFrame, acks: pl.DataFrame, least_s: float) -> int:
    """ACKs that had left when the last that arrived did; all of them if that one cannot be found."""
    last = acks.sort("time_s").row(-1, named=True)
    left = answers.sort("time_s")["ack_bytes", "time_s"].rows()
    same = [
        number
        for number, (ack, at) in enumerate(left, 1)
        if ack == last["ack_bytes"] and at + least_s - TICK_S <= last["time_s"]
    ]
    return same[-1] if same else len(left)


def _lost(sent: pl.DataFrame, arrived: pl.DataFrame, least_s: float) -> list[int]:
    """Numbers of the packets with payload that did not arrive, from 0 in the order in which they left, up to the last that did.

    A packet that was sent several times arrived as often as the receiver has it: each arrival is of the last one that could have come by then.
    """
    came: dict[tuple[int, int], list[float]] = defaultdict(list)
    for seq, payload, time in _rows(arrived):
        came[seq, payload].append(time)
    left: dict[tuple[int, int], list[tuple[float, int]]] = defaultdict(list)
    for number, (seq, payload, time) in enumerate(_rows(sent)):
        left[seq, payload].append((time, number))
    found, last = list[int](), -1
    for packet, several in left.items():
        missing: Mapping[int, float] = {number: time for time, number in several}
        for time in came.get(packet, []):
            could = [number for number, sent_at in missing.items() if sent_at + least_s - TICK_S <= time]
            if could:
                missing = {number: at for number, at in missing.items() if number != could[-1]}
                last = max(last, could[-1])
        found += missing
    return sorted(number for number in found if number < last)


def _rows(frame: pl.DataFrame) -> Any:
    data = frame.filter(pl.col("payload_bytes") > 0, pl.col("kind").cast(pl.String) != "keep-alive")
    return data.select("seq_bytes", "payload_bytes", "time_s").iter_rows()
