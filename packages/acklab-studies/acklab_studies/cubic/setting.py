"""Every path and parameter, each stated or inferred, and the scenarios they make."""

from __future__ import annotations

from typing import Any

from acklab.reproduce.paper import Paper, Parameter
from acklab.scenario.draws import Draws

from ..later import text

RATIOS = (1, 2, 10, 40)
CREDITS = {"one step an ACK": "ack-counting", "segments counted": "ubc"}
COLOURS = {"one step an ACK": "ack-counting", "segments counted": "ubc", "Linux": "blue"}
RTT_S = 0.1
W_MAX = 400
SECONDS = 60
RULES: dict[str, dict[str, Any]] = {
    "one step an ACK": {
        "stack": "rfc",
        "control": {"kind": "cubic", "slow_start": "hystart++"},
        "credit": {"kind": "ack-counting"},
        "window": "20MB",
    },
    "Linux": {"stack": "linux", "window": "20MB"},
}

PARAMETERS = [
    Parameter("C, beta", "0.4, 0.7", "stated", "RFC 9438, sections 4.6 and 5; read first-hand"),
    Parameter("step", "(target - cwnd) / cwnd with each new ACK", "stated", "RFC 9438, sections 4.4 and 4.5"),
    Parameter("target", "W_cubic(t + RTT), from cwnd to 1.5 cwnd", "stated", "RFC 9438, section 4.2"),
    Parameter(
        "Reno-friendly region", "W_est counts the segments acknowledged", "stated", "RFC 9438, section 4.3, equation 4"
    ),
    Parameter(
        "one flow's path",
        "a round trip of 100 ms, no queue, one loss at 400 segments",
        "inferred",
        "any with K of seconds",
    ),
    Parameter(
        "Reno-friendly path",
        "a round trip of 20 ms, one loss at 50 segments",
        "inferred",
        "there W_est is above W_cubic",
    ),
    Parameter("pacing", "over the round trip", "inferred", "the closed form has evenly spaced ACKs"),
    Parameter(
        "two flows' path",
        "100 Mb/s, 100 ms, 350 packets",
        "inferred",
        "examples/cubic; the message's path was not seen",
    ),
    Parameter(
        "ratios", "1, 2, 10, 40 segments an ACK", "inferred", "not seen; up to what QUIC's receivers are asked for"
    ),
    Parameter("starts", "uniform in the first second", "inferred", "not stated"),
]


def one(credit: str, ratio: int, w_max: int = W_MAX, rtt_s: float = RTT_S, seconds: float = 5.0) -> str:
    """One flow that begins at ``w_max`` segments and loses one packet."""
    sender = {
        "stack": "rfc",
        "control": "cubic",
        "recovery": "rack",
        "credit": {"kind": credit},
        "window": 100000,
        "initial_window": w_max,
        "initial_ssthresh": w_max,
        "recovery_exit": "keep",
        "packet": 1000,
        "pacing": {"kind": "spread", "share": 1.0, "burst": 1},
    }
    tree = {
        "stop": {"at": f"{seconds:g}s"},
        "link": [
            {
                "between": ["S", "R"],
                "rate": "100Gbps",
                "delay": f"{500 * rtt_s:g}ms",
                "queue": {"kind": "drop-tail", "packets": 100000},
                "loss": {"list": [3 * w_max]},
            }
        ],
        "flow": [
            {
                "from": "S",
                "to": "R",
                "sender": sender,
                "receiver": {"ack": {"policy": "delayed", "segments": ratio, "timer": "500ms"}},
            }
        ],
    }
    return text(tree)


def two(rules: str, ratio: int, seed: int) -> str:
    """Two flows on one bottleneck: an ACK for every second segment, and one for every ``ratio`` segments."""
    draw = Draws(seed, "starts")
    flows = [
        {
            "from": f"S{i}",
            "to": f"R{i}",
            "start": f"{draw.uniform(0, 1):.9f}s",
            "sender": RULES[rules],
            "receiver": {"ack": {"policy": "delayed", "segments": segments, "timer": "25ms"}},
        }
        for i, segments in enumerate((2, ratio))
    ]
    tree = {
        "seed": seed,
        "stop": {"at": f"{SECONDS}s"},
        "topology": {
            "kind": "dumbbell",
            "pairs": 2,
            "bottleneck": {"rate": "100Mbps", "delay": "48ms", "queue": {"kind": "drop-tail", "packets": 350}},
            "access": {"rate": "1Gbps", "delay": "1ms"},
        },
        "flow": flows,
    }
    return text(tree)


PAPER = Paper(
    id="cubic",
    title="CUBIC and the receiver's ACK ratio",
    citation="RFC 9438, CUBIC for Fast and Long-Distance Networks, 2023; and a message to the IETF's CCWG, quoted in mozilla/neqo "
    "pull request 4005, 2026",
    about="CUBIC's window grows with each new ACK. How much does the growth depend on how many segments an ACK covers, and who "
    "loses by it?",
    sections={"growth": "One flow after a loss", "sharing": "Two flows on one bottleneck"},
    parameters=PARAMETERS,
    group="later work",
)
