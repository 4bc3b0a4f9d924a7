"""The ledger's entry, to which the parts add their figures and claims."""

from __future__ import annotations

from acklab.reproduce.paper import Paper

from .setting import PARAMETERS

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
