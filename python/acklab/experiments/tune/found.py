"""Results of a search: trials, the winner, and its values on fresh paths."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import fmean
from typing import Any

from ...figures.stats import Interval, Sample
from ..search.draws import Path
from .plan import Plan
from .search import Trial

LEVEL = 0.95


@dataclass(frozen=True)
class Judged:
    """The winner and the baseline on fresh paths."""

    paths: Sequence[Path]
    base: Sequence[tuple[float, ...]]
    """The baseline's value of every objective on each path."""
    values: Sequence[tuple[float, ...]]
    """The winner's."""
    base_costs: Sequence[tuple[float, ...]]
    costs: Sequence[tuple[float, ...]]
    differences: Sequence[Sample | None]
    """The winner's cost minus the baseline's for each objective; None where a path has no value."""


@dataclass(frozen=True)
class Loss:
    """A path on which the winner is worse than the baseline."""

    path: Path
    objective: int
    value: float
    base: float
    fresh: bool


@dataclass(frozen=True)
class Found:
    """The results of a search."""

    plan: Plan
    paths: Sequence[Path]
    """The drawn paths of the search."""
    base: Trial
    """The baseline."""
    trials: Sequence[Trial]
    winner: Trial
    """The trial with the least mean cost; of several objectives the front's middle; the baseline if no trial is better."""
    front: Sequence[Trial]
    """Trials that no other beats; of one objective the winner alone."""
    seen: Sequence[Sample | None] | None
    """The winner's cost minus the baseline's on the paths of the search, by objective."""
    judged: Judged | None
    """The same on fresh paths; None without any, or where the baseline won."""
    importance: Mapping[str, float]
    """Free key -> its share in deciding the first objective."""
    runs: int
    """Different runs altogether."""
    kept: int
    """Runs that an earlier attempt had made."""
    parts: Mapping[int, Sequence[float]] = field(default_factory=dict)
    """Where an objective is a weighted sum: by trial the mean of every metric of the objectives, one after the other, over its paths."""
    fresh_parts: tuple[Sequence[float], Sequence[float]] | None = None
    """The same of the baseline and the winner over the fresh paths."""

    @property
    def best(self) -> Mapping[str, Any]:
        """The keys that the winner sets."""
        return dict(self.winner.choice.sets)

    @cached_property
    def losses(self) -> list[Loss]:
        """Paths on which the winner is worse than the baseline by an objective, the largest loss first."""
        found = []
        sets: list[tuple[Any, ...]] = [
            (False, self.paths, self.base.values, self.winner.values, self.base.costs, self.winner.costs)
        ]
        if self.judged is not None:
            one = self.judged
            sets.append((True, one.paths, one.base, one.values, one.base_costs, one.costs))
        for objective in range(len(self.plan.objectives)):
            for fresh, *columns in sets:
                for path, old, new, before, after in zip(*columns, strict=True):
                    behind = after[objective] - before[objective]
                    scale = 1.0 if self.plan.relative else abs(old[objective]) or 1.0
                    if not behind <= 0:  # no value is a loss, too
                        size = math.inf if math.isnan(behind) else behind / scale
                        found.append(
                            (
                                -size,
                                objective,
                                fresh,
                                path.number,
                                Loss(path, objective, new[objective], old[objective], fresh),
                            )
                        )
        return [loss for *_, loss in sorted(found, key=lambda one: one[:4])]

    @property
    def fresh_losses(self) -> list[Loss]:
        """Those among the fresh paths; of the search's, where none judged the winner."""
        return [one for one in self.losses if one.fresh or self.judged is None]

    @property
    def worst(self) -> Loss | None:
        """The path where the winner loses most: a fresh one, if it loses on any."""
        return next(iter(self.fresh_losses or self.losses), None)

    def interval(self, trial: Trial, objective: int) -> tuple[float, Interval | None]:
        """A trial's mean on the scale of the objective, and its 95 % interval over paths; none for one path."""
        told, values = self.plan.objectives[objective], [row[objective] for row in trial.costs]
        mean = told.back(fmean(values))
        if len(values) < 2:
            return mean, None
        return mean, told.turned(Sample.of(values).interval(LEVEL))
