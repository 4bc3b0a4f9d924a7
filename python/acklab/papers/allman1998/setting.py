"""The setting of the paper: one parameter set, each value stated by the paper or inferred, and the scenarios it makes.

Sections 3 to 5 use nothing but :class:`Setting`'s defaults; the evidence pages vary them one at a time.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from ...reproduce.experiments import Effort, Sweep, Traces, records
from ...reproduce.grid import OneFlow
from ...reproduce.paper import Paper, Parameter
from ...scenario.draws import Draws
from ...text.input import loads
from ..trace import Transfer

MECHANISMS = ("every", "delayed", "daass", "ubc", "lbc")
NAMES = {"every": "ACK every", "delayed": "delayed ACKs", "daass": "DAASS", "ubc": "UBC", "lbc": "LBC"}
RECOVERIES = ("reno", "sack")
QUEUES = tuple(range(4, 23))
SEGMENTS = tuple(range(5, 1000, 10))
SHORT = 80
"""Transfers of at most so many segments are the paper's short ones."""
FLOWS = tuple(range(50, 501, 50))
RTT_S = 0.1
SEGMENT_BYTES = 1000
WINDOW = 40

_INFLATED = {"kind": "reno", "inflate_when_blocked": True}
_RENO_RULES: dict[str, dict[str, Any]] = {
    # blocked only after a timeout; duplicates inflate the window even then
    "1997": {"second_fast_retransmit": "unless-timeout", "recovery": _INFLATED},
    "never": {"second_fast_retransmit": "never"},
    "always": {"second_fast_retransmit": "always", "recovery": _INFLATED},
}


@dataclass(frozen=True)
class Setting:
    """What the simulations share. The defaults are the paper's parameter set; its reasons are in ``PARAMETERS``."""

    access_rate: str = "10Mbps"
    access_delay: str = "2ms"
    bottleneck_delay: str = "48ms"
    ack_size: int = 40
    timer: str = "100ms"
    heartbeat: bool = False
    immediate_on_gap: bool = False
    min_rto: str = "1s"
    initial_rto: str = "6s"
    tick: str = "100ms"
    tick_phase: str = "0.055588071586372367s"
    reno: str = "1997"
    growth: str = "whole"
    lbc_limit: float = 2
    phase: str = "oracle"
    """How DAASS's receiver knows the phase. ``by-agent`` is each of ns 1.4's agents its own way: Reno's sender tells it, and SACK's
    raises a flag as its window grows."""
    initial_window: int = 1
    competing: str = "sack"
    """Recovery of section 4's transfers."""

    def ack(self, recovery: str, mechanism: str) -> dict[str, Any]:
        """The receiver's policy; ``recovery`` is its sender's."""
        if mechanism == "every":
            return {"policy": "every"}
        if mechanism == "daass":
            told = {"window": WINDOW} if self.phase == "heuristic" else {}
            phase = ("oracle" if recovery == "reno" else "growth") if self.phase == "by-agent" else self.phase
            return {"policy": "daass", "phase": phase, "timer": self.timer, **told}
        return {"policy": "delayed", "timer": self.timer, **({"heartbeat": True} if self.heartbeat else {})}

    def credit(self, mechanism: str) -> dict[str, Any]:
        """What the sender makes of an ACK."""
        growth = {"growth": self.growth}
        if mechanism == "ubc":
            return {"kind": "ubc", **growth}
        if mechanism == "lbc":
            return {"kind": "lbc", "limit": self.lbc_limit, **growth}
        return {"kind": "ack-counting"}

    def sender(self, recovery: str, mechanism: str, window: int = WINDOW) -> dict[str, Any]:
        """The sender's rules."""
        return {
            "stack": "ns2-1998",
            "recovery": recovery,
            "control": "reno",
            "credit": self.credit(mechanism),
            "packet": SEGMENT_BYTES,
            "window": window,
            "initial_window": self.initial_window,
            "min_rto": self.min_rto,
            "initial_rto": self.initial_rto,
            "tick": self.tick,
            "rtt_filter": {"phase": self.tick_phase},
            **(_RENO_RULES[self.reno] if recovery == "reno" else {}),
        }

    def receiver(self, recovery: str, mechanism: str) -> dict[str, Any]:
        """The receiver's rules."""
        gap = {"immediate_on_gap": True} if self.immediate_on_gap else {}
        return {"stack": "ns2-1998", "ack": self.ack(recovery, mechanism), "ack_size": self.ack_size, **gap}

    def links(self, queue: dict[str, Any], ample: int = 1000) -> list[dict[str, Any]]:
        """Figure 1: S - G - R, with the gateway's queue towards R."""
        free = {"kind": "drop-tail", "packets": ample}
        return [
            {"between": ["S", "G"], "rate": self.access_rate, "delay": self.access_delay, "queue": free},
            {
                "between": ["G", "R"],
                "rate": "1.5Mbps",
                "delay": self.bottleneck_delay,
                "queue": queue,
                "back": {"queue": free},
            },
        ]


PAPERS = Setting()


def transfer(recovery: str, mechanism: str, queue: int, segments: int, setting: Setting = PAPERS) -> str:
    """One transfer over Figure 1's path, as one line of JSON."""
    before, between, after = _transfer(recovery, mechanism, setting)
    return f"{before}{queue}{between}{segments}{after}"


@cache
def _transfer(recovery: str, mechanism: str, setting: Setting) -> tuple[str, str, str]:
    """The scenario's text around the queue's size and the transfer's length: building it once is what makes it cheap."""
    tree = {
        "stop": {"when": "flows-complete", "at_most": "1000s"},
        "link": setting.links({"kind": "drop-tail", "packets": "QUEUE"}),
        "flow": [
            {
                "name": "f",
                "from": "S",
                "to": "R",
                "size": {"segments": "SEGMENTS"},
                "sender": setting.sender(recovery, mechanism),
                "receiver": setting.receiver(recovery, mechanism),
            }
        ],
    }
    before, rest = json.dumps(tree, separators=(",", ":")).split('"QUEUE"')
    between, after = rest.split('"SEGMENTS"')
    return before, between, after


DROP_TAIL = {"kind": "drop-tail", "packets": 40}
RED = {
    "kind": "red",
    "packets": 40,
    "min": 7,
    "max": 21,
    "weight": 0.002,
    "max_p": 0.1,
    "gentle": False,
    "wait": True,
    "mean_packet": "1000B",
}
GATEWAYS = {"drop-tail": DROP_TAIL, "red": RED}


@cache
def workload(seed: int) -> tuple[tuple[float, int, float], ...]:
    """Start, segments and clock phase of 500 transfers; the first n of them are the workload of n transfers.

    Every mechanism and gateway sees the same workload.
    """
    starts, sizes, phases = (Draws(seed, name) for name in ("starts", "sizes", "phases"))
    return tuple(
        (starts.uniform(0, 100), 5 + int(sizes.uniform(0, 96)), phases.uniform(0, 0.1)) for _ in range(max(FLOWS))
    )


def competition(gateway: str, mechanism: str, flows: int, seed: int, setting: Setting = PAPERS) -> str:
    """Section 4: SACK transfers of random size, started at random, through one gateway."""
    before, after = _competition(gateway, mechanism, setting)
    return f'{{"seed":{seed},{before}{",".join(_flows(seed)[:flows])}{after}'


@cache
def _flows(seed: int) -> list[str]:
    return [
        f'{{"from":"S","to":"R","start":"{start:.12f}s","size":{{"segments":{segments}}},'
        f'"sender":{{"stack":"host","rtt_filter":{{"phase":"{phase:.12f}s"}}}},"receiver":{{"stack":"host"}}}}'
        for start, segments, phase in workload(seed)
    ]


@cache
def _competition(gateway: str, mechanism: str, setting: Setting) -> tuple[str, str]:
    sender = setting.sender(setting.competing, mechanism, window=20)
    receiver = setting.receiver(setting.competing, mechanism)
    rules = {key: rule for key, rule in {**sender, **receiver}.items() if key not in ("stack", "rtt_filter")}
    tree = {
        "stop": {"when": "flows-complete", "at_most": "5000s"},
        "stack": {"host": {"base": "ns2-1998", **rules}},
        "link": setting.links(GATEWAYS[gateway], ample=100000),
        "flow": "FLOWS",
    }
    before, after = json.dumps(tree, separators=(",", ":"))[1:].split('"FLOWS"')
    return f"{before}[", f"]{after}"


PARAMETERS: list[Parameter] = [
    Parameter("simulator", "ns 1.4's senders and receivers (stack ns2-1998)", "stated", "section 3.1 names the version"),
    Parameter("bottleneck", "G to R, 1.5 Mb/s", "stated", "section 3.1; 1 Mb is 1,000,000 bits (note 6)"),
    Parameter(
        "round trip", "100 ms of propagation", "stated", "section 3.1; that it leaves out transmission is inferred: 93 ms "
        "of propagation plus transmission breaks the thresholds of Figures 2 and 3"
    ),
    Parameter(
        "access link", "S to G, 10 Mb/s", "inferred", "the label is in a picture we do not have; 8 and 10 Mb/s give every "
        "threshold of Figures 2 and 3, 5, 20 and 100 Mb/s do not",
        fitted_to=("fig1", "fig2a.q22", "fig2a.q21", "fig2a.q20", "fig3a.q22", "fig3a.q20", "fig3a.q19"),
    ),
    Parameter(
        "delays", "2 ms to the gateway, 48 ms beyond", "inferred", "only the sum is stated; 5 + 45 ms gives the same "
        "thresholds, but no timeouts at a queue of 8 in Figure 2(b)"
    ),
    Parameter("segment", "1000 bytes on the wire", "stated", "section 3.1; no header is added, as ns 1.4's agents do"),
    Parameter("ACK", "40 bytes, 8 more for each SACK block", "inferred", "TCP/IP header; ns's default"),
    Parameter("advertised window", "40 segments; 20 in section 4", "stated", "sections 3.1 and 4.1"),
    Parameter("initial window", "1 segment", "stated", "section 2.1"),
    Parameter("initial ssthresh", "the advertised window", "inferred", "section 2.1 ends slow start there or on a loss"),
    Parameter("gateway's queue", "drop-tail, 4 to 22 segments", "stated", "section 3.1"),
    Parameter(
        "what the queue counts", "the packet in transmission too", "inferred", "only so do all seven thresholds of Figures 2 "
        "and 3 come out; ns's drop-tail limit counts it",
        fitted_to=("fig2a.q8", "fig2a.q9", "fig3a.q7"),
    ),
    Parameter("transfer sizes", "5 to 995 segments, every 10", "stated", "section 3.1"),
    Parameter(
        "delayed ACKs", "second segment, or 100 ms after the first", "inferred", "the paper gives only the standard's limit "
        "of 500 ms; 100 ms is ns's default and fits the short transfers of Table 1",
        fitted_to=("table1.every.short", "table1.lbc.short", "tables.order.short", "concl.lbc"),
    ),
    Parameter(
        "segment that fills a gap", "delayed like any other", "inferred", "ns 1.4's receiver has no rule for it"
    ),
    Parameter(
        "retransmission timer", "clock of 100 ms, at least 1 s, 6 s at first", "inferred", "ns's clock and first value; a "
        "floor of 200 ms or less raises Table 1's ACK every from 11.5 to about 16 where the paper has 12",
        fitted_to=("table1.every.all", "tables.order.all", "concl.every"),
    ),
    Parameter("phase of the clock", "55.6 ms", "inferred", "the first draw of ns-2's generator, so that its runs are ours"),
    Parameter(
        "second fast retransmit", "blocked only after a timeout", "inferred", "ns 1.4's rule; section 3.3.3 describes two "
        "fast retransmits within one window, which ns-2.35's rule can not give",
        fitted_to=("fig6.q7_9", "fig6.q6", "fig6.q10"),
    ),
    Parameter(
        "byte counting", "the whole increment by the phase before the ACK", "inferred", "stopping at ssthresh turns UBC's "
        "loss in Table 1 into a gain of 11",
        fitted_to=("table1.ubc.all", "table1.lbc.all"),
    ),
    Parameter("limit of LBC", "2 segments for each ACK", "stated", "section 2.4"),
    Parameter("DAASS knows slow start", "from the sender's state as a segment arrives", "stated", "section 2.3: a global "
              "variable in the simulator; that it is read at the arrival is inferred"),
    Parameter(
        "end of a transfer", "its last segment reaches the receiver", "inferred", "with the last ACK, a timer is added to "
        "every delayed transfer and section 3.4's result for an initial window of 2 fails",
        fitted_to=("fig7.iw2",),
    ),
    Parameter(
        "queue length in Figure 8", "waiting packets", "inferred", "20 waiting and one in transmission is what dominates",
        fitted_to=("fig8.every", "fig8.delayed", "fig8.similar"),
    ),
    Parameter("competing transfers", "50 to 500, starting within 100 s, of 5 to 100 segments, SACK", "stated", "section 4.1"),
    Parameter("their sizes and starts", "whole segments, uniform; the same for every mechanism", "inferred", "section 4.1 "
              "says only that they are random"),
    Parameter("queue in section 4", "40 segments, drop-tail or RED", "stated", "section 4.1"),
    Parameter("RED", "min 7, max 21, weight 0.002, max_p 0.1", "stated", "Table 3"),
    Parameter("RED's rest", "counts packets, drops at max (not gentle), spaces drops (wait)", "inferred", "ns's ways in 1998"),
    Parameter("telnet", "keystrokes as in tcplib, one small segment each, for 120 s", "inferred", "section 5 gives only the "
              "duration; ns's telnet source draws from tcplib"),
]  # fmt: skip


# --- The paper's entry, to which the sections add their figures and claims


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


# --- The experiments that several sections share


READ = OneFlow(
    ["completion_s", "last_data_s", "segments_sent", "retransmits", "timeouts", "fast_retransmits", "window_cuts", "acks_sent"],
    ["drops", "mean_queue_packets"],
)  # fmt: skip
"""What is read from each transfer; ``last_data_s`` is the transfer time."""

TIME = "last_data_s"


def surface(recovery: str, mechanism: str, setting: Setting = PAPERS, note: str = "", **axes: Any) -> Sweep:
    """Figures 2 to 6: transfer time over the queue's size and the transfer's."""

    def scenario(queue: int, segments: int) -> str:
        return transfer(recovery, mechanism, queue, segments, setting)

    name = f"{recovery} {mechanism}{note and ' '}{note}"
    about = f"{NAMES[mechanism]} with {recovery.title() if recovery == 'reno' else 'SACK'}: every queue, every size"
    return Sweep(name, about, {"queue": QUEUES, "segments": SEGMENTS, **axes}, scenario, READ)


SURFACE = {(recovery, mechanism): surface(recovery, mechanism) for recovery in RECOVERIES for mechanism in MECHANISMS}


def traces(
    name: str,
    about: str,
    cells: Mapping[Hashable, str],
    read: Any = Transfer,
    quick: Callable[[Any], bool] | None = None,
) -> Traces:
    """Recorded transfers by key; a quick run makes those whose keys ``quick`` admits."""

    def recorded(effort: Effort) -> Mapping[Hashable, str]:
        admitted = quick if effort.quick and quick else lambda key: True
        return {key: records(scenario, "packets", "series") for key, scenario in cells.items() if admitted(key)}

    return Traces(name, about, recorded, read)


def every_fourth(size: int) -> bool:
    """Sizes of a quick run: 5, 45, 85, ... segments."""
    return size % 40 == 5


LOSS_FREE = traces(
    "loss-free",
    "one long transfer through the largest queue, packet by packet",
    {
        (recovery, mechanism): transfer(recovery, mechanism, 22, 995)
        for recovery in RECOVERIES
        for mechanism in ("every", "delayed", "ubc", "lbc")
    },
)

OVERSHOOT_QUEUES = tuple(range(4, 25))

OVERSHOOT = traces(
    "overshoot",
    "one long Reno transfer for each queue, packet by packet",
    {
        (mechanism, queue): transfer("reno", mechanism, queue, 995)
        for mechanism in ("every", "delayed")
        for queue in OVERSHOOT_QUEUES
    },
)
"""What slow start loses in a shorter transfer is what the longest loses among the segments the shorter one has: up to
the first repair their senders do the same."""
