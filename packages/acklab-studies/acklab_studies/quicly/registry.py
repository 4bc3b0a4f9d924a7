"""The ledger's entry, to which the parts add their figures and claims."""

from __future__ import annotations

from acklab.reproduce.paper import Paper

from .setting import PARAMETERS

PAPER = Paper(
    id="quicly",
    title="quicly's CUBIC beside itself",
    citation="K. Oku, h2o/quicly pull requests 688 (optionally use alpha=1 after loss) and 678 (its newcomer benchmark), 2026",
    about="Two flows of CUBIC share 1 or 2 Mb/s. How far from half does chance take one of them, and what does alpha = 1 after a loss add?",
    sections={"shares": "Shares over 30 s", "newcomer": "A newcomer's share"},
    parameters=PARAMETERS,
    group="classic",
)
