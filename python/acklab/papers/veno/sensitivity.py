"""What each choice is worth: Veno's gain in Figures 3 and 5 when one of them is made otherwise."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

import polars as pl

from ...report.charts import Swing, Tornado
from ...reproduce.experiments import Replications
from ...reproduce.grid import Grid
from ...reproduce.paper import Compared, Drawn
from ...reproduce.readers import ManyFlows
from .registry import PAPER
from .setting import CONTROLS, Bottleneck, dummynet, shared
from .setting import control as written


@dataclass(frozen=True)
class Choice:
    """One choice made otherwise: keys of the sender, the receiver, Veno's table, and of the path."""

    parameter: str
    value: str
    sender: Mapping[str, Any] = field(default_factory=dict)
    receiver: Mapping[str, Any] = field(default_factory=dict)
    veno: Mapping[str, Any] = field(default_factory=dict)
    path: Mapping[str, Any] = field(default_factory=dict)


COMMON = (
    Choice("recovery", "RFC 6675", {"recovery": "rfc6675"}),
    Choice("recovery", "forward ACK", {"recovery": "fack"}),
    Choice("partial ACK", "two segments", {"recovery": {"kind": "sack", "partial": "two-segments"}}),
    Choice("Limited Transmit", "on", {"limited_transmit": True}),
    Choice("alpha", "3", veno={"alpha": 3.0}),
    Choice("beta", "1", veno={"beta": 1.0}),
    Choice("backlog judged", "each ACK", veno={"estimate": "per-ack"}),
    Choice("first loss", "by the flag", veno={"first_loss": "by-flag"}),
    Choice("BaseRTT after a loss", "kept", veno={"base_rtt": "ever"}),
    Choice("clock of round trips", "exact", veno={"clock": "0s"}),
)
PLACES: Mapping[str, tuple[Choice, ...]] = {
    "Figure 3": (
        *COMMON,
        Choice("receiver", "ACK every", receiver={"ack": {"policy": "every"}}),
        Choice("delayed-ACK timer", "500 ms", receiver={"ack": {"policy": "delayed", "timer": "500ms"}}),
        Choice("clock", "10 ms", {"tick": "10ms"}),
        Choice("least RTO", "0.2 s", {"tick": "10ms", "min_rto": "200ms"}),
        Choice("passes", "same pipe", path={"passes": "shared"}),
        Choice("passes", "one", path={"passes": "single"}),
        Choice("queue", "16", path={"places": 16}),
    ),
    "Figure 5, one connection at 1 %": (
        *COMMON,
        Choice("receiver", "ACK every", receiver={"ack": {"policy": "every"}}),
        Choice("clock", "500 ms", {"tick": "500ms", "min_rto": "1s"}),
        Choice("least RTO", "0.2 s", {"tick": "10ms", "min_rto": "200ms"}),
        Choice("one-way delay", "50 ms", path={"one_way_ms": 50}),
        Choice("one-way delay", "150 ms", path={"one_way_ms": 150}),
        Choice("queue", "6", path={"places": 6}),
        Choice("queue", "24", path={"places": 24}),
        Choice("segment", "1000 B", path={"packet": 1000}),
    ),
}
CASES: Mapping[str, tuple[str, Choice]] = {
    f"{place}: {choice.parameter} {choice.value}": (place, choice)
    for place, choices in PLACES.items()
    for choice in (Choice("", ""), *choices)
}


def _run(case: str, control: str, seed: int) -> str:
    place, choice = CASES[case]
    if place == "Figure 3":
        made = dummynet(control, seed, **choice.path)
    else:
        made = shared([{"control": written(control)}], 0.01, seed, Bottleneck(**choice.path))
    tree = json.loads(made)
    flow = tree["flow"][0]
    flow["sender"].update(choice.sender)
    flow["receiver"].update(choice.receiver)
    if control == "veno" and choice.veno:
        flow["sender"]["control"] = {"kind": "veno", **choice.veno}
    return json.dumps(tree, separators=(",", ":"))


RUNS = Replications(
    "one choice otherwise",
    "Figures 3 and 5 with one choice made otherwise",
    {"case": tuple(CASES), "control": CONTROLS},
    _run,
    ManyFlows(["acked"], ["segments_acked"], [], lambda columns: [float(columns["segments_acked"].sum())], ("G", "R")),
    most_seeds=30,
)


@PAPER.figure("tornado", "", "What each choice is worth", "3.2", [RUNS], evidence="evidence", slow=True)
def tornado(grid: Grid) -> Drawn:
    def gain(case: str) -> float:
        veno, sack = (grid.at(case=case, control=name)["acked"].mean() for name in ("veno", "sack"))
        return float(100 * (veno / sack - 1))

    panels, rows = [], []
    for place, choices in PLACES.items():
        swings: dict[str, list[tuple[str, float]]] = {}
        for choice in choices:
            value = gain(f"{place}: {choice.parameter} {choice.value}")
            swings.setdefault(choice.parameter, []).append((choice.value, value))
            rows.append({"figure": place, "parameter": choice.parameter, "value": choice.value, "gain_percent": value})
        panels.append((place, gain(f"{place}:  "), 72.0, [Swing(name, ends) for name, ends in swings.items()]))
    about = "Gain of SACK Veno over SACK when one choice is made otherwise, for both of them; dashed: the paper"
    return Drawn(
        [Tornado("tornado", about, panels, "gain (%)")],
        {"gains": pl.DataFrame(rows)},
        [Compared(place, "72 %", f"{base:.0f} %") for place, base, _, _ in panels],
        "What moves the gain most is how often packets are lost and how long the round trip is. Judging the backlog with each ACK halves "
        "it where ACKs are delayed: one that waited for the receiver's timer looks like a queue. A larger alpha lifts it above the "
        f"square-root law's {100 * (sqrt(3) - 1):.0f} %: that law knows no timeouts, of which SACK, with its smaller windows, has more.",
    )
