"""The study's entry, to which the parts add their figures."""

from __future__ import annotations

from acklab.reproduce.paper import Study

from .setting import PARAMETERS

STUDY = Study(
    id="marks2026",
    title="How well do senders count marks when ACKs are thinned?",
    citation="A study of acklab's own; no paper's claims are judged here",
    about="With accurate ECN (RFC 9768) an ACK carries a counter of three bits. Receivers, hosts and queues on the way remove ACKs. "
    "The study compares the marks that came with those that the sender counts, by three rules and with or without the option.",
    sections={"1": "Counts of a window that nothing moves"},
    parameters=PARAMETERS,
)
