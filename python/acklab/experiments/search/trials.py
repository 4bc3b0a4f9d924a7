"""The runs of a search: scenarios of choices on drawn paths, each made once and kept in a journal."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean
from typing import Any, Protocol

from ... import _core
from ...engines import batches
from ...engines.batches import Workers
from ...engines.journal import Journal
from ...scenario.given import assignments
from ...text.plans import PlanText
from ..compare.errors import CompareError
from ..compare.plan import seeded
from ..sweep.errors import SweepError, shown
from .draws import Entry, Path
from .errors import TuneError
from .objective import Objective
from .space import Alternatives, Free, Space

#: A run is known by so many bits of its scenario's digest, which a journal has room for.
_BITS = 63
Settings = Mapping[str, Any]


class Benched(Protocol):
    """The inputs on which the runs of a plan depend."""

    @property
    def entries(self) -> Sequence[Entry]: ...
    @property
    def space(self) -> Space: ...
    @property
    def objectives(self) -> Sequence[Objective]: ...
    @property
    def sets(self) -> Settings: ...
    @property
    def baseline(self) -> Settings: ...
    @property
    def spread_starts_s(self) -> float: ...
    @property
    def text(self) -> PlanText | None: ...


class Bench:
    """Scenarios of the paths of a plan."""

    ENTRY, MEASURED = "path", "objectives"
    """The name of an entry in messages, and the plan's key for the quantities read from its runs."""

    def __init__(self, plan: Benched) -> None:
        self.plan = plan
        self._templates = [_core.Template(entry.scenario, file=entry.file) for entry in plan.entries]

    def parts(self, entry: int) -> Sequence[Free | Alternatives]:
        """The parts of the space that an entry's scenario reads."""
        return self.plan.space.parts

    def objectives(self, entry: int) -> Sequence[Objective]:
        """The quantities read from an entry's runs."""
        return self.plan.objectives

    def sets(self, settings: Settings, entry: int, drew: Settings) -> list[str]:
        """The assignments of a choice on a path."""
        fixed = {"record": {}, **self.plan.sets, **self.plan.entries[entry].sets, **drew}
        return [*assignments(fixed), *assignments(dict(settings))]

    def lines(self, settings: Settings, path: Path) -> list[str]:
        """The scenario of a choice on a path with each seed, a line of JSON each."""
        template, sets = self._templates[path.entry], self.sets(settings, path.entry, path.drew)
        if self.plan.spread_starts_s:
            tree = json.loads(template.expanded(sets))
            return [seeded(tree, seed, self.plan.spread_starts_s) for seed in path.seeds]
        return template.lines(sets, path.seeds)

    def expanded(self, settings: Settings, entry: int) -> str:
        """The scenario of a choice with every default, as a line of JSON."""
        return self._templates[entry].expanded(self.sets(settings, entry, {}))

    def written(self, settings: Settings, path: Path, *, exactly: bool) -> dict[str, Any]:
        """The scenario as people write it; ``exactly`` as it ran on a path, with the drawn starts of its flows."""
        lines = (
            self.lines(settings, path)
            if exactly
            else self._templates[path.entry].lines(self.sets(settings, path.entry, {}), [1])
        )
        tree: dict[str, Any] = json.loads(lines[0])
        return {key: value for key, value in tree.items() if value not in ({}, [])}

    def refused(self, settings: Settings) -> str:
        """Why a choice is no scenario on some path; empty if it is one on all."""
        for entry, template in enumerate(self._templates):
            try:
                template.check(self.sets(settings, entry, {}))
            except _core.ScenarioError as error:
                return str(error)
        return ""

    def check(self) -> None:
        """Finds every mistake that can be found before anything runs.

        Raises:
            TuneError: a bound or choice is not legal in a scenario, or an objective names nothing.
        """
        plan = self.plan
        where: Any = plan.text
        for entry, given in enumerate(plan.entries):
            named = f"{self.ENTRY} {given.name!r}: " if given.name else ""
            ends = [{one.key: one.extremes[end] for one in given.draws} for end in (0, -1)] if given.draws else [{}]
            for drew in ends:
                self._try(self.ENTRY if given.draws or given.sets else "set", "", {}, entry, drew)
                self._try("baseline", "", plan.baseline, entry, drew)
            for part in self.parts(entry):
                self._try_part(part, entry)
            try:
                lines = self.lines(plan.baseline, Path(0, entry, given.name, ends[0], (1,)))
                summary = json.loads(_core.Simulation(lines[0]).outcome().json(False))
                for one in self.objectives(entry):
                    for _, metric in one.terms:
                        metric.check(summary)
            except CompareError as error:
                raise TuneError(str(where.error(self.MEASURED, f"{self.MEASURED}: {named}{error}"))) from None

    def _try_part(self, part: Free | Alternatives, entry: int) -> None:
        if isinstance(part, Free):
            for value in part.extremes:
                self._try(f"free.{part.key}", shown(value), {part.key: value}, entry)
            return
        for choice, (fixed, frees) in part.choices.items():
            at = f"alternatives.{part.name}.{choice}"
            middle = {one.key: one.extremes[0] for one in frees}
            self._try(at, "", {**fixed, **middle}, entry)
            for one in frees:
                for value in one.extremes:
                    self._try(f"{at}.{one.key}", shown(value), {**fixed, **middle, one.key: value}, entry)

    def _try(self, at: str, value: str, settings: Settings, entry: int, drew: Settings | None = None) -> None:
        try:
            self._templates[entry].check(self.sets(settings, entry, drew or {}))
        except (_core.ScenarioError, SweepError) as error:
            named = f" on {self.ENTRY} {self.plan.entries[entry].name!r}" if len(self.plan.entries) > 1 else ""
            said = f"{at}{' = ' + value if value else ''}{named}: {error}"
            raise TuneError(str(self.plan.text.error(at, said)) if self.plan.text else said) from None


@dataclass(frozen=True)
class Wanted:
    """A choice to be run on a path; ``name`` is what messages call it."""

    name: str
    settings: Settings
    path: Path


class Runs:
    """Makes runs, or finds them in the journal, and reads the objectives."""

    def __init__(self, bench: Bench, journal: Journal, workers: Workers, tick: Callable[[int], None]) -> None:
        self._bench, self._journal, self._workers, self._tick = bench, journal, workers, tick
        self._values: dict[tuple[int, int], tuple[float, ...]] = {}
        self.kept = len(journal)
        self.made = 0

    def values(self, wanted: Sequence[Wanted]) -> list[tuple[float, ...]]:
        """For each, every objective's value: the mean over the path's seeds, NaN where a run has none."""
        numbers: list[list[tuple[int, int]]] = []
        missing: dict[int, tuple[str, str]] = {}
        for one in wanted:
            lines = self._bench.lines(one.settings, one.path)
            numbers.append([(_number(line), one.path.entry) for line in lines])
            for (number, _), line, seed in zip(numbers[-1], lines, one.path.seeds, strict=True):
                if number not in self._journal:
                    missing.setdefault(number, (line, f"{one.name} on {one.path.told}, seed {seed}"))
        if missing:
            texts = {number: line for number, (line, _) in missing.items()}
            runs = batches.Runs(texts, partial(_lines, texts))
            self._journal.make(runs, self._workers, self._tick, lambda number: missing[number][1])
            self.made += len(missing)
        return [tuple(map(_mean, zip(*map(self._read, several), strict=True))) for several in numbers]

    def _read(self, run: tuple[int, int]) -> tuple[float, ...]:
        if run not in self._values:
            summary = json.loads(self._journal.line(run[0]).decode())
            self._values[run] = tuple(one.read(summary) for one in self._bench.objectives(run[1]))
        return self._values[run]

    def parts(self, wanted: Sequence[Wanted]) -> list[tuple[float, ...]]:
        """For each, whose runs are there, every metric of the objectives one after the other: the mean over the path's seeds."""
        found = []
        for one in wanted:
            summaries = [
                json.loads(self._journal.line(_number(line)).decode())
                for line in self._bench.lines(one.settings, one.path)
            ]
            metrics = [metric for objective in self._bench.objectives(one.path.entry) for _, metric in objective.terms]
            found.append(tuple(_mean([metric.read(summary) for summary in summaries]) for metric in metrics))
        return found

    def records(self) -> Iterable[tuple[int, bytes]]:
        """Every run that the search asked for, by number."""
        return ((number, self._journal.line(number)) for number in sorted({number for number, _ in self._values}))

    def __len__(self) -> int:
        return len({number for number, _ in self._values})


def _lines(texts: Mapping[int, str], numbers: Sequence[int]) -> list[str]:
    """The scenarios of runs, by their numbers."""
    return [texts[number] for number in numbers]


def _number(line: str) -> int:
    """The key of a run: its scenario, whichever trial needs it."""
    return int.from_bytes(hashlib.sha256(line.encode()).digest()[:8], "big") >> (64 - _BITS)


def _mean(values: Sequence[float]) -> float:
    return math.nan if any(map(math.isnan, values)) else fmean(values)
