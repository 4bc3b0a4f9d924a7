"""Every path and parameter of the two sources, each stated or inferred, and the scenarios they make."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from acklab.reproduce.paper import Paper, Parameter
from acklab.scenario.draws import Draws

from ..later import text

MODES = ("off", "on", "aggressive")
NAMES = {"off": "no filter", "on": "ack-filter", "aggressive": "ack-filter-aggressive"}
COLOURS = {"off": "none", "on": "cake", "aggressive": "purple"}
FLOWS = 4
SECONDS = 40
ROUND_TRIP_MS = 50
FRAMES: Mapping[str, Mapping[str, Any]] = {
    "Ethernet header": {"overhead": 14},
    "Ethernet, whole frame": {"overhead": 38, "mpu": "84B"},
    "ATM cells": {"overhead": 48, "cells": "atm"},
}
"""What the shaper adds to each packet: Linux's default, and the keywords ``ethernet`` and ``conservative`` of tc-cake."""
FRAME = "Ethernet header"

PARAMETERS = [
    Parameter(
        "access link",
        "30 Mb/s down, 1 Mb/s up",
        "stated",
        "Figure 6's caption, as digitalities/diffserv4ns (specs/03-quality.md, Q-15.5b) quotes it",
    ),
    Parameter(
        "flows",
        "4 downloads and 4 uploads",
        "inferred",
        "those of the replication's own test, which has 50/0.5 Mb/s and 40 ms; the paper's were not seen",
    ),
    Parameter("filters", "off, ack-filter, ack-filter-aggressive", "stated", "the commit in Linux"),
    Parameter(
        "round trip",
        "50 ms",
        "inferred",
        "not seen; 40 ms in the replication's own test; 20 and 100 ms in the figure on readings",
    ),
    Parameter(
        "shaper's account",
        "14 bytes a packet",
        "inferred",
        "what tc-cake counts without a keyword: the Ethernet header",
    ),
    Parameter("endpoints", "the stack linux: CUBIC, HyStart, ACKs of Linux", "inferred", "the test bed runs Linux"),
    Parameter("duration", "40 s", "inferred", "not seen"),
    Parameter("starts", "uniform in the first second", "inferred", "not stated"),
]


@cache
def _starts(seed: int) -> tuple[float, ...]:
    draw = Draws(seed, "starts")
    return tuple(draw.uniform(0, 1) for _ in range(2 * FLOWS))


def _flows(seed: int, uploads: int) -> list[dict[str, Any]]:
    """Downloads first, then uploads."""
    ends = [("S", "C")] * FLOWS + [("C", "S")] * uploads
    starts = _starts(seed)
    return [
        {"from": a, "to": b, "start": f"{starts[i]:.9f}s", "sender": {"stack": "linux"}, "receiver": {"stack": "linux"}}
        for i, (a, b) in enumerate(ends)
    ]


def access(
    mode: str,
    seed: int,
    up: str = "1Mbps",
    round_trip_ms: float = ROUND_TRIP_MS,
    frame: str = FRAME,
    uploads: int = FLOWS,
    seconds: int = SECONDS,
) -> str:
    """Figure 6's link: CAKE in both directions, the filter on the uplink."""
    shaper = {"kind": "cake", **FRAMES[frame]}
    tree = {
        "seed": seed,
        "stop": {"at": f"{seconds}s"},
        "link": [
            {
                "between": ["S", "A"],
                "rate": "1Gbps",
                "delay": f"{round_trip_ms / 2 - 1:g}ms",
                "queue": {"kind": "drop-tail", "packets": 10000},
            },
            {
                "between": ["A", "C"],
                "rate": "1Gbps",
                "delay": "1ms",
                "queue": {**shaper, "bandwidth": "30Mbps"},
                "back": {"queue": {**shaper, "bandwidth": up, "ack_filter": mode}},
            },
        ],
        "flow": _flows(seed, uploads),
    }
    return text(tree)


PAPER = Paper(
    id="cake",
    title="Piece of CAKE: A Comprehensive Queue Management Solution for Home Gateways (the ACK filter)",
    citation="Toke Høiland-Jørgensen, Dave Täht and Jonathan Morton, LANMAN 2018; with the filter's commit in Linux (2018)",
    about="An uplink erases ACKs that a newer ACK makes redundant. How much faster do downloads become on very asymmetric links?",
    sections={"30/1": "30 Mb/s down, 1 Mb/s up"},
    parameters=PARAMETERS,
    group="later work",
)
