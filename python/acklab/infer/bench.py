"""The runs of readings, and the values that they give."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .. import _core
from ..run import assignments
from ..tune import trials
from ..tune.draws import Path
from ..tune.objective import Objective
from ..tune.space import Alternatives, Choice, Free
from ..tune.trials import Runs, Wanted
from .plan import Plan, Printed


class Bench(trials.Bench):
    """Scenarios of a plan's runs under a reading."""

    ENTRY, MEASURED = "run", "value"

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self._plan = plan
        self._flows = [_flows(entry.scenario, entry.file) for entry in plan.entries]
        self._silent = [
            {key for part in plan.space.parts if part.name in left_out for key in _keys(part)} for left_out in plan.without
        ]  # fmt: skip

    def parts(self, entry: int) -> Sequence[Free | Alternatives]:
        """The open rules that a run reads."""
        return [part for part in self._plan.space.parts if part.name not in self._plan.without[entry]]

    def objectives(self, entry: int) -> Sequence[Objective]:
        """The quantities read from a run."""
        return self._plan.measured[entry]

    def sets(self, settings: Mapping[str, Any], entry: int, drew: Mapping[str, Any]) -> list[str]:
        """The assignments of a reading in a run; a rule of every flow is one of each."""
        silent = self._silent[entry]
        read = {key: value for key, value in settings.items() if key not in silent}
        fixed = {**self._plan.sets, **self._plan.entries[entry].sets, **drew}
        return [
            *assignments({"record": {}}),
            *assignments(self._each(fixed, entry)),
            *assignments(self._each(read, entry)),
        ]

    def _each(self, settings: Mapping[str, Any], entry: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in settings.items():
            steps = key.split(".", 2)
            if steps[:2] == ["flow", "*"]:
                found |= {f"flow.{place}.{steps[2]}": value for place in range(self._flows[entry])}
            else:
                found[key] = value
        return found

    def lines(self, settings: Mapping[str, Any], path: Path) -> list[str]:
        """A run's scenario, as a line of JSON; ``path.number`` is the nudge, 0 for none."""
        line = super().lines(settings, path)[0]
        if not path.number:
            return [line]
        tree = self._plan.nudge.of(json.loads(self.expanded(settings, path.entry)), path.number)
        return [json.dumps({**tree, "seed": path.seeds[0]}, separators=(",", ":"))]


def _flows(scenario: str | bytes, file: str) -> int:
    return len(json.loads(_core.Template(scenario, file=file).expanded(["record={}"]))["flow"])


def _keys(part: Free | Alternatives) -> list[str]:
    if isinstance(part, Free):
        return [part.key]
    return [key for fixed, frees in part.choices.values() for key in (*fixed, *(free.key for free in frees))]


class Values:
    """The printed values under readings, nudge by nudge."""

    def __init__(self, plan: Plan, runs: Runs) -> None:
        self.plan, self._runs = plan, runs

    def of(self, choices: Sequence[Choice], names: Sequence[str]) -> np.ndarray[Any, np.dtype[np.float64]]:
        """An array of readings, values and nudges; NaN where a run has no value."""
        plan = self.plan
        entries = sorted({run for one in plan.values for run, _ in (*one.read, *one.over)})
        wanted = [
            Wanted(name, choice.sets, Path(nudge, entry, plan.entries[entry].name, {}, (nudge + 1,)))
            for choice, name in zip(choices, names, strict=True) for entry in entries for nudge in range(plan.nudges)
        ]  # fmt: skip
        found = iter(self._runs.values(wanted))
        made = np.empty((len(choices), len(plan.values), plan.nudges))
        for row in range(len(choices)):
            read = {entry: [next(found) for _ in range(plan.nudges)] for entry in entries}
            for place, one in enumerate(plan.values):
                made[row, place] = [_value(one, {entry: runs[nudge] for entry, runs in read.items()}) for nudge in range(plan.nudges)]
        return made


def _value(one: Printed, made: Mapping[int, Sequence[float]]) -> float:
    """A value of one nudge: of each run, over that of another where it has one, and averaged over the runs."""
    values = [made[entry][place] for entry, place in one.read]
    if one.over:
        below = [made[entry][place] for entry, place in one.over]
        values = [value / base if base else math.nan for value, base in zip(values, below, strict=True)]
    return float(np.median(values)) if one.average == "median" else sum(values) / len(values)
