"""The path and the sender, each value stated or inferred, the printed traces, and the scenarios."""

from __future__ import annotations

from typing import Any

from acklab.reproduce.explanation import Derived
from acklab.reproduce.paper import Paper, Parameter

from ..later import text

MODEM_BPS, PACKET = 9600, 1000
"""Bits a second of the last link, and bytes of a packet."""
STARTS = {"one": 1, "four": 4}
"""Packets at the start, by the name of its trace."""
RECOVERIES = ("tahoe", "reno", "sack", "fack")
PACKETS = 100
"""Of a transfer; the traces show the first 13."""

PRINTED: dict[str, list[tuple[float, int, tuple[int, ...]]]] = {
    "one": [
        (1.222, 1, (2, 3)),
        (2.444, 2, (4, 5)),
        (3.278, 3, (6, 7)),
        (4.111, 4, (8, 9)),
        (4.944, 5, (10, 11)),
        (5.778, 6, (12, 13)),
        (6.111, 6, ()),
        (7.444, 6, ()),
        (8.278, 6, (7,)),
    ],
    "four": [
        (1.222, 1, (5, 6)),
        (2.055, 2, (7, 8)),
        (2.889, 3, (9, 10)),
        (3.722, 3, ()),
        (4.555, 3, ()),
        (5.389, 3, (4,)),
    ],
}
"""Each trace's ACKs: seconds, the packet that is covered, the packets that are sent."""

PARAMETERS = [
    Parameter("links", "100 Mb/s and no delay, 1.5 Mb/s and 25 ms, 9600 b/s and 150 ms", "stated", "the figure"),
    Parameter("queues", "3 packets at the modem, with the one in service; 100 elsewhere", "stated", "scenario"),
    Parameter("sender", "ns's Tahoe; Reno, SACK and FACK beside it", "stated", "scenario"),
    Parameter("start", "one packet, or four; one after a loss", "stated", "scenario; ns-1.2a2 was changed to that"),
    Parameter(
        "second fast retransmit",
        "always",
        "inferred",
        "nothing that blocks a second one in a window of data: only then the traces go on alike",
        fitted_to=("alike",),
    ),
    Parameter(
        "packets",
        "1000 bytes",
        "inferred",
        "the text says 1024; the printed ACKs are 0.833 s apart, which is 1000 bytes at 9600 b/s",
    ),
    Parameter(
        "ACKs",
        "one for each packet, 40 bytes",
        "inferred",
        "so do the traces; the discussion names a delayed-ACK timer that they do not have",
    ),
    Parameter("transfer", "100 packets, a window of 200", "inferred", "no limit and no end is named"),
]


def transfer(recovery: str, start: int) -> str:
    """One transfer over the modem, with its packets recorded."""

    def link(ends: str, rate: str, delay: str, packets: int) -> dict[str, Any]:
        queue = {"kind": "drop-tail", "packets": packets}
        return {"between": list(ends), "rate": rate, "delay": delay, "queue": queue, "back": {"queue": queue}}

    sender = {
        "stack": "ns2-1998",
        "recovery": recovery,
        "second_fast_retransmit": "always",
        "packet": PACKET,
        "initial_window": start,
        "window": 200,
    }
    receiver = {"stack": "ns2-1998", "ack": {"policy": "every"}, "ack_size": 40}
    tree = {
        "stop": {"when": "flows-complete", "at_most": "1000s"},
        "link": [
            link("SG", "100Mbps", "0s", 100),
            link("GE", "1.5Mbps", "25ms", 100),
            link("ER", f"{MODEM_BPS}bps", "150ms", 3),
        ],
        "flow": [{"from": "S", "to": "R", "size": {"segments": PACKETS}, "sender": sender, "receiver": receiver}],
        "record": {"packets": True},
    }
    return text(tree)


PAPER = Paper(
    id="rfc2416",
    title="Four packets into three buffers (RFC 2416)",
    citation="T. Shepard, C. Partridge, When TCP Starts Up With Four Packets Into Only Three Buffers, RFC 2416, September 1998",
    about="A modem of 9600 b/s, a router with three buffers before it: does a start of four packets, the last of which is lost, do harm?",
    sections={"traces": "The two traces"},
    parameters=PARAMETERS,
    group="classic",
)

PAPER.explain(
    "one.duplicate",
    Derived(
        "the modem sends a packet in 0.833 s, so after the ACK of 5.778 s the next is that of 6.611 s: the printed second digit is a slip"
    ),
)
PAPER.explain(
    "bytes",
    Derived(
        "the printed ACKs are 0.833 s apart, and 0.833 s at 9600 b/s are 1000 bytes; packets of 1024 would make 0.853 s"
    ),
)
PAPER.explain(
    "modem",
    Derived(
        "3 times 1024 times 8 bits over 9600 b/s are 2.56 s; 2.5 s for the packets of 1000 bytes that the trace has"
    ),
)
PAPER.explain(
    "ahead",
    Derived(
        "it is the shift of 2.889 s less the time of three packets: 0.389 s with 2.5 s, 0.229 s with the 2.66 s of the text"
    ),
)
