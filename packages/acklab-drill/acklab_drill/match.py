"""Comparison of a packet that left with the one expected, as packetdrill's ``run_packet.c`` compares them."""

from __future__ import annotations

from dataclasses import replace

from .script import Option, Packet, When, seconds

#: What one script may expect as one packet and a host sends as several.
JOINED_FLAGS = frozenset(".UEW")


class Stamps:
    """Timestamps of packets that left: what the script calls them, and what they are."""

    def __init__(self) -> None:
        self._live: dict[int, int] = {}
        self._first: tuple[int, int] | None = None

    def learn(self, expected: Packet, actual: Packet) -> Packet:
        """Remembers what the script calls the packet's timestamp; the packet with its timestamp in the script's numbers."""
        script, live = expected.option("TS"), actual.option("TS")
        if script is None or live is None:
            return actual
        self._live[script[0]] = live[0]
        self._first = self._first or (script[0], live[0])
        shown = Option("TS", ((self._first[0] + live[0] - self._first[1]) % 2**32, live[1]))
        return replace(actual, options=tuple(shown if o.name == "TS" else o for o in actual.options or ()))

    def echo(self, packet: Packet, scaled: bool) -> Packet:
        """An arriving packet with the timestamp that it echoes.

        Raises:
            ValueError: no packet left with that timestamp.
        """
        values = packet.option("TS")
        if values is None or "." not in packet.flags:
            return packet
        value, echoed = values
        if echoed in self._live:
            live = self._live[echoed]
        elif scaled and self._first:
            live = (echoed - self._first[0] + self._first[1]) % 2**32
        else:
            raise ValueError(f"TS ecr {echoed}: no packet that left before had this timestamp")
        return replace(
            packet, options=tuple(Option("TS", (value, live)) if o.name == "TS" else o for o in packet.options or ())
        )


def joins(expected: Packet, so_far: Packet, more: Packet) -> bool:
    """True if `more` continues `so_far` towards one large expected packet (segmentation by the host)."""
    return (
        so_far.length < expected.length
        and not so_far.flags & set("SFR")
        and so_far.flags & JOINED_FLAGS == more.flags & JOINED_FLAGS
        and more.seq == so_far.seq + so_far.length
        and more.ack == so_far.ack
    )


def joined(so_far: Packet, more: Packet) -> Packet:
    """Both as one packet, with the flags of the last: PSH within a burst is the host's (segmentation offload)."""
    return replace(so_far, flags=more.flags, length=so_far.length + more.length)


def difference(expected: Packet, actual: Packet, stamp_ticks: float) -> str | None:
    """In what the packet differs from the expected one; `actual` is in the script's numbers.

    Args:
        stamp_ticks: timestamps may differ by so many ticks; below 0 they are not compared.
    """
    for what, wanted, got in (
        ("flags", _flags(expected), _flags(actual)),
        ("sequence number", expected.seq, actual.seq),
        ("length", expected.length, actual.length),
        ("acknowledgment number", expected.ack, actual.ack),
        ("window", expected.window, actual.window if expected.window is not None else None),
        ("urgent pointer", expected.urgent, actual.urgent),
    ):
        if wanted != got:
            return f"{what}: {wanted} expected, {got} sent"
    if expected.ecn and actual.ecn != expected.ecn and not (expected.ecn == "ect01" and actual.ecn in ("ect0", "ect1")):
        return f"ECN field: {expected.ecn} expected, {actual.ecn} sent"
    if expected.options is None:
        return None
    wanted_options, got_options = expected.options, actual.options or ()
    if [o.name for o in wanted_options] != [o.name for o in got_options]:
        return f"options: {_names(wanted_options)} expected, {_names(got_options)} sent"
    for mine, theirs in zip(wanted_options, got_options, strict=True):
        if mine.name == "TS":
            if 0 <= stamp_ticks < abs(mine.values[0] - theirs.values[0]):
                return f"timestamp: {mine.values[0]} expected, {theirs.values[0]} sent"
        elif mine != theirs:
            return f"option: {mine} expected, {theirs} sent"
    return None


def _flags(packet: Packet) -> str:
    return "".join(sorted(packet.flags)) or "none"


def _names(options: tuple[Option, ...]) -> str:
    return ",".join(option.name for option in options) or "none"


def lateness(when: When, base: int, at: int, tolerance: float) -> str | None:
    """What is wrong with an event's time, if anything. All in microseconds; `base` is what relative times count from."""
    if when.any:
        return None
    first = when.start + (base if when.relative else 0)
    last = first if when.end is None else when.end + (base if when.relative else 0)
    if first - tolerance <= at <= last + tolerance:
        return None
    due = seconds(first) if when.end is None else f"{seconds(first)}~{seconds(last)}"
    return f"time: {due} expected, {seconds(at)} happened (tolerance {seconds(round(tolerance))})"
