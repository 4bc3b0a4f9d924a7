"""The setting of the paper: one parameter set, each value stated by the paper or inferred, and the scenarios it makes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

from ...scenario.draws import Draws

FLOWS = (1, 2, 4, 8, 16, 32, 64, 128)
"""J: background flows. Figures 6 to 8 name 32 and 64."""
LOW, HIGH = tuple(j for j in FLOWS if j <= 32), tuple(j for j in FLOWS if j >= 64)
PIECES = (2, 4, 8, 16, 32, 64)
POLICIES = ("divss1", "divca1", "divss2", "divca2")
REFERENCES = ("every", "delayed")
NAMES = {"every": "1-apdp", "delayed": "delayed ACKs", **{policy: policy for policy in POLICIES}}
WARM_S = 400.0
FILE_BYTES = 1_500_000
PAYLOAD, PACKET = 1460, 1500
DELAY_MS, ACCESS_MS = 50, 1
BUFFERS = {10.0: 83, 1.5: 13}
"""Packets, by the bottleneck's rate in Mb/s."""
MOST_FLOWS = max(FLOWS)


@dataclass(frozen=True)
class Client:
    """The downloading client: its ACK policy, its sender's credit, and rules that differ."""

    policy: str
    pieces: int = 16
    credit: str = "ack-counting"
    limit: float | None = None
    sender: tuple[tuple[str, Any], ...] = ()
    ack: tuple[tuple[str, Any], ...] = ()

    def receiver(self, timer: str = "100ms") -> dict[str, Any]:
        """The receiver's ACK policy."""
        if self.policy == "every":
            return {"policy": "every"}
        if self.policy == "delayed":
            return {"policy": "delayed", "timer": timer}
        if self.policy in ("spoof", "optimistic"):
            return {"policy": self.policy, **dict(self.ack)}
        when = {"ss": "slow-start", "ca": "congestion-avoidance", "": "always"}[self.policy[3:-1]]
        segments = int(self.policy[-1])
        divided = {"pieces": self.pieces, "segments": segments, "timer": timer, "when": when}
        return {"policy": "divide", **divided, **({} if when == "always" else {"phase": "oracle"}), **dict(self.ack)}

    def rules(self) -> dict[str, Any]:
        """What its sender does otherwise."""
        limit = {} if self.limit is None else {"limit": self.limit}
        return {"credit": {"kind": self.credit, **limit}, **dict(self.sender)}


@dataclass(frozen=True)
class Path:
    """Figure 5, and what shares it."""

    rate: float = 10.0
    """The bottleneck's rate, Mb/s."""
    buffer: int | None = None
    """Packets; one bandwidth-delay product where left out."""
    recovery: str = "rfc6675"
    """What `acklab infer divack` decides from Figure 6."""
    file_bytes: int = FILE_BYTES
    warm_s: float = WARM_S
    window: int = 100000
    """Advertised, in segments."""
    pieces: str = "slide"
    """What an ACK of a part of a segment does. ``grow`` is a reading of how ns-2's senders, which count packets, took one."""

    @property
    def packets(self) -> int:
        """The bottleneck's buffer."""
        return self.buffer or BUFFERS[self.rate]


PAPERS = Path()


def stack(path: Path) -> dict[str, Any]:
    """The paper's simulator with byte sequence numbers, so that a segment's ACK has pieces."""
    return {
        "base": "ns2-2.35",
        "recovery": path.recovery,
        "sequence": "bytes" if path.pieces == "slide" else {"kind": "bytes", "pieces": path.pieces},
        "packet": PAYLOAD,
        "window": path.window,
        "ack": {"policy": "delayed", "timer": "100ms"},
    }


@cache
def draws(seed: int) -> tuple[tuple[float, float], ...]:
    """Start and clock phase of every background flow and, last, of the client: the first J of them are J flows."""
    starts, phases = Draws(seed, "starts"), Draws(seed, "phases")
    return tuple((starts.uniform(0, 10), phases.uniform(0, 0.01)) for _ in range(MOST_FLOWS + 1))


def download(client: Client, flows: int, seed: int, path: Path = PAPERS) -> str:
    """J endless flows with delayed ACKs, and a client that downloads a file once they are warm: one line of JSON."""
    before, after = _network(flows, seed, path)
    rules = {"stack": "host", "rtt_filter": {"phase": f"{draws(seed)[MOST_FLOWS][1]:.12f}s"}, **client.rules()}
    both = {"sender": rules, "receiver": {"stack": "host", "ack": client.receiver()}}
    return before + json.dumps(both, separators=(",", ":"))[1:-1] + after


@cache
def _network(flows: int, seed: int, path: Path) -> tuple[str, str]:
    """The text around the client's rules. The client's row comes first."""
    client = {
        "name": "client",
        "from": "S0",
        "to": "R0",
        "start": f"{path.warm_s:g}s",
        "size": {"bytes": f"{path.file_bytes}B"},
        "RULES": 0,
    }
    background = [
        {
            "from": f"S{i}",
            "to": f"R{i}",
            "start": f"{start:.12f}s",
            "sender": {"stack": "host", "rtt_filter": {"phase": f"{phase:.12f}s"}},
        }
        for i, (start, phase) in enumerate(draws(seed)[:flows], 1)
    ]
    tree = {
        "seed": seed,
        "stop": {"when": "flows-complete", "at_most": f"{path.warm_s + 2000:g}s"},
        "topology": {
            "kind": "dumbbell",
            "pairs": flows + 1,
            "bottleneck": {
                "rate": f"{path.rate:g}Mbps",
                "delay": f"{DELAY_MS}ms",
                "queue": {"kind": "drop-tail", "packets": path.packets},
            },
            "access": {
                "rate": f"{4 * path.rate:g}Mbps",
                "delay": f"{ACCESS_MS}ms",
                "queue": {"kind": "drop-tail", "packets": 100000},
            },
        },
        "stack": {"host": stack(path)},
        "flow": [client, *background],
    }
    before, after = json.dumps(tree, separators=(",", ":")).split('"RULES":0')
    return before, after
