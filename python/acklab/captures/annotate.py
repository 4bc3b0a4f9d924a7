"""The same capture as pcapng, with a comment at each packet of which the analysis has one to say: a user stays in Wireshark."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

import polars as pl

from ..text.templates import Fact, fact, sentence
from .text import CAUSES, has_trips

if TYPE_CHECKING:
    from . import Analysis

#: Blocks and options of pcapng (draft-ietf-opsawg-pcapng).
SECTION, INTERFACE, OLD_PACKET, SIMPLE, PACKET = 0x0A0D0D0A, 1, 2, 3, 6
COMMENT, RESOLUTION = 1, 9
#: First bytes of a pcap file: byte order and digits of a second.
PCAP = {b"\xd4\xc3\xb2\xa1": ("<", 6), b"\xa1\xb2\xc3\xd4": (">", 6), b"\x4d\x3c\xb2\xa1": ("<", 9), b"\xa1\xb2\x3c\x4d": (">", 9)}  # fmt: skip
GZIP, MAX_BYTES = b"\x1f\x8b", 2 << 30
"""First bytes of a compressed file, and how much it may hold."""
#: Seconds from which a receiver's wait is told.
MIN_HELD = 1e-3

Comment = Callable[[int], bytes]
"""The options of a packet by its number: none, or a comment."""


class AnnotateError(ValueError):
    """A capture whose packets cannot have comments; the message says why."""


def annotated(content: bytes, found: Analysis) -> bytes:
    """A capture's content as pcapng, with what the analysis says of its packets as their comments.

    Raises:
        AnnotateError: it is neither pcap nor pcapng, as it is or compressed by gzip.
    """
    content = _unpacked(content) if content[:2] == GZIP else content
    notes = {number: " · ".join(map(sentence, told)) for number, told in comments(found).items()}

    def options(number: int, order: str = "<") -> bytes:
        return _option(COMMENT, notes[number].encode(), order) if number in notes else b""

    if content[:4] in PCAP:
        return b"".join(_of_pcap(content, options))
    if content[:4] == SECTION.to_bytes(4, "big"):
        return b"".join(_of_pcapng(content, options))
    raise AnnotateError("comments need a pcap or pcapng file, as it is or compressed by gzip")


def _unpacked(content: bytes) -> bytes:
    """What a gzip file holds, of one that breaks off as far as it goes."""
    plain = bytearray()
    while content[:2] == GZIP:
        member = zlib.decompressobj(16 + zlib.MAX_WBITS)
        try:
            plain += member.decompress(content, MAX_BYTES + 1 - len(plain))
        except zlib.error as error:
            raise AnnotateError(f"the compressed file is damaged: {error}") from None
        if len(plain) > MAX_BYTES:
            raise AnnotateError(f"more than {MAX_BYTES >> 30} GiB without compression")
        content = member.unused_data
    return bytes(plain)


def comments(found: Analysis) -> dict[int, list[Fact]]:
    """What is said of a packet, by its number in the file."""
    acks, segments = pl.DataFrame(found.acks), pl.DataFrame(found.segments)
    told: dict[int, list[Fact]] = {}
    for (connection, direction), spans in found.spans().items():
        for span in spans:
            if span["limit"] != "network":
                cause = CAUSES[span["limit"]][1]
                told.setdefault(span["first_frame"], []).append(fact("note-limit", cause=cause))
        mine = (pl.col("connection") == connection) & (pl.col("direction") == direction)
        row = next(row for row in found.rows() if (row["connection"], row["direction"]) == (connection, direction))
        for frame, one in _of_direction(row, acks.filter(mine), segments.filter(mine)):
            told.setdefault(frame, []).append(one)
    return told


def _of_direction(row: Mapping[str, object], acks: pl.DataFrame, segments: pl.DataFrame) -> Iterator[tuple[int, Fact]]:
    kind = pl.col("kind").cast(pl.String)
    if not has_trips(row):  # else a delay contains the path
        for frame, delay in acks.filter(pl.col("delay_s") >= MIN_HELD).select("frame", "delay_s").iter_rows():
            yield frame, fact("note-held", delay=delay)
    for (frame,) in acks.filter(kind == "duplicate").select("frame").iter_rows():
        yield frame, fact("note-duplicate")
    before = acks.select("frame", highest=pl.col("ack_bytes").cum_max()).sort("frame")
    again = segments.filter(kind.is_in(["resent", "late"])).sort("frame").join_asof(before, on="frame")
    for one in again.iter_rows(named=True):
        needless = one["highest"] is not None and one["seq_bytes"] + one["payload_bytes"] <= one["highest"]
        names = ("note-spurious", "note-resent")
        yield one["frame"], fact("note-late" if one["kind"] == "late" else names[0] if needless else names[1])


def _option(code: int, value: bytes, order: str = "<") -> bytes:
    return struct.pack(f"{order}HH", code, len(value)) + value + bytes(-len(value) % 4)


def _block(kind: int, body: bytes, order: str = "<") -> bytes:
    size = struct.pack(f"{order}I", len(body) + 12)
    return struct.pack(f"{order}I", kind) + size + body + size


def _of_pcap(content: bytes, options: Comment) -> Iterator[bytes]:
    order, digits = PCAP[content[:4]]
    snap, link = struct.unpack_from(f"{order}II", content, 16)
    yield _block(SECTION, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
    yield _block(
        INTERFACE, struct.pack("<HHI", link & 0xFFFF, 0, snap) + _option(RESOLUTION, bytes([digits])) + bytes(4)
    )
    at, number = 24, 0
    while at + 16 <= len(content):
        seconds, part, kept, size = struct.unpack_from(f"{order}IIII", content, at)
        number, at = number + 1, at + 16 + kept
        packet, time = content[at - kept : at], seconds * 10**digits + part
        if len(packet) < kept:  # the file breaks off
            return
        more = options(number)
        head = struct.pack("<IIIII", 0, time >> 32, time & 0xFFFFFFFF, kept, size)
        yield _block(PACKET, head + packet + bytes(-kept % 4) + (more + bytes(4) if more else b""))


def _of_pcapng(content: bytes, options: Callable[[int, str], bytes]) -> Iterator[bytes]:
    at, number, order = 0, 0, "<"
    while at + 12 <= len(content):
        if content[at : at + 4] == SECTION.to_bytes(4, "big"):
            order = "<" if content[at + 8 : at + 12] == b"\x4d\x3c\x2b\x1a" else ">"
        kind, size = struct.unpack_from(f"{order}II", content, at)
        if size < 12 or at + size > len(content):  # the file breaks off
            return
        body = content[at + 8 : at + size - 4]
        number += kind in (OLD_PACKET, SIMPLE, PACKET)
        more = options(number, order) if kind == PACKET else b""
        if more:
            (kept,) = struct.unpack_from(f"{order}I", body, 12)
            end = 20 + kept + -kept % 4
            body = body[:end] + more + (body[end:] or bytes(4))
        yield _block(kind, body, order)
        at += size
