"""The runs of readings, and the values that they give."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ... import _core
from ...scenario.given import assignments
from ..search import trials
from ..search.draws import Path
from ..search.objective import Objective
from ..search.space import Alternatives, Choice, Free
from ..search.trials import Runs, Wanted
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
        tree = self._plan.nudge.of(
            json.loads(self._templates[path.entry].expanded(self.sets(settings, path.entry, path.drew))), path.number
        )
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
        entries = {run for one in plan.values for run, _ in (*one.read, *one.over)}
        entries |= {one[0] for entry in entries if (one := plan.until[entry])}
        read: dict[tuple[int, int, int], Sequence[float]] = {}
        for ended in (False, True):
            cells, wanted = [], []
            for row, (choice, name) in enumerate(zip(choices, names, strict=True)):
                for entry in sorted(entry for entry in entries if bool(plan.until[entry]) == ended):
                    for nudge in range(plan.nudges):
                        drew = self._end(entry, lambda run, row=row, nudge=nudge: read[row, run, nudge])  # type: ignore[misc]  # noqa: B023
                        if drew is None:
                            read[row, entry, nudge] = [math.nan] * len(plan.measured[entry])
                            continue
                        cells.append((row, entry, nudge))
                        wanted.append(
                            Wanted(name, choice.sets, Path(nudge, entry, plan.entries[entry].name, drew, (nudge + 1,)))
                        )
            read |= dict(zip(cells, self._runs.values(wanted), strict=True))
        made = np.empty((len(choices), len(plan.values), plan.nudges))
        for row, place, nudge in np.ndindex(made.shape):
            made[row, place, nudge] = _value(plan.values[place], {entry: read[row, entry, nudge] for entry in entries})
        return made

    def _end(self, entry: int, read: Callable[[int], Sequence[float]]) -> dict[str, Any] | None:
        """What ends a run that another one ends; none if that one has no such time."""
        if (until := self.plan.until[entry]) is None:
            return {}
        end = read(until[0])[until[1]]
        return {"stop": {"at": f"{end:.9f}s"}} if math.isfinite(end) else None


def _value(one: Printed, made: Mapping[int, Sequence[float]]) -> float:
    """A value of one nudge: of each run, over that of another where it has one, and averaged over the runs."""
    values = [made[entry][place] for entry, place in one.read]
    if one.over:
        below = [made[entry][place] for entry, place in one.over]
        values = [value / base if base else math.nan for value, base in zip(values, below, strict=True)]
    return float(np.median(values)) if one.average == "median" else sum(values) / len(values)
