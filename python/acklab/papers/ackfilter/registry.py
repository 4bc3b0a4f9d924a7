"""The paper's entry, to which the sections add their figures and claims."""

from __future__ import annotations

from ...reproduce.paper import Paper
from .setting import PARAMETERS

PAPER = Paper(
    id="ackfilter",
    title="On ACK Filtering on a Slow Reverse Channel",
    citation="Chadi Barakat and Eitan Altman, INRIA Research Report 3908, March 2000",
    about="When the way back carries fewer ACKs than the way there could use: which of them should the router erase, and from "
    "when on? One source in slow start, then 1 to 20 sources with files to send.",
    sections={
        "2": "Static filtering",
        "3": "Delayed filtering, one connection",
        "4": "Delayed filtering, several connections",
        "5": "Conclusions",
    },
    parameters=PARAMETERS,
    ns2={
        "ackfilter.classic_is_1": "its erase-all filter: 33 transfers and the ACKs of 10 s agree with ours",
        "ackfilter.fig4.slow": "delta = 1: its 2000-segment transfer ends at 4.3256 s, as ours",
        "ackfilter.fig4.grow": "no filter: 1000 segments at 4.4232 s, as ours",
    },
)
