"""The paper's experiments under other readings of all that it leaves open: each rule alone, and joint draws.

``python -m acklab.papers.smartacking.tried FILE`` makes the runs, and writes the measured values and verdicts of every claim
that is evidence. :mod:`.proofs` has what came of it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...draws import Draws
from ...reproduce.execute import Lines, trace
from ...reproduce.experiments import Effort, Experiment, Failed, Sweep, Traces
from ...reproduce.judge import judge
from ...reproduce.measure import Measurement, value_of
from ...reproduce.runner import Bench
from ...reproduce.verdict import Verdict
from ...run import cpu_count
from .changing import MANY
from .exact import LISTING
from .readings import EXPERIMENT
from .registry import PAPER
from .runs import FIG5, FIG7

Json = dict[str, Any]
Reading = Mapping[str, Any]
"""Values of open rules by name; what is not named stays as it is here."""

RULES: Mapping[str, Sequence[Any]] = {
    "min_rto": ("200ms",),
    "tick": ("100ms",),
    "halving": ("flight-size",),
    "partial_deflation": (False,),
    "partial_ack_timer": ("each",),
    "limited_transmit": (True,),
    "recovery_exit": ("rfc6582",),
    "second_fast_retransmit": ("always", "unless-timeout"),
    "credit": ("abc",),
    "initial_window": (2,),
    "max_burst": (4,),
    "immediate_on_gap": (False,),
    "pacing": (4, 0.99),
    "loss": ("third-duplicate",),
    "first": ("tick",),
    "rtt": ("timestamps", "fixed", "sender"),
    "window": ("sender",),
    "interval": ("200ms",),
    "acc": (4, 64),
    "sabc": (2, "first"),
    "queue": ("in service", "twice"),
    "udp": ("off",),
}
"""The values of each rule that are tried beside the one used here. The first eleven are the sender's, ``pacing`` is a burst of so many
segments or a share of the round trip, ``loss`` to ``interval`` are the estimator's lines, ``acc`` is the largest d, ``sabc`` the cap (or 4 in the first slow start only), ``queue`` what a drop-tail queue
counts, or its double, and ``udp`` the first state of the cross traffic."""
SENDER = ("min_rto", "tick", "halving", "limited_transmit", "recovery_exit", "second_fast_retransmit", "initial_window", "max_burst")
ESTIMATOR = ("loss", "first", "rtt", "window", "interval")
DRAWN, SEED, SHARE = 12, 23, 0.35
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
        sender["credit"] = {"kind": "abc", "limit": 4} if reading["sabc"] == "first" else {"kind": "sabc", "limit": reading["sabc"]}
    if "pacing" in reading and sender["pacing"] != "off":
        value = reading["pacing"]
        sender["pacing"] |= {"burst": value} if value >= 1 else {"share": value}
    if "immediate_on_gap" in reading:
        receiver["immediate_on_gap"] = reading["immediate_on_gap"]
    ack = receiver["ack"]
    if ack["policy"] == "smart":
        kept = {"rtt": ack["rtt"]} if ack["rtt"] in ("fixed", "sender") else {}
        ack |= {rule: reading[rule] for rule in ESTIMATOR if rule in reading} | kept
    if "acc" in reading and ack["policy"] == "acc":
        ack["d_max"] = reading["acc"]


def _room(rule: str, queue: Json) -> None:
    waiting = queue.pop("waiting")
    queue |= {"waiting": 2 * waiting} if rule == "twice" else {"packets": max(2, waiting)}


SEEDS = 1
QUICK, MIDDLE = Effort(quick=True, seeds=(SEEDS,)), Effort(seeds=(SEEDS,))
LARGE = ("High-Multiplexing",)
"""Experiments that are made in their quick form."""


def _effort(one: Experiment) -> Effort:
    return QUICK if one.name in LARGE else MIDDLE


def result(one: Experiment, reading: Reading, lines: Lines) -> Any:
    """What an experiment gives under a reading."""
    effort = _effort(one)
    if isinstance(one, Traces):
        return trace({key: apply(reading, line) for key, line in one.cells(effort).items()}, one.read, threads=1)
    assert isinstance(one, Sweep)
    scenario = one.scenario
    changed = replace(one, scenario=lambda **cell: apply(reading, scenario(**cell)))
    bench = Bench(effort)
    bench.lines = lines
    bench.run([changed], "")
    return bench.results([changed])[0]


def judged(reading: Reading, claims: Sequence[str], lines: Lines | None = None) -> dict[str, Verdict]:
    """The verdicts on claims, by their short names, under a reading; by means where there are seeds. Claims that need more than the
    reading's runs have are left out, as where nothing of what is measured happens."""
    found: dict[int, Any] = {}
    verdicts = {}
    lines = lines or Lines(1)
    for name in claims:
        one = PAPER.claims[f"{PAPER.id}.{name}"]
        for need in one.uses:
            if id(need) not in found:
                found[id(need)] = result(need, reading, lines)
        results = [found[id(need)] for need in one.uses]
        if any(isinstance(each, Failed) for each in results):
            continue
        try:
            measured = one.measure(*results)
        except (ArithmeticError, IndexError, ValueError):
            continue
        if isinstance(measured, Measurement):
            verdicts[name] = judge(PAPER.ledger.claims[one.id], Measurement({part: _mean(value) for part, value in measured.parts.items()}, measured.note))
    return verdicts


def _mean(value: Any) -> Any:
    """The same with means in place of seeds."""
    if isinstance(value, Mapping):
        return {key: _mean(each) for key, each in value.items()}
    return value_of(value)


def evidence() -> list[str]:
    """The short names of the claims that run something and are evidence. Left out are those that take long and hold here, and the shares
    of Figures 3 to 5, which ``acklab infer`` asks for."""
    claims = PAPER.ledger.claims.values()
    wanted = [c for c in claims if c.criterion and c.criterion.standing == "evidence" and not PAPER.standing(c.id)]
    return [c.short for c in wanted if PAPER.claims[c.id].needs and not any(one in PAPER.claims[c.id].needs for one in (FIG5, FIG7, MANY, EXPERIMENT, LISTING))]


def main() -> None:
    """Makes all runs; a line of JSON a reading."""
    with Path(sys.argv[1]).open("w", encoding="utf-8") as out, ProcessPoolExecutor(cpu_count()) as pool:
        for line in pool.map(_line, range(len(every()))):
            out.write(line + "\n")
            out.flush()


LINES = Lines(1)
"""Runs that the readings of one process share: many a rule changes few of the schemes."""


def _line(number: int) -> str:
    reading = every()[number]
    told = {name: [v.verdict, v.value] for name, v in judged(reading, evidence(), LINES).items()}
    return json.dumps({"number": number, "reading": reading, "claims": told})


if __name__ == "__main__":
    main()
