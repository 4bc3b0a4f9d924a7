"""The paper's entry, to which the parts add their figures and claims."""

from __future__ import annotations

from acklab.reproduce.paper import Paper

from .setting import PARAMETERS

PAPER = Paper(
    id="tack",
    title="TACK: Improving Wireless Transport Performance by Taming Acknowledgments",
    citation="Tong Li, Kai Zheng, Ke Xu, Rahul Arvind Jadhav, Tao Xiong, Keith Winstein and Kun Tan, SIGCOMM 2020",
    about="ACKs and data share the air of a WLAN. A receiver that sends four ACKs a round trip, at most, instead of one for every "
    "second segment: how much goodput does that leave for data?",
    sections={"6.3": "WLANs alone", "6.5": "A WLAN and a wide-area path"},
    parameters=PARAMETERS,
    group="later work",
)
