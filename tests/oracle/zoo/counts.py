#!/usr/bin/env python3
"""QUIC's counts of marks by stacks that people use, against what the path marked (needs `make zoo` and `LINUX=7.3 make kernel`).

    counts.py [MEMBER ...]    quic-go and quinn, unless others are named

A download passes a path that marks packets: 24 of a list (`marks`), and a CoDel queue (`codel`). The client's own log (qlog) has each ACK frame that
it sends. Its counts of ECT(0), ECT(1) and CE must be those of the packets that had reached the client's host by then, in the capture there: no more,
and no fewer than what the frame acknowledges. This is what the simulator's receiver reports (`crates/tcp/src/receiver/accurate.rs`).
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from acklab import _core
from acklab.captures.qlog.reading import traces
from acklab.engines import programs
from acklab_zoo.members import MEMBERS
from acklab_zoo.paths import CLIENT, PATHS, SERVER

PORT = 443
FIELDS = {2: "ect0", 1: "ect1", 3: "ce"}


def arrived(capture: Path) -> list[tuple[float, int]]:
    """Time and IP's field of each packet from the server that may be marked or is, in a pcap at the client."""
    data, found, place = capture.read_bytes(), [], 24
    scale = {0xA1B2C3D4: 1e-6, 0xA1B23C4D: 1e-9}[int.from_bytes(data[:4], "little")]
    while place < len(data):
        seconds, part, kept = (int.from_bytes(data[place + at : place + at + 4], "little") for at in (0, 4, 8))
        packet, place = data[place + 16 : place + 16 + kept], place + 16 + kept
        header = 4 * (packet[0] & 15)
        if packet[9] == 17 and int.from_bytes(packet[header : header + 2], "big") == PORT and packet[1] & 3:
            found.append((seconds + part * scale, packet[1] & 3))
    return found


def frames(log: Path) -> Iterator[tuple[float, dict[str, Any]]]:
    """Time and content of each ACK frame of data packets that the log's endpoint sent."""
    for trace in traces(log, []):
        for event in trace.events:
            if event.name == "packet_sent" and event.data.get("header", {}).get("packet_type") == "1RTT":
                for frame in event.data.get("frames", []):
                    if frame.get("frame_type") == "ack":
                        yield event.time_s, frame


def judged(member: str, name: str) -> str:
    """A download's verdict in words."""
    one, path = MEMBERS[member], PATHS[name]
    tree = path.scenario(name, 1)
    with tempfile.TemporaryDirectory(prefix="acklab-") as place:
        client = f"env QLOGDIR=. {one.client().replace('{request}', path.request)}"
        tree["program"] = [{"at": SERVER, "run": one.server(), "ready": "listens"}, {"at": CLIENT, "run": client}]
        programs.run(
            _core.Programs(json.dumps(tree)),
            files=Path(place) / "nodes",
            captures=Path(place),
            versions={SERVER: "7.3", CLIENT: "7.3"},
        )
        came = arrived(Path(place) / f"{CLIENT}.pcap")
        # Of the client's side and of the server's, if both left one: the one that acknowledges the data.
        told = max((list(frames(log)) for log in Path(place).rglob("*.sqlog*")), key=len, default=[])
    counted = [{field: int(frame.get(field, 0)) for field in FIELDS.values()} for _, frame in told]
    if not counted:
        return f"{member} {name}: no log of ACK frames"
    # Packets of the handshake are counted apart (RFC 9000 section 13.4.1): so many of those that came, at the start.
    apart = len(came) - sum(counted[-1].values())
    fits = 0
    for counts in counted:
        parts = [[bits for _, bits in came[first : first + sum(counts.values())]] for first in range(apart + 1)]
        fits += any(all(counts[field] == part.count(value) for value, field in FIELDS.items()) for part in parts)
    total = {field: sum(bits == value for _, bits in came) for value, field in FIELDS.items()}
    return f"{member} {name}: {fits} of {len(counted)} ACK frames count what had come; the last one {counted[-1]} of {total}, {apart} of the handshake"


if __name__ == "__main__":
    for member in sys.argv[1:] or ("quic-go", "quinn"):
        for name in ("marks", "codel"):
            print(judged(member, name), flush=True)
