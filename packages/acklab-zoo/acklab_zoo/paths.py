"""The paths of the zoo: each shows one thing about how a stack acknowledges, or what it does without ACKs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

#: The server is the first node, the client the second.
SERVER, CLIENT = "S", "R"


@dataclass(frozen=True)
class Path:
    """A path, and what the client asks for over it.

    Attributes:
        about: what it is for, in a sentence.
        rate_mbps: of the direction of the data; ``rtt_s`` is the round trip without queues.
        request: bytes, or ``BYTES/PIECE/MS``: in pieces with a pause after each.
        forward: more keys of the link; ``back`` those of the return direction.
    """

    about: str
    request: str = "2000000"
    rate_mbps: float = 10.0
    rtt_s: float = 0.04
    packets: int = 2000
    forward: dict[str, Any] = field(default_factory=dict)
    back: dict[str, Any] = field(default_factory=dict)

    def scenario(self, name: str, seed: int) -> dict[str, Any]:
        """The scenario without programs, as a tree."""
        queue = {"kind": "drop-tail", "packets": self.packets}
        link = {
            "between": [SERVER, CLIENT],
            "rate": f"{self.rate_mbps:g}Mbps",
            "delay": f"{500 * self.rtt_s:g}ms",
            "queue": queue,
        }
        back = {"rate": link["rate"], "queue": queue, **self.back}
        stop = {"at": "120s"}
        return {"title": f"zoo: {name}", "seed": seed, "stop": stop, "link": [{**link, **self.forward, "back": back}]}


def _kept(every: int) -> dict[str, Any]:
    """Of the packets back, the handshake's and then one in ``every`` arrives: whatever they are, for no path can read QUIC's ACKs."""
    return {"loss": {"list": [number for number in range(12, 4000) if number % every]}}


#: By name, in the order in which they run.
PATHS = {
    "plain": Path("10 Mb/s, 40 ms, no drops"),
    "lone": Path("a packet of 500 bytes each 200 ms: how long an ACK waits", request="20000/500/200"),
    "fast": Path("100 Mb/s, 20 ms, no drops", request="5000000", rate_mbps=100.0, rtt_s=0.02, packets=20_000),
    "shallow": Path("10 Mb/s, 40 ms, a queue of 15 packets", packets=15),
    "one-loss": Path("packet 600 is lost", forward={"loss": {"list": [600]}}),
    "burst-loss": Path("packets 600 to 607 are lost", forward={"loss": {"list": [*range(600, 608)]}}),
    "late": Path(
        "24 packets, one in 40, arrive behind the two that follow",
        forward={"stages": [{"kind": "reorder", "list": [*range(400, 1360, 40)], "by": "50ms", "overtaken": 2}]},
    ),
    "marks": Path(
        "24 packets, one in 41, arrive with a congestion mark (CE)",
        forward={"stages": [{"kind": "mark", "list": [*range(400, 1384, 41)]}]},
    ),
    "codel": Path("10 Mb/s, 40 ms, a CoDel queue that marks", forward={"queue": {"kind": "codel", "ecn": True}}),
    "thin-4": Path("one in 4 of the client's packets arrives", back=_kept(4)),
    "thin-16": Path("one in 16 of the client's packets arrives", back=_kept(16)),
    "slow-back": Path("100 kb/s back", back={"rate": "100kbps", "queue": {"kind": "drop-tail", "packets": 50}}),
    "geo": Path("20 Mb/s, 600 ms, no drops", request="4000000", rate_mbps=20.0, rtt_s=0.6, packets=4000),
}
