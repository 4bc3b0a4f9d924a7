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
    terms={
        "delta": "waiting ACKs of a connection above which the filter erases its oldest: delta = 1 leaves one, an infinite delta is no filter",
        "delta_o": "the best delta by the paper's formula",
        "classic": "the filter that leaves the newest ACK of a connection: delta = 1",
        "delayed filtering": "classic, but only while the reverse link is busy; measured as a rate, or as presence (how often the link has work)",
        "aggregate": "delayed filtering by the load of the whole link; per-connection filtering has a threshold for each connection",
        "RR, FIFO": "the reverse link serves connections in turn (round robin); in the order of arrival",
        "d": "segments that the receiver acknowledges at once",
        "mu_r": "ACKs a second that the reverse link carries",
        "N": "ACKs that wait at the reverse link; in the later sections, connections",
        "W, n": "the window; the number of round trips",
        "T": "the round trip without queues",
    },
    unprinted=(),
    ns2={
        "ackfilter.fig4.slow": "delta = 1: its 2000-segment transfer ends at 4.3256 s, as ours",
        "ackfilter.fig4.grow": "no filter: 1000 segments at 4.4232 s, as ours",
    },
)
