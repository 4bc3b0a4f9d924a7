"""The settings of the paper: section 2.4's single source, Figure 10's many, each value stated or inferred.

The claims use nothing but the defaults of :class:`One` and :class:`Many`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

from ...reproduce.paper import Paper, Parameter
from ...scenario.draws import Draws
from .model import SlowReverse

PACKET = 1000
FORWARD_BPS = 10e6
FORWARD_PER_S = FORWARD_BPS / (8 * PACKET)
HIGH = 1_000_000
"""What a limit is set to that shall never be reached, in packets."""
SOURCES = tuple(range(1, 21))
FILE_BYTES = (10_000, 10_000_000)
ACCESS_MS = (1.0, 10.0)
DURATION_S = 1000
UNSCALED = 64
"""About the most a receiver can advertise without window scaling (65,535 bytes), in segments of 1000 B."""
SMALL = 10
"""The small reverse buffer of section 4.2, packets."""
UTILISATION = 0.9

DELTAS = (1, 3, 10, 20, 30, 40, 60, 100, 500)
"""Static thresholds; 30 is the paper's optimum."""

ALGORITHMS = ("none", "classic", "aggregate", "fifo", "rr")
"""Section 4's five."""
NAMES = {
    "none": "no filter",
    "classic": "classic",
    "aggregate": "delayed, aggregate",
    "fifo": "per connection, FIFO",
    "rr": "per connection, round robin",
}
COLOURS = {
    "none": "none",
    "classic": "classic",
    "aggregate": "delayed-aggregate",
    "fifo": "delayed-perconn",
    "rr": "round-robin",
}

SENDER = {"stack": "ns2-1998", "recovery": "reno", "packet": PACKET}


def static(delta: int) -> dict[str, Any]:
    """Static filtering (ledger ackfilter.m.static)."""
    return {"kind": "static", "threshold": delta}


def delayed(
    rate: str = "tsw", per: str = "link", window: str = "200ms", share: float = UTILISATION, **more: Any
) -> dict[str, Any]:
    """Delayed filtering (ledger ackfilter.m.delayed_single and others)."""
    return {"kind": "delayed", "rate": rate, "per": per, "window": window, "share": share, **more}


def receiver(d: int) -> dict[str, Any]:
    """The destination's rules; an ACK covers ``d`` segments."""
    ack = {"policy": "every"} if d == 1 else {"policy": "delayed", "timer": "100ms", "segments": d}
    return {"stack": "ns2-1998", "ack": ack, "ack_size": 40}


@dataclass(frozen=True)
class One:
    """Section 2.4: one source, S to D, for a few seconds of slow start."""

    d: int = 1
    rtt_s: float = 0.2
    """T: the round trip without queues, and without transmission."""
    forward_rate: str = "10Mbps"
    forward_packets: int = HIGH
    window: int = HIGH
    min_rto: str = "1s"

    @property
    def model(self) -> SlowReverse:
        """The model of sections 2.1 to 2.3 with these values."""
        return SlowReverse(rate_bps=100e3, rtt_s=self.rtt_s, d=self.d, ack_bytes=40)

    def scenario(self, filter: dict[str, Any] | None, *, segments: int | None = None, stop_s: float = 10.0) -> str:
        """One line of JSON; with ``segments`` a transfer of that size, else data for all the time."""
        reverse: dict[str, Any] = {"kind": "drop-tail", "packets": HIGH}
        if filter is not None:
            reverse["filter"] = filter
        flow: dict[str, Any] = {
            "name": "f",
            "from": "S",
            "to": "D",
            "size": "unlimited" if segments is None else {"segments": segments},
            "sender": {**SENDER, "window": self.window, "min_rto": self.min_rto},
            "receiver": receiver(self.d),
        }
        tree = {
            "stop": {"at": f"{stop_s:g}s"} if segments is None else {"when": "flows-complete", "at_most": "1000s"},
            "link": [
                {
                    "between": ["S", "D"],
                    "rate": self.forward_rate,
                    "delay": f"{500 * self.rtt_s:g}ms",
                    "queue": {"kind": "drop-tail", "packets": self.forward_packets},
                    "back": {"rate": "100kbps", "queue": reverse},
                }
            ],
            "flow": [flow],
        }
        return json.dumps(tree, separators=(",", ":"))


@dataclass(frozen=True)
class Many:
    """Figure 10: N sources to one destination, their ACKs through one slow link."""

    buffer: int = HIGH
    """Reverse buffer, packets."""
    forward_packets: int = HIGH
    window: int = UNSCALED
    ssthresh: float = 0.0
    """Initial ssthresh, segments; 0 is the window."""
    min_rto: str = "1s"
    rate_window: str = "200ms"
    share: float = UTILISATION
    """Of the fair share: above it a connection is filtered."""
    wait: str = "1s"
    access_rate: str = "100Mbps"
    d: int = 1
    """Segments that an ACK covers."""
    rtt_s: float = 0.2
    """About T: with 5 ms of access link, the round trip without queues."""

    def queue(self, algorithm: str) -> dict[str, Any]:
        """The reverse buffer with its filter, drop policy and service (ledger ackfilter.m.drop_policies, m.sched)."""
        parts: dict[str, dict[str, Any]] = {
            "none": {},
            "classic": {"filter": static(1), "drop": "tail"},
            "aggregate": {"filter": delayed(window=self.rate_window), "drop": "tail-when-filtering"},
            "fifo": {"filter": self._per_connection(), "drop": "fastest-oldest"},
            "rr": {"filter": self._per_connection(), "drop": "fastest-oldest", "scheduler": "round-robin"},
        }
        return {"kind": "drop-tail", "packets": self.buffer, **parts[algorithm]}

    def _per_connection(self) -> dict[str, Any]:
        return delayed(per="connection", window=self.rate_window, share=self.share)

    def links(self, algorithm: str, delays_ms: tuple[float, ...]) -> list[dict[str, Any]]:
        """S0, S1, ... to A, and A to D."""
        free = {"kind": "drop-tail", "packets": HIGH}
        access = [
            {"between": [f"S{i}", "A"], "rate": self.access_rate, "delay": f"{delay:.6f}ms", "queue": free}
            for i, delay in enumerate(delays_ms)
        ]
        shared = {
            "between": ["A", "D"],
            "rate": "10Mbps",
            "delay": f"{500 * self.rtt_s - 5:g}ms",
            "queue": {"kind": "drop-tail", "packets": self.forward_packets},
            "back": {"rate": "100kbps", "queue": self.queue(algorithm), "stages": []},
        }
        return [*access, shared]

    @property
    def sender(self) -> dict[str, Any]:
        """The Reno sources' rules."""
        more = {"initial_ssthresh": self.ssthresh} if self.ssthresh else {}
        return {**SENDER, "window": self.window, "min_rto": self.min_rto, **more}

    def scenario(self, algorithm: str, sources: int, seed: int, duration_s: float = DURATION_S) -> str:
        """One line of JSON: every algorithm sees the same files, pauses and access links."""
        delays, starts = _drawn(seed)
        low, high = FILE_BYTES
        flows = [
            {
                "name": f"s{i}",
                "from": f"S{i}",
                "to": "D",
                "start": f"{starts[i]:.6f}s",
                "size": {"uniform": [f"{low}B", f"{high}B"]},
                "repeat": {"times": 60_000, "think": "0s", "think_to": self.wait},
                "sender": self.sender,
                "receiver": receiver(self.d),
            }
            for i in range(sources)
        ]
        tree = {
            "seed": seed,
            "stop": {"at": f"{duration_s:g}s"},
            "link": self.links(algorithm, delays[:sources]),
            "flow": flows,
        }
        return json.dumps(tree, separators=(",", ":"))


ONE = One()
MODEL = ONE.model
"""The model with section 2.4's numbers."""
LARGE_BUFFER = Many()
SMALL_BUFFER = Many(buffer=SMALL)


@cache
def _drawn(seed: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Access delays (ms) and first starts (s) of up to 20 sources."""
    delays, starts = Draws(seed, "delays"), Draws(seed, "starts")
    count = max(SOURCES)
    return tuple(delays.uniform(*ACCESS_MS) for _ in range(count)), tuple(starts.uniform() for _ in range(count))


PARAMETERS: list[Parameter] = [
    Parameter("sender", "ns's Reno of the time (stack ns2-1998)", "stated", "sections 2.4 and 4.1; that it is ns 2.1's is inferred"),
    Parameter("segments", "1000 B, each acknowledged (d = 1)", "stated", "section 2.4"),
    Parameter("forward link", "10 Mb/s", "stated", "section 2.4; \"1000 Kbps\" in its text is a slip, see fig5.sat"),
    Parameter("reverse link", "100 kb/s, ACKs of 40 B: 312.5 ACK/s", "stated", "sections 2.4 and 3.1"),
    Parameter("round trip", "200 ms of propagation, 100 ms each way", "stated", "section 2.4; that transmission comes on top is inferred"),
    Parameter("forward buffer, window, first ssthresh", "never reached", "stated", "section 2.4: \"high values\""),
    Parameter("reverse buffer", "never full", "stated", "section 2.4"),
    Parameter("which ACKs count against the threshold", "waiting ones, not the one in transmission", "inferred", "it has left the queue"),
    Parameter("rate estimate", "time sliding window of 200 ms", "inferred", "section 3.2: \"of the order of\" the round trip"),
    Parameter("delayed filtering", "on at 90 % utilisation, off below", "inferred", "section 3 states 90 %; that both thresholds are equal is ours"),
    Parameter("sources", "1 to 20, files of 10 kB to 10 MB, 1000 s", "stated", "section 4.1"),
    Parameter("access links", "1 to 10 ms, uniform; 100 Mb/s", "inferred", "section 4.1 states the delays; the rate, in a picture, only has to be ample"),
    Parameter("shared link", "10 Mb/s, 95 ms", "inferred", "its label is in a picture; as in section 2.4, the round trip is about 200 ms"),
    Parameter("pause between files", "uniform, up to 1 s", "inferred", "\"a small random time\""),
    Parameter(
        "window in section 4", "64 segments, 64 kB", "inferred", "not mentioned; what a receiver advertises without window scaling. Section "
        "2.4's unlimited window lets thousands of segments queue on the forward link, whose delay and not the ACKs' then rules",
        fitted_to=("fig11.none", "fig11.rr", "fig11.fifo"),
    ),
    Parameter("forward buffer and first ssthresh in section 4", "never reached", "inferred", "not mentioned; as in section 2.4"),
    Parameter(
        "share of the fair share", "90 %", "inferred", "section 4.1 compares with the whole of it; a lone connection's rate comes near the "
        "link's, but never exceeds it, and would never be filtered. 90 % is section 3's",
        fitted_to=("fig11.rr", "fig11.classic_small", "concl.group", "fig12.rr"),
    ),
    Parameter("least RTO", "1 s", "inferred", "section 4 calls it usual; ns's default then was lower"),
    Parameter("new connection's rate", "0", "inferred", "so that its slow start is not filtered"),
    Parameter("entry freed", "below 1 % of the link's rate", "inferred", "\"a certain minimum threshold\""),
    Parameter("throughput of a file", "its size over its duration, averaged over completed files", "inferred", "\"the average throughput during a file transfer\""),
    Parameter("small buffer", "10 packets, the one in transmission included", "inferred", "section 4.2 states 10; ns counts so"),
]  # fmt: skip


# --- The paper's entry, to which the sections add their figures and claims


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
