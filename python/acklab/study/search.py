"""The search of `tune`: its plan, and Optuna, which asks for choices in batches of a fixed size.

Every trial runs on the same paths, and its result is reported in order. A choice that Optuna asks for again counts once. Instead of it
an untried neighbour of the best is tried, one step of one key away.

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
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from statistics import fmean
from typing import Any

from ..scenario._toml import dumps
from ..scenario.draws import Draws
from ..text.input import PlanText
from .grammar import FLAG, TABLE, TABLES, TEXT, TIME, Key, StudyError, fields, kind, number, read_key, refuse, whole
from .intervals import Interval, Sample, split
from .keys import settings
from .metrics import Objective, objective
from .reading import Reader, distinct, fixed, parts_of, scenario_of, space_of
from .runs import Bench, Readings, RunRequest
from .seeds import Draw, Entry, draw, drawn
from .space import DIGITS, Choice, Space

#: How many fresh paths.
HELD_OUT = kind(
    "0, or a whole number from 2 to 100,000; one path has no interval",
    lambda value: value != 1 and whole(0, 100_000)(value) is not None,
)


def _objectives(given: Any) -> list[Any]:
    return list(given) if isinstance(given, (list, tuple)) else [given]


#: A plan's keys, and what each is for.
KEYS = {
    "title": Key("what the page is headed with; the plan's name if left out", TEXT, ""),
    "scenario": Key("a scenario file, beside the plan, or a [scenario] table; a [[path]] may have its own"),
    "set": Key("keys that have one value throughout", fixed, {}),
    "free": Key(
        'keys to choose: { low = "1ms", high = "500ms", log = true }, { low = 4, high = 64, step = 4 }, or a list of choices',
        TABLE,
    ),
    "alternatives": Key(
        "[alternatives.NAME] tables: named choices, each with the keys it sets; bounds leave a key free for this choice alone",
        TABLE,
    ),
    "baseline": Key("keys of what the winner is judged against; the scenario as it is if left out", fixed, {}),
    "objectives": Key(
        'a list of metrics or weighted sums: "completion", "cost: p50(completion) + 0.001 * acks_sent", { maximize = "..." }; several make a Pareto front',
        _objectives,
        (),
    ),
    "for": Key(
        "objectives that rank what was tried, where not those by which it was chosen; a stored search is read again, without a run",
        _objectives,
        (),
    ),
    "relative": Key(
        "true: every value counts as a ratio to the baseline's on the same path, and means are geometric", FLAG, False
    ),
    "path": Key(
        "[[path]] tables, a distribution: name, weight (1), scenario, set, draw (keys each path draws)", TABLES, [{}]
    ),
    "paths": Key("how many paths are drawn for the search; 16 if left out", whole(1, 100_000), 16),
    "held_out": Key(
        "how many fresh paths judge the winner; as many as `paths` if left out, none for one path", HELD_OUT
    ),
    "seeds": Key("how many seeds each path is run with; 1 if left out", whole(1, 10_000), 1),
    "spread_starts": Key(
        "a time: each seed delays the start of each flow by up to this time, in all trials alike", TIME, 0.0
    ),
    "trials": Key("how many different choices are tried; 64 if left out", whole(1, 100_000), 64),
    "batch": Key("how many trials are chosen before the results of any is known; 8 if left out", whole(1, 1_000), 8),
    "sampler": Key('"tpe" or "random" for one objective, "nsga2" for several', TEXT),
    "seed": Key("of the search and of the drawn paths; 1 if left out", whole(0, 2**32 - 1), 1),
}
PATH = {
    "name": Key("", TEXT),
    "weight": Key("", number("a number above 0", lambda weight: weight > 0), 1.0),
    "scenario": Key(),
    "set": Key("", fixed, {}),
    "draw": Key("", TABLE, {}),
}
COUNTS = ("paths", "held_out", "seeds", "trials", "batch", "seed")
#: Columns of the table of trials that are no keys.
TAKEN = ("trial", "state", "paths", "objective", "low", "high")
_SAMPLERS = ("tpe", "random", "nsga2")


@dataclass(frozen=True)
class SearchPlan:
    """A search, checked as far as it can be without its scenarios."""

    name: str
    entries: Sequence[Entry]
    space: Space
    objectives: Sequence[Objective]
    title: str = ""
    sets: Mapping[str, Any] = field(default_factory=dict)
    baseline: Mapping[str, Any] = field(default_factory=dict)
    spread_starts_s: float = 0.0
    paths: int = 16
    held_out: int = 16
    seeds: int = 1
    trials: int = 64
    batch: int = 8
    seed: int = 1
    sampler: str = "tpe"
    ranked_by: Sequence[Objective] = ()
    """Objectives that rank the trials; those of the search if empty."""
    tree: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """The keys of which it was made."""
    text: PlanText | None = field(default=None, repr=False, compare=False)

    @property
    def relative(self) -> bool:
        """Whether values count as ratios to the baseline's."""
        return self.objectives[0].relative

    def told(self) -> str:
        """The plan as TOML; a scenario is the name of its file, or a table."""
        return dumps({key: value for key, value in self.tree.items() if not isinstance(value, bytes)})


def _plan(tree: Mapping[str, Any], where: PlanText, folder: Path | None) -> SearchPlan:
    found, parts = fields(where, tree, KEYS), parts_of(where, tree)
    given, counts = found["objectives"], {key: found[key] for key in COUNTS}
    objectives, ranked_by = (_read_objectives(where, key, found) for key in ("objectives", "for"))
    allowed = _SAMPLERS[:2] if len(given) < 2 else _SAMPLERS[2:]
    sampler = found["sampler"] or allowed[0]
    several = "one objective" if len(given) < 2 else "several objectives"
    read_key(where, "sampler", kind(f"with {several} {' or '.join(allowed)}", lambda one: one in allowed), sampler)
    entries = _entries(tree, where, folder, found["path"] or [])
    where.settle()
    if not parts:
        raise where.error("", "nothing is free; give [free] or [alternatives.NAME]")
    if not objectives:
        raise where.error("", 'no objectives; give a list such as objectives = ["completion"]')
    space = where.check("", lambda: space_of(parts, TAKEN))
    where.settle()
    if counts["held_out"] is None:
        counts["held_out"] = counts["paths"] if counts["paths"] > 1 else 0
    return SearchPlan(
        where.name, entries, space, objectives, found["title"], found["set"], found["baseline"], found["spread_starts"],
        sampler=sampler, ranked_by=ranked_by, tree=tree, text=where, **counts,
    )  # fmt: skip


PLANS = Reader(_plan)


def _read_objectives(where: PlanText, key: str, found: Mapping[str, Any]) -> list[Objective]:
    """The objectives of a key of the plan; mistakes are noted."""
    read = partial(objective, relative=bool(found["relative"]), key=key)
    several = [read_key(where, key, read, one) for one in found[key]]
    known = [one.name for one in several if one]
    if len(set(known)) < len(known):
        where.check(key, lambda: refuse((True, f'{key}: two have one name; name them: "NAME: METRIC"')))
    return several


def _entries(
    tree: Mapping[str, Any], where: PlanText, folder: Path | None, tables: Sequence[Mapping[str, Any]]
) -> list[Entry]:
    entries = []
    for place, table in enumerate(tables):
        at = f"path[{place}]."
        found = fields(where, table, PATH, at)
        rows = settings(found["draw"] or {}).items()
        draws = [read_key(where, f"{at}draw.{key}", partial(drawn, key, digits=DIGITS), given) for key, given in rows]
        text, file = scenario_of(where, at, table, tree, folder)
        own = Path(file).stem if "scenario" in table else "" if len(tables) == 1 else f"path {place + 1}"
        label = own if found["name"] is None else found["name"]
        entries.append(Entry(label, found["weight"], text, file, found["set"], draws))
    distinct(
        where,
        "path",
        [one.name for one in entries],
        "; without `name` a path is called as its scenario's file" * any("name" not in table for table in tables),
    )
    return entries


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

    def __init__(self, plan: SearchPlan, bench: Bench, runs: Readings) -> None:
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
            StudyError: the baseline has no value, or no choice is a scenario.
            RunError: a run failed.
        """
        self._start()
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
                self._rank(one)
            if len(self.trials) == len(batch) and all(one.state == REFUSED for one in self.trials):
                raise StudyError(
                    f"{self.plan.name}: no choice of the first {len(batch)} is a scenario: {self.trials[0].why}"
                )

    def ranked(self) -> Search:
        """The same trials by the objectives that rank them, read from the same runs.

        Raises:
            StudyError: the baseline has no value of them.
        """
        plan = replace(self.plan, objectives=self.plan.ranked_by, ranked_by=())
        bench = Bench(plan)
        found = Search(plan, bench, Readings(bench, self.runs.runs))
        found._start()
        for one in self.trials:
            state = COMPLETE if len(one.values) == plan.paths else one.state if one.state == REFUSED else STOPPED
            again = Trial(one.number, one.choice, state, why=one.why)
            found._run([again], self.paths[: len(one.values)], found.base)
            found.trials.append(again)
            found._rank(again)
        return found

    def _start(self) -> None:
        base = Trial(0, Choice({}, self.plan.baseline, {}))
        self._run([base], self.paths, base)
        if base.state != COMPLETE:
            raise StudyError(
                f"{self.plan.name}: the baseline has no value of {self._unread(base)}; {_WHY[self.plan.relative]}"
            )
        self.base = self.best = base

    def _rank(self, one: Trial) -> None:
        if one.state == COMPLETE and one.cost < self.best.cost:
            self.best = one

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

    def _run(self, trials: Sequence[Trial], paths: Sequence[Draw], base: Trial, before: int = 0) -> None:
        found = self.runs.values([RunRequest(one.name, one.choice.sets, path) for one in trials for path in paths])
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
    plan: SearchPlan, values: Sequence[tuple[float, ...]], base: Sequence[tuple[float, ...]]
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


def _study(plan: SearchPlan) -> Any:
    """Optuna's study, in memory: it is made again from the kept runs, which are what costs time."""
    try:
        import optuna
    except ImportError:
        raise StudyError("the search needs Optuna: pip install optuna") from None
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
        asked = optuna.trial.FixedTrial(dict(one.choice.parameters))
        search.plan.space.ask(asked)
        study.add_trial(
            optuna.trial.create_trial(params=asked.params, distributions=asked.distributions, value=one.cost[0])
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found: Mapping[str, float] = get_param_importances(study, evaluator=PedAnovaImportanceEvaluator())
    return found


LEVEL = 0.95


@dataclass(frozen=True)
class Judged:
    """The winner and the baseline on fresh paths."""

    paths: Sequence[Draw]
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

    path: Draw
    objective: int
    value: float
    base: float
    fresh: bool


@dataclass(frozen=True)
class SearchResult:
    """The results of a search."""

    plan: SearchPlan
    paths: Sequence[Draw]
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
    chosen_for: Sequence[str] = ()
    """The objectives by which the trials were chosen, where others rank them."""

    @property
    def best(self) -> Mapping[str, Any]:
        """The keys that the winner sets."""
        return dict(self.winner.choice.sets)

    @cached_property
    def losses(self) -> list[Loss]:
        """Paths on which the winner is worse than the baseline by an objective, the largest loss first."""
        one = self.judged
        sets: list[tuple[Any, ...]] = [
            (False, self.paths, self.base.values, self.winner.values, self.base.costs, self.winner.costs),
            *([(True, one.paths, one.base, one.values, one.base_costs, one.costs)] if one is not None else []),
        ]
        found = [
            (
                self._size(old[place], after[place] - before[place]),
                place,
                fresh,
                path.number,
                Loss(path, place, new[place], old[place], fresh),
            )
            for place in range(len(self.plan.objectives))
            for fresh, *columns in sets
            for path, old, new, before, after in zip(*columns, strict=True)
            if not after[place] <= before[place]  # no value is a loss, too
        ]
        return [loss for *_, loss in sorted(found, key=lambda row: row[:4])]

    def _size(self, old: float, behind: float) -> float:
        """Minus a loss beside the baseline's value; of no value without end."""
        return -math.inf if math.isnan(behind) else -behind / (1.0 if self.plan.relative else abs(old) or 1.0)

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
