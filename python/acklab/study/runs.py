"""The runs of a study: made once, kept in a journal, by threads or other workers."""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import tempfile
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from .. import _core
from ..engines.journal import KEPT, SIMULATOR, WORKING, Journal, Runs, Workers, on_threads, packed, record
from ..results.directory import PRIVATE, Folder, FolderError, results
from ..runs import cpu_count
from ..scenario.given import assignments
from .grammar import StudyError, shown
from .metrics import Objective
from .seeds import Draw, seeded
from .space import Alternatives, Free

if TYPE_CHECKING:
    from .infer import InferPlan
    from .search import SearchPlan
    from .sweep import Design

Tick = Callable[[int], None]
#: Most runs: the place of each in the journal is in memory.
MOST_RUNS = 20_000_000


class SweepRuns:
    """A plan under way: its journal, and how many seeds each point has been given."""

    def __init__(self, design: Design, journal: Journal, has: Callable[[int], bool] | None = None) -> None:
        """With ``has``, a part of the plan: the runs whose number it has; where runs decide about seeds, the points.

        Raises:
            StudyError: there are too many runs.
        """
        runs = design.plan.points * design.plan.seeds.least
        if runs > MOST_RUNS:
            raise StudyError(f"{runs:,} runs; at most {MOST_RUNS:,}, and more with --dataset")
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

    def run(self, workers: Workers, meter: Callable[[int], Meter]) -> None:
        """Makes what is missing, and tells a meter.

        Raises:
            RunError: a run failed; what was done is kept.
            OSError: the journal cannot be written.
        """
        points = self._points()
        with contextlib.closing(meter(max(0, self.planned - len(self.journal)))) as watched:
            while points:
                self._make(points, workers, watched)
                more = self.design.plan.seeds.half_width
                points = [point for point in points if self._wants_more(point)] if more else []

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


class Meter(Protocol):
    """Shows the progress of a sweep."""

    def __call__(self, done: int) -> None:
        """So many more runs are done."""

    def close(self) -> None:
        """The runs are over."""


class Unwatched:
    """A meter that shows nothing."""

    def __call__(self, done: int) -> None:
        """Nothing."""

    def close(self) -> None:
        """Nothing."""


def unwatched(total: int) -> Meter:
    """A meter that shows nothing."""
    return Unwatched()


#: A run is known by so many bits of its scenario's digest, which a journal has room for.
_BITS = 63
Settings = Mapping[str, Any]


class Bench:
    """Scenarios of the paths of a plan."""

    ENTRY, MEASURED = "path", "objectives"
    """The name of an entry in messages, and the plan's key for the quantities read from its runs."""

    def __init__(self, plan: SearchPlan | InferPlan) -> None:
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

    def lines(self, settings: Settings, path: Draw) -> list[str]:
        """The scenario of a choice on a path with each seed, a line of JSON each."""
        template, sets = self._templates[path.entry], self.sets(settings, path.entry, path.drew)
        if self.plan.spread_starts_s:
            tree = json.loads(template.expanded(sets))
            return [seeded(tree, seed, self.plan.spread_starts_s) for seed in path.seeds]
        return template.lines(sets, path.seeds)

    def expanded(self, settings: Settings, entry: int) -> str:
        """The scenario of a choice with every default, as a line of JSON."""
        return self._templates[entry].expanded(self.sets(settings, entry, {}))

    def written(self, settings: Settings, path: Draw, *, exactly: bool) -> dict[str, Any]:
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
            StudyError: a bound or choice is not legal in a scenario, or an objective names nothing.
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
            at, measured = self.MEASURED, [*self.objectives(entry), *plan.ranked_by]
            try:
                lines = self.lines(plan.baseline, Draw(0, entry, given.name, ends[0], (1,)))
                summary = json.loads(_core.Simulation(lines[0]).outcome().json(False))
                for place, one in enumerate(measured):
                    at = "for" if place >= len(self.objectives(entry)) else self.MEASURED
                    for _, metric in one.terms:
                        metric.check(summary)
            except StudyError as error:
                raise StudyError(str(where.error(at, f"{at}: {named}{error}"))) from None

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
        except (_core.ScenarioError, StudyError) as error:
            named = f" on {self.ENTRY} {self.plan.entries[entry].name!r}" if len(self.plan.entries) > 1 else ""
            said = f"{at}{' = ' + value if value else ''}{named}: {error}"
            raise StudyError(str(self.plan.text.error(at, said)) if self.plan.text else said) from None


@dataclass(frozen=True)
class RunRequest:
    """A choice to be run on a path; ``name`` is what messages call it."""

    name: str
    settings: Settings
    path: Draw


def _number(line: str) -> int:
    """The key of a run: its scenario, whichever trial needs it."""
    return int.from_bytes(hashlib.sha256(line.encode()).digest()[:8], "big") >> (64 - _BITS)


def _mean(values: Sequence[float]) -> float:
    return math.nan if any(map(math.isnan, values)) else fmean(values)


T = TypeVar("T")


class RunCache:
    """Runs known by their scenarios: each is made once, and kept in a journal for whatever study asks for it."""

    def __init__(self, journal: Journal, workers: Workers, tick: Tick) -> None:
        self.journal, self.kept = journal, len(journal)
        self._workers, self._tick = workers, tick
        self.used: set[int] = set()
        self.made = 0

    def __len__(self) -> int:
        return len(self.used)

    def numbers(self, lines: Sequence[str], called: Callable[[int], str]) -> list[int]:
        """The number of each scenario's run, which is there then; ``called`` is the name of one, by its place, in messages."""
        numbers = [_number(line) for line in lines]
        self.used.update(numbers)
        missing: dict[int, int] = {}
        for place, number in enumerate(numbers):
            if number not in self.journal:
                missing.setdefault(number, place)
        if missing:
            texts = {number: lines[place] for number, place in missing.items()}
            runs = Runs(texts, partial(_lines, texts))
            self.journal.make(runs, self._workers, self._tick, lambda number: called(missing[number]))
            self.made += len(missing)
        return numbers

    def summary(self, number: int) -> Any:
        """A run's summary."""
        return json.loads(self.journal.line(number).decode())


class Readings:
    """The objectives of choices on paths, from runs that are made or kept."""

    def __init__(self, bench: Bench, runs: RunCache) -> None:
        self._bench, self.runs = bench, runs
        self._values: dict[tuple[int, int], tuple[float, ...]] = {}

    def values(self, wanted: Sequence[RunRequest]) -> list[tuple[float, ...]]:
        """For each, every objective's value: the mean over the path's seeds, NaN where a run has none."""
        lines = [self._bench.lines(one.settings, one.path) for one in wanted]
        asked = [(one, seed) for one in wanted for seed in one.path.seeds]

        def called(place: int) -> str:
            one, seed = asked[place]
            return f"{one.name} on {one.path.told}, seed {seed}"

        numbers = iter(self.runs.numbers([line for several in lines for line in several], called))
        rows = [[(next(numbers), one.path.entry) for _ in several] for one, several in zip(wanted, lines, strict=True)]
        return [tuple(map(_mean, zip(*map(self._read, several), strict=True))) for several in rows]

    def _read(self, run: tuple[int, int]) -> tuple[float, ...]:
        if run not in self._values:
            summary = self.runs.summary(run[0])
            self._values[run] = tuple(one.read(summary) for one in self._bench.objectives(run[1]))
        return self._values[run]

    def parts(self, wanted: Sequence[RunRequest]) -> list[tuple[float, ...]]:
        """For each, whose runs are there, every metric of the objectives one after the other: the mean over the path's seeds."""
        found = []
        for one in wanted:
            summaries = [self.runs.summary(_number(line)) for line in self._bench.lines(one.settings, one.path)]
            metrics = [metric for objective in self._bench.objectives(one.path.entry) for _, metric in objective.terms]
            found.append(tuple(_mean([metric.read(summary) for summary in summaries]) for metric in metrics))
        return found


def _lines(texts: Mapping[int, str], numbers: Sequence[int]) -> list[str]:
    """The scenarios of runs, by their numbers."""
    return [texts[number] for number in numbers]


@contextlib.contextmanager
def opened(
    out: Path, verb: str, names: Sequence[str], work: Mapping[str, str], fresh: bool
) -> Iterator[tuple[Folder, Journal]]:
    """A result directory, and the journal of its runs.

    Raises:
        StudyError: the directory holds other work, or cannot take the results.
        OSError: it cannot be written.
    """
    try:
        with results(out, verb, names) as folder, contextlib.closing(Journal(folder, work, fresh=fresh)) as journal:
            yield folder, journal
    except FolderError as error:
        raise StudyError(str(error)) from None


def carry_out(
    verb: str,
    names: Sequence[str],
    work: Mapping[str, str],
    most: int,
    judge: Callable[[RunCache], T],
    write: Callable[[T, Path], None],
    stamp: Callable[[T], Mapping[str, Any]],
    *,
    out: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    workers: Workers | None = None,
    fresh: bool = False,
    meter: Callable[[int], Meter] = unwatched,
    engine: str = SIMULATOR,
) -> T:
    """The result of ``judge``; with ``out`` written there, with the runs that it used.

    Where all of them were stored there before, the stored ones stay as they are: another question to them is a read.

    Args:
        verb: whose results they are.
        names: the files of the results, beside the kept runs.
        work: what the runs belong to; runs that ``out`` keeps for other work are an error.
        most: runs at most, for the progress.
        judge: asks for runs and says what they show.
        write: writes that into a directory.
        stamp: the entry about the work in the directory's marker.
        out: the directory.
        threads: how many runs at once; one a processor if left out.
        workers: the workers of the runs; threads of this process if left out.
        fresh: discard the runs that are kept there.
        meter: shows the progress.
        engine: what makes the runs.

    Raises:
        StudyError: ``out`` holds other work.
        RunError: a run failed.
        OSError: something cannot be written.
    """
    with contextlib.ExitStack() as stack:
        where = Path(out or stack.enter_context(tempfile.TemporaryDirectory(prefix=f"acklab-{verb}-")))
        under_way = (where / PRIVATE / WORKING).exists()
        folder, journal = stack.enter_context(opened(where, verb, (*names, KEPT), work, fresh))
        watched = stack.enter_context(contextlib.closing(meter(most)))
        runs = RunCache(journal, workers or on_threads(threads or cpu_count(), engine), watched)
        result = judge(runs)
        watched.close()
        if out is not None:
            with folder.replacing({**stamp(result), "work": work}) as scratch:
                with packed(scratch / KEPT) as kept:
                    stored = not runs.made and not under_way
                    for number in sorted(journal if stored else runs.used):
                        kept.write(record(number, journal.line(number)))
                write(result, scratch)
            journal.discard()
        return result
