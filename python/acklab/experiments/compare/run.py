"""Making the runs of a comparison."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ... import _core
from ...engines.batches import Runs, Workers, beginning, on_threads
from ...engines.journal import Journal, identity
from ...figures.stats import Sample, sample
from ...results.directory import Folder, FolderError
from ...runs import cpu_count, run_batch
from ...text.titles import changed
from .configure import settings
from .difference import ONE_RUN, SAME, Difference
from .errors import CompareError
from .plan import Comparison, seeded
from .rank import Ranking, rank
from .result import Compared, Key

Tick = Callable[[int], None]


def compare(
    comparison: Comparison,
    *,
    threads: int | None = None,
    workers: Workers | None = None,
    tick: Tick = lambda done: None,
    keep: Folder | None = None,
    fresh: bool = False,
) -> Compared:
    """Runs every case in every situation with every seed, and ranks.

    Args:
        comparison: what to run.
        threads: how many runs at once; one a processor if left out.
        workers: the workers of the runs instead of threads, where ``keep`` is given.
        tick: told of every run that is done.
        keep: a result directory for what is done, so that the same comparison goes on there after an interrupt.
        fresh: discard what an earlier attempt kept there.

    Raises:
        CompareError: it can not be compared; nothing was run.
        RunError: a run failed.
    """
    comparison.check()
    trees, rule = comparison.trees(), comparison.rule
    start = beginning(comparison.seeded(next(iter(trees.values())), 1), comparison.engine)
    unchecked = "flows" not in start
    for one in () if unchecked else comparison.metrics:
        one.check(start)
    values: dict[Key, list[float]] = {}
    results: dict[str, dict[str, set[int]]] = {s.name: {} for s in comparison.situations}
    before, count = 0, rule.least
    while True:
        keys = [(*pair, seed) for pair in trees for seed in range(before + 1, count + 1)]
        summaries = _summaries(comparison, trees, keys, threads, workers, tick, keep, fresh and not before)
        for key, summary in zip(keys, summaries, strict=True):
            for one in comparison.metrics if unchecked else ():
                one.check(summary)
            unchecked = False
            values[key] = [one.read(summary) for one in comparison.metrics]
            results[key[0]].setdefault(key[1], set()).add(hash(str([summary["flows"], summary["links"]])))
        random = {name: any(len(seen) > 1 for seen in cases.values()) for name, cases in results.items()}
        rankings = [_ranking(comparison, name, values, count, random[name]) for name in random]
        if count >= rule.most or _narrow(rankings, comparison.half_width):
            told = {(*pair, seed): values[(*pair, seed)] for pair in trees for seed in range(1, count + 1)}
            title = changed(start["title"] or comparison.file, comparison.sets)
            return Compared(comparison, title, rankings, told, count, settings(comparison))
        before, count = count, rule.grown(count)


def _narrow(rankings: Sequence[Ranking], share: float) -> bool:
    """Whether half of every difference's interval is at most this share of the first's mean."""
    return all(
        row.beside is None or _half(row.beside, ranking) <= share for ranking in rankings for row in ranking.rows
    )


def _half(found: Difference, ranking: Ranking) -> float:
    """Half of a difference's interval, as a share of the first's mean."""
    if found.verdict in (SAME, ONE_RUN) or found.constant:
        return 0.0
    best = ranking.best.samples[ranking.by.name]
    if found.interval is None or best is None:
        return math.inf
    return found.interval.half_width / (1.0 if found.relative else abs(best.value) or math.inf)


def _summaries(
    comparison: Comparison,
    trees: Any,
    keys: Sequence[Key],
    threads: int | None,
    workers: Workers | None,
    tick: Tick,
    keep: Folder | None,
    fresh: bool,
) -> Iterator[Any]:
    """The results of every run, in order."""
    if keep is None:
        lines = (comparison.seeded(trees[situation, case], seed) for situation, case, seed in keys)
        for (_, name, seed), summary in zip(
            keys, run_batch(lines, threads=threads, engine=comparison.engine), strict=True
        ):
            if "error" in summary:
                raise _core.RunError(f"case {name!r}, seed {seed}: {summary['error']}")
            yield summary
            tick(1)
        return
    # What cases are called makes no other runs.
    sets = [[[*one.sets] for one in group] for group in (comparison.cases, comparison.situations)]
    rule = comparison.rule
    told = [sets, list(comparison.sets), [rule.least, rule.most, rule.half_width]]
    text = comparison.scenario if isinstance(comparison.scenario, str) else comparison.scenario.decode(errors="replace")
    try:
        journal = Journal(
            keep,
            identity(text, [told, comparison.spread_starts_s, comparison.spread_delays], comparison.engine),
            fresh=fresh,
        )
    except FolderError as error:
        raise CompareError(str(error)) from None
    try:
        place = {pair: number * rule.most for number, pair in enumerate(trees)}
        numbers = {place[key[:2]] + key[2] - 1: key for key in keys}
        tick(sum(number in journal for number in numbers))
        workers = workers or on_threads(threads or cpu_count(), comparison.engine)
        runs = Runs(
            numbers,
            partial(_scenarios, list(trees.values()), comparison.spread_starts_s, comparison.spread_delays, rule.most),
        )
        journal.make(runs, workers, tick, lambda number: "case {1!r}, seed {2}".format(*numbers[number]))
        yield from (json.loads(journal.line(number).decode()) for number in numbers)
    finally:
        journal.close()


def _scenarios(
    trees: Sequence[Any], spread_starts_s: float, spread_delays: float, most: int, numbers: Sequence[int]
) -> list[str]:
    """The scenarios of runs, by their numbers."""
    return [seeded(trees[number // most], number % most + 1, spread_starts_s, spread_delays) for number in numbers]


def _ranking(
    comparison: Comparison, situation: str, values: Mapping[Key, Sequence[float]], count: int, random: bool
) -> Ranking:
    seeds, cases = range(1, count + 1), [case.name for case in comparison.cases]
    found: dict[str, dict[str, Sample | None]] = {}
    for place, metric in enumerate(comparison.metrics):
        found[metric.name] = {name: sample([values[situation, name, seed][place] for seed in seeds]) for name in cases}
    first = comparison.objectives[0]
    if all(one is None for objective in comparison.objectives for one in found[objective.name].values()):
        where = f" in situation {situation!r}" if situation else ""
        why = "a transfer does not finish in any" if "completion" in first.quantity.name else "nothing was measured"
        raise CompareError(f"metric {first.name}: no case has a value{where}; {why}")
    return rank(
        situation, comparison.metrics, found, objectives=comparison.objectives, random=random, margin=comparison.margin,
        situations=len(comparison.situations), looks=comparison.rule.looks,
    )  # fmt: skip
