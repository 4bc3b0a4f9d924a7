"""The study's entry, to which the parts add their figures."""

from __future__ import annotations

from ...reproduce.paper import Study
from .setting import PARAMETERS

STUDY = Study(
    id="bbr2026",
    title="What does BBR take for the bandwidth when ACKs are rare or lost?",
    citation="A study of acklab's own; no paper's claims are judged here",
    about="BBR paces at the largest rate at which ACKs showed data to be delivered. Receivers, middleboxes and losses leave fewer ACKs. The study "
    "compares the estimate with the link's rate, for BBR versions 1 and 3, and then the two versions under random loss, with "
    "short buffers, and beside CUBIC. No kernel with version 3 was at hand: its side is simulated alone.",
    sections={"1": "The estimate of one flow", "2": "Versions 1 and 3"},
    parameters=PARAMETERS,
)
