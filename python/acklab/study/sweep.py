"""Sweeps: a scenario over ranges of its keys, on every processor, safe against interrupts.

>>> import acklab
>>> told = acklab.sweep(
...     scenario='''
...         stop = { when = "flows-complete" }
...         link = [{ between = ["S", "R"], rate = "1.5Mbps", delay = "50ms" }]
...         flow = [{ from = "S", to = "R", size = { segments = 20 } }]
...     ''',
...     vary={"link.0.rate": "1Mbps..2Mbps/3"},
...     metrics=["completion"],
... )
>>> told.summary["rate_bps"].to_list()
[1000000.0, 1500000.0, 2000000.0]
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

import polars as pl

from .. import _core
from ..engines.journal import ENGINES, KEPT, SIMULATOR, Workers, beginning, identity, on_threads, packed, record
from ..results.columns import FLOWS
from ..results.directory import Folder
from ..results.frames import provenance, scenario_name, system_errors, write_csv
from ..runs import cpu_count
from ..scenario._toml import dumps
from ..scenario.given import assignments, refused
from ..text.input import PlanText, read_file
from ..text.keys import changed
from ..text.numbers import counted
from .answers import Answer
from .axes import Axis, Column, Derived, alternatives, check_names, derived, one_key, together
from .grammar import TABLE, TABLES, TEXT, TEXTS, TIME, Key, StudyError, argument, fields, read_key, refuse, shown
from .intervals import bounded, sample
from .keys import flatten, is_variable, look, names, settings
from .metrics import Metric, chosen, measures, metric, schema
from .reading import Reader, assignment, fixed, scenario_of, value, with_options
from .reading import cases as cases_of
from .reading import vary as varied_by
from .runs import Meter, SweepRuns, opened, parsed, unwatched
from .seeds import Drawn, Seeds, as_number, drawn, seeded, seeds


def sweep(
    plan: Any = None,
    vary: Any = None,
    *,
    cases: Any = None,
    out: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    workers: Workers | None = None,
    fresh: bool = False,
    meter: Callable[[int], Meter] = unwatched,
    engine: str = SIMULATOR,
    **keys: Any,
) -> Swept:
    """Runs a scenario for every combination of values of its keys.

    The results are the same, to the byte, with any number of ``threads`` of this process and with ``workers``.

    Args:
        plan: a plan file, or its tree; or a scenario, whatever :func:`acklab.run` takes, with the plan in the other arguments:
            ``acklab.sweep("examples/allman1998.toml", {"link.1.queue.packets": range(4, 25)})``. Left out, ``keys`` are all of it.
        vary: keys with their values, a table, or a text or texts as ``acklab sweep --vary`` takes them.
        cases: alternatives for any keys: a dict from each case's name to the keys that it sets, or texts as ``acklab sweep --case`` takes them.
        out: directory for tables, charts and a page; what an earlier attempt at the same plan left there is not run again.
        threads: how many runs at once; one a processor if left out.
        workers: the workers of the runs; threads of this process if left out.
        fresh: discard what is in ``out``.
        meter: shows the progress.
        engine: ``simulator``, ``kernel`` or ``programs`` as in :func:`acklab.run_batch`.
        keys: a plan's keys, which replace those of ``plan``: ``scenario`` (whatever :func:`acklab.run` takes),
            ``together``, ``alternatives``, ``derive``, ``draw``, ``set``, ``seeds``, ``spread_starts``, ``metrics`` or ``metric``,
            ``names``, ``columns``, ``title``.

    Raises:
        StudyError: it is no plan, a point is no scenario, or ``out`` holds another sweep; nothing was run.
        ScenarioError: the scenario is no TOML or JSON.
        RunError: a run failed.
        OSError: a file cannot be read or written.
    """
    if not isinstance(plan, Design):
        plan = Design(plan if isinstance(plan, SweepPlan) else _plan_of(plan, vary, cases, engine, keys))
    plan.check()
    holder = tempfile.TemporaryDirectory(prefix="acklab-sweep-") if out is None else None
    try:
        where = Path(out if holder is None else holder.name)  # type: ignore[arg-type]
        with opened(where, "sweep", NAMES, plan.identity(), fresh) as (folder, journal):
            work, kept = SweepRuns(plan, journal), len(journal)
            work.run(workers or on_threads(threads or cpu_count(), plan.plan.engine), meter)
            return told(work, folder, kept, holder)
    except BaseException:
        if holder is not None:
            holder.cleanup()
        raise


def _plan_of(plan: Any, varied: Any, cases: Any, engine: str, keys: dict[str, Any]) -> SweepPlan:
    """The plan of a file or a tree, or of a scenario and keys."""
    if engine not in ENGINES:
        raise StudyError(f"engine is simulator, kernel or programs, not {engine!r}")
    if "metric" in keys:
        keys["metrics"] = keys.pop("metric")
    if isinstance(varied, (str, list, tuple)):
        keys = with_options(keys, varied_by([varied] if isinstance(varied, str) else varied))
    elif varied is not None:
        keys["vary"] = varied
    if cases is not None:
        named = (
            {"alternatives": {"case": cases}}
            if isinstance(cases, Mapping)
            else cases_of(argument("cases", TEXTS, cases))
        )
        keys = with_options(keys, named)
    return replace(PLANS.of(plan, keys), engine=engine)


#: A plan's keys, and what each is for.
KEYS = {
    "$schema": Key("where an editor finds this schema; not read"),
    "title": Key("what tables and the page are headed with; the scenario's title if left out", TEXT, ""),
    "scenario": Key("a scenario file, beside the plan, or a [scenario] table"),
    "set": Key("keys that have one value throughout", fixed, {}),
    "vary": Key("keys, or $variables, each with a list or a range of values; every combination is a point", TABLE, {}),
    "together": Key(
        "[[together]] tables of keys that vary together: the first value of each, then the second of each", TABLES, ()
    ),
    "alternatives": Key("[alternatives.NAME] tables: named choices, each with the keys it sets", TABLE, {}),
    "derive": Key("keys whose value follows from others at each point", TABLE, {}),
    "draw": Key("keys whose value each seed draws, the same at every point", TABLE, {}),
    "seeds": Key("how many seeds a point, or until when; 1 if left out", seeds, Seeds()),
    "spread_starts": Key("each seed starts each flow up to so much later, all points alike", TIME, 0.0),
    "metrics": Key(
        "what the summary is about: QUANTITY[@WHERE], a quantity as comparisons have it, a column of the flows or links table, or an aggregate such as p99(completion)",
        measures,
        (),
    ),
    "names": Key("what columns of varied or drawn keys are called; a short form of the key if left out", TABLE, {}),
    "columns": Key("columns of the flows table that are kept; all if left out", chosen),
}
#: Columns of the tables that are no axes.
SUMMARY = ("metric", "unit", "mean", "low", "high", "n", "missing")
TAKEN = ("point", "seed", *SUMMARY)
#: Most points of a plan.
MOST_POINTS = 10_000_000


@dataclass(frozen=True)
class SweepPlan:
    """A sweep, checked as far as it can be without its scenario."""

    scenario: str | bytes
    file: str
    """What errors call the scenario."""
    name: str
    """What errors call the plan."""
    axes: Sequence[Axis]
    title: str = ""
    sets: Mapping[str, Any] = field(default_factory=dict)
    given_sets: Sequence[str] = ()
    """``KEY=VALUE`` texts, set after all else that is fixed."""
    derived: Sequence[Derived] = ()
    draws: Sequence[Drawn] = ()
    seeds: Seeds = Seeds()
    spread_starts_s: float = 0.0
    metrics: Sequence[Metric] = ()
    columns: Sequence[str] | None = None
    engine: str = SIMULATOR
    """What makes the runs: the simulator, or a kernel in virtual time."""
    tree: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """The keys of which it was made, without the scenario."""

    @property
    def points(self) -> int:
        """How many combinations there are."""
        count = 1
        for one in self.axes:
            count *= len(one)
        return count

    def told(self) -> dict[str, Any]:
        """The plan's origin: its scenario as it was given, the plan that refers to it as a file, and the seeds."""
        tree = {"scenario": scenario_name(self.scenario), **self.tree}
        if self.given_sets:
            given = dict(map(assignment, self.given_sets))
            tree["set"] = {**tree.get("set", {}), **{key: value(text) for key, text in given.items()}}
        scenario = self.scenario if isinstance(self.scenario, str) else self.scenario.decode(errors="replace")
        return {"scenario": scenario, "plan": dumps(tree), "seeds": self.seeds.told()}

    @property
    def columns_told(self) -> list[Column]:
        """The axes' columns, in order."""
        return [column for one in self.axes for column in one.columns]


def _plan(tree: Mapping[str, Any], where: PlanText, folder: Path | None) -> SweepPlan:
    found = fields(where, tree, KEYS)
    tables: dict[str, Mapping[str, Any]] = {
        part: found[part] or {} for part in ("vary", "alternatives", "derive", "draw", "names")
    }
    text, file = scenario_of(where, "", tree, tree, folder)
    axes: list[Axis] = []
    for part in tree:  # in the plan's order, which is the tables'
        if part == "vary":
            for key, given in flatten(tables[part]):
                axes.append(read_key(where, f"vary.{key}", partial(one_key, key), given, verb=True))
        elif part == "together":
            for place, keys in enumerate(found[part] or ()):
                axes.append(read_key(where, f"together[{place}]", together, keys, verb=True))
        elif part == "alternatives":
            for key, given in tables[part].items():
                axes.append(read_key(where, f"alternatives.{key}", partial(alternatives, key), given, verb=True))
    follow = [
        read_key(where, f"derive.{key}", partial(derived, key), given) for key, given in axis_tables(tables["derive"])
    ]
    draws = [
        read_key(where, f"draw.{key}", partial(drawn, key), given) for key, given in settings(tables["draw"]).items()
    ]
    where.settle()
    if not axes:
        raise where.error("", "nothing varies; give [vary], [[together]] or [alternatives.NAME]")
    named = where.check("", lambda: _named(axes, draws, settings(tables["names"])))
    where.settle()
    plan = SweepPlan(
        text, file, where.name, named[0],
        title=found["title"],
        sets=found["set"],
        derived=follow,
        draws=named[1],
        seeds=found["seeds"],
        spread_starts_s=found["spread_starts"],
        metrics=found["metrics"],
        columns=found["columns"],
        tree={key: value for key, value in tree.items() if key not in ("scenario", "$schema")},
    )  # fmt: skip
    where.check("", lambda: _check(plan))
    where.settle()
    return plan


PLANS = Reader(_plan)
from_tree = PLANS.from_tree


def _named(axes: Sequence[Axis], draws: Sequence[Drawn], given: Mapping[str, Any]) -> tuple[list[Axis], list[Drawn]]:
    """The axes and draws with their columns' names. Alternatives have the names that the plan gives them."""
    keyed = {
        column.key for one in axes for column in one.columns for key in one.places[0] if key.lstrip("$") == column.key
    }
    columns = [column for one in axes for column in one.columns]
    keys = [(column.key, column.unit) for column in columns if column.key in keyed] + [
        (one.key, one.unit) for one in draws
    ]
    taken = [*TAKEN, "name", "from", "to", *FLOWS, *(column.key for column in columns if column.key not in keyed)]
    found = names(keys, {key.lstrip("$"): name for key, name in given.items()}, taken)
    named = [
        replace(
            one,
            columns=[
                replace(column, alias=found.get(column.key, "") if column.key in keyed else "")
                for column in one.columns
            ],
        )
        for one in axes
    ]
    return named, [replace(one, alias=found[one.key]) for one in draws]


def axis_tables(table: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """The keys that are derived and their tables: a table with ``times`` is one, any other leads to some."""
    ends = lambda value: not isinstance(value, Mapping) or not value or bool(value.keys() & {"times", "over", "round"})  # noqa: E731
    return list(flatten(table, leaf=ends))


def from_file(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The tree of a plan file.

    Raises:
        StudyError: it is no TOML.
        OSError: it cannot be read.
    """
    return PlanText.read(read_file(path), os.fspath(path), StudyError)[1]


def _check(plan: SweepPlan) -> None:
    """What two parts of a plan may not both say."""
    flows = schema("flows") if plan.columns is None else plan.columns
    check_names(plan.axes, [one.title for one in plan.draws], {*TAKEN, *flows})
    if plan.points > MOST_POINTS:
        raise StudyError(f"{plan.points:,} points; at most {MOST_POINTS:,}")
    varied = {key for one in plan.axes for place in one.places for key in place}
    seen: dict[str, str] = {}
    for what, keys in (
        ("varied", varied),
        ("derived", [one.key for one in plan.derived]),
        ("drawn", [one.key for one in plan.draws]),
        ("set", plan.sets),
    ):
        for key in keys:
            if key in seen and {what, seen[key]} != {"varied", "set"}:
                raise StudyError(f"{key} is {seen[key]} and {what}; one of them has to go")
            seen[key] = what
    for one in plan.derived:
        for factor in (*one.times, *one.over, *one.plus):
            if isinstance(factor, str) and is_variable(factor) and seen.get(factor) not in ("varied", "set"):
                known = ", ".join(sorted(key for key in seen if is_variable(key))) or "none"
                raise StudyError(f"derive.{one.key}: no variable {factor} is varied or set; there are {known}")
    used = {factor for one in plan.derived for factor in (*one.times, *one.over, *one.plus)}
    idle = [key for key in seen if is_variable(key) and key not in used]
    names, by = [one.name for one in plan.metrics], plan.seeds.metric
    refuse(
        (idle, f"{''.join(idle[:1])} is a variable that nothing is derived from; a scenario's key has no dollar sign"),
        (len(set(names)) < len(names), "two metrics have one name; name them: `NAME: QUANTITY@WHERE`"),
        (
            plan.seeds.decide,
            "seeds.decide: a sweep has no verdicts; half_width is its rule, or acklab compare has both",
        ),
        (
            by and by not in names,
            f"seeds.metric = {shown(by)}: no metric of that name; there are {', '.join(names) or 'none'}",
        ),
    )


class Design:
    """A plan and its scenario: the scenario of any point, made when it is needed."""

    def __init__(self, plan: SweepPlan) -> None:
        self.plan = plan
        self.template = _core.Template(plan.scenario, file=plan.file)
        self._fixed = {"record": {}, **{k: v for k, v in plan.sets.items() if not is_variable(k)}}
        self._variables = {key: value for key, value in plan.sets.items() if is_variable(key)}
        self._first = [*assignments(self._fixed), *plan.given_sets]
        self.title, self.metrics = plan.title, list(plan.metrics)

    def places(self, point: int) -> list[int]:
        """Where a point is on each axis; the last axis goes round fastest."""
        found = []
        for axis in reversed(self.plan.axes):
            point, place = divmod(point, len(axis))
            found.append(place)
        return found[::-1]

    def cells(self, point: int) -> list[Any]:
        """A point's cells in the axes' columns."""
        places = zip(self.plan.axes, self.places(point), strict=True)
        return [column.cells[place] for axis, place in places for column in axis.columns]

    def settings(self, point: int) -> dict[str, Any]:
        """Every key that a point sets, the derived ones too, and the variables.

        Raises:
            StudyError: a value cannot be derived.
        """
        found = dict(self._variables)
        for axis, place in zip(self.plan.axes, self.places(point), strict=True):
            found |= axis.places[place]
        for one in self.plan.derived:
            found[one.key] = one.value(self._looker(found))
        return found

    def _looker(self, settings: Mapping[str, Any]) -> Any:
        trees: list[Any] = []

        def value_at(key: str) -> Any:
            if key in settings:
                return settings[key]
            if not trees:  # as written first: a shorthand's keys are gone once it is expanded
                sets = self._sets(settings)
                trees.append(json.loads(self.template.lines(sets, [1])[0]))
                trees.append(json.loads(self.template.expanded(sets)))
            return next((found for tree in trees if (found := look(tree, key)) is not None), None)

        return value_at

    def _sets(self, settings: Mapping[str, Any]) -> list[str]:
        sets = {key: value for key, value in settings.items() if not is_variable(key)}
        return [*self._first, *assignments(sets)]

    def sets(self, point: int, seed: int | None = None) -> list[str]:
        """A point's assignments, and with a seed what it draws."""
        sets = self._sets(self.settings(point))
        return sets if seed is None else sets + assignments({one.key: one.of_seed(seed) for one in self.plan.draws})

    def lines(self, point: int, seeds: Sequence[int]) -> list[str]:
        """A point's scenario with each seed, each as a line of JSON."""
        if self.plan.spread_starts_s:
            spread = self.plan.spread_starts_s
            if not self.plan.draws:
                tree = self.tree(point)
                return [seeded(tree, seed, spread) for seed in seeds]
            return [seeded(json.loads(self.template.expanded(self.sets(point, seed))), seed, spread) for seed in seeds]
        if self.plan.draws:
            return [line for seed in seeds for line in self.template.lines(self.sets(point, seed), [seed])]
        return self.template.lines(self.sets(point), seeds)

    def scenarios(self, numbers: Sequence[int]) -> Iterator[str]:
        """The scenarios of runs, by their numbers."""
        for point, group in groupby(numbers, lambda number: number // self.plan.seeds.most):
            yield from self.lines(point, [number % self.plan.seeds.most + 1 for number in group])

    def __reduce__(self) -> tuple[Any, ...]:
        """For workers elsewhere, who read the scenario again."""
        return Design, (self.plan,)

    def tree(self, point: int) -> Any:
        """A point's scenario, every default written out."""
        return json.loads(self.template.expanded(self.sets(point)))

    def check(self) -> None:
        """Finds every mistake before anything runs, and settles what the plan leaves to the scenario: title and metrics.

        Raises:
            StudyError: a point is no scenario, or a metric names nothing; the message says which.
        """
        extremes = [
            assignments({one.key: one.extremes[end] for one in self.plan.draws}) for end in (0, -1)
        ] if self.plan.draws else [[]]  # fmt: skip
        for point in range(self.plan.points):
            try:
                sets = self.sets(point)
                for more in extremes:
                    self.template.check(sets + more)
                if (not point or "python" in str(sets)) and (told := refused(self.tree(point))):
                    raise StudyError(told)
            except (_core.ScenarioError, StudyError) as error:
                said = str(error).removeprefix(f"{self.plan.name}: ")
                raise StudyError(f"{self.plan.name}: at {self.called(point)}: {said}") from None
        self._settle()

    def _settle(self) -> None:
        summary = beginning(self.lines(0, [1])[0], self.plan.engine)
        fixed = assignments({key: value for key, value in self._fixed.items() if key != "record"})
        title = summary["title"] or self.plan.file
        self.title = (
            changed(self.plan.title, self.plan.given_sets)
            if self.plan.title
            else changed(title, [*fixed, *self.plan.given_sets])
        )
        if not self.metrics:
            until_done = self.tree(0)["stop"].get("when") == "flows-complete"
            self.metrics = [metric(text) for text in (["completion"] * until_done + ["goodput"])]
        for one in self.metrics if "flows" in summary else ():
            try:
                one.check(summary)
            except StudyError as error:
                raise StudyError(f"{self.plan.name}: {error}") from None

    @property
    def stopping(self) -> Metric:
        """The metric whose interval decides about more seeds."""
        return next((one for one in self.metrics if one.name == self.plan.seeds.metric), self.metrics[0])

    def called(self, point: int) -> str:
        """A point's name in messages."""
        named = zip(self.plan.columns_told, self.written(point), strict=True)
        return ", ".join(f"{column.key}={value}" for column, value in named)

    def written(self, point: int) -> list[str]:
        """A point's cells as its plan writes them: with units, where the values have some."""
        found = []
        for axis, place in zip(self.plan.axes, self.places(point), strict=True):
            setting = axis.places[place]
            for column in axis.columns:
                key = next((key for key in setting if key.lstrip("$") == column.key), None)
                value = column.cells[place] if key is None else setting[key]
                found.append(value if isinstance(value, str) else _word(value, column.cells[place]))
        return found

    def identity(self) -> dict[str, str]:
        """What makes two sweeps the same runs: acklab's version, the scenario, and all of the plan that a run depends on."""
        plan = self.plan
        axes = [list(axis.places) for axis in plan.axes]  # what they are called makes no other runs
        seeds: list[Any] = [plan.seeds.least, plan.seeds.most, plan.seeds.half_width]
        if plan.seeds.half_width:
            seeds += [self.stopping.quantity.name, self.stopping.where]
        told = [axes, dict(plan.sets), list(plan.given_sets), [repr(one) for one in plan.derived],
                [repr(one) for one in plan.draws], seeds, plan.spread_starts_s]  # fmt: skip
        return identity(self.template.lines([], [0])[0], told, plan.engine)


def _word(value: Any, cell: Any) -> str:
    return (
        str(cell)
        if isinstance(value, (Mapping, list, bool))
        else f"{value:g}"
        if isinstance(value, float)
        else str(value)
    )


@dataclass(frozen=True, repr=False)
class Swept(Answer):
    """Results of a sweep."""

    verb = "sweep"

    design: Design
    runs: int
    """Runs altogether."""
    kept: int
    """How many of them an earlier attempt had made."""
    summary: pl.DataFrame
    """A row per point and metric: the varied keys, mean, 95 % interval (``low``, ``high``), ``n``, ``missing``."""
    _flows: Path
    _folder: Any = None

    @property
    def plan(self) -> SweepPlan:
        """What was asked for."""
        return self.design.plan

    @property
    def title(self) -> str:
        """What it is of."""
        return self.design.title

    def frames(self) -> dict[str, pl.DataFrame]:
        """The tables as polars frames."""
        return {"summary": self.summary, "flows": self.flows}

    def write_files(self, folder: Path) -> None:
        """Writes the files into a directory."""
        write_summary(self.summary, self.plan, folder)
        self._page().write(self, folder)
        for name in ("flows.csv", "flows.parquet"):
            if not (folder / name).exists():
                shutil.copy(self._flows.with_name(name), folder / name)

    @property
    def flows(self) -> pl.DataFrame:
        """A row per run and flow: the varied keys, the seed, the flow's columns."""
        return pl.read_parquet(self._flows, glob=False)

    def __repr__(self) -> str:
        return f"<Swept {self.title!r}: {counted(self.plan.points, 'point')}, {counted(self.runs, 'run')}>"


#: Results are turned into rows in pieces of about so many bytes.
PIECE = 4 << 20
#: Rows of a group in Parquet files.
GROUP = 1 << 16


class Teller:
    """Reads the runs once, in order, and tells of them: the flows, the results as they are, and the points' summary."""

    def __init__(self, work: SweepRuns) -> None:
        self.work = work
        self._links = any(metric.quantity.of_link for metric in work.design.metrics)
        self._written = 0
        """Pieces that are on disk."""

    def tell(self, folder: Path, kept: IO[bytes] | None) -> pl.DataFrame:
        """Writes ``flows.csv``, ``flows.parquet`` and, into ``kept``, every result; gives the summary."""
        points: list[int] = []
        told: list[Mapping[str, Any]] = []
        metrics, looks = self.work.design.metrics, self.work.design.plan.seeds.looks
        rows, size = Rows(self.work.design), 0
        with TemporaryDirectory(dir=folder) as pieces, (folder / "flows.csv").open("wb") as file:
            self._pieces = Path(pieces)
            for point in range(self.work.design.plan.points):
                values = []
                for seed, line in enumerate(self.work.lines(point), 1):
                    run = parsed(line, self._links)
                    values.append([metric.read(run) for metric in self.work.design.metrics])
                    rows.add(point, seed, line)
                    size += len(line)
                    if kept is not None:
                        kept.write(record(self.work.number(point, seed), line))
                    if size >= PIECE:
                        self._write(rows, file)
                        rows, size = Rows(self.work.design), 0
                points += [point] * len(metrics)
                told += [_told(one, [row[place] for row in values], looks) for place, one in enumerate(metrics)]
            self._write(rows, file)
            scan = pl.scan_ipc([self._pieces / f"{number}.arrow" for number in range(self._written)], glob=False)
            target = folder / "flows.parquet"
            with system_errors(target):
                about = provenance(**self.work.design.plan.told())
                scan.sink_parquet(target, compression="zstd", row_group_size=GROUP, maintain_order=True, metadata=about)
        return _summary(self.work.design, points, told)

    def _write(self, rows: Rows, file: IO[bytes]) -> None:
        """Writes a piece's rows."""
        if self._written and rows.is_empty:
            return
        frame = rows.frame()
        with system_errors(Path(file.name)):
            write_csv(frame, file, header=not self._written)
            frame.write_ipc(self._pieces / f"{self._written}.arrow", compression="lz4")
        self._written += 1


class Rows:
    """The flows of some runs as rows."""

    def __init__(self, design: Design) -> None:
        flows = schema("flows")
        self._design = design
        self._wanted = {name: flows[name] for name in design.plan.columns or flows}
        self._points: list[int] = []
        self._seeds: list[int] = []
        self._lines: list[bytes] = []

    @property
    def is_empty(self) -> bool:
        """Whether there are no runs."""
        return not self._lines

    def add(self, point: int, seed: int, line: bytes) -> None:
        """A run, and what it told."""
        self._points.append(point)
        self._seeds.append(seed)
        # No text inside has its quotes bare.
        self._lines.append(line[line.index(b',"flows":') + 9 : line.rindex(b',"links":')])

    def frame(self) -> pl.DataFrame:
        """The varied and drawn keys, the seed, the flows' columns."""
        columns = varied(self._design, self._points)
        columns["seed"] = pl.Series(self._seeds, dtype=pl.UInt64)
        for one in self._design.plan.draws:
            named = any(isinstance(as_number(choice), str) for choice in one.choices)
            values = [str(one.of_seed(seed)) if named else as_number(one.of_seed(seed)) for seed in self._seeds]
            columns[one.title] = pl.Series(values, dtype=pl.String if named else pl.Float64)
        kind = pl.List(pl.Struct(self._wanted))
        flows = pl.Series("flows", self._lines, dtype=pl.Binary).cast(pl.String).str.json_decode(kind)
        counts = flows.list.len()
        runs = pl.DataFrame(columns)[pl.int_range(len(counts), eager=True).repeat_by(counts).explode().drop_nulls()]
        return runs.hstack(flows.filter(counts > 0).explode().struct.unnest().get_columns())


def varied(design: Design, points: Sequence[int]) -> dict[str, Any]:
    """The point's number and the axes' columns, a cell for each of ``points``."""
    found: dict[str, Any] = {"point": pl.Series(points, dtype=pl.UInt32)}
    cells = {point: design.cells(point) for point in dict.fromkeys(points)}
    for place, column in enumerate(design.plan.columns_told):
        found[column.title] = pl.Series([cells[point][place] for point in points], dtype=_kind(column.cells))
    return found


def _kind(cells: Sequence[Any]) -> Any:
    if any(isinstance(cell, str) for cell in cells):
        return pl.String
    return pl.Int64 if all(isinstance(cell, int) for cell in cells) else pl.Float64


#: Types of the summary's columns; all others are numbers.
_KINDS_OF_SUMMARY = {"metric": pl.String, "unit": pl.String, "n": pl.UInt32, "missing": pl.UInt32}


def _summary(design: Design, points: Sequence[int], rows: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    """A row per point and metric: mean, 95 % interval, how many runs."""
    columns = {
        name: pl.Series([row[name] for row in rows], dtype=_KINDS_OF_SUMMARY.get(name, pl.Float64)) for name in SUMMARY
    }
    return pl.DataFrame({**varied(design, points), **columns})


def _told(metric: Metric, values: Sequence[float], looks: int) -> dict[str, Any]:
    """A metric at a point; where a run has no value there is no mean, which would flatter."""
    one = sample(values)
    ends = bounded(one, looks) if one is not None else None
    return {
        "metric": metric.name,
        "unit": metric.quantity.unit,
        "mean": None if one is None else one.value,
        "low": None if ends is None else ends.low,
        "high": None if ends is None else ends.high,
        "n": len(values),
        "missing": sum(value != value for value in values),
    }


def write_summary(frame: pl.DataFrame, plan: SweepPlan, folder: Path) -> None:
    """Writes ``summary.csv`` and ``summary.parquet``."""
    with system_errors(folder / "summary.csv"), (folder / "summary.csv").open("wb") as file:
        write_csv(frame, file)
    with system_errors(folder / "summary.parquet"):
        about = provenance(**plan.told())
        frame.write_parquet(folder / "summary.parquet", compression="zstd", row_group_size=GROUP, metadata=about)


#: Results whose names do not depend on the plan.
NAMES = ("flows.csv", "flows.parquet", "summary.csv", "summary.parquet", "sweep.html", "sweep.json", "plan.toml", KEPT)


def told(work: SweepRuns, folder: Folder, done: int, holder: Any) -> Swept:
    """Writes what the runs of ``work`` told; ``done`` of them an earlier attempt had made."""
    design = work.design
    page = holder is None
    about = {"seeds": design.plan.seeds.told(), "work": design.identity()}
    with folder.replacing(about) as scratch:
        with packed(scratch / KEPT) if page else contextlib.nullcontext() as kept:
            summary = Teller(work).tell(scratch, kept)
        flows = (folder.path / "flows.parquet").absolute()
        swept = Swept(design, work.planned, done, summary, flows, holder)
        if page:
            swept.write_files(scratch)
    work.journal.discard()
    return swept
