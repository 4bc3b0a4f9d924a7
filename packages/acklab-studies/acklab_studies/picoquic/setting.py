"""Every path and parameter of the issue and the tests, each stated or inferred, and the scenarios they make."""

from __future__ import annotations

from acklab.reproduce.paper import Paper, Parameter

from ..later import text

RETURN_KBPS = (100, 200, 300, 400)
PACKET = 1232
LARGEST_PACKET = 1440
QUIC_OVERHEAD = 33
UDP_IP_HEADER = 48
ACK = 115
ACK_ALONE = 55
GAP = 2
SPARSE = 64

PARAMETERS = [
    Parameter("forward link", "10 Mb/s", "stated", "issue 1213; read first-hand"),
    Parameter("return link", "100, 200, 300, 400 kb/s", "stated", "issue 1213"),
    Parameter("transfer", "10 MB, BBR", "stated", "issue 1213"),
    Parameter("latency", "none, taken as 0.1 ms", "stated", "issue 1233: none; a link has some"),
    Parameter("buffers", "1000 packets in each direction", "inferred", "not stated"),
    Parameter("packet", "1232 bytes", "inferred", "picoquic's first MTU over IPv6; 1440 in the figure on readings"),
    Parameter(
        "ACK", "115 bytes on the return link", "inferred", "what picoquic's fix (commit 16ede251) takes an ACK to be"
    ),
    Parameter(
        "ACK gap", "2 packets, at most 10 ms", "inferred", "the least gap and the most delay of the code before the fix"
    ),
    Parameter(
        "tests",
        "10 MB, 1 ms, 50 ms of buffer, 10 Mb/s and 100 kb/s, or 40 Mb/s and 400 kb/s",
        "stated",
        "bbr_asym100, bbr_asym400",
    ),
    Parameter("tests' jitter", "none", "inferred", "the tests have 0.75 ms; the order of packets stays here"),
    Parameter(
        "tests' sizes",
        "1440 bytes a packet, 55 an ACK, no IP headers",
        "inferred",
        "the test's link counts QUIC's bytes alone",
    ),
    Parameter(
        "after the fix",
        "an ACK after 10 ms at most, no gap",
        "inferred",
        "PICOQUIC_ACK_DELAY_MAX, which the fix chooses here",
    ),
]


def transfer(
    kbps: int,
    gap: int = GAP,
    packet: int = PACKET,
    *,
    ack: int = ACK,
    header: int = UDP_IP_HEADER,
    mbps: int = 10,
    latency_ms: float = 0.1,
    buffer_ms: float | None = None,
    control: str = "bbr",
) -> str:
    """10 MB with an ACK for every ``gap``-th packet; ``packet`` has QUIC's header and tag, ``header`` is what is below."""
    deep = {"kind": "drop-tail", "packets": 1000}
    queue = deep if buffer_ms is None else {"kind": "drop-tail", "bytes": f"{mbps * buffer_ms * 125:.0f}B"}
    rules = {"recovery": "rack", "pacing": "off"} if control == "bbr" else {}
    sender = {
        "stack": "quic",
        "control": control,
        **rules,
        "window": "30MB",
        "packet": packet - QUIC_OVERHEAD,
        "header": QUIC_OVERHEAD + header,
    }
    tree = {
        "stop": {"when": "flows-complete", "at_most": "300s"},
        "link": [
            {
                "between": ["S", "C"],
                "rate": f"{mbps}Mbps",
                "delay": f"{latency_ms / 2:g}ms" if buffer_ms is None else f"{latency_ms:g}ms",
                "queue": queue,
                "back": {"rate": f"{kbps}kbps", "queue": deep},
            }
        ],
        "flow": [
            {
                "from": "S",
                "to": "C",
                "size": {"bytes": "10MB"},
                "sender": sender,
                "receiver": {"ack_size": ack, "ack": {"policy": "quic", "segments": gap, "max_ack_delay": "10ms"}},
            }
        ],
    }
    return text(tree)


def tested(mbps: int, kbps: int, gap: int) -> str:
    """A test of the repository: sizes are QUIC's own."""
    return transfer(kbps, gap, LARGEST_PACKET, ack=ACK_ALONE, header=0, mbps=mbps, latency_ms=1.0, buffer_ms=50.0)


PAPER = Paper(
    id="picoquic",
    title="BBR Performance issue in low latency asymmetric links (picoquic)",
    citation="private-octopus/picoquic, issues 1213 and 1233 and the tests bbr_asym100 and bbr_asym400, 2021",
    about="A QUIC server sends 10 MB over 10 Mb/s, and the ACKs come back over a few hundred kb/s. How fast is it, and does an ACK "
    "for more packets help?",
    sections={"issue": "The issue's path", "tests": "The repository's tests"},
    parameters=PARAMETERS,
    group="later work",
)
