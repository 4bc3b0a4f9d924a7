"""Packets of a script as bytes of IP and TCP, and back (RFC 791, 792, 8200, 4443, 9293, 7323, 2018, 3168, 7413, 9768)."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from .script import Option, Packet

#: Bits of the flags in the header.
FLAGS = {"F": 1, "S": 2, "R": 4, "P": 8, ".": 16, "U": 32, "E": 64, "W": 128, "A": 256}
ECN = ("noecn", "ect1", "ect0", "ce")
#: Options by kind: name, and the number of bytes of each value.
KINDS: dict[int, tuple[str, tuple[int, ...]]] = {
    2: ("mss", (2,)),
    3: ("wscale", (1,)),
    4: ("sackOK", ()),
    8: ("TS", (4, 4)),
}
_CODES = {name: kind for kind, (name, _) in KINDS.items()}
#: Options of bytes, and of counts of three bytes each (RFC 7413, 2385; RFC 9768, section 3.2.3).
_BYTES, _COUNTS = {34: "FO", 19: "md5"}, {172: "ECN0", 174: "ECN1"}
#: Fast Open's option before it had a number of its own (RFC 7413, appendix A).
_EXPERIMENT, _FAST_OPEN = 254, b"\xf9\x89"


@dataclass(frozen=True)
class Numbers:
    """What turns a script's numbers into those of a connection: addresses (both of 4 bytes or of 16), ports, initial sequence numbers."""

    local: tuple[bytes, int]
    remote: tuple[bytes, int]
    local_start: int = 0
    remote_start: int = 0


def checksum(data: bytes) -> int:
    """The Internet checksum (RFC 1071)."""
    total = sum(struct.unpack(f"!{(len(data) + 1) // 2}H", data + b"\0" * (len(data) % 2)))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return int(total ^ 0xFFFF)


def _option(option: Option, shift: int) -> bytes:
    if option.name in ("eol", "nop"):
        return b"\0" if option.name == "eol" else b"\1"
    if option.name == "sack":
        edges = [(edge + shift) % 2**32 for edge in option.values]
        return struct.pack(f"!BB{len(edges)}I", 5, 2 + 4 * len(edges), *edges)
    if option.name == "FOEXP":
        return bytes([_EXPERIMENT, 4 + len(option.values)]) + _FAST_OPEN + bytes(option.values)
    for kinds, size in ((_BYTES, 1), (_COUNTS, 3)):
        for kind in (kind for kind, name in kinds.items() if name == option.name):
            return bytes([kind, 2 + size * len(option.values)]) + b"".join(
                value.to_bytes(size, "big") for value in option.values
            )
    kind = _CODES[option.name]
    values = b"".join(value.to_bytes(size, "big") for value, size in zip(option.values, KINDS[kind][1], strict=True))
    return bytes([kind, 2 + len(values)]) + values


def _datagram(numbers: Numbers, protocol: int, body: bytes, tos: int = 0, *, ours: bool = False) -> bytes:
    addresses = numbers.local[0] + numbers.remote[0] if ours else numbers.remote[0] + numbers.local[0]
    if len(addresses) == 32:
        return struct.pack("!IHBB", 6 << 28 | tos << 20, len(body), protocol, 255) + addresses + body
    head = struct.pack("!BBHHHBBH", 0x45, tos, 20 + len(body), 0, 0, 255, protocol, 0) + addresses
    return head[:10] + struct.pack("!H", checksum(head)) + head[12:] + body


def _summed(numbers: Numbers, protocol: int, body: bytes, at: int) -> bytes:
    """A body to the host with its checksum, and the pseudo header's, at this place (RFC 9293 section 3.1; RFC 8200 section 8.1)."""
    addresses = numbers.remote[0] + numbers.local[0]
    pseudo = addresses + (
        struct.pack("!xBH", protocol, len(body)) if len(addresses) == 8 else struct.pack("!I3xB", len(body), protocol)
    )
    return body[:at] + struct.pack("!H", checksum(pseudo + body)) + body[at + 2 :]


def _unreachable(packet: Packet, numbers: Numbers) -> bytes:
    """An ICMP message about the segment: its header of IP and the first 8 bytes after it (RFC 792; of IPv6 RFC 4443 section 3.2)."""
    assert packet.icmp
    code, mtu = packet.icmp
    seq = (packet.seq + numbers.local_start) % 2**32
    about = _datagram(numbers, 6, struct.pack("!HHI", numbers.local[1], numbers.remote[1], seq), ours=True)
    if len(numbers.local[0]) == 16:
        return _datagram(numbers, 58, _summed(numbers, 58, struct.pack("!BBHI", 2, 0, 0, mtu) + about, 2))
    body = struct.pack("!BBHHH", 3, code, 0, 0, mtu) + about
    return _datagram(numbers, 1, body[:2] + struct.pack("!H", checksum(body)) + body[4:])


def encoded(packet: Packet, numbers: Numbers) -> bytes:
    """An arriving packet; its payload is zeros. Options are filled up to a multiple of four bytes."""
    if packet.icmp:
        return _unreachable(packet, numbers)
    options = b"".join(_option(option, numbers.local_start) for option in packet.options or ())
    options += b"\0" * (-len(options) % 4)
    if len(options) > 40:
        raise ValueError("TCP options take more than 40 bytes")
    shift = 0 if "S" in packet.flags else numbers.remote_start
    seq, ack = (packet.seq + shift) % 2**32, (packet.ack + numbers.local_start) % 2**32 if "." in packet.flags else 0
    flags = sum(FLAGS[flag] for flag in packet.flags)
    head = struct.pack(
        "!HHIIBBHHH", numbers.remote[1], numbers.local[1], seq, ack, (5 + len(options) // 4) << 4 | flags >> 8, flags & 255, packet.window or 0,
        0, packet.urgent,
    )  # fmt: skip
    segment = _summed(numbers, 6, head + options + bytes(packet.length), 16)
    tos = ECN.index(packet.ecn) if packet.ecn in ECN else 0
    return _datagram(numbers, 6, segment, tos)


def ports(data: bytes) -> tuple[int, int] | None:
    """Source and destination port, if this is TCP."""
    if len(data) < 40 or data[{4: 9, 6: 6}.get(data[0] >> 4, 0)] != 6 or len(data) < start(data) + 20:
        return None
    source, destination = struct.unpack_from("!HH", data, start(data))
    return source, destination


def start(data: bytes) -> int:
    """Where TCP's header begins in a packet."""
    return 40 if data[0] >> 4 == 6 else (data[0] & 15) * 4


def first_number(data: bytes) -> int:
    """The sequence number as it is on the wire."""
    (seq,) = struct.unpack_from("!I", data, start(data) + 4)
    return int(seq)


def decoded(data: bytes, numbers: Numbers) -> Packet:
    """A packet that left, in the script's numbers; `ports` found it to be TCP."""
    later = data[0] >> 4 == 6
    (total,) = struct.unpack_from("!H", data, 4 if later else 2)
    segment = data[start(data) : total + 40 * later]
    _, _, seq, ack, offset, bits, window, _, urgent = struct.unpack_from("!HHIIBBHHH", segment)
    header = (offset >> 4) * 4
    bits |= (offset & 1) << 8
    flags = frozenset(flag for flag, bit in FLAGS.items() if bits & bit)
    return Packet(
        inbound=False,
        flags=flags,
        seq=(seq - numbers.local_start) % 2**32,
        length=len(segment) - header,
        ack=(ack - numbers.remote_start) % 2**32 if "." in flags else 0,
        window=window,
        urgent=urgent,
        options=tuple(_options(segment[20:header], numbers.remote_start)),
        ecn=ECN[data[1] >> 4 & 3 if later else data[1] & 3],
    )


def _options(data: bytes, shift: int) -> list[Option]:
    found: list[Option] = []
    while data:
        kind = data[0]
        if kind < 2:
            found.append(Option(("eol", "nop")[kind]))
            data = data[1:]
            continue
        size = data[1] if len(data) > 1 and data[1] >= 2 else len(data)
        body, data = data[2:size], data[size:]
        if kind == 5 and len(body) % 8 == 0:
            edges = struct.unpack(f"!{len(body) // 4}I", body)
            found.append(Option("sack", tuple((edge - shift) % 2**32 for edge in edges)))
        elif kind in _BYTES:
            found.append(Option(_BYTES[kind], tuple(body)))
        elif kind in _COUNTS and len(body) % 3 == 0:
            found.append(
                Option(_COUNTS[kind], tuple(int.from_bytes(body[at : at + 3], "big") for at in range(0, len(body), 3)))
            )
        elif kind == _EXPERIMENT and body[:2] == _FAST_OPEN:
            found.append(Option("FOEXP", tuple(body[2:])))
        elif kind in KINDS and len(body) == sum(KINDS[kind][1]):
            name, sizes = KINDS[kind]
            starts = [sum(sizes[:index]) for index in range(len(sizes))]
            values = [int.from_bytes(body[at : at + n], "big") for at, n in zip(starts, sizes, strict=True)]
            found.append(Option(name, tuple(values)))
        else:
            found.append(Option(f"kind{kind}", tuple(body)))
    return found
