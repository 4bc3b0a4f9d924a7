"""The ledger's entry, to which the parts add their figures and claims."""

from __future__ import annotations

from acklab.reproduce.paper import Paper

from .setting import PARAMETERS

PAPER = Paper(
    id="l4s",
    title="The public L4S tests: rows of CUBIC and Prague",
    citation="P. Heist, J. Morton, L4S Tests, README of heistp/l4s-tests, 2020 to 2021",
    about="Two flows share 50 or 10 Mb/s through a FIFO, FQ-CoDel or DualPI2. How much does the one with the longer round trip get?",
    sections={"fairness": "Scenario 1: two CUBIC flows", "prague": "Scenario 1: rows of Prague"},
    parameters=PARAMETERS,
    group="classic",
)
