"""The paper's claims under other readings of all that it leaves open: each rule alone, and joint draws.

``python -m acklab.papers.smartacking.tried FILE`` makes the runs: one a cell, and ten nudged repetitions of the first readings under
which a claim holds. :mod:`.explanations` has the results.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...reproduce.execute import Lines, trace
from ...reproduce.experiments import Effort, Experiment, Failed, Replications, Traces
from ...reproduce.judge import judge
from ...reproduce.measure import Measurement, value_of
from ...reproduce.nudge import again, together
from ...reproduce.runner import Bench
from ...reproduce.verdict import REPRODUCED, Verdict
from ...scenario.draws import Draws
from ...text.terminal import complain
from .changing import MANY
from .registry import PAPER
from .runs import FIG7
from .setting import EDGE_MBPS

Json = dict[str, Any]
Reading = Mapping[str, Any]
"""Values of open rules by name; what is not named stays as it is here."""

RULES: Mapping[str, Sequence[Any]] = {
    "min_rto": ("1s",),
    "tick": ("100ms",),
    "halving": ("flight-size",),
    "timeout_ssthresh": ("first-of-window",),
    "partial_deflation": (False,),
    "partial_ack_timer": ("each",),
    "limited_transmit": (False,),
    "recovery_exit": ("rfc6582",),
    "second_fast_retransmit": ("always", "unless-timeout"),
    "credit": ("abc",),
    "initial_window": (2,),
    "max_burst": (4,),
    "immediate_on_gap": (False,),
    "pacing": (4, 0.99),
    "round_trip": ("last", "least"),
    "loss": ("third-duplicate",),
    "first": ("tick",),
    "rtt": ("timestamps", "fixed", "sender"),
    "window": ("sender",),
    "interval": ("200ms",),
    "first_probe": ("1s",),
    "replies": ("subtracted",),
    "limit": ("abc",),
    "decrease": ("any",),
    "beta": ("middle", "after", "never"),
    "gamma": ("all",),
    "early_steps": (True,),
    "acc": (0.25, 1.0),
    "sabc": (2, "first"),
    "queue": ("in service", "twice"),
    "udp": ("off",),
    "edges": (12.5, 20, 100, 1000),
    "lot_edges": (12.5, 100),
    "edge_queue": (36, 122, 148),
}
"""The values of each rule that are tried besides the one used here. The first twelve are the sender's. ``pacing`` is a burst of so many
segments or a share of the round trip, ``round_trip`` which one that is. ``loss`` to ``replies`` are the estimator's lines. ``limit`` is what an ACK is worth in the
estimate of ABC's window: what it is worth to the sender. ``decrease`` to ``early_steps`` are extended smartacking's. ``acc`` is the share of the window that d may have. ``sabc`` is the cap
(or 4 in the first slow start only). ``queue`` is what a drop-tail queue counts, or its double. ``udp`` is the first state of the cross
traffic. ``edges`` and ``lot_edges`` are the rates of the edges of 1-0 and of the Parking-Lot in Mb/s. ``edge_queue`` is what may wait
at the sender's edge in the Asymmetric configuration."""
SENDER = (
    "min_rto",
    "tick",
    "halving",
    "timeout_ssthresh",
    "limited_transmit",
    "recovery_exit",
    "second_fast_retransmit",
    "initial_window",
    "max_burst",
)
ESTIMATOR = ("loss", "first", "rtt", "window", "interval", "first_probe", "replies")
EXTENDED = ("decrease", "beta", "gamma", "early_steps")
DRAWN, SEED, SHARE = 8, 23, 0.25
"""Joint readings, the seed of their draws, and the probability that a rule of one differs from the one used here."""


def alone() -> list[Reading]:
    """The reading used here, and each with one rule changed."""
    return [{}, *({rule: value} for rule, values in RULES.items() for value in values)]


def joint() -> Iterator[Reading]:
    """Joint readings; the same every time."""
    for number in range(1, DRAWN + 1):
        draws = Draws(SEED, f"reading {number}")
        chosen = {}
        for rule, values in RULES.items():
            differs, which = draws.uniform() < SHARE, int(draws.uniform(0, len(values)))
            if differs:
                chosen[rule] = values[which]
        yield chosen


def every() -> list[Reading]:
    """All of them; a reading's number is its place, the first of them 0."""
    return [*alone(), *joint()]


def apply(reading: Reading, scenario: str) -> str:
    """A scenario under a reading."""
    if not reading:
        return scenario
    tree: Json = json.loads(scenario)
    for flow in tree["flow"]:
        if "source" in flow:
            flow["source"]["first"] = reading.get("udp", flow["source"].get("first", "on"))
        else:
            _ends(reading, flow["sender"], flow["receiver"])
    links = tree["link"]
    for link in links:
        for rule, rate in (("edges", f"{EDGE_MBPS:g}Mbps"), ("lot_edges", "1000Mbps")):
            if rule in reading and link["rate"] == rate:
                link["rate"] = f"{reading[rule]:g}Mbps"
                break
    if "edge_queue" in reading and str(links[1].get("back", {}).get("rate", "")).endswith("kbps"):
        links[0]["queue"] = {"kind": "drop-tail", "waiting": reading["edge_queue"]}
    if "queue" in reading:
        for link in tree["link"]:
            for side in (link, link.get("back", {})):
                if side.get("queue", {}).get("kind") == "drop-tail" and "waiting" in side["queue"]:
                    _room(reading["queue"], side["queue"])
    return json.dumps(tree, separators=(",", ":"))


def _ends(reading: Reading, sender: Json, receiver: Json) -> None:
    sender |= {rule: reading[rule] for rule in SENDER if rule in reading}
    recovery = {rule: reading[rule] for rule in ("partial_deflation", "partial_ack_timer") if rule in reading}
    if recovery and sender["recovery"] == "newreno":
        sender["recovery"] = {"kind": "newreno", **recovery}
    if "credit" in reading and "credit" not in sender:
        sender["credit"] = {"kind": reading["credit"], "limit": 2}
    if "sabc" in reading and sender.get("credit", {}).get("kind") == "sabc":
        sender["credit"] = (
            {"kind": "abc", "limit": 4} if reading["sabc"] == "first" else {"kind": "sabc", "limit": reading["sabc"]}
        )
    if "pacing" in reading and sender["pacing"] != "off":
        value = reading["pacing"]
        sender["pacing"] |= {"burst": value} if value >= 1 else {"share": value}
    if "round_trip" in reading and sender["pacing"] != "off":
        sender["pacing"]["round_trip"] = reading["round_trip"]
    if "limit" in reading and "estimate" in receiver and sender.get("credit", {}).get("kind") == "abc":
        receiver["estimate"] = {"kind": receiver["estimate"], "limit": sender["credit"]["limit"]}
    if "immediate_on_gap" in reading:
        receiver["immediate_on_gap"] = reading["immediate_on_gap"]
    ack = receiver["ack"]
    if ack["policy"] == "smart":
        kept = {"rtt": ack["rtt"]} if ack["rtt"] in ("fixed", "sender") else {}
        ack |= {rule: reading[rule] for rule in ESTIMATOR if rule in reading} | kept
        if ack.get("extended"):
            ack |= {rule: reading[rule] for rule in EXTENDED if rule in reading}
    if "acc" in reading and ack["policy"] == "acc-delivered":
        ack["window_share"] = reading["acc"]


def _room(rule: str, queue: Json) -> None:
    waiting = queue.pop("waiting")
    queue |= {"waiting": 2 * waiting} if rule == "twice" else {"packets": max(2, waiting)}


SEEDS, REPETITIONS, CONFIRMED = 1, 10, 3
"""Seeds where an experiment has some, nudged repetitions of a reading, and how many of the readings that have a claim are repeated."""
QUICK, MIDDLE = Effort(quick=True, seeds=(SEEDS,)), Effort(seeds=(SEEDS,))
LARGE = ("High-Multiplexing",)
"""Experiments that are made in their quick form."""


def result(one: Experiment, reading: Reading, lines: Lines, repetition: int = 0) -> Any:
    """What an experiment gives under a reading, nudged if it is a repetition."""
    effort = QUICK if one.name in LARGE else MIDDLE
    if isinstance(one, Traces):
        cells = one.cells
        changed: Experiment = replace(
            one, cells=lambda effort: {key: apply(reading, line) for key, line in cells(effort).items()}
        )
    else:
        scenario = one.scenario
        changed = replace(one, scenario=lambda **cell: apply(reading, scenario(**cell)))
    if repetition and not isinstance(one, Replications):
        changed = again(changed, repetition)
    if isinstance(changed, Traces):
        return trace(dict(changed.cells(effort)), changed.read, threads=1)
    bench = Bench(effort)
    bench.lines = lines
    bench.run([changed], "")
    return bench.results([changed])[0]


def judged(reading: Reading, claims: Sequence[str], lines: Lines | None = None) -> dict[str, Verdict]:
    """The verdicts on claims, by their short names, under a reading, one run a cell. Claims that need more than the reading's runs have
    are left out, as where nothing of what is measured happens."""
    found: dict[int, Any] = {}
    verdicts = {}
    lines = lines or Lines(1)
    for name in claims:
        measured = _measured(name, reading, lines, found)
        if measured is not None:
            once = Measurement({part: _mean(value) for part, value in measured.parts.items()}, measured.note)
            verdicts[name] = judge(PAPER.ledger.claims[f"{PAPER.id}.{name}"], once)
    return verdicts


def holds(reading: Reading, name: str, lines: Lines | None = None) -> bool:
    """Whether a claim is reproduced under a reading in nudged repetitions."""
    lines = lines or Lines(1)
    made = [_measured(name, reading, lines, {}, number) for number in range(REPETITIONS + 1)]
    if any(one is None for one in made):
        return False
    plain, *nudged = (one for one in made if one is not None)
    return judge(PAPER.ledger.claims[f"{PAPER.id}.{name}"], together(plain, nudged)).verdict == REPRODUCED


def _measured(
    name: str, reading: Reading, lines: Lines, found: dict[int, Any], repetition: int = 0
) -> Measurement | None:
    one = PAPER.claims[f"{PAPER.id}.{name}"]
    for need in one.uses:
        if id(need) not in found:
            found[id(need)] = result(need, reading, lines, repetition)
    results = [found[id(need)] for need in one.uses]
    if any(isinstance(each, Failed) for each in results):
        return None
    try:
        measured = one.measure(*results)
    except (ArithmeticError, IndexError, ValueError):
        return None
    return measured if isinstance(measured, Measurement) else None


def _mean(value: Any) -> Any:
    """The same with means in place of seeds."""
    if isinstance(value, Mapping):
        return {key: _mean(each) for key, each in value.items()}
    return value_of(value)


def evidence() -> list[str]:
    """The short names of the claims that run something and are evidence, without those of the 200 and the many connections, which take long."""
    claims = PAPER.ledger.claims.values()
    wanted = [c for c in claims if c.criterion and c.criterion.standing == "evidence" and not PAPER.standing(c.id)]
    return [
        c.short
        for c in wanted
        if PAPER.claims[c.id].needs and not any(one in PAPER.claims[c.id].needs for one in (FIG7, MANY))
    ]


def main() -> None:
    """Makes all runs of the claims that are named, or of all; a line of JSON a claim: how many readings have it, and which one when nudged."""
    path, *names = sys.argv[1:]
    wanted, lines = names or evidence(), Lines(1)
    having: dict[str, list[int]] = {name: [] for name in wanted}
    for number, reading in enumerate(every()):
        for name, verdict in judged(reading, wanted, lines).items():
            if verdict.verdict == REPRODUCED:
                having[name].append(number)
        complain(f"{number + 1} of {len(every())} readings")
    with Path(path).open("w", encoding="utf-8") as out:
        for name, numbers in having.items():
            kept = next((n for n in [n for n in numbers if n][:CONFIRMED] if holds(every()[n], name, lines)), None)
            out.write(json.dumps({"claim": name, "readings": len(every()), "having": numbers, "nudged": kept}) + "\n")
            out.flush()


if __name__ == "__main__":
    main()
