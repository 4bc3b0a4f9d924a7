"""Figure 5: Veno and SACK in ns, the sensitivity of the gain, and the kinds of losses."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

import numpy as np
import polars as pl

from ...report.charts import Axis, Bar, Bars, Heat, Line, Lines, Mark, Panel, Surface, Swing, Tornado
from ...reproduce.experiments import Effort, Replications, Traces, records
from ...reproduce.grid import Array, Grid, ManyFlows
from ...reproduce.measure import Measurement
from ...reproduce.paper import Compared, Drawn
from ...reproduce.resample import rank_correlation, spearman
from ...study.intervals import Sample, jackknife
from .hosts import FIGURE_3, FIGURE_4, READ, READING, gain, named, rate
from .setting import (
    COLOURS,
    CONTROLS,
    FEW_LOSSES,
    FIGURE_5,
    LOSSES,
    NAMES,
    PAPER,
    SECONDS,
    Bottleneck,
    control,
    dummynet,
    shared,
    text,
)
from .setting import control as written

CONNECTIONS = (1, 2, 4, 8, 16, 20)


def _reduce(columns: dict[str, Array]) -> Sequence[float]:
    acked = columns["segments_acked"].sum()
    signals = columns["timeouts"].sum() + columns["fast_retransmits"].sum()
    return (
        float(acked),
        float(100 * acked / (SECONDS * FIGURE_5.segments_per_s)),
        float(columns["timeouts"].sum() / max(signals, 1.0)),
        float(columns["acks_dropped"].sum()),
    )


READ_MANY = ManyFlows(
    ["segments_acked", "utilisation", "timeout_share", "acks_lost"],
    ["segments_acked", "timeouts", "fast_retransmits", "acks_dropped"],
    [],
    _reduce,
    ("G", "H"),
)


def _figure_5(control_: str, connections: int, loss: float, beta: float, seed: int) -> str:
    return shared([{"control": control(control_, beta)}] * connections, loss, seed, within_s=0.0)


def _scenario(control: str, connections: int, loss: float, seed: int) -> str:
    return _figure_5(control, connections, loss, 3.0, seed)


FIGURE_5_RUNS = Replications(
    "figure 5",
    "connections of one kind over one lossy bottleneck",
    {"control": CONTROLS, "connections": CONNECTIONS, "loss": LOSSES},
    _scenario,
    READ_MANY,
    {"connections": (1, 4, 16, 20), "loss": FEW_LOSSES},
)


def _prose(loss: float, seed: int) -> str:
    return _figure_5("veno", 1, loss, 1.0, seed)


PROSE = Replications(
    "figure 5 by the prose",
    "one Veno connection that slows down above a backlog of 1",
    {"loss": LOSSES},
    _prose,
    READ_MANY,
    {"loss": FEW_LOSSES},
)


def utilisation(grid: Grid, **at: Any) -> Sample:
    """In percent, one value for each seed."""
    return Sample.of(grid.at(**at)["utilisation"].tolist())


@PAPER.claim("fig5.1pct", FIGURE_5_RUNS)
def gain_at_one_percent(grid: Grid) -> Measurement:
    return Measurement(
        {"gain": gain(grid, connections=1, loss=1e-2)},
        "with ACKs for every segment ns-2's TCP/Linux gains 53 % over its own Reno here, and 69 % over Sack1, which is another stack",
    )


@PAPER.claim("fig5.001pct", FIGURE_5_RUNS)
def gain_at_one_in_ten_thousand(grid: Grid) -> Measurement:
    return Measurement({"gain": gain(grid, connections=1, loss=1e-4)})


def average_gain(grid: Grid, connections: Sequence[int]) -> Sample:
    """The mean of the gains over losses and numbers of connections."""
    veno, sack = (grid.at(control=n, connections=list(connections))["segments_acked"] for n in ("veno", "sack"))

    def statistic(seeds: list[int]) -> float:
        ratio = veno[..., seeds].mean(axis=-1) / sack[..., seeds].mean(axis=-1)
        return float(100 * (ratio.mean() - 1))

    return jackknife(veno.shape[-1], statistic)


@PAPER.claim("fig5.avg", FIGURE_5_RUNS)
def average_over_losses(grid: Grid) -> Measurement:
    everywhere = average_gain(grid, grid.axes["connections"])
    found = {p: gain(grid, connections=1, loss=p).value for p in grid.axes["loss"]}
    upward = ", ".join(f"{named(q)}: {np.mean([g for p, g in found.items() if p >= q]):.0f}" for q in found if q < 5e-2)
    return Measurement(
        {"gain": average_gain(grid, [1])},
        f"the paper does not say over what it averages: one connection and losses from {named(min(LOSSES))} to "
        f"{named(max(LOSSES))}, spaced evenly in their logarithm, are taken here. Where losses are rare both fill the link, and "
        f"each such loss in the set pulls the mean down. From each loss upward it is, in percent, {upward}: the paper's 44 is that of "
        f"heavy losses only. Over all numbers of connections it is {everywhere.value:.0f} %. Searched together (`acklab infer veno`: 512 readings of "
        "8 rules, each the mean of four nudged runs), the nearest has 33 %, 11 points from the paper's; 176 are within the tolerance",
    )


@PAPER.claim("fig5.n", FIGURE_5_RUNS)
def gain_shrinks(grid: Grid) -> Measurement:
    veno, sack = (grid.at(control=n)["segments_acked"] for n in ("veno", "sack"))
    numbers = grid.axes["connections"]
    cells = {}
    for i, loss in enumerate(grid.axes["loss"]):
        cells[f"loss {named(loss)}"] = rank_correlation(
            lambda own, other: spearman(numbers, own / other), veno[:, i], sack[:, i]
        )
    light = gain(grid, connections=1, loss=1e-3).value
    return Measurement(
        {"spearman": cells},
        f"at 0.1 % one connection gains {light:.0f} % to begin with",
    )


@PAPER.claim("fig5.always", FIGURE_5_RUNS)
def veno_at_least_sack(grid: Grid) -> Measurement:
    cells = {
        f"{n} at {named(p)}": {c: utilisation(grid, control=c, connections=n, loss=p) for c in CONTROLS}
        for n in grid.axes["connections"]
        for p in grid.axes["loss"]
    }
    return Measurement({"utilisation": cells}, _below(grid))


def _below(grid: Grid) -> str:
    lower = [
        f"{n} at {named(p)} ({gain(grid, connections=n, loss=p).value:+.1f} %)"
        for n in grid.axes["connections"]
        for p in grid.axes["loss"]
        if gain(grid, connections=n, loss=p).value < 0
    ]
    return (
        f"Veno's mean is the lower one for {', '.join(lower)}" if lower else "Veno's mean is the higher one everywhere"
    )


def _timeouts(result: Any) -> float:
    """The share of timeouts among signals of loss."""
    flows = pl.DataFrame(result.flows)
    timeouts, fast = flows["timeouts"].sum(), flows["fast_retransmits"].sum()
    return float(timeouts / (timeouts + fast))


def _many(effort: Effort) -> Mapping[Hashable, str]:
    numbers, losses = ((20,) if effort.quick else (20, 32)), ((1e-2,) if effort.quick else (1e-3, 1e-2, 1e-1))
    return {
        (name, n, p): records(_scenario(name, n, p, 1), "series") for name in CONTROLS for n in numbers for p in losses
    }


MANY = Traces("more than sixteen", "20 and 32 connections", _many, _timeouts)


@PAPER.claim("fig5.16", MANY)
def timeouts_dominate_beyond_sixteen(runs: Mapping[Any, float]) -> Measurement:
    return Measurement({"timeouts": {f"{NAMES[n]}, {k} at {named(p)}": share for (n, k, p), share in runs.items()}})


@PAPER.claim("abs.72", FIGURE_3, FIGURE_4, FIGURE_5_RUNS)
def largest_gain(dummynet: Grid, rates: Grid, ns: Grid) -> Measurement:
    found = {"Figure 3": gain(dummynet, **READING)}
    found |= {f"Figure 5, {named(p)}": gain(ns, connections=1, loss=p) for p in ns.axes["loss"]}
    best = max(found, key=lambda key: found[key].value)
    fourth = {p: gain(rates, loss=p).value for p in rates.axes["loss"]}
    most = max(fourth, key=lambda p: fourth[p])
    return Measurement(
        {"gain": found[best]},
        f"the largest of Figures 3 and 5 is {best}'s. Figure 4's path has {fourth[most]:.0f} % at {named(most)}. The square-root law alone "
        f"gives {100 * (np.sqrt(3) - 1):.0f} %, and more is possible where SACK's smaller windows time out more often",
    )


@PAPER.figure("figure-5", "Figure 5", "Utilisation over loss and number of connections", "3.3", [FIGURE_5_RUNS, PROSE])
def figure_5(grid: Grid, prose: Grid) -> Drawn:
    numbers, losses = grid.axes["connections"], grid.axes["loss"]
    exponents = [float(np.log10(p)) for p in losses]
    mean = {c: grid.at(control=c)["utilisation"].mean(axis=-1) for c in CONTROLS}
    places = list(range(len(numbers)))
    surfaces = [Surface(NAMES[c], exponents, places, mean[c].T) for c in CONTROLS]
    y = Axis("connections", ticks=places, words=[str(n) for n in numbers])
    heat = Heat(
        "figure-5",
        "Share of the link that is used for new data",
        surfaces,
        Axis("loss (log10)", ticks=(-4, -3, -2, -1)),
        y,
        Axis("utilisation (%)", low=0, high=100),
    )
    lines = [
        Line(
            str(n),
            losses,
            [gain(grid, connections=n, loss=p).value for p in losses],
            colour,
            marker="o",
            spread=[gain(grid, connections=n, loss=p).interval(0.95).half_width for p in losses],
        )
        for n, colour in zip(numbers, ("blue", "orange", "green", "purple", "red", "slate"), strict=False)
    ]
    x = Axis("loss", log=True)
    base = grid.at(control="sack", connections=1)
    other = [
        100 * float(prose.at(loss=p)["segments_acked"].mean() / base.at(loss=p)["segments_acked"].mean() - 1)
        for p in losses
    ]
    lines.append(Line("1 (prose)", losses, other, "pink", dash="--"))
    gains = Lines(
        "figure-5-gain",
        "Gain of SACK Veno over SACK, by number of connections (95 % intervals)",
        [Panel("", x, Axis("gain (%)"), lines, [Mark(100 * (np.sqrt(3) - 1), "square-root law")])],
    )
    return Drawn(
        [heat, gains],
        {"utilisation": grid.frame()},
        [
            Compared("gain at 1 %, one connection", "72 %", f"{gain(grid, connections=1, loss=1e-2).value:.0f} %",
                     "+53 % over a like stack"),
            Compared("gain at 0.01 %, one connection", "5 %", f"{gain(grid, connections=1, loss=1e-4).value:.1f} %"),
            Compared("on average", "44 %", f"{average_gain(grid, [1]).value:.0f} %"),
        ],
        scenario=_scenario("veno", 1, 1e-2, 1),
    )  # fmt: skip


# --- What each choice is worth: Veno's gain in Figures 3 and 5 when one of them is made otherwise


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


# --- What kind of loss the gain depends on: where packets are lost, and whether losses come alone, in bursts, or by the clock


LOSS = 0.01
BURST = 3
PATTERNS: dict[str, dict[str, Any]] = {
    "single": {"rate": LOSS},
    "bursts": {"gilbert_elliott": {"good": BURST * (1 - LOSS) / LOSS, "bad": BURST, "loss_good": 0.0, "loss_bad": 1.0}},
    "outages": {"gilbert_elliott": {"good": "2970ms", "bad": "30ms", "loss_good": 0.0, "loss_bad": 1.0}},
}
"""All lose a hundredth: of the packets, or, the last, of the time, whatever is sent."""
PATTERN_NAMES = {"single": "singly", "bursts": f"{BURST} in a row", "outages": "for 30 ms"}
WAYS = ("there", "back", "both")


def _pattern(control: str, pattern: str, place: str, seed: int) -> str:
    """Figure 4's connection, with losses of another kind."""
    scenario = json.loads(dummynet(control, seed, "single", rate="1.6Mbps", delay="100ms", places=12, loss=0.0))
    (pipe,) = scenario["link"]
    del pipe["loss"]
    pipe["back"] = {}
    for side in ("there", "back"):
        if place in (side, "both"):
            (pipe if side == "there" else pipe["back"])["loss"] = PATTERNS[pattern]
    return text(scenario)


KINDS = Replications(
    "kinds of loss",
    "Figure 4's connection with 1 % lost: there, on the way back, or both; alone, in bursts, or by the clock",
    {"control": CONTROLS, "pattern": tuple(PATTERNS), "place": WAYS},
    _pattern,
    READ,
)


@PAPER.figure("kinds", "", "The gain by the kind of loss", "3.2", [KINDS], evidence="evidence")
def kinds(grid: Grid) -> Drawn:
    groups, compared = [], []
    for place in WAYS:
        for pattern, name in PATTERN_NAMES.items():
            at = {"pattern": pattern, "place": place}
            found = [rate(grid, control=n, **at) for n in CONTROLS]
            half = [s.interval(0.95).half_width for s in found]
            groups.append(Bar(f"{place}\n{name}", [s.value for s in found], half))
            sample = gain(grid, **at)
            interval = sample.interval(0.95)
            compared.append(
                Compared(
                    f"gain, lost {'both ways' if place == 'both' else 'on the way ' + place}, {name}",
                    "",
                    f"{sample.value:.0f} % ({interval.low:.0f} to {interval.high:.0f})",
                )
            )
    return Drawn(
        [
            Bars(
                "kinds",
                "1 % of what passes, or of the time, is lost: on the way there, back, or both (95 % intervals)",
                [NAMES[n] for n in CONTROLS],
                [COLOURS[n] for n in CONTROLS],
                groups,
                Axis("rate (packets/s)", low=0),
            )
        ],
        {"kinds": grid.frame()},
        compared,
        "Bursts and outages are Gilbert and Elliott's model with states that lose all or nothing. An outage is of time, whatever is "
        "sent: of four packets of a full link, of fewer else. Several segments lost from one window are one reduction; so of the same "
        "share both senders make more, and Veno's gentler reduction gains less. ACKs lost singly cost nothing but growth; three in a "
        "row cost timeouts, and as a timeout sends one packet, a burst that counts packets may outlast several.",
        _pattern("veno", "bursts", "there", 1),
    )
