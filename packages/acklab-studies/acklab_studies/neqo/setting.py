"""The bench's path and parameters, each stated or inferred, the numbers of the two tables, and the scenarios."""

from __future__ import annotations

from acklab.reproduce.paper import Paper, Parameter

from ..later import text

ACKS = (1, 2, 3, 4, 6, 8, 12, 16, 20, 24)
DEEP, SHALLOW = 5_000_000, 500_000
"""Bytes of the bottleneck's buffer."""
PRINTED = {
    DEEP: (837.8, 869.3, 833.7, 812.2, 859.5, 866.8, 876.2, 874.6, 876.3, 870.5),
    SHALLOW: (345.0, 336.6, 347.6, 315.8, 323.1, 339.9, 327.3, 328.4, 328.9, 317.0),
}
"""Mb/s, for each of ACKS."""
TRANSFER = 1 << 30
PACKET = 1357
"""A datagram of 1500 bytes of MTU, less what neqo's frames, QUIC and the link's overhead take: payload."""
OVERHEAD = 64 + 43
FIRST_SSTHRESH = 1_419_707
"""Bytes: where neqo's window stands after slow start with the shallow buffer and one ACK a round trip (pull request 2885)."""

PARAMETERS = [
    Parameter("link", "1 Gb/s, a round trip of 40 ms", "stated", "the bench; read first-hand"),
    Parameter(
        "buffers",
        "5 MB (one bandwidth-delay product), 0.5 MB",
        "stated",
        "the bench; the pull request says 5 and 0.5 Mb",
    ),
    Parameter("transfer", "1 GiB", "stated", "the bench"),
    Parameter("ACKs a round trip", "1 to 24", "stated", "the tables"),
    Parameter(
        "ACK gap", "at most 256 packets, a delay of a share of the round trip, at most 50 ms", "stated", "ackrate.rs"
    ),
    Parameter("pacing", "twice the window a round trip", "stated", "pace.rs: PACER_SPEEDUP 2"),
    Parameter("receive window", "10 MiB at most", "stated", "recv_stream.rs: MAX_RECV_WINDOW_SIZE"),
    Parameter("control", "CUBIC with the slow start of RFC 9002", "stated", "the default then; no HyStart++"),
    Parameter("overhead", "64 bytes a packet on the link", "stated", "taildrop.rs"),
    Parameter(
        "growth in congestion avoidance",
        "CUBIC's, without neqo's limit of two segments an ACK",
        "inferred",
        "no such rule here",
    ),
    Parameter(
        "payload", "1357 of 1400 bytes of QUIC", "inferred", "the MTU of 1500 less IP, UDP, header, tag and frames"
    ),
]


def transfer(acks: int, buffer: int, first_ssthresh: int = 0) -> str:
    """1 GiB with so many ACKs a round trip; with ``first_ssthresh`` it begins there, and an ACK is worth two segments at most."""
    segments = round(first_ssthresh / PACKET)
    begun = {"initial_ssthresh": segments, "initial_window": segments, "credit": {"kind": "lbc", "limit": 2}}
    sender = {
        "stack": "quic",
        "control": "cubic",
        "window": "10MiB",
        "packet": PACKET,
        "header": OVERHEAD,
        "pacing": {"kind": "spread", "share": 0.5, "burst": 2},
        **(begun if first_ssthresh else {}),
    }
    queue = {"kind": "drop-tail", "bytes": f"{buffer}B"}
    tree = {
        "stop": {"when": "flows-complete", "at_most": "200s"},
        "link": [{"between": ["S", "C"], "rate": "1Gbps", "delay": "20ms", "queue": queue, "back": {"queue": queue}}],
        "flow": [
            {
                "from": "S",
                "to": "C",
                "size": {"bytes": f"{TRANSFER}B"},
                "sender": sender,
                "receiver": {
                    "ack": {"policy": "quic", "segments": 256, "rtt_share": 1 / acks, "max_ack_delay": "50ms"}
                },
            }
        ],
    }
    return text(tree)


PAPER = Paper(
    id="neqo",
    title="ACKs per round trip at 1 Gb/s (neqo)",
    citation="mozilla/neqo, issue 2907, pull requests 2885 and 2914, and the bench min_bandwidth, 2025",
    about="A QUIC sender asks its receiver for 1 to 24 ACKs a round trip. What does that cost at 1 Gb/s, with a buffer of one "
    "bandwidth-delay product and with a tenth of it?",
    sections={"tables": "The two tables"},
    parameters=PARAMETERS,
    group="later work",
)
