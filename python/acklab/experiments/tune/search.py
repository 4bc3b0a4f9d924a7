"""The search: Optuna asks for choices in batches of a fixed size, every trial runs on the same paths, and its result is reported in order.

A choice that Optuna asks for again counts once. Instead of it an untried neighbour of the best is tried, one step of one key away.

The stopping rule. After 4, 8, 16, ... paths the paired difference of a trial to the best so far has an interval. Where the
interval says that the trial is worse, the trial stops. The intervals of one trial share an error of 5 % (Bonferroni). They are
Student's: they assume that paths are independent and that the mean of the differences is nearly normal. The best was chosen on
the same paths; the rule takes it as given.
"""

from __future__ import annotations

import json
import logging
import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from ...figures.stats import Sample, split
from ...scenario.draws import Draws
from ..search.draws import Path, draw
from ..search.errors import TuneError
from ..search.space import Choice, Space
from ..search.trials import Bench, Runs, Wanted
from .plan import Plan

#: How a trial ended.
COMPLETE, STOPPED, REFUSED, NO_VALUE = "complete", "stopped", "refused", "no value"
#: Paths of the first look, and how many times as many at each that follows.
FIRST_LOOK, GROWTH = 4, 2
#: How often Optuna may repeat a trial that has a result, before a neighbour of the best is tried.
AGAIN = 3


@dataclass
class Trial:
    """A choice and the results of its runs. Trial 0 is the baseline."""

    number: int
    choice: Choice
    state: str = COMPLETE
    values: list[tuple[float, ...]] = field(default_factory=list)
    """Every objective on each path so far."""
    costs: list[tuple[float, ...]] = field(default_factory=list)
    """The same on a scale where less is better."""
    why: str = ""

    @property
    def cost(self) -> tuple[float, ...]:
        """The mean cost over the paths it was run on."""
        return tuple(map(fmean, zip(*self.costs, strict=True)))

    def sample(self, objective: int) -> Sample:
        """An objective's costs, path after path."""
        return Sample.of([row[objective] for row in self.costs])

    @property
    def name(self) -> str:
        """Its name in messages."""
        told = ", ".join(f"{key}={value}" for key, value in self.choice.cells.items())
        return f"trial {self.number} ({told})" if self.number else "the baseline"


def looks(paths: int, objectives: int) -> list[int]:
    """After how many paths trials are looked at; the last is all of them. Several objectives are looked at once."""
    found = []
    count = FIRST_LOOK
    while objectives == 1 and count < paths:
        found.append(count)
        count *= GROWTH
    return [*found, paths]


class Search:
    """A search under way."""

    def __init__(self, plan: Plan, bench: Bench, runs: Runs) -> None:
        self.plan, self.bench, self.runs = plan, bench, runs
        self.paths = draw(plan.entries, plan.paths, plan.seeds, plan.seed)
        self.trials: list[Trial] = []
        self.best: Trial
        self._known: dict[str, Trial] = {}
        self._waiting: list[tuple[Any, Trial]] = []
        self._looks = looks(plan.paths, len(plan.objectives))
        self._draws = Draws(plan.seed, "tune neighbours")
        self._left: dict[str, dict[str, Any]] | None = None

    def go(self) -> None:
        """Makes every trial.

        Raises:
            TuneError: the baseline has no value, or no choice is a scenario.
            RunError: a run failed.
        """
        base = Trial(0, Choice({}, self.plan.baseline, {}))
        self._run([base], self.paths, base)
        if base.state != COMPLETE:
            raise TuneError(
                f"{self.plan.name}: the baseline has no value of {self._unread(base)}; {_WHY[self.plan.relative]}"
            )
        self.base = self.best = base
        study = _study(self.plan)
        while len(self.trials) < self.plan.trials:
            batch = self._ask(study, min(self.plan.batch, self.plan.trials - len(self.trials)))
            if not batch:
                break  # there is nothing left to try
            self._evaluate([one for _, one in batch])
            self.trials += [one for _, one in batch]
            self._tell(study, [*batch, *self._waiting])
            self._waiting = []
            for _, one in batch:
                if one.state == COMPLETE and one.cost < self.best.cost:
                    self.best = one
            if len(self.trials) == len(batch) and all(one.state == REFUSED for one in self.trials):
                raise TuneError(
                    f"{self.plan.name}: no choice of the first {len(batch)} is a scenario: {self.trials[0].why}"
                )

    # ---- asking and telling ------------------------------------------------------------------------------------------
    def _ask(self, study: Any, room: int) -> list[tuple[Any, Trial]]:
        batch: list[tuple[Any, Trial]] = []
        for _ in range(room):
            for again in range(AGAIN + 1):
                if again == AGAIN:
                    point = self._untried()
                    if point is None:
                        return batch
                    study.enqueue_trial(point)
                asked = study.ask()
                choice = self.plan.space.ask(asked)
                known = self._known.get(_key(choice))
                if known is None:
                    break
                if known in self.trials:
                    self._tell(study, [(asked, known)])
                else:
                    self._waiting.append((asked, known))  # of this batch: its value is not known yet
            one = Trial(len(self.trials) + len(batch) + 1, choice)
            self._known[_key(choice)] = one
            batch.append((asked, one))
        return batch

    def _tell(self, study: Any, batch: Sequence[tuple[Any, Trial]]) -> None:
        from optuna.trial import TrialState

        for asked, one in batch:
            if one.state == COMPLETE:
                study.tell(asked, list(one.cost))
            elif one.state == STOPPED:
                asked.report(one.cost[0], len(one.costs))
                study.tell(asked, state=TrialState.PRUNED)
            else:
                study.tell(asked, state=TrialState.FAIL if len(self.plan.objectives) > 1 else TrialState.PRUNED)

    def _untried(self) -> dict[str, Any] | None:
        """Parameters that were not tried: a neighbour of the best if there is one, else any; None if all were.

        Where there are too many to list, the next best trials' neighbours are any.
        """
        space = self.plan.space
        ranked = (
            []
            if space.size
            else sorted((one for one in self.trials if one.state == COMPLETE), key=lambda one: (one.cost, one.number))
        )
        left: list[dict[str, Any]] = []
        for best in [*([self.best] if self.best.number else []), *ranked]:
            left = [
                one for one in neighbours(space, best.choice.parameters) if _key(space.point(one)) not in self._known
            ]
            if left:
                break
        if not left:
            if self._left is None:
                self._left = {_key(space.point(one)): one for one in space.every()} if space.size else {}
            for key in self._left.keys() & self._known.keys():
                del self._left[key]
            left = list(self._left.values())
        return left[min(int(self._draws.uniform() * len(left)), len(left) - 1)] if left else None

    # ---- running -----------------------------------------------------------------------------------------------------
    def _evaluate(self, batch: Sequence[Trial]) -> None:
        """Runs trials on more and more paths, and stops those that are worse than the best before this batch."""
        for one in batch:
            one.why = self.bench.refused(one.choice.sets)
            if one.why:
                one.state = REFUSED
        best, before = self.best, 0
        for look in self._looks:
            alive = [one for one in batch if one.state == COMPLETE]
            self._run(alive, self.paths[before:look], self.base, before)
            before = look
            for one in alive:
                if look < self.plan.paths and one.state == COMPLETE and self._worse(one, best):
                    one.state = STOPPED

    def _worse(self, one: Trial, best: Trial) -> bool:
        count = len(one.costs)
        ahead = Sample.of([row[0] for row in best.costs[:count]])
        return one.sample(0).minus(ahead).interval(split(1, len(self._looks) - 1)).low > 0

    def _run(self, trials: Sequence[Trial], paths: Sequence[Path], base: Trial, before: int = 0) -> None:
        found = self.runs.values([Wanted(one.name, one.choice.sets, path) for one in trials for path in paths])
        for place, one in enumerate(trials):
            one.values += found[place * len(paths) : (place + 1) * len(paths)]
            one.costs += costs(self.plan, one.values[before:], base.values[before:])
            if any(math.isnan(cost) for row in one.costs for cost in row):
                one.state = NO_VALUE

    def _unread(self, base: Trial) -> str:
        row, path = next(
            (row, path) for row, path in zip(base.costs, self.paths, strict=True) if any(map(math.isnan, row))
        )
        named = [one.name for one, cost in zip(self.plan.objectives, row, strict=True) if math.isnan(cost)]
        return f"{' and '.join(named)} on {path.told}"


_WHY = {
    False: "a transfer may not finish there, or nothing is measured",
    True: "a transfer may not finish there, or the value is not above 0 and makes no ratio",
}


def costs(
    plan: Plan, values: Sequence[tuple[float, ...]], base: Sequence[tuple[float, ...]]
) -> list[tuple[float, ...]]:
    """Values of some paths where less is better, beside the baseline's on the same paths."""
    return [
        tuple(one.cost(value, against) for one, value, against in zip(plan.objectives, row, old, strict=True))
        for row, old in zip(values, base, strict=False)
    ]


def neighbours(space: Space, parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The points one step of one key away; a range without steps has none."""
    found = []
    for free in space.frees:
        if free.name not in parameters or not free.points:
            continue
        every, here = list(free.parameters()), parameters[free.name]
        place = min(range(len(every)), key=lambda at: abs(every[at] - here))
        ordered = not free.choices or free.ordered
        near = [place - 1, place + 1] if ordered else [at for at in range(len(every)) if at != place]
        found += [{**parameters, free.name: every[at]} for at in near if 0 <= at < len(every)]
    return found


def front(trials: Sequence[Trial]) -> list[Trial]:
    """The complete trials that no other is at least as good as in every objective, and better in one."""
    done = [one for one in trials if one.state == COMPLETE]

    def beaten(one: Trial) -> bool:
        return any(
            other.cost != one.cost and all(a <= b for a, b in zip(other.cost, one.cost, strict=True)) for other in done
        )

    kept: dict[tuple[float, ...], Trial] = {}
    for one in done:
        if not beaten(one):
            kept.setdefault(one.cost, one)
    return sorted(kept.values(), key=lambda one: one.cost)


def middle(trials: Sequence[Trial]) -> Trial:
    """The trial of a front that is nearest to the best of every objective, each counted in the front's width."""
    columns = list(zip(*(one.cost for one in trials), strict=True))
    ends = [(min(column), max(column)) for column in columns]

    def far(one: Trial) -> float:
        return math.fsum(
            ((cost - low) / (high - low)) ** 2 for cost, (low, high) in zip(one.cost, ends, strict=True) if high > low
        )

    return min(trials, key=far)


def _key(choice: Choice) -> str:
    return json.dumps(choice.sets, sort_keys=True)


def _study(plan: Plan) -> Any:
    """Optuna's study, in memory: it is made again from the kept runs, which are what costs time."""
    try:
        import optuna
    except ImportError:
        raise TuneError("the search needs Optuna: pip install optuna") from None
    optuna.logging.set_verbosity(logging.WARNING)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of options that Optuna calls experimental
        sampler: Any
        if plan.sampler == "nsga2":
            sampler = optuna.samplers.NSGAIISampler(seed=plan.seed, population_size=max(2, plan.batch))
        elif plan.sampler == "random":
            sampler = optuna.samplers.RandomSampler(seed=plan.seed)
        else:
            sampler = optuna.samplers.TPESampler(
                seed=plan.seed,
                multivariate=True,
                group=True,
                constant_liar=True,
                n_startup_trials=max(4, min(10, plan.trials // 4)),
            )
    return optuna.create_study(directions=["minimize"] * len(plan.objectives), sampler=sampler)


def importance(search: Search) -> Mapping[str, float]:
    """How much each key decides about the first objective among complete trials (PED-ANOVA); empty for too few."""
    import optuna
    from optuna.importance import PedAnovaImportanceEvaluator, get_param_importances

    done = [one for one in search.trials if one.state == COMPLETE]
    if len(done) < 10 or len({one.cost[0] for one in done}) < 2:
        return {}
    study = optuna.create_study(direction="minimize")
    for one in done:
        study.add_trial(
            optuna.trial.create_trial(
                params=dict(one.choice.parameters),
                distributions=_distributions(search.plan.space, one),
                value=one.cost[0],
            )
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found: Mapping[str, float] = get_param_importances(study, evaluator=PedAnovaImportanceEvaluator())
    return found


def _distributions(space: Space, one: Trial) -> dict[str, Any]:
    import optuna

    class Asked:
        """Asks Optuna for a value of each free key of a space; the trial's parameters."""

        def __init__(self) -> None:
            self.found: dict[str, Any] = {}

        def suggest_int(self, name: str, low: int, high: int, step: int = 1, log: bool = False) -> Any:
            self.found[name] = optuna.distributions.IntDistribution(low, high, log, step)
            return one.choice.parameters[name]

        def suggest_float(
            self, name: str, low: float, high: float, step: float | None = None, log: bool = False
        ) -> Any:
            self.found[name] = optuna.distributions.FloatDistribution(low, high, log, step)
            return one.choice.parameters[name]

        def suggest_categorical(self, name: str, choices: Any) -> Any:
            self.found[name] = optuna.distributions.CategoricalDistribution(choices)
            return one.choice.parameters[name]

    asked = Asked()
    space.ask(asked)
    return asked.found
