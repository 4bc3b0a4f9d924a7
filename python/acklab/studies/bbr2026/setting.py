"""The paths, what happens to ACKs, and every parameter with its reason."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from ...reproduce.paper import Parameter

Table = dict[str, Any]

DELAYED: Table = {"policy": "delayed", "segments": 2, "timer": "40ms"}


@dataclass(frozen=True)
class Acks:
    """What happens to ACKs."""

    name: str
    ack: Table = field(default_factory=lambda: DELAYED)
    back: Table = field(default_factory=dict)
    """Keys of the ACKs' link."""


def _thin(every: int) -> Acks:
    return Acks(f"1 of {every}", back={"stages": [{"kind": "thin", "every": every, "hold": "10ms"}]})


def _lost(share: float) -> Acks:
    return Acks(f"{100 * share:g} % lost", back={"loss": {"rate": share, "only": "acks"}})


ACKS = {
    "every": Acks("each segment", ack={"policy": "every"}),
    "delayed": Acks("delayed"),
    "thin4": _thin(4),
    "thin16": _thin(16),
    "lost10": _lost(0.1),
    "lost50": _lost(0.5),
    "stretch40": Acks("1 for 40 segments", ack={**DELAYED, "segments": 40}),
    "every40ms": Acks("one in 40 ms", ack={"policy": "periodic", "interval": "40ms"}),
    "slow": Acks("0.3 Mb/s up", back={"rate": "300kbps", "queue": {"kind": "drop-tail", "packets": 50}}),
    "cake": Acks("0.3 Mb/s up, CAKE's filter", back={"rate": "300kbps", "queue": {"kind": "cake", "ack_filter": "on"}}),
}
"""What happens to ACKs, by short names."""

CONTROLS = {"bbr": "BBR version 1", "bbr3": "BBR version 3"}
RTTS = {"10ms": "5ms", "40ms": "20ms", "160ms": "80ms"}
"""Round trips and delays of one way."""
RATE = 50.0
"""Of the link, in Mb/s."""
PAYLOAD = 1448 / 1500
"""Share of the link's bytes that is payload."""
INSTANTS = tuple(4 + 0.5 * n for n in range(12))
"""Seconds at which the estimate is read: after start-up, until the end."""
END = INSTANTS[-1] + 0.5


def scenario(links: list[Table], flows: list[Table], seed: int, end: float, expect: list[Table] | None = None) -> str:
    """A run's text."""
    return json.dumps({"seed": seed, "stop": {"at": f"{end}s"}, "link": links, "flow": flows, "expect": expect or []})


def flow(name: str, control: str, ack: Table, sender: Table | None = None, **more: Any) -> Table:
    """An endless download."""
    sender = {"stack": "linux", "control": control, **(sender or {})}
    return {
        "name": name,
        "from": "S",
        "to": "R",
        "size": "unlimited",
        "sender": sender,
        "receiver": {"stack": "linux", "ack": ack},
        **more,
    }


def bdp_packets(rate: float, rtt_s: float) -> int:
    """Packets of 1,500 bytes that fill a path of ``rate`` Mb/s."""
    return max(1, round(1e6 * rate * rtt_s / 12_000))


PARAMETERS = (
    Parameter(
        "link",
        "50 Mb/s, round trips of 10, 40 and 160 ms, a buffer of two products of rate and round trip",
        "inferred",
        "an access link, near and far",
    ),
    Parameter(
        "ACKs",
        "each segment, delayed, thinned, lost, 1 for 40, one in 40 ms, a slow uplink",
        "inferred",
        "what receivers, middleboxes and links do",
    ),
    Parameter(
        "handshake", "none in the first part", "inferred", "a lost answer to the SYN would begin the run a second later"
    ),
    Parameter(
        "estimate",
        "the largest rate remembered, read at twelve instants from 4 to 9.5 s",
        "inferred",
        "after start-up, over the cycles",
    ),
    Parameter(
        "truth",
        "the link's rate times 1448/1500",
        "inferred",
        "what the link carries of payload; ACKs take nothing of it",
    ),
    Parameter("start", "uniformly within a round trip", "inferred", "so that no seed has the phase of another"),
    Parameter("rivals", "20 Mb/s, 40 ms, 60 s; CUBIC of the stack linux", "inferred", "long enough for CUBIC's cycle"),
)
