"""The paper's links and parameters, each stated or inferred, and the scenarios they make."""

from __future__ import annotations

from typing import Any

from acklab.reproduce.paper import Paper, Parameter

from ..later import text

STANDARDS = ("802.11b", "802.11g", "802.11n", "802.11ac")
MACS: dict[str, dict[str, Any]] = {
    "802.11b": {"phy": "802.11b", "preamble": "short"},
    "802.11g": {"phy": "802.11n", "rate": "54Mbps", "basic_rate": "6Mbps", "aggregate": "0B"},
    "802.11n": {"phy": "802.11n", "rate": "300Mbps", "aggregate_frames": 13},
    "802.11ac": {"phy": "802.11n", "rate": "866.7Mbps", "aggregate": "1048575B", "aggregate_frames": 33},
}
SECONDS = {"802.11b": 12, "802.11g": 8, "802.11n": 5, "802.11ac": 3}
"""Measured, after BBR's start."""
WARM_S = 3.0
ACKS: dict[str, dict[str, Any]] = {
    "TCP": {"policy": "delayed", "segments": 2, "timer": "40ms"},
    "TACK": {"policy": "periodic", "beta": 4, "segments": 2, "rtt": "sender", "timer": "200ms"},
}
COLOURS = {"TCP": "delayed", "TACK": "tack"}
ROUND_TRIP_MS = 80
DEEP = 20000

PARAMETERS = [
    Parameter("PHY rates", "11, 54, 300, 866.7 Mb/s", "stated", "Figure 7; the paper was read first-hand"),
    Parameter("L, beta", "2 and 4", "stated", "section 4.1"),
    Parameter("congestion control", "BBR for both", "stated", "section 6.1"),
    Parameter(
        "TCP's receiver",
        "an ACK for every second segment, or after 40 ms",
        "stated",
        "section 6.1; the timer is inferred",
    ),
    Parameter("802.11b's preamble", "short", "inferred", "Figure 7's UDP baseline", ("fig7.udp",)),
    Parameter("802.11g's control rate", "6 Mb/s", "inferred", "Figure 7's UDP baseline", ("fig7.udp",)),
    Parameter("frames an aggregate", "13 (n), 33 (ac)", "inferred", "Figure 7's UDP baseline", ("fig7.udp",)),
    Parameter("round trip", "80 ms", "inferred", "4 to 200 ms in the text; 80 ms is that of Figures 9(b) and 10(b)"),
    Parameter("queues", "20000 packets", "inferred", "not stated; no loss of packets"),
    Parameter(
        "other stations",
        "none",
        "inferred",
        "the room has some ten access points and a hundred users; channels not stated",
    ),
    Parameter(
        "TACK's round trip",
        "known from the sender",
        "inferred",
        "section 5.2 has a scheme of its own, with the same aim",
    ),
    Parameter(
        "TACK's sender", "Linux's BBR, not receiver-based", "inferred", "section 5.3's is the receiver's; not modelled"
    ),
    Parameter(
        "Figure 13", "54 and 300 Mb/s; 100 Mb/s, 20 ms and 500 Mb/s, 200 ms", "stated", "section 6.5, cases 1 and 3"
    ),
    Parameter(
        "start",
        "left out: 3 s, or 30 round trips",
        "inferred",
        "the paper's transfers are of 130 s (the counts of Figure 13)",
    ),
    Parameter("direction", "from the wired host to the station", "inferred", "not stated"),
]


def _wlan(standard: str, wan: str, round_trip_ms: float) -> dict[str, Any]:
    queue = {"kind": "drop-tail", "packets": DEEP}
    return {
        "link": [{"between": ["W", "AP"], "rate": wan, "delay": f"{round_trip_ms / 2:g}ms", "queue": queue}],
        "wlan": [{"ap": "AP", "stations": ["M"], "mac": MACS[standard], "queue": queue, "ap_queue": queue}],
    }


def warm_s(round_trip_ms: float = ROUND_TRIP_MS) -> float:
    """How long BBR's start may take: thirty round trips, at least three seconds."""
    return max(WARM_S, 0.03 * round_trip_ms)


def download(standard: str, receiver: str, seed: int, wan: str = "1Gbps", round_trip_ms: float = ROUND_TRIP_MS) -> str:
    """One transfer to a station."""
    tree = {
        "seed": seed,
        "stop": {"at": f"{warm_s(round_trip_ms) + SECONDS[standard]:g}s"},
        **_wlan(standard, wan, round_trip_ms),
        "flow": [
            {
                "from": "W",
                "to": "M",
                "sender": {"stack": "linux", "control": "bbr", "window": "100MB"},
                "receiver": {"stack": "linux", "ack": ACKS[receiver]},
            }
        ],
    }
    return text(tree)


def datagrams(standard: str, seed: int) -> str:
    """UDP to a station, faster than the medium carries."""
    fast = {"802.11b": "12Mbps", "802.11g": "54Mbps", "802.11n": "300Mbps", "802.11ac": "800Mbps"}[standard]
    source = {"kind": "udp", "rate": fast, "packet": 1500, "on": "1000s", "off": "0s"}
    tree = {
        "seed": seed,
        "stop": {"at": "2s"},
        **_wlan(standard, "10Gbps", 2.0),
        "flow": [{"from": "W", "to": "M", "source": source}],
    }
    return text(tree)


PAPER = Paper(
    id="tack",
    title="TACK: Improving Wireless Transport Performance by Taming Acknowledgments",
    citation="Tong Li, Kai Zheng, Ke Xu, Rahul Arvind Jadhav, Tao Xiong, Keith Winstein and Kun Tan, SIGCOMM 2020",
    about="ACKs and data share the air of a WLAN. A receiver that sends four ACKs a round trip, at most, instead of one for every "
    "second segment: how much goodput does that leave for data?",
    sections={"6.3": "WLANs alone", "6.5": "A WLAN and a wide-area path"},
    parameters=PARAMETERS,
    group="later work",
)
