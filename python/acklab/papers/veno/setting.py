"""Every path and parameter of the paper, each stated or inferred, and the scenarios they make."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from ...reproduce.paper import Paper, Parameter
from ...scenario.draws import Draws

SACK = "reno"
"""The congestion control of what the paper calls SACK TCP: Reno's. Its recovery is Veno's too."""
CONTROLS = ("sack", "veno")
NAMES = {"sack": "SACK", "veno": "SACK Veno"}
COLOURS = {"sack": "blue", "veno": "orange"}
"""Not the palette's own green and red: on a paper's page these are the colours of verdicts."""
HEADER = 40
SECONDS = 200
LOSSES = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1)
"""From one packet in ten thousand to one in ten, as in Figure 4's caption."""
FEW_LOSSES = (1e-4, 1e-3, 1e-2, 1e-1)

Scenario = dict[str, Any]
Control = str | Mapping[str, Any]


def control(name: str, beta: float = 3.0) -> Control:
    """What a scenario writes for a control of the paper; ``beta`` is the backlog from which Veno slows down."""
    if name != "veno":
        return SACK if name == "sack" else name
    return "veno" if beta == 3 else {"kind": "veno", "beta": beta}


def text(scenario: Scenario) -> str:
    """As one line of JSON."""
    return json.dumps(scenario, separators=(",", ":"))


def queue(packets: int) -> dict[str, Any]:
    """A drop-tail queue with so many places, the packet in service included."""
    return {"kind": "drop-tail", "packets": packets}


# --- real hosts: the modem and dummynet


def netbsd(name: str, packet: int, beta: float = 3.0) -> dict[str, Any]:
    """The senders of Figures 1, 3 and 4: NetBSD 1.1 with SACK."""
    return {
        "stack": "ns2-2.35",
        "recovery": "sack",
        "control": control(name, beta),
        "packet": packet,
        "window": "64kB",
        "initial_window": 1,
        "limited_transmit": False,
        "tick": "500ms",
        "min_rto": "1s",
    }


def acking(policy: str, timer: str = "200ms") -> dict[str, Any]:
    """The receiver."""
    ack: dict[str, Any] = {"policy": "every"} if policy == "every" else {"policy": "delayed", "timer": timer}
    return {"stack": "ns2-2.35", "ack": ack}


MODEM_BPS = 33600
MODEM_MSS = 512
MODEM_QUEUE = 9
REPETITIONS = 10


def modem(name: str, repetition: int, places: int = MODEM_QUEUE, beta: float = 3.0) -> str:
    """Figure 1: 512 kB over a modem; the repetitions differ by a millisecond of delay."""
    delay = 0.0705 + 0.001 * repetition
    return text(
        {
            "stop": {"when": "flows-complete", "at_most": "1000s"},
            "link": [
                {
                    "between": ["S", "R"],
                    "rate": f"{MODEM_BPS}bps",
                    "delay": f"{delay:.4f}s",
                    "queue": queue(places),
                    "back": {"queue": queue(100)},
                }
            ],
            "flow": [
                {
                    "from": "S",
                    "to": "R",
                    "size": {"bytes": "512kB"},
                    "sender": netbsd(name, MODEM_MSS, beta),
                    "receiver": acking("delayed"),
                }
            ],
        }
    )


PASSES = ("single", "double", "shared")


def pipes(passes: str, rate: str, delay: str, places: int, loss: float) -> list[dict[str, Any]]:
    """dummynet's pipe each way; ``double``: two in a row; ``shared``: one, with one queue and server for both passes."""
    there = {"rate": rate, "delay": delay, "queue": queue(places), "loss": {"rate": loss}}
    pipe = {**there, "back": {"loss": {"rate": loss}}}
    if passes == "double":
        return [{"between": ["S", "G"], **pipe}, {"between": ["G", "R"], **pipe}]
    return [{"between": ["S", "R"], **pipe, "crossings": 2 if passes == "shared" else 1}]


def dummynet(
    name: str,
    seed: int,
    passes: str = "double",
    ack: str = "delayed",
    *,
    rate: str = "800kbps",
    delay: str = "50ms",
    places: int = 8,
    loss: float = 0.01,
    beta: float = 3.0,
    seconds: int = SECONDS,
) -> str:
    """Figure 2(a): one sender over dummynet; the defaults are Figure 3's."""
    return text(
        {
            "seed": seed,
            "stop": {"at": f"{seconds}s"},
            "link": pipes(passes, rate, delay, places, loss),
            "flow": [{"from": "S", "to": "R", "sender": netbsd(name, 1460, beta), "receiver": acking(ack)}],
        }
    )


# --- ns: Figure 2(b)

NS_TIMER = {"tick": "100ms", "min_rto": "1s"}
"""ns's defaults of mid-2001: the clock was 100 ms until 2002-03-07, the least RTO 1 s from 2001-05-14 (its ns-default.tcl)."""


@dataclass(frozen=True)
class Bottleneck:
    """The link that the connections of Figures 5 to 7 share."""

    rate_bps: float = 1.6e6
    one_way_ms: float = 100
    places: int = 12
    packet: int = 1460
    ack: str = "delayed"

    @property
    def segments_per_s(self) -> float:
        """What it carries."""
        return self.rate_bps / (8 * (self.packet + HEADER))


FIGURE_5 = Bottleneck()
FIGURE_6 = Bottleneck(places=15, packet=1000)
FIGURE_7 = Bottleneck(rate_bps=16e6, places=150, packet=1000)


@cache
def _ends(path: Bottleneck, flows: int) -> str:
    """The hosts' links, 1 ms each, ten times as fast as the bottleneck and never full."""
    access = {"rate": f"{10 * path.rate_bps:.0f}bps", "delay": "1ms", "queue": queue(100000)}
    ends = [{"between": pair, **access} for i in range(flows) for pair in ([f"S{i}", "G"], ["H", f"R{i}"])]
    return json.dumps(ends, separators=(",", ":"))[1:-1]


def shared(
    senders: Sequence[Mapping[str, Any]],
    loss: float,
    seed: int,
    path: Bottleneck = FIGURE_5,
    seconds: int = SECONDS,
    within_s: float = 1.0,
) -> str:
    """Figure 2(b): connections that start within so many seconds over one bottleneck, which loses packets in the forward direction."""
    bottleneck: Scenario = {
        "between": ["G", "H"],
        "rate": f"{path.rate_bps:.0f}bps",
        "delay": f"{path.one_way_ms - 2:g}ms",
        "queue": queue(path.places),
    }
    if loss > 0:
        bottleneck["loss"] = {"rate": loss}
    starts = Draws(seed, "starts")
    base = {
        "stack": "ns2-2.35",
        "packet": path.packet,
        "window": 100000,
        "recovery": "sack",
        "limited_transmit": False,
        **NS_TIMER,
    }
    flows = [
        {
            "from": f"S{i}",
            "to": f"R{i}",
            "start": f"{within_s * starts.uniform():.9f}s",
            "sender": {**base, **sender},
            "receiver": acking(path.ack, "100ms"),
        }
        for i, sender in enumerate(senders)
    ]
    rest = text({"seed": seed, "stop": {"at": f"{seconds}s"}, "flow": flows})[1:-1]
    return f'{{{rest},"link":[{text(bottleneck)},{_ends(path, len(senders))}]}}'


PARAMETERS: list[Parameter] = [
    Parameter("recovery and credit", "SACK with a pipe count, one segment an ACK, on both sides", "stated",
              "sections 2.1 and 2.3: only the window's rules differ, so a gain here is never that of another recovery"),
    Parameter("partial ACK", "takes two segments off the pipe", "stated", "section 2.1"),
    Parameter("alpha, beta", "1 and 3 segments", "stated", "section 2.2's listing; its prose slows down above 1, which is "
              "run beside it"),
    Parameter("backlog", "judged once a round trip, with a tagged segment's round trip", "stated", "section 2.2: the flag is "
              "recomputed when the tagged segment is acknowledged"),
    Parameter("BaseRTT after a loss", "unknown until the next sample", "inferred", "section 2.2 resets it and gives no value"),
    Parameter("loss before a backlog was judged", "halves", "inferred", "section 2.2 leaves start-up as Reno's"),
    Parameter("clock of round trips", "1 ms", "stated", "section 2.2"),
    Parameter("modem", "33.6 kb/s, 150 ms, 512 kB", "stated", "section 2.3"),
    Parameter("modem's buffer", "9 packets", "inferred", "not stated; it alone sets the length of a cycle. 8 packets give 4 and 5 cycles, 10 "
              "give 3 and 3", fitted_to=("fig1.cycles",)),
    Parameter("modem's receiver", "delayed ACKs, 200 ms", "inferred", "Linux, as dummynet's: one receiver for Figures 1, 3 and 4. `acklab infer veno` "
              "chose it (512 readings; 1,000 of a later plan favour it, > 0.99). With ACKs for every segment a buffer of 12 gives the cycles, and the mean windows tie",
              fitted_to=("fig1.cycles", "fig1.smooth")),
    Parameter("repetitions", "10, which differ by 1 ms of delay each", "inferred", "section 2.3: ten times of day"),
    Parameter("dummynet's pipes", "800 kb/s, 50 ms, 8 packets, 1 % both ways", "stated", "section 3.3's listing"),
    Parameter("passes", "two pipes in a row", "inferred", "the listing's rules match a forwarded packet coming in and going "
              "out. Once through, the link is nearly full and there is no room for 72 %; twice through the same pipe, no more "
              "than 33 packets a second can pass, and the paper has 38", fitted_to=("fig3.rates", "fig3.72", "abs.72")),
    Parameter("dummynet's receiver", "delayed ACKs, 200 ms", "inferred", "Linux; with ACKs for every segment the gain is 45 %",
              fitted_to=("fig3.rates", "fig3.72", "abs.72")),
    Parameter("dummynet's senders", "64 kB, clock of 500 ms, RTO at least 1 s, no Limited Transmit", "inferred",
              "NetBSD 1.1; the window is stated"),
    Parameter("Figure 4's path", "1.6 Mb/s, 100 ms and 12 packets each way, passed once", "inferred", "section 3.3 states the "
              "numbers; that the delay is one way follows from the same delay in Figures 5 to 7"),
    Parameter("ns's bottleneck", "1.6 Mb/s, 100 ms one way, 12 packets, losses on the way there only", "inferred", "as "
              "Figure 4's; that only the way there loses is stated (section 3.1)"),
    Parameter("ns's receivers", "delayed ACKs, 100 ms", "inferred", "one receiver for all figures (`acklab infer veno`, 512 readings); ns's timer. With ACKs "
              "for every segment Veno gets up to 1.2 times the fair share in Figure 7(a). That plan asks for the printed gains of Figure 5",
              fitted_to=("fig5.1pct", "fig5.001pct", "fig5.avg", "fig7a")),
    Parameter("ns's senders", "ns-2's, without Limited Transmit, clock of 100 ms, least RTO 1 s", "inferred", "ns's defaults of mid-2001; RFC 3042 is of "
              "the paper's own year"),
    Parameter("Figure 5's connections", "start together, run for 200 s", "stated", "section 3.3"),
    Parameter("Figures 6 and 7's connections", "start within the first second, run for 200 s", "inferred", "the duration is stated"),
    Parameter("Figures 6 and 7", "1.6 and 16 Mb/s with 15 and 150 packets, segments of 1 kB, n and n connections", "stated",
              "section 3.4"),
    Parameter("fair share", "the link's rate over the number of connections", "stated", "section 3.4, note 5"),
]  # fmt: skip


# --- The paper's entry, to which the parts add their figures and claims


PAPER = Paper(
    id="veno",
    title="Improvements Achieved by SACK Employing TCP Veno Equilibrium-Oriented Mechanism over Lossy Networks",
    citation="Chung Ling Chi, Fu Chengpeng and Liew Soung Chang, EUROCON 2001",
    about="A sender that guesses from its round trips whether a loss was congestion, and gives way less if it was not. "
    "SACK TCP and SACK TCP with Veno's window over a modem, over dummynet's pipes, and over a shared bottleneck with losses.",
    sections={
        "2": "SACK, Veno, and both over a modem",
        "3.2": "One connection over dummynet",
        "3.3": "Many connections of one kind",
        "3.4": "Two kinds side by side",
    },
    parameters=PARAMETERS,
    terms={
        "N": "the sender's estimate of its own packets that wait in the bottleneck's queue: cwnd times the share of the round trip above the least",
        "beta": "N above which a loss counts as congestion, and the window grows at half the pace: 3 packets",
        "AI": "additive increase, the part between two losses in which the window grows by about a packet a round trip",
        "cwnd": "the sender's congestion window",
        "p": "the share of packets that are lost at random",
        "BDP": "the product of bandwidth and round trip: what fills the path",
        "b": "segments an ACK, in the formula for throughput (PFTK: Padhye, Firoiu, Towsley, Kurose)",
    },
    ns2={
        "veno.fig5.1pct": "+53 % over TCP/Linux's own Reno, 8 seeds; +69 % over Sack1, which is another stack (RTT 200 ms)",
        "veno.abs.72": "+69 % at most, and that over an unlike stack (RTT 200 ms, Sack1); +53 % over a like one",
    },
    ns2_numbers={"veno.fig5.1pct": 53.0},
)
"""ns-2's gains from docs/oracle/AGREEMENT.md."""
