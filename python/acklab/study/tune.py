"""Searches: the keys of a scenario that are best over a distribution of paths, judged on fresh ones (Optuna chooses).

>>> import acklab
>>> told = acklab.tune(
...     scenario='''
...         stop = { when = "flows-complete" }
...         link = [{ between = ["S", "R"], rate = "1.5Mbps", delay = "50ms", queue = { kind = "drop-tail", packets = 8 } }]
...         flow = [{ from = "S", to = "R", size = { segments = 50 } }]
...     ''',
...     free={"link.0.queue.packets": [2, 4, 8, 16]},
...     objectives=["completion"], paths=1, trials=4,
... )
>>> told.best
{'link.0.queue.packets': 16}
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from ..engines.journal import Workers, identity
from ..text.numbers import counted
from .answers import Answer
from .intervals import Sample, sample
from .runs import Bench, Meter, Readings, RunRequest, carry_out, unwatched
from .search import PLANS, Judged, Search, SearchPlan, SearchResult, Trial, costs, front, importance, middle
from .seeds import Draw, draw


def tune(
    plan: Any = None,
    *,
    out: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    workers: Workers | None = None,
    fresh: bool = False,
    meter: Callable[[int], Meter] = unwatched,
    **keys: Any,
) -> Tuned:
    """Searches for the keys of a scenario that are best over paths drawn from a distribution.

    The search is repeated from the runs that are kept. So it has the same result, to the byte, after any number of interruptions and
    with any ``threads`` or ``workers``.

    Args:
        plan: a plan file, or its tree; or a scenario, whatever :func:`acklab.run` takes, with the plan in ``keys``. Left out, they are all of it.
        out: directory for the table of trials, the winner's scenario and a page; runs that an earlier attempt left there
            are not made again.
        threads: how many runs at once; one a processor if left out.
        workers: the workers of the runs; threads of this process if left out.
        fresh: discard what is in ``out``.
        meter: shows the progress.
        keys: a plan's keys, which replace those of ``plan``: ``scenario`` (whatever :func:`acklab.run` takes), ``set``,
            ``free``, ``alternatives``, ``baseline``, ``objectives`` or ``metric``, ``for``, ``relative``, ``path``, ``paths``, ``held_out``,
            ``seeds``, ``spread_starts``, ``trials``, ``batch``, ``sampler``, ``seed``, ``title``.

    Raises:
        StudyError: it is no plan, a choice is no scenario, ``out`` holds another search, or Optuna is missing.
        ScenarioError: a scenario is no TOML or JSON.
        RunError: a run failed.
        OSError: a file cannot be read or written.
    """
    if "metric" in keys:
        keys["objectives"] = keys.pop("metric")
    read_plan = plan if isinstance(plan, SearchPlan) else PLANS.of(plan, keys)
    bench = Bench(read_plan)
    bench.check()
    return carry_out(
        "tune", NAMES, _identity(read_plan), _most(read_plan),
        lambda runs: _judged(Search(read_plan, bench, Readings(bench, runs))),
        Tuned.write_files,
        lambda result: {"seeds": read_plan.seeds},
        out=out, threads=threads, workers=workers, fresh=fresh, meter=meter,
    )  # fmt: skip


class Tuned(SearchResult, Answer):
    """Results of a search."""

    verb = "tune"

    def write_files(self, folder: Path) -> None:
        """Writes the files into a directory."""
        self._page().write(self, Bench(self.plan), folder)

    def __repr__(self) -> str:
        return f"<Tuned {self.plan.name!r}: {counted(len(self.trials), 'trial')}, {counted(self.runs, 'run')}>"


#: Results whose names do not depend on the plan.
NAMES = ("best.toml", "paths.csv", "plan.toml", "trials.csv", "trials.parquet", "tune.html", "tune.json")


def _identity(plan: SearchPlan) -> dict[str, str]:
    """The identity of a search; more trials, other titles or more fresh paths continue a search, others that rank it read it."""
    left_out = ("title", "trials", "held_out", "scenario", "for")
    scenarios = [
        [entry.name, *(text if isinstance(text, str) else text.decode(errors="replace") for text in [entry.scenario])]
        for entry in plan.entries
    ]
    return identity(json.dumps(scenarios), {key: value for key, value in plan.tree.items() if key not in left_out})


def _most(plan: SearchPlan) -> int:
    """Runs of a search that stops no trial early."""
    return ((plan.trials + 1) * plan.paths + 2 * plan.held_out) * plan.seeds


def _judged(search: Search) -> Tuned:
    """Searches, and judges the winner on fresh paths; of objectives that rank the trials where these have the same winner."""
    search.go()
    plan, chosen_for = search.plan, list[str]()
    best, winner = _best(search)
    fresh = draw(plan.entries, plan.held_out, plan.seeds, plan.seed, fresh=True) if winner.number else []
    judged = _fresh(search, winner, fresh)
    if plan.ranked_by:
        chosen_for, chosen = [one.name for one in plan.objectives], winner.number
        search = search.ranked()
        plan, (best, winner) = search.plan, _best(search)
        judged = _fresh(search, winner, fresh if winner.number == chosen else [])
    seen = None
    if plan.paths > 1 and winner.number:
        seen = [_difference(search.base.costs, winner.costs, k) for k in range(len(plan.objectives))]
    return Tuned(
        plan,
        search.paths,
        search.base,
        search.trials,
        winner,
        best,
        seen,
        judged,
        dict(importance(search)),
        len(search.runs.runs),
        search.runs.runs.kept,
        _parts(search),
        chosen_for,
    )


def _best(search: Search) -> tuple[Sequence[Trial], Trial]:
    """The trials that no other beats, and the winner."""
    if len(search.plan.objectives) == 1:
        return [search.best] if search.best.number else [], search.best
    best = front(search.trials)
    return best, middle(best) if best else search.base


def _fresh(search: Search, winner: Trial, fresh: Sequence[Draw]) -> Judged | None:
    """The winner and the baseline on fresh paths; None without any."""
    if not fresh:
        return None
    plan, wanted = (
        search.plan,
        [RunRequest(one.name, one.choice.sets, path) for one in (search.base, winner) for path in fresh],
    )
    found = search.runs.values(wanted)
    old, new = found[: len(fresh)], found[len(fresh) :]
    before, after = costs(plan, old, old), costs(plan, new, old)
    return Judged(fresh, old, new, before, after, [_difference(before, after, k) for k in range(len(plan.objectives))])


def _parts(search: Search) -> dict[int, list[float]]:
    """The means of the metrics of weighted sums, by trial."""
    if all(len(one.terms) == 1 for one in search.plan.objectives):
        return {}
    found = {}
    for one in [search.base, *search.trials]:
        rows = search.runs.parts(
            [RunRequest(one.name, one.choice.sets, path) for path in search.paths[: len(one.costs)]]
        )
        if rows:
            found[one.number] = [fmean(column) for column in zip(*rows, strict=True)]
    return found


def _difference(before: list[tuple[float, ...]], after: list[tuple[float, ...]], objective: int) -> Sample | None:
    """The paired difference of costs, path by path; None where a path has no value."""
    return sample([new[objective] - old[objective] for old, new in zip(before, after, strict=True)])
