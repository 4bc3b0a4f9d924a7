"""The setting of the paper: one parameter set, each value stated by the paper or inferred, and the scenarios it makes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

from ...reproduce.paper import Paper, Parameter
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
        if self.policy == "optimistic":
            return {"policy": "optimistic", **dict(self.ack)}
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
    """An earlier plan of `acklab infer divack` chose it by Figure 6."""
    file_bytes: int = FILE_BYTES
    warm_s: float = WARM_S
    window: int = 100000
    """Advertised, in segments."""

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
        "sequence": "bytes",
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


# --- The paper's entry, to which the sections add their figures and claims


PARAMETERS = [
    Parameter("bottleneck", "10 Mb/s and 1.5 Mb/s, 50 ms", "stated", "section IV"),
    Parameter("access links", "four times that rate, 1 ms", "stated", "section IV"),
    Parameter("buffer", "drop-tail, 83 and 13 packets", "stated", "section IV: one bandwidth-delay product at 1500 B"),
    Parameter("warm-up", "400 s", "stated", "section IV; simulated once a seed and cloned for every policy"),
    Parameter("file", "1.5 MB", "stated", "Figures 6 to 8"),
    Parameter("pieces", "m = 16; 2 to 64 in Figure 7", "stated", "Figures 6 and 7; powers of two"),
    Parameter("background flows", "J = 1, 2, 4, ..., 128", "inferred", "the text names 32 and 64; powers of two"),
    Parameter(
        "recovery", "RFC 6675", "inferred", "not stated. Chosen by Figure 6 (> 0.999 of 48 readings of four rules, an earlier plan of `acklab infer divack`); all printed orders favour it, too (0.97 of 128 readings of eight rules)", fitted_to=("fig6.low", "fig8.steal")
    ),
    Parameter(
        "advertised window", "never binding", "inferred", "not stated; chosen by the same earlier plan (> 0.999). All printed orders leave it open: 0.17, and 44 segments 0.75", fitted_to=("fig6.low",)
    ),
    Parameter("recovery in sections I and III", "NewReno", "inferred", "not stated; at most two segments of a transfer are lost there"),
    Parameter("least RTO", "0.2 s", "inferred", "ns-2.35's. The same search leaves 0.2 s and 1 s open"),
    Parameter("stack", "ns-2.35's rules, sequence numbers of bytes", "inferred", "a segment's ACK has to have pieces"),
    Parameter("delayed-ACK timer", "100 ms", "inferred", "ns-2's default"),
    Parameter("background starts", "uniform in 0 to 10 s", "inferred", "not stated; the same for every policy"),
    Parameter("ABC", "L = 2", "inferred", "the RFC's recommendation; the figure shows L = 1, too"),
    Parameter("phase", "told by the simulator", "inferred", "the text speaks of the sender's phase as known"),
    Parameter("802.11b", "11 Mb/s, basic 2 Mb/s, RTS/CTS, ns-2's defaults", "stated", "section III-A"),
    Parameter("wired delay", "50 ms, 1500 B packets, 50 packets in each queue", "inferred", "not stated"),
    Parameter(
        "Figure 3's burst", "from 10 s on, slow start ending at 20 segments", "inferred", "its instant is not stated"
    ),
]  # fmt: skip

PAPER = Paper(
    id="divack",
    title="TCP ACK Division Revisited",
    citation="Andrés Arcia-Moret, Nicolas Montavont, Jean-Marie Bonnin, David Ros, 2009",
    about="A receiver that acknowledges each segment in pieces makes its sender's window grow faster. Where does that pay: "
    "over a shared medium, with small segments, against other flows, and against senders that count bytes?",
    sections={"I": "ACK division", "II": "Uses", "III": "Shortcomings", "IV": "Facing congestion", "V": "Conclusions"},
    parameters=PARAMETERS,
    terms={
        "divack": "one of the m ACKs in which a receiver divides the ACK of a segment",
        "m": "ACKs for what one ACK would cover",
        "1-apdp": "one ACK for each data packet, not divided",
        "DA": "delayed ACKs: one for every second packet, or when a timer ends",
        "div{ss,ca}1, div{ss,ca}2": "division in slow start or in congestion avoidance, on top of one ACK for each packet (1) or of delayed ACKs (2)",
        "J": "connections that compete",
        "ABC": "appropriate byte counting: the sender's window grows by the bytes that are acknowledged, so that division gains nothing",
        "BDP": "the product of bandwidth and round trip: what fills the path",
    },
)
