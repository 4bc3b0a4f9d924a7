"""The setting of the paper: its schemes, its topologies, and every parameter, stated or inferred.

A scheme is what a connection does; a configuration is the network it does it in. Scenarios are lines of JSON.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...reproduce.paper import Paper, Parameter
from ...scenario.draws import Draws

Json = dict[str, Any]

PACKET, SEGMENTS = 1000, 10_000
MAX_DELAY = "200ms"
EDGE_MBPS = 10
"""The rate of the edges of 1-0: the one that is printed for 2-2 and Asymmetric."""
RED = {"kind": "red", "min": 5, "max": 15, "weight": 0.002, "max_p": 0.1, "mean_packet": "1000B"}


@dataclass(frozen=True)
class Scheme:
    """What the two ends of a connection do, and what the routers do for them."""

    name: str
    ack: Mapping[str, Any]
    colour: str
    pacing: float = 0.0
    credit: Mapping[str, Any] | None = None
    fair: bool = False
    dash: str = "-"

    @property
    def smart(self) -> bool:
        """Whether the receiver smartacks."""
        return self.ack["policy"] == "smart"


DELAYED = {"policy": "delayed", "timer": MAX_DELAY, "segments": 2}
SMART = {"policy": "smart", "timer": MAX_DELAY}
ACC = {"policy": "acc-delivered", "timer": MAX_DELAY}
SCHEMES = {
    "newreno": Scheme("NewReno", DELAYED, "delayed"),
    "paced": Scheme("NewReno, paced", DELAYED, "delayed", 0.9, dash="--"),
    "every": Scheme("AckEvery", {"policy": "every"}, "every"),
    "abc": Scheme("ABC", DELAYED, "abc", credit={"kind": "abc", "limit": 2}),
    "sabc": Scheme("SABC", DELAYED, "sabc", credit={"kind": "sabc", "limit": 4}, dash="--"),
    "acc": Scheme("ACC", ACC, "acc"),
    "smart": Scheme("smartacking", SMART, "smart"),
    "smart-paced": Scheme("smartacking, paced", SMART, "smart", 0.9, dash="--"),
    "extended": Scheme("extended smartacking", {**SMART, "extended": True, "early_steps": False}, "red"),
    "fixed": Scheme("smartacking, fixed RTT", {**SMART, "rtt": "fixed"}, "pink"),
    "newreno-fair": Scheme("NewReno, FQ", DELAYED, "delayed", fair=True, dash=":"),
    "smart-fair": Scheme("smartacking, FQ", SMART, "green", fair=True, dash=":"),
}  # fmt: skip


@dataclass(frozen=True)
class Setting:
    """What all simulations share; its reasons are in ``PARAMETERS``."""

    min_rto: str = "200ms"
    tick: str = "10ms"
    limited_transmit: bool = True
    initial_rto: str = "3s"
    max_delay: str = MAX_DELAY
    immediate_on_gap: bool = True
    recovery: str = "newreno"
    loss: str = "tick"
    first: str = "count"
    rtt: str = "probe"
    interval: str = "1s"

    def sender(self, scheme: Scheme) -> Json:
        """The sender's rules."""
        return {
            "stack": "ns2-1998",
            "recovery": self.recovery,
            "packet": PACKET,
            "window": 100_000,
            "initial_window": 1,
            "min_rto": self.min_rto,
            "initial_rto": self.initial_rto,
            "tick": self.tick,
            "limited_transmit": self.limited_transmit,
            "pacing": {"kind": "spread", "share": scheme.pacing} if scheme.pacing else "off",
            **({"credit": dict(scheme.credit)} if scheme.credit else {}),
        }

    def receiver(self, scheme: Scheme, estimate: bool = False) -> Json:
        """The receiver's rules."""
        ack = dict(scheme.ack)
        if "timer" in ack:
            ack["timer"] = self.max_delay
        if scheme.smart:
            ack = {"loss": self.loss, "first": self.first, "rtt": self.rtt, "interval": self.interval, **ack}
        rules: Json = {"stack": "ns2-1998", "ack": ack, "ack_size": 40, "immediate_on_gap": self.immediate_on_gap}
        if estimate and not scheme.smart:
            # Section 3.2 makes the estimation extension-specific.
            rules["estimate"] = (
                {"kind": "timestamps", "limit": scheme.credit["limit"]} if scheme.credit else "timestamps"
            )
        return rules


PAPERS = Setting()
FREE = {"kind": "drop-tail", "packets": 100_000}


def bdp(mbps: float, rtt_s: float) -> float:
    """Bandwidth times delay, in packets."""
    return mbps * 1e6 * rtt_s / (8 * PACKET)


def queue(mbps: float, rtt_s: float, scheme: Scheme, red: bool = False, bdps: float = 0.5) -> Json:
    """The bottleneck's queue: so many bandwidth-delay products, at least two packets; or RED."""
    pipe = bdp(mbps, rtt_s)
    fair: Json = {"scheduler": "round-robin"} if scheme.fair else {}
    if red:
        return {**RED, "packets": max(40, math.floor(pipe)) + 1, **fair}
    waiting = max(2, math.floor(bdps * pipe))
    if scheme.ack is ACC:
        return marking(waiting, 8e-6 * PACKET / mbps)
    return {"kind": "drop-tail", "waiting": waiting, **fair}


def marking(waiting: int, packet_s: float) -> Json:
    """A drop-tail queue that marks what waited for longer than half of it takes to leave, and drops only what it has no room for."""
    never = "100s"
    half = f"{waiting * packet_s / 2:.9g}s"
    return {"kind": "codel", "packets": waiting + 1, "target": never, "interval": never, "ce_threshold": half}


def link(between: Sequence[str], mbps: float, delay_ms: float, queue: Json = FREE, back: Json | None = None) -> Json:
    """A duplex link, alike in both directions unless ``back`` says otherwise."""
    return {
        "between": list(between),
        "rate": f"{mbps:g}Mbps",
        "delay": f"{delay_ms:g}ms",
        "queue": queue,
        **({"back": back} if back else {}),
    }


def flow(name: str, ends: tuple[str, str], start_s: float, scheme: Scheme, setting: Setting, **more: Any) -> Json:
    """A file from one node to another."""
    return {
        "name": name,
        "from": ends[0],
        "to": ends[1],
        "start": f"{start_s:.9g}s",
        "size": {"segments": more.pop("segments", SEGMENTS)},
        "sender": setting.sender(scheme),
        "receiver": setting.receiver(scheme, more.pop("estimate", False)),
        **more,
    }


def scenario(links: list[Json], flows: list[Json], seed: int = 1, at_most: float = 20_000.0) -> str:
    """One line of JSON."""
    stop = {"when": "flows-complete", "at_most": f"{at_most:g}s"}
    return json.dumps({"seed": seed, "stop": stop, "link": links, "flow": flows}, separators=(",", ":"))


def one_zero(
    mbps: float, scheme: str, red: bool = False, seed: int = 1, setting: Setting = PAPERS, estimate: bool = False
) -> str:
    """One connection, 50 ms one way, nothing in the other direction."""
    kind = SCHEMES[scheme]
    links = [
        link(("S1", "A"), EDGE_MBPS, 5),
        link(("A", "B"), mbps, 40, queue(mbps, 0.1, kind, red), {"queue": FREE}),
        link(("B", "R1"), EDGE_MBPS, 5),
    ]
    return scenario(links, [flow("f1", ("S1", "R1"), 0, kind, setting, estimate=estimate)], seed)


STARTS = ((1, 0.0), (2, 0.2), (3, 0.1), (4, 0.3))
"""Connections 1 and 2 go forward, 3 and 4 back."""


def two_two(
    mbps: float,
    scheme: str,
    *,
    buffer: float = 0.5,
    red: bool = False,
    long: bool = False,
    fourth: str | None = None,
    copies: int = 1,
    seed: int = 1,
    setting: Setting = PAPERS,
    estimate: bool = False,
    segments: int = SEGMENTS,
) -> str:
    """Two connections each way; with ``long``, the second of each way has a round trip of 120 ms.

    ``fourth``: what the second forward connection does instead; ``copies`` connections take each one's place, their
    starts spread over the 100 ms between the groups.
    """
    kind = SCHEMES[scheme]
    links = [link(("A", "B"), mbps, 20, queue(mbps, 0.06, kind, red, buffer))]
    flows = []
    for number, start in STARTS:
        mine = SCHEMES[fourth] if fourth and number == 2 else kind
        near, far = ("A", "B") if number <= 2 else ("B", "A")
        delay = 35 if long and number in (2, 4) else 5
        for k in range(copies):
            name = f"{number}" if copies == 1 else f"{number}.{k}"
            links += [link((f"S{name}", near), 10, delay), link((far, f"R{name}"), 10, 5)]
            begin, ends = start + 0.1 * k / copies, (f"S{name}", f"R{name}")
            flows.append(flow(f"f{name}", ends, begin, mine, setting, estimate=estimate, segments=segments))
    return scenario(links, flows, seed)


def tcp_udp(mbps: float, scheme: str, setting: Setting = PAPERS, first: str = "on", estimate: bool = False) -> str:
    """A connection and an on-off UDP flow each way."""
    kind = SCHEMES[scheme]
    links, flows = [link(("A", "B"), mbps, 20, queue(mbps, 0.06, kind))], []
    for number, start in STARTS:
        near, far = ("A", "B") if number <= 2 else ("B", "A")
        ends = (f"S{number}", f"R{number}")
        links += [link((ends[0], near), 10, 5), link((far, ends[1]), 10, 5)]
        if number in (1, 3):
            flows.append(flow(f"f{number}", ends, start, kind, setting, estimate=estimate))
        else:
            source = {
                "kind": "udp",
                "rate": f"{mbps / 2:g}Mbps",
                "packet": PACKET,
                "on": "5s",
                "off": "5s",
                "first": first,
            }
            flows.append(
                {"name": f"udp{number}", "from": ends[0], "to": ends[1], "start": f"{start}s", "source": source}
            )
    return scenario(links, flows)


def asymmetric(kbps: float, scheme: str, setting: Setting = PAPERS) -> str:
    """10 Mb/s forward, a few kb/s back; round trip 59 ms."""
    kind = SCHEMES[scheme]
    slow: Json = {"kind": "drop-tail", "waiting": 10}
    if kind.ack is ACC:
        slow = marking(10, 8e-3 * 40 / kbps)
    back = {"rate": f"{kbps:g}kbps", "delay": "50ms", "queue": slow}
    links = [
        link(("S1", "A"), 10, 1),
        link(("A", "B"), 10, 5, queue(10, 0.059, kind), back),
        link(("B", "R1"), 10, 1),
    ]
    return scenario(links, [flow("f1", ("S1", "R1"), 0, kind, setting)])


def parking_lot(mbps: float, scheme: str, red: bool = False, seed: int = 1, setting: Setting = PAPERS) -> str:
    """Three shared links; connection 1 crosses the last, 2 the last two, 3 and 4 all."""
    kind = SCHEMES[scheme]
    shared = queue(mbps, 0.14, kind, red)
    links = [link((f"N{k}", f"N{k + 1}"), mbps, 20, shared) for k in range(3)]
    flows = []
    for number, enters in ((1, 2), (2, 1), (3, 0), (4, 0)):
        links += [link((f"S{number}", f"N{enters}"), 1000, 5), link(("N3", f"R{number}"), 1000, 5)]
        flows.append(flow(f"f{number}", (f"S{number}", f"R{number}"), 0.1 * (number - 1), kind, setting))
    return scenario(links, flows, seed)


PARAMETERS: list[Parameter] = [
    Parameter("data packet, ACK, file", "1000 bytes, 40 bytes, 10,000 segments", "stated", "section 4.2"),
    Parameter("longest ACK delay", "200 ms", "stated", "section 4.2; 100 ms is judged apart"),
    Parameter("advertised window", "100,000 segments: it never limits", "stated", "section 4.2"),
    Parameter("starts", "0, 200 ms forward, 100, 300 ms back; 0, 100, 200, 300 ms in the Parking-Lot", "stated", "section 4.2"),
    Parameter("drop-tail queues", "half a bandwidth-delay product", "stated", "section 4.2"),
    Parameter("what the queue counts", "waiting packets, at least 2; products rounded down", "inferred", "not printed"),
    Parameter("RED", "min 5, max 15, weight 0.002, max_p 0.1", "stated", "section 4.2; one product of room, at least 40 packets"),
    Parameter("1-0", "50 ms one way", "stated", "section 4.2"),
    Parameter("edges of 1-0", "10 Mb/s", "inferred", "printed for 2-2 and Asymmetric only (section 4.2)"),
    Parameter("least RTO, Limited Transmit", "0.2 s, yes", "inferred",
              "not printed; the most probable reading of `acklab infer smartacking`, which is fitted to Figures 3 and 4",
              fitted_to=("fig3a.pct", "fig3a.rto", "fig3b.nostall", "fig4a.pct", "fig4c.pct", "fig4d.pct", "fig4.pacing", "fig4.reverse")),
    Parameter("2-2", "edges 10 Mb/s and 5 ms, middle 20 ms", "stated", "section 4.2"),
    Parameter("Different-RTT", "30 ms more on one sender's edge each way", "inferred", "120 = 60 + 60 ms"),
    Parameter("Asymmetric", "10 Mb/s, 5 ms; back 5 to 30 kb/s, 50 ms; edges 10 Mb/s, 1 ms", "stated", "section 4.2"),
    Parameter("Asymmetric queues", "36 packets forward, 10 back", "inferred", "half of 73.75 packets, the usual size by section 4.2; ten ACKs"),
    Parameter("queues at edges", "without a limit", "inferred", "not printed; the same in every configuration"),
    Parameter("ACC", "a packet that waited longer than half of its queue takes to leave is marked; an ACK covers at most half of the window", "inferred",
              "section 2 has marks on a congested link's packets, and a largest d that the window determines"),
    Parameter("Parking-Lot", "20 ms a shared link, 5 ms and 1 Gb/s an edge; connection 1 crosses the last, 2 the last two", "inferred",
              "only the order of round trips and the last bottleneck are stated"),
    Parameter("High-Multiplexing", "50 connections for each of the four, starts spread over 100 ms", "inferred",
              "the stagger within a group is not printed"),
    Parameter("UDP", "starts on, when the connection it replaces would; 1000-byte datagrams", "inferred", "not printed"),
    Parameter("sender", "NewReno as in ns-2, impatient, initial window 1, ssthresh unlimited", "inferred",
              "the timeouts of Figures 3(a) and 5(a) need an impatient timer", fitted_to=("fig5.stalls",)),
    Parameter("clock of the retransmission timer", "10 ms", "inferred", "not printed; 100 ms is as probable"),
    Parameter("duplicates and filled gaps", "acknowledged at once", "inferred", "RFC 1122 and RFC 5681"),
    Parameter("keep-alives", "40 bytes, with the first segment and then once a second while segments come", "inferred",
              "section 3.2 says once per second; a first second without a round trip could not give Figure 3(b)"),
    Parameter("round trips of the estimates without smartacking", "timestamps, which send nothing", "inferred",
              "section 3.2 has keep-alives for smartacking's receiver; section 5.1 does not say how it estimates the others' windows"),
    Parameter("estimate of a window that ABC opens", "with ABC's increase", "inferred", "section 3.2 describes NewReno's, and calls it specific to an extension"),
    Parameter("third duplicate ACK", "counts when the round trip ends", "inferred", "the listing of Figure 1 lacks the step"),
    Parameter("first of a window", "by counting segments", "inferred", "section 3.2 does not say how it is known"),
    Parameter("beta", "alpha before the last loss", "inferred", "section 4.1: as the threshold is to the window"),
    Parameter("ABC, SABC", "L = 2; L = 4", "inferred", "neither is printed"),
    Parameter("timeline's span", "fitted to the smartacking curve of each figure", "inferred", "the bands' length is not printed",
              fitted_to=("fig3b.pct", "fig4b.pct", "fig5b.pct")),
    Parameter("completion times of several", "their mean; forward connections where one direction is meant", "inferred", "not printed"),
]  # fmt: skip


def many(connections: int, seed: int) -> str:
    """So many smartacking connections each way over 8 Mb/s for 12 s, begun at random in the first."""
    starts, kind = Draws(seed, "starts"), SCHEMES["smart"]
    links = [link(("A", "B"), 8, 20, queue(8, 0.06, kind))]
    flows = []
    for k in range(connections):
        for name, near, far in ((f"1.{k}", "A", "B"), (f"3.{k}", "B", "A")):
            links += [link((f"S{name}", near), 10, 5), link((far, f"R{name}"), 10, 5)]
            ends = (f"S{name}", f"R{name}")
            flows.append(flow(f"f{name}", ends, starts.uniform(), kind, PAPERS, segments=1_000_000))
    tree = {"seed": seed, "stop": {"at": "12s"}, "link": links, "flow": flows}
    return json.dumps(tree, separators=(",", ":"))


def short_lived(load: float, scheme: str, seed: int) -> str:
    """Transfers of 10 to 100 segments that arrive at random for 30 s in each direction of the 2-2 configuration, 8 Mb/s."""
    kind = SCHEMES[scheme]
    links = [link(("A", "B"), 8, 20, queue(8, 0.06, kind))]
    flows = []
    mean_gap = 8 * PACKET * 55 / (load * 8e6)
    for number, near, far in ((1, "A", "B"), (3, "B", "A")):
        links += [link((f"S{number}", near), 10, 5), link((far, f"R{number}"), 10, 5)]
        gaps, sizes = Draws(seed, f"gaps {number}"), Draws(seed, f"sizes {number}")
        at, k = 0.0, 0
        while True:
            at -= mean_gap * math.log(1 - gaps.uniform())
            if at > 30:
                break
            size, ends = 10 + int(sizes.uniform(0, 91)), (f"S{number}", f"R{number}")
            flows.append(flow(f"f{number}.{k}", ends, at, kind, PAPERS, segments=size))
            k += 1
    return scenario(links, flows, seed)


# --- The paper's entry, to which the sections add their figures and claims


PAPER = Paper(
    id="smartacking",
    title="Smartacking: Improving TCP Performance from the Receiving End",
    citation="Daniel K. Blandford, Sally A. Goldman, Sergey Gorinsky, Yan Zhou, Daniel R. Dooly, Journal of Internet Engineering 1(1), 2007",
    about="A receiver that sees when the bottleneck is full, and then acknowledges as late as keeps it busy. Where a figure's "
    "scale is not in the text we have, shape and order are the claim.",
    sections={
        "3": "The estimator",
        "4": "Configurations",
        "5.1": "Dynamics",
        "5.2": "Drop-tail routers",
        "5.3": "RED routers",
        "5.4": "Asymmetric networks",
        "5.5": "Changes in capacity",
        "5.6": "Many connections",
        "5.7": "Fairness",
        "6": "Conclusions",
    },
    parameters=PARAMETERS,
    unprinted=("Parking-Lot", "Figure 17"),
    terms={
        "smartacking": "the paper's receiver: it estimates the sender's window and the bottleneck's pace, and sends fewer ACKs once the bottleneck is busy",
        "plain, paced, extended": "smartacking alone; with a sender that spaces its segments; with an alpha that falls after losses",
        "alpha": "the share of a round trip by which the ACK leaves before the last segment under way comes",
        "FQ": "a bottleneck that serves connections in turn",
        "ACC": "ACK congestion control: the receiver sends fewer ACKs when the way back is congested",
        "ABC, SABC": "appropriate byte counting, in which the sender's window grows by the bytes that are acknowledged; a scaled form, which the paper only names",
        "ISAT": "the time between arrivals of segments at the receiver",
        "1-0, 2-2": "connections of one direction and of the other",
        "T1 to T8": "the transitions of the listing that estimates the window",
        "slope": "how fast the window grows",
        "reduction": "how much shorter a transfer takes than with NewReno",
    },
)
