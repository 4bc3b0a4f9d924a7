"""The study's entry, to which the parts add their figures."""

from __future__ import annotations

from acklab.reproduce.paper import Study

from .setting import PARAMETERS

STUDY = Study(
    id="paths2026",
    title="Which ACK strategy on the paths of 2026?",
    citation="A study of acklab's own; no paper's claims are judged here",
    about="Downloads over fibre, cable, Wi-Fi 6, LTE, 5G NR and two satellites, with the queues and the grants that these networks have, from "
    "Linux's sender, and seven ways to acknowledge them. 32 users of the same access send small requests: their "
    "completion is the latency under load.",
    sections={
        "1": "Seven mechanisms side by side",
        "2": "An ACK for every k segments",
        "3": "The sender's parts, and what grants change",
    },
    parameters=PARAMETERS,
)
