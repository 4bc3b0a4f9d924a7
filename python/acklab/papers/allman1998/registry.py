"""The paper's entry, to which the sections add their figures and claims."""

from __future__ import annotations

from importlib import resources

from ...reproduce.paper import Paper
from ...text.input import loads
from .setting import PARAMETERS

_NS2 = loads(resources.files(__package__).joinpath("ns2.toml").read_text(encoding="utf-8"))

_NOTED = {
    "fig1": "every: loss-free from 22, single at 21, timeout from 20, two windows at 8; delayed: 21, 20, 19, 7",
    "fig2a.q8": "segment 30, then 8 drops",
    "fig2a.q9": "none in the first window, then 13",
    "fig3a.q7": "at 7: segment 52, then 4 drops; at 8: none, then 11",
    "fig6.q7_9": "405 segments at queues of 6 to 11: 4.91, 5.38, 5.33, 5.34, 4.73, 4.70 s",
    "fig9.order": "ACK every above delayed ACKs (DelAck timer 200 ms; the other mechanisms have no script)",
    "fig9.heavy": "at 500: 3594 B/s delayed, 3731 B/s ACK every (timer 200 ms)",
    "fig10.order": "delayed ACKs above ACK every",
    "fig12.order": "ACK every above delayed ACKs",
    "fig12.alln": "at 500: 3837 B/s delayed, 5108 B/s ACK every (timer 200 ms)",
    "fig13.order": "delayed ACKs above ACK every",
    "fig13.vs_fig10": "RED below drop-tail",
    "fig14.lower": "at 500: 14 packets with RED, 26 with drop-tail",
    "fig15.reach": "median 42.4 s over 400 sessions of its tcplib source (DelAck timer 100 ms), within 30 s in 107 of them",
    "fig15.outstanding": "at most 4",
}
"""From docs/oracle/AGREEMENT.md, where no surface tells."""

PAPER = Paper(
    id="allman1998",
    title="On the Generation and Use of TCP Acknowledgments",
    citation="Mark Allman, ACM Computer Communication Review 28(5), October 1998",
    about="When should a receiver acknowledge, and what should the sender make of it? One transfer over a T1, then 50 to "
    "500 competing ones, then somebody typing.",
    sections={
        "2": "Congestion control and acknowledgments",
        "3": "One transfer",
        "4": "Competing transfers",
        "5": "Telnet",
        "6": "Conclusions",
    },
    parameters=PARAMETERS,
    unprinted=(),
    terms={
        "ACK every, every": "the receiver acknowledges each segment at once",
        "delayed ACKs, delayed": "the receiver acknowledges every second segment, or a lone one when a timer ends",
        "DAASS": "delayed ACKs after slow start: each segment is acknowledged during the sender's slow start, and delayed ACKs follow",
        "UBC": "unlimited byte counting: the sender's window grows by all the data that an ACK covers; the receiver delays its ACKs",
        "LBC": "limited byte counting: the same, but by at most two segments for an ACK",
        "Reno, SACK": "two ways to repair losses: Reno often waits for a timeout after several; with SACK the receiver names what it has",
        "Q": "packets that the gateway's queue holds",
        "n": "transfers that compete",
        "short transfers": "80 segments or fewer",
        "cwnd, awnd": "the sender's congestion window; the window that the receiver advertises (W_A in equations)",
        "R, RTT": "a round trip",
        "BDP": "the product of bandwidth and round trip: what fills the path",
        "IW": "the initial window",
        "RTO": "a retransmission timeout",
        "goodput": "the share of the segments sent that were new data",
        "drop-tail, RED": "a gateway that drops when its queue is full; one that also drops earlier, at random",
    },
    ns2={f"allman1998.{claim}": value for claim, value in {**_NOTED, **_NS2["value"]}.items()},
    ns2_numbers={f"allman1998.{claim}": value for claim, value in _NS2.get("number", {}).items()},
)
