"""Making a plan's runs: those that are missing, point after point, and more seeds where the interval is too wide."""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...engines.batches import Runs, Workers
from ...engines.journal import Journal
from .design import Design
from .errors import SweepError

Tick = Callable[[int], None]
#: Most runs: the place of each in the journal is in memory.
MOST_RUNS = 20_000_000


class Work:
    """A plan under way: its journal, and how many seeds each point has been given."""

    def __init__(self, design: Design, journal: Journal, has: Callable[[int], bool] | None = None) -> None:
        """With ``has``, a part of the plan: the runs whose number it has; where runs decide about seeds, the points.

        Raises:
            SweepError: there are too many runs.
        """
        runs = design.plan.points * design.plan.seeds.least
        if runs > MOST_RUNS:
            raise SweepError(f"{runs:,} runs; at most {MOST_RUNS:,}, and more with --dataset")
        self.design, self.journal, self._has = design, journal, has
        self._by_point = bool(design.plan.seeds.half_width)
        self.seeds = array("q", [design.plan.seeds.least]) * design.plan.points
        self.most = design.plan.seeds.most

    def number(self, point: int, seed: int) -> int:
        """A run's number: by point, then by seed, whenever it is made."""
        return point * self.most + seed - 1

    @property
    def planned(self) -> int:
        """Runs of the plan as far as it is known."""
        return sum(self.seeds) if self._has is None else sum(1 for _ in self.numbers())

    def numbers(self) -> Iterator[int]:
        """The numbers of these runs, in order."""
        return (self.number(point, seed) for point in self._points() for seed in self._seeds(point))

    def _points(self) -> Sequence[int]:
        points, has = range(self.design.plan.points), self._has
        return points if has is None or not self._by_point else [point for point in points if has(point)]

    def _seeds(self, point: int) -> Sequence[int]:
        seeds, has = range(1, self.seeds[point] + 1), self._has
        return seeds if has is None or self._by_point else [seed for seed in seeds if has(self.number(point, seed))]

    def run(self, workers: Workers, tick: Tick) -> None:
        """Makes what is missing.

        Raises:
            RunError: a run failed; what was done is kept.
            OSError: the journal cannot be written.
        """
        points = self._points()
        while points:
            self._make(points, workers, tick)
            points = [point for point in points if self._wants_more(point)] if self.design.plan.seeds.half_width else []

    def _make(self, points: Any, workers: Workers, tick: Tick) -> None:
        numbers = (self.number(point, seed) for point in points for seed in self._seeds(point))
        self.journal.make(Runs(numbers, self.design.scenarios), workers, tick, self._called)

    def _called(self, number: int) -> str:
        point, seed = divmod(number, self.most)
        return f"{self.design.called(point)}, seed {seed + 1}"

    def _wants_more(self, point: int) -> bool:
        """Gives a point more seeds if its interval is too wide."""
        plan, metric = self.design.plan, self.design.stopping
        if self.seeds[point] >= plan.seeds.most:
            return False
        values = [metric.read(parsed(line, metric.quantity.of_link)) for line in self.lines(point)]
        wanted = plan.seeds.more(values)
        grown = wanted > self.seeds[point]
        self.seeds[point] = wanted
        return grown

    def lines(self, point: int) -> Iterator[bytes]:
        """What the runs of a point told, seed after seed."""
        return (self.journal.line(self.number(point, seed)) for seed in range(1, self.seeds[point] + 1))


def parsed(line: bytes, links: bool) -> Any:
    """A run's summary, without its links if they are not asked for. Links are most of a summary."""
    if not links:
        line = line[: line.rindex(b',"links":')] + b"}"  # no text inside has its quotes bare
    return json.loads(line.decode())
