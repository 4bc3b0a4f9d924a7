"""An inference from its plan to its output files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, cast

import numpy as np

from ...engines.batches import Workers
from ...engines.journal import identity
from ...results.directory import FolderError
from ..search.errors import InferError, TuneError
from ..search.objective import Objective
from ..search.space import Choice
from ..search.trials import Runs, Wanted
from ..search.work import Means, Work, carry_out
from ..sweep.run import Meter, Unwatched
from ..tune import plan as tuned
from ..tune.search import REFUSED, Search
from .bench import Bench, Values
from .plan import Plan
from .posterior import Array, Posterior
from .result import Inferred

#: Results whose names do not depend on the plan.
NAMES = ("best.toml", "infer.html", "infer.json", "plan.toml", "readings.csv", "readings.parquet")
#: Readings of which the runs are made together, where all are tried.
TOGETHER = 64


def infer(
    plan: Plan,
    out: Path | None = None,
    *,
    threads: int | None = None,
    workers: Workers | None = None,
    fresh: bool = False,
    meter: Callable[[int], Meter] = lambda total: Unwatched(),
) -> Inferred:
    """Tries readings and, with ``out``, writes their table, a page with charts, and the winner's scenario.

    A run is known by its scenario. So a run that an earlier attempt left in ``out`` is not made again, even if the plan has changed
    since. The results are the same, to the byte, after any number of interruptions and with any ``threads`` or ``workers``.

    Raises:
        InferError: the plan makes no sense, or ``out`` holds other work.
        ScenarioError: a scenario is not valid.
        RunError: a run failed.
        OSError: something cannot be written.
    """
    work = Work("infer", NAMES, identity("", "infer"), _most(plan), {})
    means = Means(threads, workers, fresh, meter)
    try:
        bench = Bench(plan)
        bench.check()
        return carry_out(
            work,
            bench,
            out,
            means,
            lambda runs: _found(plan, bench, runs),
            lambda told, folder: _written(told, bench, folder),
        )
    except (FolderError, TuneError) as error:
        raise InferError(str(error)) from None


def _written(told: Inferred, bench: Bench, folder: Path) -> None:
    from . import output

    output.write(told, bench, folder)


def tried(plan: Plan) -> int:
    """How many readings are tried at most."""
    return plan.space.size if plan.search == "all" else min(plan.readings, plan.space.size or plan.readings)


def _most(plan: Plan) -> int:
    """Runs, if no two readings share any."""
    return (tried(plan) + 1) * len(plan.entries) * plan.nudges


def _found(plan: Plan, bench: Bench, runs: Runs) -> Inferred:
    values = Values(plan, runs)
    base = values.of([Choice({}, plan.baseline, {})], ["the baseline"])[0]
    refused: Counter[str] = Counter()
    rows = list((_all if plan.search == "all" else _chosen)(plan, bench, values, refused))
    if not rows:
        raise InferError(f"{plan.name}: no reading is a scenario: {next(iter(refused), '')}")
    made = np.stack([one for _, one in rows])
    told = Inferred(
        plan, [choice for choice, _ in rows], made, base, refused, len(rows) == plan.space.size, len(runs), runs.kept
    )
    if not np.isfinite(told.posterior.likelihood).any():
        raise InferError(
            f"{plan.name}: no reading has every fitted value; a transfer may not finish, or nothing is measured"
        )
    return told


def _all(plan: Plan, bench: Bench, values: Values, refused: Counter[str]) -> Iterator[tuple[Choice, Array]]:
    """Every reading there is."""
    points = map(plan.space.point, plan.space.every())
    while some := list(islice(points, TOGETHER)):
        legal = []
        for choice in some:
            if why := bench.refused(choice.sets):
                refused[why] += 1
            else:
                legal.append(choice)
        yield from zip(legal, values.of(legal, list(map(_name, legal))), strict=True)


def _name(choice: Choice) -> str:
    return ", ".join(f"{key}={value}" for key, value in choice.cells.items())


class _Misfits:
    """Runs the readings that a search chose, and returns each one's misfit."""

    def __init__(self, plan: Plan, values: Values) -> None:
        self.plan, self.values = plan, values
        self.made: dict[str, Array] = {}

    def of(self, wanted: Sequence[Wanted]) -> list[tuple[float, ...]]:
        """Minus the log likelihood of each reading; NaN where a run has no value."""
        choices = [Choice({}, one.settings, {}) for one in wanted]
        made = self.values.of(choices, [one.name for one in wanted])
        self.made |= {_key(choice): one for choice, one in zip(choices, made, strict=True)}
        fit = [place for place, one in enumerate(self.plan.values) if one.fit]
        found = [
            Posterior(self.plan.space, [choice], one[None], self.plan.values, fit, False)
            for choice, one in zip(choices, made, strict=True)
        ]
        return [(float(-one.unscaled[0]) if np.isfinite(one.unscaled[0]) else float("nan"),) for one in found]


def _key(choice: Choice) -> str:
    return repr(sorted(choice.sets.items()))


def _chosen(plan: Plan, bench: Bench, values: Values, refused: Counter[str]) -> Iterator[tuple[Choice, Array]]:
    """Readings that Optuna chooses, by how well they fit."""
    misfits = _Misfits(plan, values)
    objective = [Objective("misfit", (), -1)]
    asked = tuned.Plan(plan.name, plan.entries[:1], plan.space, objective, baseline=plan.baseline, paths=1, held_out=0,
                       trials=tried(plan), batch=plan.batch, seed=plan.seed, sampler=plan.search)  # fmt: skip
    search = Search(asked, bench, cast(Runs, _Asked(misfits)))
    search.go()
    for one in search.trials:
        if one.state == REFUSED:
            refused[one.why] += 1
        else:
            yield one.choice, misfits.made[_key(one.choice)]


class _Asked:
    """The objective of a search: the misfit."""

    def __init__(self, misfits: _Misfits) -> None:
        self.values: Any = misfits.of
