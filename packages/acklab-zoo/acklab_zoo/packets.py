"""What two captures of a download show: one at the server, one at the client. QUIC is encrypted, so only sizes, times and order count."""

from __future__ import annotations

import struct
from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

#: Payload bytes above which a packet of the server is data: shorter ones may be acknowledgments of its own.
LEAST_DATA = 100
_UDP, _TCP = 17, 6
_ECT = {1, 2}
_CE = 3


@dataclass(frozen=True)
class Packet:
    """One packet of a capture, over IPv4: its time, the address it comes from, the ECN field, and what UDP or TCP carries."""

    time_s: float
    source: int
    protocol: int
    ecn: int
    header: bytes
    payload: bytes


def read(path: Path) -> Iterator[Packet]:
    """The UDP and TCP packets over IPv4 of a capture that a run with programs has written, in order."""
    octets = path.read_bytes()
    if octets[:4] != b"\x4d\x3c\xb2\xa1" or octets[20:24] != b"\x65\0\0\0":
        raise ValueError(f"{path} is no capture of a run with programs")
    at = 24
    while at + 16 <= len(octets):
        seconds, nanoseconds, kept, _ = struct.unpack_from("<IIII", octets, at)
        packet = octets[at + 16 : at + 16 + kept]
        at += 16 + kept
        if kept < 20 or packet[0] >> 4 != 4 or packet[9] not in (_UDP, _TCP):
            continue
        rest = packet[4 * (packet[0] & 15) :]
        size = 8 if packet[9] == _UDP else 4 * (rest[12] >> 4)
        yield Packet(
            seconds + 1e-9 * nanoseconds,
            struct.unpack_from("!I", packet, 12)[0],
            packet[9],
            packet[1] & 3,
            rest[:size],
            rest[size:],
        )


@dataclass(frozen=True)
class Download:
    """What passed the client, without the handshake. Arrays of the same length belong together.

    Attributes:
        sent_s: departures of data packets at the server, in order.
        arrived_s: arrivals of data packets at the client; ``number`` their places among the departures, ``ce`` and ``ect`` their marks,
            ``bytes`` their payload.
        back_s: departures of the client's packets, the ACKs; ``back_bytes`` their size from the header of IP on.
    """

    sent_s: np.ndarray
    arrived_s: np.ndarray
    number: np.ndarray
    ce: np.ndarray
    ect: np.ndarray
    bytes: np.ndarray
    back_s: np.ndarray
    back_bytes: np.ndarray


def download(server: Path, client: Path) -> Download:
    """The data and the ACKs of one download.

    Data are the server's packets with more than :data:`LEAST_DATA` bytes, of QUIC those with a short header. ACKs are the client's
    packets after the first arrival of data and before the last one: of QUIC all with a short header, of TCP all without payload.
    """
    departures: dict[bytes, deque[int]] = defaultdict(deque)
    sent: list[float] = []
    for packet in read(server):
        if _port(packet, 0) == 443 and _is_data(packet):
            departures[_key(packet)].append(len(sent))
            sent.append(packet.time_s)
    arrived, back = [], []
    for packet in read(client):
        if _port(packet, 0) == 443:
            if _is_data(packet) and (waiting := departures[_key(packet)]):
                arrived.append(
                    (
                        packet.time_s,
                        waiting.popleft(),
                        packet.ecn == _CE,
                        packet.ecn in _ECT or packet.ecn == _CE,
                        len(packet.payload),
                    )
                )
        elif arrived and _is_ack(packet):
            back.append((packet.time_s, 20 + len(packet.header) + len(packet.payload)))
    times, numbers, ce, ect, octets = (
        np.array(column) for column in (zip(*arrived, strict=True) if arrived else ([],) * 5)
    )
    last = times[-1] if len(times) else 0.0
    kept = [row for row in back if row[0] <= last]
    backs, sizes = (np.array(column) for column in (zip(*kept, strict=True) if kept else ([],) * 2))
    return Download(np.array(sent), times, numbers, ce, ect, octets, backs, sizes)


def _port(packet: Packet, at: int) -> int:
    return int(struct.unpack_from("!H", packet.header, at)[0])


def _key(packet: Packet) -> bytes:
    """What makes a packet this one: its payload, which is encrypted, and of TCP the numbers before it."""
    return packet.payload if packet.protocol == _UDP else packet.header[4:8] + packet.header[20:] + packet.payload[:8]


def _is_data(packet: Packet) -> bool:
    if len(packet.payload) <= LEAST_DATA:
        return False
    return packet.protocol == _TCP or packet.payload[0] < 0x80


def _is_ack(packet: Packet) -> bool:
    if packet.protocol == _TCP:
        return not packet.payload and not packet.header[13] & 0x07  # no FIN, SYN or RST
    return bool(packet.payload) and packet.payload[0] < 0x80
