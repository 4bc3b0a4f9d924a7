"""The ledger's entry, to which the parts add their figures and claims."""

from __future__ import annotations

from acklab.reproduce.paper import Paper

from .setting import PARAMETERS

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
