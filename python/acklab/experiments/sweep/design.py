"""The runs of a plan: its points one after the other, each as scenarios, without keeping them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from ... import _core
from ...engines.batches import beginning
from ...engines.journal import identity
from ...scenario.code import refused
from ...scenario.given import assignments
from ...text.titles import changed
from ..compare.errors import CompareError
from ..compare.metrics import Metric
from ..compare.plan import seeded
from . import paths
from .errors import SweepError
from .metrics import metric
from .plan import Plan


class Design:
    """A plan and its scenario: the scenario of any point, made when it is needed."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.template = _core.Template(plan.scenario, file=plan.file)
        self._fixed = {"record": {}, **{k: v for k, v in plan.sets.items() if not paths.is_variable(k)}}
        self._variables = {key: value for key, value in plan.sets.items() if paths.is_variable(key)}
        self._first = [*assignments(self._fixed), *plan.given_sets]
        self.title, self.metrics = plan.title, list(plan.metrics)

    def places(self, point: int) -> list[int]:
        """Where a point is on each axis; the last axis goes round fastest."""
        found = []
        for axis in reversed(self.plan.axes):
            point, place = divmod(point, len(axis))
            found.append(place)
        return found[::-1]

    def cells(self, point: int) -> list[Any]:
        """A point's cells in the axes' columns."""
        places = zip(self.plan.axes, self.places(point), strict=True)
        return [column.cells[place] for axis, place in places for column in axis.columns]

    def settings(self, point: int) -> dict[str, Any]:
        """Every key that a point sets, the derived ones too, and the variables.

        Raises:
            SweepError: a value cannot be derived.
        """
        found = dict(self._variables)
        for axis, place in zip(self.plan.axes, self.places(point), strict=True):
            found |= axis.places[place]
        for one in self.plan.derived:
            look = self._looker(found)
            found[one.key] = one.value(look)
        return found

    def _looker(self, settings: Mapping[str, Any]) -> Any:
        trees: list[Any] = []

        def look(key: str) -> Any:
            if key in settings:
                return settings[key]
            if not trees:  # as written first: a shorthand's keys are gone once it is expanded
                sets = self._sets(settings)
                trees.append(json.loads(self.template.lines(sets, [1])[0]))
                trees.append(json.loads(self.template.expanded(sets)))
            return next((found for tree in trees if (found := paths.look(tree, key)) is not None), None)

        return look

    def _sets(self, settings: Mapping[str, Any]) -> list[str]:
        sets = {key: value for key, value in settings.items() if not paths.is_variable(key)}
        return [*self._first, *assignments(sets)]

    def sets(self, point: int, seed: int | None = None) -> list[str]:
        """A point's assignments, and with a seed what it draws."""
        sets = self._sets(self.settings(point))
        return sets if seed is None else sets + assignments({one.key: one.value(seed) for one in self.plan.draws})

    def lines(self, point: int, seeds: Sequence[int]) -> list[str]:
        """A point's scenario with each seed, each as a line of JSON."""
        if self.plan.spread_starts_s:
            spread = self.plan.spread_starts_s
            if not self.plan.draws:
                tree = self.tree(point)
                return [seeded(tree, seed, spread) for seed in seeds]
            return [seeded(json.loads(self.template.expanded(self.sets(point, seed))), seed, spread) for seed in seeds]
        if self.plan.draws:
            return [line for seed in seeds for line in self.template.lines(self.sets(point, seed), [seed])]
        return self.template.lines(self.sets(point), seeds)

    def scenarios(self, numbers: Sequence[int]) -> Iterator[str]:
        """The scenarios of runs, by their numbers."""
        for point, group in groupby(numbers, lambda number: number // self.plan.seeds.most):
            yield from self.lines(point, [number % self.plan.seeds.most + 1 for number in group])

    def __reduce__(self) -> tuple[Any, ...]:
        """For workers elsewhere, who read the scenario again."""
        return Design, (self.plan,)

    def tree(self, point: int) -> Any:
        """A point's scenario, every default written out."""
        return json.loads(self.template.expanded(self.sets(point)))

    def check(self) -> None:
        """Finds every mistake before anything runs, and settles what the plan leaves to the scenario: title and metrics.

        Raises:
            SweepError: a point is no scenario, or a metric names nothing; the message says which.
        """
        extremes = [
            assignments({one.key: one.extremes[end] for one in self.plan.draws}) for end in (0, -1)
        ] if self.plan.draws else [[]]  # fmt: skip
        for point in range(self.plan.points):
            try:
                sets = self.sets(point)
                for more in extremes:
                    self.template.check(sets + more)
                if (not point or "python" in str(sets)) and (told := refused(self.tree(point))):
                    raise SweepError(told)
            except (_core.ScenarioError, SweepError) as error:
                said = str(error).removeprefix(f"{self.plan.name}: ")
                raise SweepError(f"{self.plan.name}: at {self.called(point)}: {said}") from None
        self._settle()

    def _settle(self) -> None:
        summary = beginning(self.lines(0, [1])[0], self.plan.engine)
        fixed = assignments({key: value for key, value in self._fixed.items() if key != "record"})
        title = summary["title"] or self.plan.file
        self.title = (
            changed(self.plan.title, self.plan.given_sets)
            if self.plan.title
            else changed(title, [*fixed, *self.plan.given_sets])
        )
        if not self.metrics:
            until_done = self.tree(0)["stop"].get("when") == "flows-complete"
            self.metrics = [metric(text) for text in (["completion"] * until_done + ["goodput"])]
        for one in self.metrics if "flows" in summary else ():
            try:
                one.check(summary)
            except CompareError as error:
                raise SweepError(f"{self.plan.name}: {error}") from None

    @property
    def stopping(self) -> Metric:
        """The metric whose interval decides about more seeds."""
        return next((one for one in self.metrics if one.name == self.plan.seeds.metric), self.metrics[0])

    def called(self, point: int) -> str:
        """A point's name in messages."""
        named = zip(self.plan.columns_told, self.written(point), strict=True)
        return ", ".join(f"{column.key}={value}" for column, value in named)

    def written(self, point: int) -> list[str]:
        """A point's cells as its plan writes them: with units, where the values have some."""
        found = []
        for axis, place in zip(self.plan.axes, self.places(point), strict=True):
            setting = axis.places[place]
            for column in axis.columns:
                key = next((key for key in setting if key.lstrip("$") == column.key), None)
                value = column.cells[place] if key is None else setting[key]
                found.append(value if isinstance(value, str) else _word(value, column.cells[place]))
        return found

    def identity(self) -> dict[str, str]:
        """What makes two sweeps the same runs: acklab's version, the scenario, and all of the plan that a run depends on."""
        plan = self.plan
        axes = [list(axis.places) for axis in plan.axes]  # what they are called makes no other runs
        seeds: list[Any] = [plan.seeds.least, plan.seeds.most, plan.seeds.half_width]
        if plan.seeds.half_width:
            seeds += [self.stopping.quantity.name, self.stopping.where]
        told = [axes, dict(plan.sets), list(plan.given_sets), [repr(one) for one in plan.derived],
                [repr(one) for one in plan.draws], seeds, plan.spread_starts_s]  # fmt: skip
        return identity(self.template.lines([], [0])[0], told, plan.engine)


def _word(value: Any, cell: Any) -> str:
    return (
        str(cell)
        if isinstance(value, (Mapping, list, bool))
        else f"{value:g}"
        if isinstance(value, float)
        else str(value)
    )
