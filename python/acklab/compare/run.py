"""Making the runs of a comparison."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .. import _core
from .._folder import Folder, FolderError
from .._journal import Journal, identity
from ..figures.stats import Sample
from ..run import cpu_count, run_batch
from .errors import CompareError
from .plan import Comparison
from .rank import Ranking, rank, sample

Tick = Callable[[int], None]
Key = tuple[str, str, int]
"""Situation, case, seed."""


@dataclass(frozen=True)
class Compared:
    """What a comparison told."""

    comparison: Comparison
    title: str
    rankings: Sequence[Ranking]
    values: Mapping[Key, Sequence[float]]
    """Every metric's value in each run."""
    random: bool
    """Whether any two seeds gave different numbers."""

    @property
    def advice(self) -> str:
        """The sentence to act on."""
        from .advice import advice

        return advice(self)


def compare(
    comparison: Comparison,
    *,
    threads: int | None = None,
    tick: Tick = lambda done: None,
    keep: Folder | None = None,
    fresh: bool = False,
) -> Compared:
    """Runs every case in every situation with every seed, and ranks.

    Args:
        comparison: what to run.
        threads: how many runs at once; one a processor if left out.
        tick: told of every run that is done.
        keep: a result directory for what is done, so that the same comparison goes on there after an interrupt.
        fresh: discard what an earlier attempt kept there.

    Raises:
        CompareError: it can not be compared; nothing was run.
        RunError: a run failed.
    """
    comparison.check()
    trees = comparison.trees()
    keys = [(*pair, seed) for pair in trees for seed in range(1, comparison.seeds + 1)]
    start = json.loads(_core.Simulation(comparison.seeded(trees[keys[0][:2]], 1)).outcome().json(False))
    for one in comparison.metrics:
        one.check(start)
    values: dict[Key, list[float]] = {}
    for (situation, name, seed), summary in zip(keys, _summaries(comparison, trees, keys, threads, tick, keep, fresh), strict=True):
        values[situation, name, seed] = [one.read(summary, trees[situation, name]) for one in comparison.metrics]
    rankings = [
        rank(s.name, comparison.metrics, _samples(comparison, s.name, values)) for s in comparison.situations
    ]
    return Compared(comparison, start["title"] or comparison.file, rankings, values, _random(values))


def _summaries(
    comparison: Comparison, trees: Any, keys: Sequence[Key], threads: int | None, tick: Tick, keep: Folder | None, fresh: bool
) -> Iterator[Any]:
    """What every run told, in order."""
    lines = (comparison.seeded(trees[situation, case], seed) for situation, case, seed in keys)
    if keep is None:
        for (_, name, seed), summary in zip(keys, run_batch(lines, threads=threads), strict=True):
            if "error" in summary:
                raise _core.RunError(f"case {name!r}, seed {seed}: {summary['error']}")
            yield summary
            tick(1)
        return
    # What cases are called makes no other runs.
    sets = [[[*one.sets] for one in group] for group in (comparison.cases, comparison.situations)]
    told = [sets, list(comparison.sets), comparison.seeds]
    text = comparison.scenario if isinstance(comparison.scenario, str) else comparison.scenario.decode(errors="replace")
    try:
        journal = Journal(keep, identity(text, [told, comparison.spread_starts_s]), fresh=fresh)
    except FolderError as error:
        raise CompareError(str(error)) from None
    try:
        tick(len(journal))
        missing = ((number, line) for number, line in enumerate(lines) if number not in journal)
        journal.make(missing, threads or cpu_count(), tick, lambda number: "case {1!r}, seed {2}".format(*keys[number]))
        yield from (json.loads(journal.line(number).decode()) for number in range(len(keys)))
    finally:
        journal.close()


def _samples(comparison: Comparison, situation: str, values: Mapping[Key, Sequence[float]]) -> Any:
    seeds = range(1, comparison.seeds + 1)
    found: dict[str, dict[str, Sample | None]] = {}
    for place, metric in enumerate(comparison.metrics):
        found[metric.name] = {
            case.name: sample([values[situation, case.name, seed][place] for seed in seeds])
            for case in comparison.cases
        }
    if all(one is None for one in found[comparison.metrics[0].name].values()):
        first = comparison.metrics[0]
        where = f" in situation {situation!r}" if situation else ""
        why = "a transfer does not finish in any" if first.quantity.name == "completion" else "nothing was measured"
        raise CompareError(f"metric {first.name}: no case has a value{where}; {why}")
    return found


def _random(values: Mapping[Key, Sequence[float]]) -> bool:
    first: dict[tuple[str, str], Sequence[float]] = {}
    return any(str(first.setdefault(key[:2], value)) != str(value) for key, value in values.items())
