"""Making the runs of a comparison."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .. import _core
from ..reproduce.stats import Sample
from ..run import run_batch
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


def compare(comparison: Comparison, *, threads: int | None = None, tick: Tick = lambda done: None) -> Compared:
    """Runs every case in every situation with every seed, and ranks.

    Args:
        comparison: what to run.
        threads: how many runs at once; one a processor if left out.
        tick: told of every run that is done.

    Raises:
        CompareError: it can not be compared; nothing was run.
        RunError: a run failed.
    """
    comparison.check()
    trees = comparison.trees()
    keys = [(*pair, seed) for pair in trees for seed in range(1, comparison.seeds + 1)]
    lines = (comparison.seeded(trees[situation, case], seed) for situation, case, seed in keys)
    values: dict[Key, list[float]] = {}
    title = ""
    for (situation, name, seed), summary in zip(keys, run_batch(lines, threads=threads), strict=True):
        if "error" in summary:
            raise _core.RunError(f"case {name!r}, seed {seed}: {summary['error']}")
        if not values:
            title = summary["title"]
            for one in comparison.metrics:
                one.check(summary)
        values[situation, name, seed] = [one.read(summary, trees[situation, name]) for one in comparison.metrics]
        tick(1)
    rankings = [
        rank(s.name, comparison.metrics, _samples(comparison, s.name, values)) for s in comparison.situations
    ]
    return Compared(comparison, title or comparison.file, rankings, values, _random(values))


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
