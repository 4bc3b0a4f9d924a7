"""The ledger's entry, to which the parts add their figures and claims."""

from __future__ import annotations

from acklab.reproduce.explanation import Derived
from acklab.reproduce.paper import Paper

from .setting import PARAMETERS

PAPER = Paper(
    id="asymmetry",
    title="Asymmetric paths (Balakrishnan et al., RFC 3449)",
    citation="H. Balakrishnan, V. Padmanabhan, R. Katz, The Effects of Asymmetry on TCP Performance, Mobicom 1997; RFC 3449, December 2002",
    about="10 Mb/s there and 28.8 kb/s back: what do fewer ACKs, filtered ACKs, made ACKs and a sender that counts packets change?",
    sections={"paths": "The return path and its remedies"},
    parameters=PARAMETERS,
    group="classic",
)

PAPER.explain(
    "ar",
    Derived(
        "ns-2's reconstructor lets ACKs go as far apart as they arrive, 11.1 ms, and each covers two packets: 180 packets a second, so 2000 take "
        "11.1 s. The one of RFC 3449 fills the time between two ACKs"
    ),
)
