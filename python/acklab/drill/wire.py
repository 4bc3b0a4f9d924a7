"""Packets of a script as bytes of IPv4 and TCP, and back (RFC 791, 9293, 7323, 2018, 3168)."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from .script import Option, Packet

#: Bits of the flags in the header.
FLAGS = {"F": 1, "S": 2, "R": 4, "P": 8, ".": 16, "U": 32, "E": 64, "W": 128}
ECN = ("noecn", "ect1", "ect0", "ce")
#: Options by kind: name, and the number of bytes of each value.
KINDS: dict[int, tuple[str, tuple[int, ...]]] = {2: ("mss", (2,)), 3: ("wscale", (1,)), 4: ("sackOK", ()), 8: ("TS", (4, 4))}
_CODES = {name: kind for kind, (name, _) in KINDS.items()}


@dataclass(frozen=True)
class Numbers:
    """What turns a script's numbers into those of a connection: ports, and both sides' initial sequence numbers."""

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
    kind = _CODES[option.name]
    values = b"".join(
        value.to_bytes(size, "big") for value, size in zip(option.values, KINDS[kind][1], strict=True)
    )
    return bytes([kind, 2 + len(values)]) + values


def encoded(packet: Packet, numbers: Numbers) -> bytes:
    """An arriving packet; its payload is zeros. Options are filled up to a multiple of four bytes."""
    options = b"".join(_option(option, numbers.local_start) for option in packet.options or ())
    options += b"\0" * (-len(options) % 4)
    if len(options) > 40:
        raise ValueError("TCP options take more than 40 bytes")
    shift = 0 if "S" in packet.flags else numbers.remote_start
    seq, ack = (packet.seq + shift) % 2**32, (packet.ack + numbers.local_start) % 2**32 if "." in packet.flags else 0
    flags = sum(FLAGS[flag] for flag in packet.flags)
    head = struct.pack(
        "!HHIIBBHHH", numbers.remote[1], numbers.local[1], seq, ack, (5 + len(options) // 4) << 4, flags, packet.window or 0,
        0, packet.urgent,
    )  # fmt: skip
    segment = head + options + bytes(packet.length)
    addresses = numbers.remote[0] + numbers.local[0]
    check = checksum(addresses + struct.pack("!BBH", 0, 6, len(segment)) + segment)
    segment = segment[:16] + struct.pack("!H", check) + segment[18:]
    tos = ECN.index(packet.ecn) if packet.ecn in ECN else 0
    ip = struct.pack("!BBHHHBBH", 0x45, tos, 20 + len(segment), 0, 0, 255, 6, 0) + addresses
    return ip[:10] + struct.pack("!H", checksum(ip)) + ip[12:] + segment


def ports(data: bytes) -> tuple[int, int] | None:
    """Source and destination port, if this is TCP over IPv4."""
    if len(data) < 40 or data[0] >> 4 != 4 or data[9] != 6:
        return None
    source, destination = struct.unpack_from("!HH", data, (data[0] & 15) * 4)
    return source, destination


def first_number(data: bytes) -> int:
    """The sequence number as it is on the wire."""
    (seq,) = struct.unpack_from("!I", data, (data[0] & 15) * 4 + 4)
    return int(seq)


def decoded(data: bytes, numbers: Numbers) -> Packet:
    """A packet that left, in the script's numbers; `ports` found it to be TCP."""
    (total,) = struct.unpack_from("!H", data, 2)
    segment = data[(data[0] & 15) * 4 : total]
    _, _, seq, ack, offset, bits, window, _, urgent = struct.unpack_from("!HHIIBBHHH", segment)
    header = (offset >> 4) * 4
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
        ecn=ECN[data[1] & 3],
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
        elif kind in KINDS and len(body) == sum(KINDS[kind][1]):
            name, sizes = KINDS[kind]
            starts = [sum(sizes[:index]) for index in range(len(sizes))]
            values = [int.from_bytes(body[at : at + n], "big") for at, n in zip(starts, sizes, strict=True)]
            found.append(Option(name, tuple(values)))
        else:
            found.append(Option(f"kind{kind}", tuple(body)))
    return found
