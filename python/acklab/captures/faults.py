"""Faults of RFC 2525 that a capture shows.

Each check asks where the capture was taken. Near the receiver, a sender's answers to ACKs are mixed with what the path does. Near the sender, ACKs
may have been lost or merged on their way. Where a fault cannot be seen, nothing is said. Sections without a check are on
``docs/papers/rfc2525.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain, groupby, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from ..text.templates import Fact, fact, fact_of

if TYPE_CHECKING:
    from . import Analysis

AT_SENDER, AT_RECEIVER = ("sender", "both"), ("receiver", "both")
INITIAL_WINDOW = 10
"""Segments that may leave before the first ACK of data (RFC 6928)."""
INITIAL_RTO_S = 0.9
"""A SYN that is sent again sooner has an initial RTO below 1 s (RFC 6298 section 2), with a tenth for coarse clocks."""
BACKED_OFF, EQUAL_WAITS, SHORTEST_WAIT_S, LONGEST_WAIT_S = 1.3, 3, 0.15, 55.0
"""Waits of a segment's retransmissions that grow by less, so many in a row, do not back off. Shorter ones may be another timer's; longer ones
may have met the largest RTO."""
AFTER_TIMEOUT, LEAST_BURST = 2, 4
"""Segments that an ACK may release after a timeout, beside two for each that it covers; and bursts that are too small to judge."""
LEAST_FLIGHT = 16
"""Segments in flight before a recovery, below which a window may grow again as much in a round trip."""
UNDEFLATED = 0.95
"""Share of the flight before a recovery that a flight after it reaches only where the window did not shrink (CUBIC keeps 0.7)."""
STRETCHED, LEAST_ACKS = 0.5, 20
"""Share of ACKs for more than two segments; and ACKs, at least."""


@dataclass(frozen=True)
class Fault:
    """One that a direction of a connection shows."""

    connection: int
    direction: int
    section: str
    """Of RFC 2525; two where the capture cannot distinguish them."""
    name: str
    time_s: float | None
    """When it was seen first; None for what the whole direction shows."""
    evidence: Mapping[str, Any]
    """Numbers that show it."""

    def fact(self) -> Fact:
        """As a fact."""
        when = "" if self.time_s is None else f"at {self.time_s:.3f} s"
        shown = fact_of(f"fault-{self.name}", self.evidence)
        return fact("fault", section=self.section, name=self.name, when=when, shown=shown)


class Event(NamedTuple):
    """A segment or an ACK of a direction; ``kind`` as in the tables."""

    time_s: float
    ack: bool
    kind: str
    start: int
    end: int
    """An ACK's number, or one past the segment."""
    flight: int
    segments: int
    """That an ACK covers for the first time."""
    sack: int


Found = tuple[str, str, float | None, dict[str, Any]]
Check = Callable[[dict[str, Any], Sequence[Event]], Found | None]


def faults(found: Analysis) -> list[Fault]:
    """What each direction shows; without the packets' rows only what its counts show."""
    rows = {(row["connection"], row["direction"]): row for row in found.connections.to_polars().iter_rows(named=True)}
    # A direction's events are forgotten before those of the next one come.
    told = {key: _told((*COUNTS, *PACKETS), rows[key], list(events)) for key, events in _events(found)}
    said = {key: told[key] if key in told else _told(COUNTS, row, []) for key, row in rows.items()}
    return [
        Fault(*key, section, name, at, evidence)
        for key, several in said.items()
        for section, name, at, evidence in several
    ]


def _told(checks: Sequence[Check], row: dict[str, Any], events: Sequence[Event]) -> list[Found]:
    return [one for check in checks if (one := check(row, events)) is not None]


def as_rows(several: Sequence[Fault]) -> list[dict[str, Any]]:
    """Faults as plain values."""
    return [asdict(fault) for fault in several]


def _events(found: Analysis) -> Iterator[tuple[tuple[int, int], Iterator[Event]]]:
    """The events of each direction in their order; none where the packets' rows were not kept."""
    import polars as pl

    try:
        segments, acks = found.segments.to_polars(), found.acks.to_polars()
    except AttributeError:
        return
    key = ["connection", "direction"]
    number, kind, none = pl.col("ack_bytes").cast(pl.Int64), pl.col("kind").cast(pl.String), pl.lit(0, pl.Int64)
    # A SYN, a FIN and a keep-alive carry nothing.
    start, carried = (
        pl.col("seq_bytes").cast(pl.Int64),
        pl.max_horizontal(pl.col("payload_bytes").cast(pl.Int64), kind != "keep-alive"),
    )
    sent = [
        pl.lit(False),
        kind,
        start.alias("start"),
        (start + carried).alias("end"),
        "flight_bytes",
        none.alias("covers"),
        none.alias("blocks"),
    ]
    came = [
        pl.lit(True),
        kind,
        number.alias("start"),
        number.alias("end"),
        "flight_bytes",
        "acked_segments",
        "sack_blocks",
    ]
    # At the same time: near the receiver a segment causes the ACK, elsewhere an ACK releases the segment.
    causes = found.connections.to_polars().select(*key, causes=pl.col("vantage") == "receiver")
    events = pl.concat(
        [
            segments.select(*key, "time_s", *sent),
            acks.select(*key, "time_s", *came).rename({"acked_segments": "covers", "sack_blocks": "blocks"}),
        ],
        how="vertical_relaxed",
    )
    later = (pl.col("literal") == pl.col("causes")).alias("later")
    events = (
        events.join(causes, on=key, how="inner", maintain_order="left")
        .with_columns(later)
        .sort(*key, "time_s", "later", maintain_order=True)
        .drop("causes", "later")
    )
    rows = chain.from_iterable(piece.iter_rows() for piece in events.iter_slices(1 << 16))
    for (connection, direction), several in groupby(rows, key=lambda row: row[:2]):
        yield (connection, direction), (Event._make(row[2:]) for row in several)


def _first_flight(row: dict[str, Any], events: Sequence[Event]) -> Found | None:
    if row["vantage"] not in AT_SENDER or not row["handshake"] or not row["segment_bytes"]:
        return None
    most, first, at = 0, None, 0.0
    for event in events:
        if not event.ack and event.start > 0:
            first = event.time_s if first is None else first
            # After a round trip without an ACK a probe may go (RFC 8985).
            if event.time_s - first > (row["rtt_min_s"] or 0.0):
                break
            if event.end - 1 > most:
                most, at = event.end - 1, event.time_s
        elif event.ack and first is not None:
            break
    segments = most / row["segment_bytes"]
    # The first may be larger than the usual one, by its options.
    if segments < INITIAL_WINDOW + 1:
        return None
    return (
        "2.1 or 2.3",
        "no initial slow start",
        at,
        {"segments": round(segments), "allowed": INITIAL_WINDOW},
    )


def _initial_rto(row: dict[str, Any], events: Sequence[Event]) -> Found | None:
    if row["vantage"] not in AT_SENDER:
        return None
    syns = [event for event in events if not event.ack and event.start == 0]
    for before, after in pairwise(syns):
        wait = after.time_s - before.time_s
        if wait < INITIAL_RTO_S:
            return (
                "2.7",
                "initial RTO too low",
                after.time_s,
                {"wait_s": wait},
            )
    return None


def _backoff(row: dict[str, Any], events: Sequence[Event]) -> Found | None:
    if row["vantage"] == "unknown":
        return None
    times: dict[int, list[float]] = {}
    for event in events:
        if event.ack and event.kind == "new":
            times.clear()
        elif event.ack and event.kind == "duplicate":
            # Duplicate ACKs cause retransmissions, too.
            times.clear()
        elif not event.ack and event.start > 0 and event.kind != "keep-alive":
            sent = times.setdefault(event.start, [])
            sent.append(event.time_s)
            waits = [after - before for before, after in pairwise(sent[max(1, len(sent) - EQUAL_WAITS - 1) :])]
            steady = all(after < BACKED_OFF * before for before, after in pairwise(waits))
            within = all(SHORTEST_WAIT_S <= wait <= LONGEST_WAIT_S for wait in waits)
            if len(waits) == EQUAL_WAITS and steady and within:
                return (
                    "2.10",
                    "the retransmission timer does not back off",
                    event.time_s,
                    {"shortest_s": min(waits), "longest_s": max(waits)},
                )
    return None


def _bursts(events: Sequence[Event], at: int) -> Iterator[Event]:
    """The segments between the ACK at that place and the next ACK."""
    for place in range(at + 1, len(events)):
        if events[place].ack:
            return
        yield events[place]


def _slow_start_after_timeout(row: dict[str, Any], events: Sequence[Event]) -> Found | None:
    if row["vantage"] not in AT_SENDER or not row["segment_bytes"]:
        return None
    una, duplicates, waited, last = 0, 0, None, 0.0
    trip = row["rtt_min_s"] or 0.0
    for place, event in enumerate(events):
        if not event.ack:
            # After a silence, and without duplicates, the first segment not acknowledged goes again.
            alone = duplicates < 3 and event.kind == "resent" and event.start <= max(una, 1) and event.start > 0
            if alone and event.time_s - last >= max(SHORTEST_WAIT_S, trip):
                waited = event
            last = event.time_s
        elif event.kind == "duplicate":
            duplicates, last = duplicates + 1, event.time_s
        elif event.kind == "new":
            # An ACK sooner than a round trip is one of the segment's first sending: the timeout was spurious, and may be undone.
            timely = waited is not None and event.time_s - waited.time_s >= 0.9 * trip
            burst = sum(1 for _ in _bursts(events, place)) if timely else 0
            if burst > max(AFTER_TIMEOUT + 2 * event.segments, LEAST_BURST):
                return (
                    "2.2",
                    "no slow start after a timeout",
                    event.time_s,
                    {"segments": burst},
                )
            una, duplicates, waited, last = event.start, 0, None, event.time_s
    return None


def _deflation(row: dict[str, Any], events: Sequence[Event]) -> Found | None:
    # Only recoveries of one loss, ended by the first ACK of new data, whose sender is told by duplicates alone. A reduction that DSACK or
    # timestamps show to be spurious is undone, and then nothing shrinks.
    if row["vantage"] not in AT_SENDER or row["sack_acks"] or row["dsack_acks"] or not row["segment_bytes"]:
        return None
    una, duplicates, highest = 0, 0, 0
    lost: Event | None = None
    flight, at = 0, 0
    for place, event in enumerate(events):
        if not event.ack:
            if event.kind == "resent":
                single = lost is None and duplicates >= 3 and event.start <= una
                lost, flight, at = (event, highest - una, highest) if single else (None, 0, 0)
            highest = max(highest, event.end)
        elif event.kind == "duplicate":
            duplicates += 1
        elif event.kind == "new":
            timely = lost is not None and event.time_s - lost.time_s >= 0.9 * (row["rtt_min_s"] or 0.0)
            if timely and event.start >= at:
                burst = list(_bursts(events, place))
                after = max((one.end for one in burst), default=0) - event.start
                large = flight >= LEAST_FLIGHT * row["segment_bytes"] and len(burst) > LEAST_BURST
                if large and after >= UNDEFLATED * flight:
                    evidence = {"segments": len(burst), "flight_bytes": after, "before_bytes": flight}
                    return "2.8", "the window is not deflated after a recovery", event.time_s, evidence
            una, duplicates, lost = event.start, 0, None
    return None


def _retention(row: dict[str, Any], events: Sequence[Event]) -> Found | None:
    if row["vantage"] not in AT_RECEIVER or row["sack_acks"] or not row["segment_bytes"]:
        return None
    above: list[Event] = []
    expected: int = 1
    fill: Event | None = None
    for event in events:
        if event.ack:
            if event.kind == "new":
                reach = event.start
                for one in sorted(above, key=lambda one: one.start):
                    reach = max(reach, one.end) if one.start <= reach else reach
                lacking = (reach - event.start) / row["segment_bytes"]
                if fill is not None and event.start == fill.end and lacking >= 3:
                    return "2.5", "data above a gap is not retained", event.time_s, {"segments": round(lacking)}
                expected, fill = event.start, None
                above = [one for one in above if one.end > expected]
        elif event.start > expected:
            above.append(event)
        elif event.start == expected and above:
            fill = event
    return None


def _stretch(row: dict[str, Any], _: Sequence[Event]) -> Found | None:
    # A host that merges segments acknowledges what it has merged, and then a capture inside it shows fewer and larger ones.
    if row["vantage"] not in AT_RECEIVER or row["offloaded"] or row["plain_acks"] < LEAST_ACKS:
        return None
    share = row["acks_of_more"] / row["plain_acks"]
    if share < STRETCHED or (row["ack_every"] or 0) < 3:
        return None
    return "2.13", "stretch ACKs", None, {"acks_of_more": row["acks_of_more"], "plain_acks": row["plain_acks"]}


def _options(row: dict[str, Any], events: Sequence[Event]) -> Found | None:
    if not row["mss"] or "timestamps" not in (row["options"] or "").split():
        return None
    # What a host has merged is larger than that.
    least = row["mss"] - 12
    sizes = [
        event.end - event.start for event in events if not event.ack and event.start > 0 and event.kind != "keep-alive"
    ]
    too_long = [size for size in sizes if least < size <= row["mss"]]
    if len(too_long) < max(3, len(sizes) / 2):
        return None
    evidence = {"largest_bytes": max(too_long), "allowed_bytes": least}
    return "2.18", "options are missing from the MSS calculation", None, evidence


COUNTS: tuple[Check, ...] = (_stretch,)
PACKETS: tuple[Check, ...] = (
    _first_flight,
    _initial_rto,
    _backoff,
    _slow_start_after_timeout,
    _deflation,
    _retention,
    _options,
)
