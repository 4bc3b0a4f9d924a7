"""Accurate ECN around two simulated endpoints (RFC 9768): the flags of SYNs and of what follows, and the option of three fields.

The endpoints count: the receiver what came marked, the sender what ACKs tell of it. Here those counters go into packets as Linux writes them,
and what a handshake says is told to the endpoints.
"""

from __future__ import annotations

from collections.abc import Sequence

from .parser import COUNTER
from .script import Option, Packet

#: IP's field by name, as its two bits.
FIELDS = {"noecn": 0, "ect1": 1, "ect0": 2, "ce": 3}
#: What a SYN's answer, and the ACK of that answer, say of how the packet before came (Tables 2 and 4).
HANDSHAKE = {"noecn": 0b010, "ect1": 0b011, "ect0": 0b100, "ce": 0b110}
#: Values of `tcp_ecn` with which Linux asks for accurate ECN, for RFC 3168, and accepts the former.
ASKS, ASKS_CLASSIC, ACCEPTS = ("3",), ("1", "4"), ("3", "4", "5")
#: Bytes of TCP's options, of the option without fields, of a field, and of a SACK option with so many blocks.
ROOM, BASE, FIELD = 40, 2, 3


def flags(number: int) -> frozenset[str]:
    """AE, CWR and ECE as a number from 0 to 7."""
    return frozenset(flag for flag, bit in COUNTER.items() if number & bit)


def number(packet: Packet) -> int:
    """The number that a packet's AE, CWR and ECE are."""
    return sum(bit for flag, bit in COUNTER.items() if flag in packet.flags)


def requested(packet: Packet) -> bool:
    """Whether a SYN asks for accurate ECN: with all three flags."""
    return number(packet) == 0b111


def counts(packet: Packet) -> tuple[int, int] | None:
    """The bytes that a packet's option says came as ECT(0), which this host sends, and marked."""
    for name, ect, ce in (("ECN0", 0, 1), ("ECN1", 2, 1)):
        values = packet.option(name)
        if values is not None and len(values) > max(ect, ce):
            return values[ect], values[ce]
    return None


def option(ceb: int, e0b: int, e1b: int, room: int, needed: int = 3) -> tuple[Option, ...]:
    """The option with as many fields as have room, but no fewer than ``needed``; Linux begins with ECT(1) (`tcp_options_fit_accecn`)."""
    for fields in range(3, needed - 1, -1):
        if room >= BASE + FIELD * fields:
            values = tuple(count % (1 << 24) for count in (e1b, ceb, e0b)[:fields])
            return (Option("ECN1", values), *([Option("nop")] if fields == 3 else []))
    return ()


class Accurate:
    """One end's side of a connection.

    Args:
        client: whether this end opened the connection.
        sending: `tcp_ecn_option`: 0 sends no option, 1 few, 2 and 3 one on each packet, once the peer has shown one.
    """

    def __init__(self, client: bool, sending: int) -> None:
        self.client, self.sending = client, sending
        #: Answers to SYNs sent so far, and the number that says how the SYN came.
        self.answers, self.answer = 0, 0
        #: How the answer to our SYN came, until the ACK of it has told.
        self.third: str | None = None
        #: The peer's ACK of our answer had no flags, or two SYNs differed: nothing may be marked.
        self.failed = False
        self.seen = self.opened = False
        #: Fields that have changed since the last option.
        self.changed = 0

    def on_syn_answer(self) -> tuple[frozenset[str], bool]:
        """Flags of this answer to a SYN, and whether it has the option: a repeated one has none, a third one no flags (section 3.1.4.2)."""
        self.answers += 1
        return (flags(self.answer) if self.answers <= 2 else frozenset()), self.answers == 1 and self.sending > 0

    def opens(self, packet: Packet) -> int | None:
        """The number of the first packet that comes back after our answer to a SYN, for the sender; none if it is not the first."""
        if self.client or self.opened:
            return None
        self.opened = True
        said = number(packet)
        if said == 0:
            self.failed = True
            return 0
        # Values without a meaning are legal there, and a packet with data has the counter (Table 4).
        return HANDSHAKE["noecn"] if packet.length or said in (1, 5, 7) else said

    def arrives(self, packet: Packet) -> None:
        """Notes what the packet's option and field say."""
        self.seen |= counts(packet) is not None
        if packet.length and packet.ecn in ("ect0", "ect1", "ce"):
            self.changed = max(self.changed, {"ect1": 1, "ce": 2, "ect0": 3}[packet.ecn])

    def leaves(
        self, counters: Sequence[int], stamps: int, blocks: int
    ) -> tuple[frozenset[str], tuple[Option, ...], int]:
        """Flags and option of the next packet, and how many of its SACK blocks stay.

        ``counters`` are the receiver's, ``stamps`` the bytes of timestamps. Of three blocks one gives way (`tcp_options_fit_accecn`).
        """
        packets, ceb, e0b, e1b = counters
        told = flags(packets)
        if self.third is not None:
            told, self.third = flags(HANDSHAKE[self.third]), None
        written: tuple[Option, ...] = ()
        if self.sending >= 2 and self.seen:
            for kept in (blocks, blocks - 1) if blocks > 2 else (blocks,):
                written = option(ceb, e0b, e1b, ROOM - stamps - (4 + 8 * kept if kept else 0), self.changed)
                if written:
                    blocks, self.changed = kept, 0
                    break
        return told, written, blocks
