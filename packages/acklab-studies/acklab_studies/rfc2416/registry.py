"""The ledger's entry, to which the parts add their figures and claims."""

from __future__ import annotations

from acklab.reproduce.explanation import Derived
from acklab.reproduce.paper import Paper

from .setting import PARAMETERS

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
