"""Nudged repetitions: what judges a claim whose experiment draws nothing at random.

One deterministic run of a chaotic system decides by chance: one drop changes a completion time. So such an experiment is
repeated. Only what the paper does not print is varied. Where it prints the delays, senders get other phases of their clocks'
ticks. Elsewhere every link is up to 1 % longer. Where a scenario has a seed, it gets another. The repetitions take the place of
seeds:

* A number is judged by its mean over the repetitions, with Student's interval; an order by the differences within each.
* What a claim asks of a run (the largest of its cells, a rank correlation) is computed in each repetition: the paper's figure
  shows one run, too.
* A value that has to *equal* something (a count, a yes or no) does so in some repetitions. The verdict goes by the share of these
  repetitions, with the exact binomial interval. The share has to be more than one half.
* If a repetition has nothing to measure (no loss, for example), the others decide, if they are more than half.

Draws are named streams of the repetition's number, so repetition 7 is the same everywhere. Arithmetic is left out: nothing in
it can be chaotic. Figures and notes show the run without a nudge.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..scenario.draws import Draws
from ..study.grammar import read
from ..study.intervals import Sample
from ..study.seeds import Nudge
from .experiments import Effort, Experiment, Replications, Traces
from .measure import BadMeasurement, Measurement, NotTestable, Repeated, Value

NUDGE = Nudge(later_s=0.0, longer=0.01)
TICK = "100ms"
"""ns-2's."""


def again(one: Experiment, number: int, delays: bool = True) -> Experiment:
    """Returns the repetition of that number, from 1, of an experiment without seeds; ``delays``: links may be longer."""
    if isinstance(one, Replications):
        raise TypeError(f"{one.name} has seeds")
    if isinstance(one, Traces):

        def cells(effort: Effort) -> Mapping[Hashable, str]:
            return {key: _nudged(line, number, delays) for key, line in one.cells(effort).items()}

        return replace(one, cells=cells)
    return replace(one, scenario=lambda **cell: _nudged(one.scenario(**cell), number, delays))


def _nudged(scenario: str, number: int, delays: bool) -> str:
    tree = json.loads(scenario)
    tree = NUDGE.of(tree, number) if delays else _clocks(tree, number)
    if "seed" in tree:
        tree["seed"] = int(Draws(number, f"seed {tree['seed']}").uniform(0, 2**32))
    return json.dumps(tree, separators=(",", ":"))


def _clocks(tree: dict[str, Any], number: int) -> dict[str, Any]:
    """Gives each sender of ns-2, whose round trips are counted in ticks, another phase of its clock."""
    for place, flow in enumerate(tree["flow"]):
        sender = flow.get("sender", {})
        if str(sender.get("stack", "")).startswith("ns2"):
            tick = read(sender.get("tick", TICK))
            assert tick is not None
            phase = tick.base * Draws(number, f"clock {flow.get('name', place)}").uniform()
            sender["rtt_filter"] = {"kind": "integer", "phase": f"{phase:.9f}s"}
    return tree


def single(measurement: Measurement | NotTestable) -> bool:
    """Whether one run gave a number of it: what comes with a value for each seed has its interval already."""
    return isinstance(measurement, Measurement) and any(
        not isinstance(number, Sample) for value in measurement.parts.values() for number in _numbers(value)
    )


def has_repetitions(measurement: Measurement) -> bool:
    """Whether a number of it comes from repetitions."""
    return any(isinstance(number, Repeated) for value in measurement.parts.values() for number in _numbers(value))


def _numbers(value: Value) -> Iterator[Any]:
    if isinstance(value, Mapping):
        for one in value.values():
            yield from _numbers(one)
    else:
        yield value


def together(plain: Measurement, repetitions: Sequence[Measurement | NotTestable]) -> Measurement | NotTestable:
    """One measurement of all repetitions; the note and what has seeds are those of the run without a nudge.

    What cannot be tested in one repetition is not tested.
    """
    made = []
    for one in repetitions:
        if isinstance(one, NotTestable):
            return one
        made.append(one.parts)
    return Measurement(
        {name: _together(name, value, [parts[name] for parts in made]) for name, value in plain.parts.items()},
        plain.note,
    )


def _together(where: str, plain: Any, values: Sequence[Any]) -> Any:
    if isinstance(plain, Mapping):
        if any(value.keys() != plain.keys() for value in values):
            raise BadMeasurement(f"{where}: a repetition has other cells than the run without a nudge")
        return {key: _together(f"{where} {key}", one, [value[key] for value in values]) for key, one in plain.items()}
    if isinstance(plain, Sample):
        if any(value.count == plain.count and value != plain for value in values):
            raise BadMeasurement(f"{where}: has seeds, and changes from one repetition to the next")
        return plain
    return Repeated(tuple(float(value) for value in values))
