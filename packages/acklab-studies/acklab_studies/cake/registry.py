"""The ledger's entry, to which the parts add their figures and claims."""

from __future__ import annotations

from acklab.reproduce.paper import Paper

from .setting import PARAMETERS

PAPER = Paper(
    id="cake",
    title="Piece of CAKE: A Comprehensive Queue Management Solution for Home Gateways (the ACK filter)",
    citation="Toke Høiland-Jørgensen, Dave Täht and Jonathan Morton, LANMAN 2018; with the filter's commit in Linux (2018)",
    about="An uplink erases ACKs that a newer ACK makes redundant. How much faster do downloads become on very asymmetric links?",
    sections={"30/1": "30 Mb/s down, 1 Mb/s up"},
    parameters=PARAMETERS,
    group="later work",
)
