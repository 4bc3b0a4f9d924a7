"""The study's entry, to which the parts add their figures."""

from __future__ import annotations

from acklab.reproduce.paper import Study

from .setting import PARAMETERS

STUDY = Study(
    id="requests2026",
    title="What should an ACK be worth when a sender requests few?",
    citation="A study of acklab's own; no paper's claims are judged here",
    about="TCP ACK Rate Request lets a sender ask for an ACK every R segments. The study compares what an ACK may be worth to the sender's "
    "window: a segment, all bytes with a cap of two segments (RFC 3465), all bytes, and all bytes with pacing.",
    sections={"1": "Downloads alone"},
    parameters=PARAMETERS,
)
