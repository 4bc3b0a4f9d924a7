"""The ledger's entry, to which the parts add their figures and claims."""

from __future__ import annotations

from acklab.reproduce.paper import Paper

from .setting import PARAMETERS

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
