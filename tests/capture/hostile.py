#!/usr/bin/env python3
"""Captures made to cost an analysis as much time or memory as a file of their size can.

hostile.py                       analyses the worst of each kind, and prints the rows of docs/reference/limits.md
hostile.py DIR [N [KIND ...]]    writes captures of N packets (or interfaces)
"""

from __future__ import annotations

import gzip
import os
import random
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

FIN, SYN, RST, ACK = 1, 2, 4, 16
A, B = bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2])


def tcp(
    seq: int,
    ack: int,
    flags: int = ACK,
    *,
    back: bool = False,
    port: int = 1000,
    payload: int = 0,
    options: bytes = b"",
) -> bytes:
    """An IPv4 packet up to the end of its TCP options; its payload is not kept."""
    head = 20 + len(options)
    ports = struct.pack(">HH", 80, port) if back else struct.pack(">HH", port, 80)
    ends = B + A if back else A + B
    ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + head + payload, 0, 0, 64, 6, 0) + ends
    numbers = struct.pack(">IIBBHHH", seq & 0xFFFFFFFF, ack & 0xFFFFFFFF, head << 2, flags, 65535, 0, 0)
    return ip + ports + numbers + options


def pcap(packets: Iterator[bytes]) -> bytes:
    """A file with a packet a microsecond, each as long as its IPv4 header says."""
    out = [struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, 101)]
    for number, packet in enumerate(packets):
        length = int.from_bytes(packet[2:4], "big")
        out.append(struct.pack("<IIII", 10 + number // 1_000_000, number % 1_000_000, len(packet), length) + packet)
    return b"".join(out)


def random_numbers(n: int) -> bytes:
    """One connection whose sequence and acknowledgment numbers are random."""
    draw = random.Random(1)
    return pcap(
        tcp(draw.getrandbits(32), draw.getrandbits(32), back=draw.random() < 0.3, payload=draw.randrange(1500))
        for _ in range(n)
    )


def never_acknowledged(n: int) -> bytes:
    """Every second segment of a flow without ACKs: each leaves a gap."""
    return pcap(tcp(2000 * k, 1, payload=1000) for k in range(n))


def backward(n: int) -> bytes:
    """Segments from the last to the first."""
    return pcap(tcp(1000 * (n - k), 1, payload=1000) for k in range(n))


def repeats(n: int) -> bytes:
    """Segments of one byte, each of which is then repeated by packets that cover all of them."""
    some = max(1, min(n // 2, 60_000))
    return pcap(
        tcp(1 + k, 1, payload=1) if k < some else tcp(1, 1, payload=min(some, 65_000) + k % 7) for k in range(n)
    )


def blocks(n: int) -> bytes:
    """ACKs with new timestamps and SACK blocks that no segment answers."""
    options = struct.pack(">BBBBII", 1, 1, 8, 10, 0, 0)
    sack = struct.pack(">BBBBIIII", 1, 1, 5, 18, 5000, 6000, 8000, 9000)
    return pcap(tcp(1, 1 + k, back=True, options=options[:4] + struct.pack(">II", k, 0) + sack) for k in range(n))


def connections(n: int) -> bytes:
    """Connections of one packet each."""
    return pcap(
        tcp(k, 0, SYN, port=k & 0xFFFF)[:12] + struct.pack(">I", 0x0A000000 + k) + tcp(k, 0, SYN, port=k & 0xFFFF)[16:]
        for k in range(n)
    )


def talking(n: int) -> bytes:
    """Connections of three packets each: a segment, its ACK, and another segment."""

    def packets() -> Iterator[bytes]:
        for k in range(n // 3):
            port, end = k & 0xFFFF, struct.pack(">I", 0x0A000000 + (k >> 16))
            for packet in (
                tcp(1, 1, port=port, payload=1000),
                tcp(1, 1001, back=True, port=port),
                tcp(1001, 1, port=port, payload=1000),
            ):
                back = packet[12:16] == B
                yield packet[:16] + end + packet[20:] if back else packet[:12] + end + packet[16:]

    return pcap(packets())


def fragments(n: int) -> bytes:
    """First parts of packets whose other parts never come."""
    whole = tcp(1, 1, payload=4)
    return pcap(
        whole[:2] + struct.pack(">HHH", 44, k & 0xFFFF, 0x2000 | 2 * (k % 5)) + whole[8:] + bytes(4) for k in range(n)
    )


def interfaces(n: int) -> bytes:
    """A pcapng file of interface descriptions with comments, a packet after each."""

    def block(kind: int, body: bytes) -> bytes:
        return struct.pack("<II", kind, len(body) + 12) + body + struct.pack("<I", len(body) + 12)

    section = block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
    packet = tcp(1, 1, payload=0)
    described = block(1, struct.pack("<HHI", 101, 0, 0) + struct.pack("<HH", 1, 200) + bytes(200))
    out = [section]
    for k in range(n):
        out.append(described)
        out.append(block(6, struct.pack("<IIIII", k, 0, k, len(packet), len(packet)) + packet))
    return b"".join(out)


def comments(n: int) -> bytes:
    """Sections of a pcapng file with a comment of 60 kB each; n counts packets of 60 bytes."""
    comment = struct.pack("<HH", 1, 60_000) + bytes(60_000)
    body = struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1) + comment
    block = struct.pack("<II", 0x0A0D0D0A, len(body) + 12) + body + struct.pack("<I", len(body) + 12)
    return block * max(1, n // 1000)


KINDS: dict[str, Callable[[int], bytes]] = {
    kind.__name__.replace("_", "-"): kind
    for kind in (
        *(random_numbers, never_acknowledged, backward, repeats, blocks),
        *(connections, talking, fragments, interfaces, comments),
    )
}


def measured(file: Path, *options: str) -> tuple[float, float, int]:
    """Seconds of processor time, largest resident MB and exit status of an analysis."""
    command = Path(sys.executable).with_name("acklab")
    with open(os.devnull, "wb") as nowhere:
        child = subprocess.Popen([command, "analyze", str(file), *options], stdout=nowhere, stderr=nowhere)
        _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, child.returncode


def write(folder: Path, n: int, *kinds: str) -> None:
    """Writes captures, in a process of its own: what a process has taken counts as its children's."""
    subprocess.run([sys.executable, __file__, str(folder), str(n), *kinds], check=True)


def bomb(file: Path, megabytes: int) -> None:
    """A capture that gzip made a thousandth as large: blocks that hold nothing."""
    nothing = struct.pack("<II", 0x0BAD, 1 << 20) + bytes((1 << 20) - 12) + struct.pack("<I", 1 << 20)
    with gzip.open(file, "wb", compresslevel=9) as out:
        out.write(interfaces(1))
        for _ in range(megabytes):
            out.write(nothing)


def main() -> None:
    """The two ways to call it."""
    if len(sys.argv) > 1:
        folder, n = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
        folder.mkdir(parents=True, exist_ok=True)
        for kind in sys.argv[3:] or KINDS:
            (folder / f"{kind}.cap").write_bytes(KINDS[kind](n))
        return
    print("| capture | size | processor time | most memory | with `--out` | most memory |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for kind, make in KINDS.items():
            write(folder, 1_000_000, kind)
            row(" ".join((make.__doc__ or "").rstrip(".").split()), folder / f"{kind}.cap", folder / "out")
        file = folder / "bomb.gz"
        bomb(file, 8192)
        row("8.6 GB of empty blocks, packed by gzip", file, folder / "out")


def row(about: str, file: Path, out: Path) -> None:
    """Measures one file, twice."""
    cells = [about, f"{file.stat().st_size / 1e6:.0f} MB"]
    for options in ([], ["--out", str(out)]):
        secs, megabytes, status = measured(file, *options)
        cells += [f"{secs:.1f} s" if status == 0 else f"exit {status}", f"{megabytes:.0f} MB"]
    file.unlink()
    print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
