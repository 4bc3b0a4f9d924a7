"""The study's entry, to which the parts add their figures."""

from __future__ import annotations

from acklab.reproduce.paper import Study

from .setting import PARAMETERS

STUDY = Study(
    id="controls2026",
    title="Which congestion control gets along with which queue and which ACKs?",
    citation="A study of acklab's own; no paper's claims are judged here",
    about="Two downloads of one control share an access link, and the second begins later. The study compares throughput, the 99th percentile "
    "of small requests' times, the share of the weaker download, and the time until the second one has its share. Five controls, four ACK "
    "policies, four access paths, and three queues before the downlink.",
    sections={"1": "Two downloads of one control"},
    parameters=PARAMETERS,
)
