"""The two profiles and their parameters, each stated or inferred, and the scenario of a pair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from acklab.reproduce.paper import Paper, Parameter
from acklab.scenario.draws import Draws

from ..later import text

PROFILES = {"bdp20": 1, "bdp40": 2}
"""Rate of the bottleneck, Mb/s."""
RULES: dict[str, dict[str, Any]] = {"stock": {"kind": "cubic"}, "alpha-one": {"kind": "cubic", "alpha": 1}}
"""CUBIC of the tested flow; the other's is stock."""
QUEUE_S = 0.1
WARM_S, SECONDS = 10.0, 30.0
PACKET, BURST = 1280, 10

READINGS: dict[str, dict[str, Any]] = {
    "as above": {},
    "starts in the first 0.1 s": {"starts_s": 0.1},
    "starts in the first 5 s": {"starts_s": 5},
    "1 packet at once": {"pacing": {"kind": "spread", "share": 0.5, "burst": 1}},
    "2 packets at once": {"pacing": {"kind": "spread", "share": 0.5, "burst": 2}},
    "no pacing": {"pacing": "off"},
    "an ACK for each packet": {"segments": 1},
    "packets of 1250 bytes": {"packet": 1250},
    "an initial window of 3": {"initial_window": 3},
    "no fast convergence": {"control": {"fast_convergence": False}},
    "alpha does not rise": {"control": {"alpha_rises": False}},
}
"""What the thread leaves open, one thing a reading: a key of the sender, or ``starts_s``, ``segments`` of an ACK, rules of both controls."""


@dataclass(frozen=True)
class Profile:
    """A path of the newcomer benchmark, and over how long a newcomer's share is read."""

    rtt_ms: int
    queue_ms: int
    mbps: float
    horizon_s: int


JOINED = {
    "dsl": Profile(30, 50, 30, 30),
    "half": Profile(30, 50, 15, 10),
    "quarter": Profile(30, 50, 7.5, 10),
    "eighth": Profile(30, 50, 3.75, 10),
    "lte": Profile(60, 120, 30, 50),
    "5g": Profile(40, 80, 100, 50),
}
JOINS_S = (20, 25, 30, 35, 40)
"""When the newcomer begins: each in a fifth of the runs."""

PARAMETERS = [
    Parameter("paths", "1 and 2 Mb/s, a queue of 0.1 s in bytes", "stated", "bdp20, bdp40 of t/simulator-plot.rb"),
    Parameter("delay", "0.1 s before the bottleneck, none back", "stated", "t/simulator.c"),
    Parameter(
        "place in transmission",
        "beside the queue's bytes",
        "stated",
        "t/simulator.c: a packet leaves the queue when its transmission begins",
    ),
    Parameter("time", "10 s of warm-up, then 30 s", "stated", "pull request 688"),
    Parameter("starts", "uniform in the first second", "inferred", "'randomized' alone is stated"),
    Parameter("CUBIC", "RFC 9438, C 0.4 and beta 0.7", "stated", "pull request 678 and the library"),
    Parameter("alpha-one", "alpha = 1 below the window before the last loss", "stated", "pull request 688"),
    Parameter("packets", "1280 bytes", "inferred", "the library's default; the simulator counts no headers below QUIC"),
    Parameter(
        "receiver", "an ACK for 2 packets or after 25 ms", "inferred", "the library's default without its ACK frequency"
    ),
    Parameter(
        "pacing",
        "twice the window in a round trip, 10 packets at once",
        "inferred",
        "the library's pacer; 'enabled' alone is stated",
    ),
    Parameter(
        "newcomer",
        "joins after 20 to 40 s, initial windows of 30",
        "stated",
        "README of experiment/cuback-vs-cubic-newcomer",
    ),
    Parameter(
        "slow start", "that of RFC 9002", "inferred", "Rapid Start is not modelled; 10 s are 50 to 100 round trips"
    ),
]


def pair(profile: str, rules: str, seed: int, reading: str = "as above") -> str:
    """The tested flow, and beside it one of stock CUBIC; the starts depend on the seed and the reading alone."""
    draw, changes = Draws(seed, "starts"), dict(READINGS[reading])
    starts_s, segments, both = changes.pop("starts_s", 1), changes.pop("segments", 2), changes.pop("control", {})
    rate = PROFILES[profile]
    queue = {"kind": "drop-tail", "bytes": f"{rate * QUEUE_S * 125_000:.0f}B"}
    links: list[dict[str, Any]] = [
        {"between": ["G", "C"], "rate": f"{rate}Mbps", "delay": "0s", "queue": queue, "back": {"rate": "100Gbps"}}
    ]
    flows = []
    for name, control in (("1", RULES[rules]), ("2", RULES["stock"])):
        links.append({"between": [f"S{name}", "G"], "rate": "100Gbps", "delay": "100ms", "back": {"delay": "0s"}})
        flows.append(
            {
                "from": f"S{name}",
                "to": "C",
                "start": f"{draw.uniform(0, starts_s):.9f}s",
                "sender": {
                    "stack": "quic",
                    "control": control | both,
                    "window": "10MB",
                    "packet": PACKET,
                    "header": 0,
                    "pacing": {"kind": "spread", "share": 0.5, "burst": BURST},
                    **changes,
                },
                "receiver": {"ack": {"policy": "quic", "segments": segments, "max_ack_delay": "25ms"}},
            }
        )
    return text({"seed": seed, "stop": {"at": f"{WARM_S + SECONDS:g}s"}, "link": links, "flow": flows})


def joined(profile: str, horizon_s: int, seed: int) -> str:
    """A flow of CUBIC, and another that joins it and is followed over the horizon; the seed draws when it joins."""
    path = JOINED[profile]
    start_s = JOINS_S[(seed - 1) % len(JOINS_S)] + Draws(seed, "starts").uniform(0, 0.1)
    queue = {"kind": "drop-tail", "bytes": f"{path.mbps * path.queue_ms * 125:.0f}B"}
    links: list[dict[str, Any]] = [
        {
            "between": ["G", "C"],
            "rate": f"{path.mbps:g}Mbps",
            "delay": "0s",
            "queue": queue,
            "back": {"rate": "100Gbps"},
        }
    ]
    links += [
        {"between": [f"S{name}", "G"], "rate": "100Gbps", "delay": f"{path.rtt_ms}ms", "back": {"delay": "0s"}}
        for name in "12"
    ]
    sender = {
        "stack": "quic",
        "control": {"kind": "cubic"},
        "window": "10MB",
        "packet": PACKET,
        "header": 0,
        "initial_window": 30,
        "pacing": {"kind": "spread", "share": 0.5, "burst": BURST},
    }
    receiver = {"ack": {"policy": "quic", "segments": 2, "max_ack_delay": "25ms"}}
    starts_s = {"1": 0.0, "2": start_s}
    flows = [
        {"from": f"S{name}", "to": "C", "start": f"{at:.9f}s", "sender": sender, "receiver": receiver}
        for name, at in starts_s.items()
    ]
    return text({"seed": seed, "stop": {"at": f"{start_s + horizon_s:.9f}s"}, "link": links, "flow": flows})


PAPER = Paper(
    id="quicly",
    title="quicly's CUBIC beside itself",
    citation="K. Oku, h2o/quicly pull requests 688 (optionally use alpha=1 after loss) and 678 (its newcomer benchmark), 2026",
    about="Two flows of CUBIC share 1 or 2 Mb/s. How far from half does chance take one of them, and what does alpha = 1 after a loss add?",
    sections={"shares": "Shares over 30 s", "newcomer": "A newcomer's share"},
    parameters=PARAMETERS,
    group="classic",
)
