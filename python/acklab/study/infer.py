"""Inferences: which readings of open rules explain values that were printed or measured.

>>> import acklab
>>> told = acklab.infer(
...     scenario='''
...         stop = { when = "flows-complete" }
...         link = [{ between = ["S", "R"], rate = "1.5Mbps", delay = "50ms", queue = { kind = "drop-tail", packets = 100 } }]
...         flow = [{ name = "f", from = "S", to = "R", size = { segments = 50 } }]
...     ''',
...     free={"flow.f.sender.initial_window": [1, 2, 4, 10]},
...     value=[{"name": "time", "metric": "completion@f", "printed": 0.70, "tolerance": 0.05}],
... )
>>> told.best
{'flow.f.sender.initial_window': 4}
"""

from __future__ import annotations

import json
import math
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from .. import _core
from ..engines.journal import Workers, identity
from ..scenario._toml import dumps
from ..scenario.draws import Draws
from ..scenario.given import assignments
from ..text.input import PlanText
from ..text.numbers import counted
from .answers import Answer
from .grammar import TABLE, TABLES, TEXT, TEXTS, Key, StudyError, fields, number, one_of, refuse, shown, whole
from .keys import each
from .metrics import Objective, terms
from .posterior import MIN_MOVE, Array, InferenceResult, drawn_weight, prior
from .reading import Reader, distinct, fixed, parts_of, scenario_of, space_of
from .runs import Bench, Meter, Readings, RunRequest, carry_out, unwatched
from .seeds import Draw, Entry, Nudge, nudging
from .space import Alternatives, Choice, Free, Space


def infer(
    plan: Any = None,
    *,
    out: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    workers: Workers | None = None,
    fresh: bool = False,
    meter: Callable[[int], Meter] = unwatched,
    **keys: Any,
) -> Inferred:
    """Tries readings of open rules and weighs them by how well they explain values.

    A run is known by its scenario. So a run that an earlier attempt left in ``out`` is not made again, even if the plan has changed
    since. The results are the same, to the byte, after any number of interruptions and with any ``threads`` or ``workers``.

    Args:
        plan: a plan file, or its tree; left out, ``keys`` are all of it.
        out: directory for the table of readings, the winner's scenario and a page; runs that an earlier attempt left there
            are not made again.
        threads: how many runs at once; one a processor if left out.
        workers: the workers of the runs; threads of this process if left out.
        fresh: discard what is in ``out``.
        meter: shows the progress.
        keys: a plan's keys, which replace those of ``plan``: ``scenario`` (whatever :func:`acklab.run` takes), ``set``,
            ``free``, ``alternatives``, ``baseline``, ``run``, ``value``, ``nudges``, ``nudge``, ``search``, ``readings``,
            ``seed``, ``title``.

    Raises:
        StudyError: it is no plan, no reading is a scenario, or ``out`` holds other work.
        ScenarioError: a scenario is no TOML or JSON.
        RunError: a run failed.
        OSError: a file cannot be read or written.
    """
    read_plan = plan if isinstance(plan, InferPlan) else PLANS.of(plan, keys)
    bench = ReadingBench(read_plan)
    bench.check()
    return carry_out(
        "infer", NAMES, identity("", "infer"), most_runs(read_plan),
        lambda runs: _found(read_plan, bench, Readings(bench, runs)),
        Inferred.write_files,
        lambda result: {},
        out=out, threads=threads, workers=workers, fresh=fresh, meter=meter,
    )  # fmt: skip


#: The finest tolerance, and the largest number: a miss in tolerances can then be squared.
LEAST, MOST = 1e-30, 1e60
SEARCHES = ("all", "random")
FIT, HELD_OUT = "fit", "held-out"
BOUNDS = ("least", "most")
#: A plan's keys, and what each is for.
KEYS = {
    "title": Key("what the page is headed with; the plan's name if left out", TEXT, ""),
    "origin": Key("how the values came about, for the page: measured where, or simulated how", TEXT, ""),
    "scenario": Key("a scenario file, beside the plan, or a [scenario] table; a [[run]] may have its own"),
    "set": Key("keys that have one value throughout", fixed, {}),
    "free": Key(
        "open rules: a list of candidate values, or { low =, high = } with step or log; `flow.*.KEY` is that key of each flow, `link.*.KEY` of each link; a run that cannot have a value leaves it out",
        TABLE,
    ),
    "alternatives": Key("[alternatives.NAME] tables: an open rule whose candidates set several keys", TABLE),
    "baseline": Key(
        "keys of the reading that the winner is compared with; the scenario as it is if left out", fixed, {}
    ),
    "run": Key(
        "[[run]] tables: name, scenario, set, without (open rules that this run does not read), until (another run whose time ends it)",
        TABLES,
        [{"name": "run"}],
    ),
    "value": Key(
        "[[value]] tables: name, run, metric, over, average, printed, bound, tolerance, use, group; run, metric and over may be lists",
        TABLES,
        (),
    ),
    "nudges": Key(
        "how often each run is made: once as it is, then with other seeds, starts and delays; 5 if left out",
        whole(1, 1_000),
        5,
    ),
    "nudge": Key(
        '{ later = "10ms", longer = 0.01 }: flows begin up to so much later, links are up to so much longer',
        nudging,
        Nudge(),
    ),
    "search": Key(
        '"all" readings, or "random": rules that move a value alone, in draws; "all" where `readings` suffices, else "random", if left out',
        one_of(*SEARCHES),
    ),
    "readings": Key("how many readings are tried at most; 2000 if left out", whole(1, 100_000), 2_000),
    "seed": Key("of the search; 1 if left out", whole(0, 2**32 - 1), 1),
}
COUNTS = ("nudges", "readings", "seed")
RUN = {
    "name": Key("", TEXT),
    "scenario": Key(),
    "set": Key("", fixed, {}),
    "without": Key("", lambda given: given if isinstance(given, list) else [given], ()),
    "until": Key(),
}


def _sums(given: Any) -> list[Objective]:
    texts = TEXTS(given)
    if not texts or not all(text.strip() for text in texts):
        raise StudyError(": a metric, a weighted sum of metrics, or a list of them")
    return [Objective(text, terms(text.strip()), 1) for text in texts]


VALUE = {
    "name": Key("", TEXT),
    "run": Key(),
    "metric": Key("", _sums, needed=True),
    "over": Key(),
    "average": Key("", one_of("mean", "median"), "mean"),
    "printed": Key(
        "",
        number(f"a number, in the metric's unit, from {-MOST:g} to {MOST:g}", lambda value: abs(value) <= MOST),
        needed=True,
    ),
    "tolerance": Key(
        "", number(f"a number above 0, from {LEAST:g} to {MOST:g}", lambda value: LEAST <= value <= MOST), needed=True
    ),
    "bound": Key("", one_of("", *BOUNDS), ""),
    "use": Key("", one_of(FIT, HELD_OUT), FIT),
    "group": Key("", TEXT),
}
#: Columns of the table of readings that are no rules.
TAKEN = ("reading", "probability", "misfit")


@dataclass(frozen=True)
class Printed:
    """A value that was printed or measured, and the run and quantity that it is compared with."""

    name: str
    read: Sequence[tuple[int, int]]
    """Runs, each with the place of one of its objectives."""
    over: Sequence[tuple[int, int]]
    """The quantities by which they are divided; empty for none."""
    average: str
    """The average over several runs: ``mean`` or ``median``."""
    value: float
    tolerance: float
    fit: bool
    group: str
    unit: str
    bound: str = ""
    """``least`` or ``most`` if the printed value is an order's bound, and not a number."""

    def off(self, mean: Any) -> Any:
        """How far means are from the printed value; nothing on a bound's side."""
        off = mean - self.value
        return np.minimum(off, 0) if self.bound == "least" else np.maximum(off, 0) if self.bound else off

    def within(self, mean: Any) -> bool:
        """Whether a mean is within the tolerance."""
        return bool(abs(self.off(mean)) <= self.tolerance)

    @property
    def label(self) -> str:
        """Name and unit."""
        return f"{self.name} ({self.unit})" if self.unit else self.name


@dataclass(frozen=True)
class InferPlan:
    """An inference, checked as far as it can be without its scenarios."""

    name: str
    entries: Sequence[Entry]
    """The runs of a reading."""
    without: Sequence[frozenset[str]]
    """For each run the parts of the space that it does not read."""
    until: Sequence[tuple[int, int] | None]
    """For each run the one that ends it, and the place of the objective that is its end in seconds."""
    measured: Sequence[Sequence[Objective]]
    """The quantities read from each run."""
    values: Sequence[Printed]
    space: Space
    search: str
    nudge: Nudge
    title: str = ""
    origin: str = ""
    sets: Mapping[str, Any] = field(default_factory=dict)
    baseline: Mapping[str, Any] = field(default_factory=dict)
    nudges: int = 5
    readings: int = 2_000
    seed: int = 1
    tree: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)
    text: PlanText | None = field(default=None, repr=False, compare=False)

    @property
    def spread_starts_s(self) -> float:
        """Nothing: nudges move starts."""
        return 0.0

    @property
    def ranked_by(self) -> Sequence[Objective]:
        """Nothing: the values are fitted."""
        return ()

    @property
    def objectives(self) -> Sequence[Objective]:
        """Everything that is read from some run."""
        return [one for several in self.measured for one in several]

    def told(self) -> str:
        """The plan as TOML."""
        return dumps(dict(self.tree))


def _plan(tree: Mapping[str, Any], where: PlanText, folder: Path | None) -> InferPlan:
    found, parts = fields(where, tree, KEYS), parts_of(where, tree)
    where.settle()
    if not parts:
        raise where.error("", "no rule is open; give [free] or [alternatives.NAME]")
    if not found["value"]:
        raise where.error("", "no values; give [[value]] tables with what was printed or measured")
    space = where.check("", lambda: space_of(parts, TAKEN))
    where.settle()
    rows = [fields(where, table, RUN, f"run[{place}].") for place, table in enumerate(found["run"])]
    texts = [scenario_of(where, f"run[{place}].", table, tree, folder) for place, table in enumerate(found["run"])]
    values = [fields(where, table, VALUE, f"value[{place}].") for place, table in enumerate(found["value"])]
    where.settle()
    entries = [
        Entry(f"run {place + 1}" if row["name"] is None else row["name"], 1.0, *text, row["set"])
        for place, (row, text) in enumerate(zip(rows, texts, strict=True))
    ]
    distinct(where, "run", [one.name for one in entries])
    measured: list[list[Objective]] = [[] for _ in entries]
    without = where.check("run", lambda: _without(rows, space))
    until = where.check("run", lambda: _until(rows, entries, measured)) or ()
    printed = where.check("value", lambda: _values(values, entries, measured)) or ()
    search = where.check("search", lambda: _search(found["search"], space, found["readings"]))
    where.settle()
    return InferPlan(
        where.name, entries, without, until, measured, printed, space, search, found["nudge"], found["title"], found["origin"],
        found["set"], found["baseline"], tree=tree, text=where, **{key: found[key] for key in COUNTS},
    )  # fmt: skip


PLANS = Reader(_plan)


def _without(rows: Sequence[Mapping[str, Any]], space: Space) -> list[frozenset[str]]:
    """For each run the open rules that it does not read."""
    called = {
        label: part.name
        for part in space.parts
        for label in (part.name, *([space.columns[part.key]] if isinstance(part, Free) else []))
    }
    for place, row in enumerate(rows):
        for part in row["without"]:
            if part not in called:
                raise StudyError(f"run[{place}]: without = {shown(part)}: no open rule; there are {', '.join(called)}")
    return [frozenset(called[part] for part in row["without"]) for row in rows]


def _until(
    rows: Sequence[Mapping[str, Any]], entries: Sequence[Entry], measured: list[list[Objective]]
) -> list[tuple[int, int] | None]:
    """For each run the one that ends it."""
    names, found = [one.name for one in entries], list[tuple[int, int] | None]()
    for place, row in enumerate(rows):
        one, at = row["until"], f"run[{place}]"
        if one is None:
            found.append(None)
            continue
        if not isinstance(one, Mapping) or one.keys() != {"run", "metric"} or not isinstance(one["metric"], str):
            raise StudyError(f'{at}: until = {shown(one)}: {{ run = NAME, metric = "a time in seconds" }}')
        other = _named(at, "until.run", one["run"], names)
        if rows[other]["until"] is not None:
            raise StudyError(f"{at}: until: the run {shown(one['run'])} itself ends by another")
        found.append((other, _place(measured[other], Objective(one["metric"], terms(one["metric"].strip()), 1))))
    return found


def _values(
    rows: Sequence[Mapping[str, Any]], entries: Sequence[Entry], measured: list[list[Objective]]
) -> list[Printed]:
    names = [one.name for one in entries]
    found: list[Printed] = []
    for place, row in enumerate(rows):
        at, sums = f"value[{place}]", row["metric"]
        reads = _several(at, "run", names[0] if row["run"] is None and len(names) == 1 else row["run"], names)
        over = [] if row["over"] is None else _several(at, "over", row["over"], names)
        if over and len(over) != len(reads):
            raise StudyError(f"{at}: over = {shown(row['over'])}: as many runs as run has, {len(reads)}")
        spots: list[list[tuple[int, int]]] = []
        for runs in (reads, over):
            spots.append([(run, _place(measured[run], each)) for run in runs for each in sums])
        name = row["name"] or f"{sums[0].name} of {names[reads[0]]}"
        unit = sums[0].unit if not over and len(sums[0].terms) == 1 and sums[0].terms[0][0] == 1 else ""
        found.append(
            Printed(
                name, spots[0], spots[1], row["average"], row["printed"], row["tolerance"], row["use"] == FIT,
                row["group"] or name, unit, row["bound"],
            )
        )  # fmt: skip
    refuse(
        (len({one.name for one in found}) < len(found), "value: two have one name; give each another"),
        (not any(one.fit for one in found), f'value: none has use = "{FIT}"; some value has to be fitted'),
    )
    return found


def _place(measured: list[Objective], one: Objective) -> int:
    """Where a run's objectives have this one; what several values read is read once."""
    places = {each.name: place for place, each in enumerate(measured)}
    if one.name not in places:
        measured.append(one)
    return places.get(one.name, len(measured) - 1)


def _several(at: str, key: str, given: Any, names: Sequence[str]) -> list[int]:
    """The runs that a value names: one, or a list."""
    if isinstance(given, list) and not given:
        raise StudyError(f"{at}: {key} = []: a run's name, or a list of them")
    return [_named(at, key, one, names) for one in (given if isinstance(given, list) else [given])]


def _named(at: str, key: str, given: Any, names: Sequence[str]) -> int:
    if not isinstance(given, str) or given not in names:
        raise StudyError(f"{at}: {key} = {shown(given)}: no run of that name; there are {', '.join(names)}")
    return names.index(given)


def _search(given: Any, space: Space, most: int) -> str:
    size = space.size
    if given is None:
        return "all" if 0 < size <= most else "random"
    if given == "all" and not 0 < size <= most:
        there = (
            f"there are {size:,}"
            if size
            else "there are more than can be listed (a range without step has no end of them)"
        )
        raise StudyError(f'search = "all": {there}; readings = {most:,} is the most that are tried')
    return str(given)


class ReadingBench(Bench):
    """Scenarios of a plan's runs under a reading."""

    ENTRY, MEASURED = "run", "value"

    def __init__(self, plan: InferPlan) -> None:
        super().__init__(plan)
        self._plan = plan
        self._trees = [json.loads(template.expanded(["record={}"])) for template in self._templates]
        self._possible: dict[tuple[str, int, str], bool] = {}
        self._had: dict[tuple[str, str], bool] = {}
        self._silent = [
            {key for part in plan.space.parts if part.name in left_out for key in part.keys} for left_out in plan.without
        ]  # fmt: skip

    def parts(self, entry: int) -> Sequence[Free | Alternatives]:
        """The open rules that a run reads."""
        return [part for part in self._plan.space.parts if part.name not in self._plan.without[entry]]

    def objectives(self, entry: int) -> Sequence[Objective]:
        """The quantities read from a run."""
        return self._plan.measured[entry]

    def sets(self, settings: Mapping[str, Any], entry: int, drew: Mapping[str, Any]) -> list[str]:
        """The assignments of a reading in a run; a rule of every flow is one of each."""
        silent = self._silent[entry]
        read = {key: value for key, value in settings.items() if key not in silent}
        fixed = {**self._plan.sets, **self._plan.entries[entry].sets, **drew}
        return [
            *assignments({"record": {}}),
            *assignments(self._each(fixed, entry)),
            *assignments(self._each(read, entry, True)),
        ]

    def _each(self, settings: Mapping[str, Any], entry: int, have: bool = False) -> dict[str, Any]:
        """Settings of a run; with ``have`` those that its scenario, and of a rule of every flow those that the flow, can have."""
        found: dict[str, Any] = {}
        for key, value in settings.items():
            keys = each(self._trees[entry], key)
            if have and self._somewhere(key, value):
                keys = [one for one in keys if self._can(one, entry, value)]
            found |= dict.fromkeys(keys, value)
        return found

    def _somewhere(self, key: str, value: Any) -> bool:
        """Whether some run's scenario can have a value."""
        if (at := (key, repr(value))) not in self._had:
            self._had[at] = any(
                self._can(one, entry, value) for entry, tree in enumerate(self._trees) for one in each(tree, key)
            )
        return self._had[at]

    def _can(self, key: str, entry: int, value: Any) -> bool:
        """Whether a run's scenario can have a value: some have other controls, or other receivers."""
        at = (key, entry, repr(value))
        if at not in self._possible:
            fixed = self._each({**self._plan.sets, **self._plan.entries[entry].sets}, entry)
            try:
                self._templates[entry].check([*assignments(fixed), *assignments({key: value})])
                self._possible[at] = True
            except _core.ScenarioError:
                self._possible[at] = False
        return self._possible[at]

    def lines(self, settings: Mapping[str, Any], path: Draw) -> list[str]:
        """A run's scenario, as a line of JSON; ``path.number`` is the nudge, 0 for none."""
        line = super().lines(settings, path)[0]
        if not path.number:
            return [line]
        tree = self._plan.nudge.of(
            json.loads(self._templates[path.entry].expanded(self.sets(settings, path.entry, path.drew))), path.number
        )
        return [json.dumps({**tree, "seed": path.seeds[0]}, separators=(",", ":"))]


class Values:
    """The printed values under readings, nudge by nudge."""

    def __init__(self, plan: InferPlan, runs: Readings) -> None:
        self.plan, self._runs = plan, runs

    def of(self, choices: Sequence[Choice], names: Sequence[str]) -> np.ndarray[Any, np.dtype[np.float64]]:
        """An array of readings, values and nudges; NaN where a run has no value."""
        plan = self.plan
        entries = {run for one in plan.values for run, _ in (*one.read, *one.over)}
        entries |= {one[0] for entry in entries if (one := plan.until[entry])}
        read: dict[tuple[int, int, int], Sequence[float]] = {}
        for ended in (False, True):
            cells, wanted = [], []
            for row, (choice, name) in enumerate(zip(choices, names, strict=True)):
                for entry in sorted(entry for entry in entries if bool(plan.until[entry]) == ended):
                    for nudge in range(plan.nudges):
                        drew = self._end(entry, lambda run, row=row, nudge=nudge: read[row, run, nudge])  # type: ignore[misc]  # noqa: B023
                        if drew is None:
                            read[row, entry, nudge] = [math.nan] * len(plan.measured[entry])
                            continue
                        cells.append((row, entry, nudge))
                        wanted.append(
                            RunRequest(
                                name, choice.sets, Draw(nudge, entry, plan.entries[entry].name, drew, (nudge + 1,))
                            )
                        )
            read |= dict(zip(cells, self._runs.values(wanted), strict=True))
        made = np.empty((len(choices), len(plan.values), plan.nudges))
        for row, place, nudge in np.ndindex(made.shape):
            made[row, place, nudge] = _value(plan.values[place], {entry: read[row, entry, nudge] for entry in entries})
        return made

    def _end(self, entry: int, read: Callable[[int], Sequence[float]]) -> dict[str, Any] | None:
        """What ends a run that another one ends; none if that one has no such time."""
        if (until := self.plan.until[entry]) is None:
            return {}
        end = read(until[0])[until[1]]
        return {"stop": {"at": f"{end:.9f}s"}} if math.isfinite(end) else None


def _value(one: Printed, made: Mapping[int, Sequence[float]]) -> float:
    """A value of one nudge: of each run, over that of another where it has one, and averaged over the runs."""
    values = [made[entry][place] for entry, place in one.read]
    if one.over:
        below = [made[entry][place] for entry, place in one.over]
        values = [value / base if base else math.nan for value, base in zip(values, below, strict=True)]
    return float(np.median(values)) if one.average == "median" else sum(values) / len(values)


class Inferred(InferenceResult, Answer):
    """Results of an inference."""

    verb = "infer"

    def write_files(self, folder: Path) -> None:
        """Writes the files into a directory."""
        self._page().write(self, ReadingBench(self.plan), folder)

    def __repr__(self) -> str:
        return f"<Inferred {self.plan.name!r}: {counted(len(self.choices), 'reading')}, {counted(self.runs, 'run')}>"


#: Results whose names do not depend on the plan.
NAMES = ("best.toml", "infer.html", "infer.json", "plan.toml", "readings.csv", "readings.parquet")
#: Readings of which the runs are made together, where all are tried.
TOGETHER = 64


def tried(plan: InferPlan) -> int:
    """How many readings are tried at most."""
    return plan.space.size if plan.search == "all" else min(plan.readings, plan.space.size or plan.readings)


def most_runs(plan: InferPlan) -> int:
    """Runs of the baseline, the values alone and the readings, if no two of them share any."""
    alone = sum(1 for _ in plan.space.alone()) if plan.search == "random" else 0
    return (tried(plan) + alone + 1) * len(plan.entries) * plan.nudges


def _found(plan: InferPlan, bench: ReadingBench, runs: Readings) -> Inferred:
    values = Values(plan, runs)
    base = values.of([Choice({}, plan.baseline, {})], ["the baseline"])[0]
    refused: Counter[str] = Counter()
    refused_alone: Counter[str] = Counter()
    moves, settled, draws = dict[str, Array](), dict[str, Any](), 0
    if plan.search == "random":
        plan, moves, settled = _moving(plan, bench, values, base, refused_alone)
    choices = list(map(plan.space.point, plan.space.every())) if 0 < plan.space.size <= tried(plan) else []
    if not choices:
        choices, draws = _drawn(plan)
    read = (Choice(one.parameters, {**settled, **one.sets}, one.cells) for one in choices)
    rows = list(_made(read, bench, values, refused))
    if not rows:
        raise StudyError(f"{plan.name}: no reading is a scenario: {next(iter(refused), '')}")
    before = np.array([drawn_weight(plan.space, one, draws) if draws else prior(plan.space, one) for one, _ in rows])
    before /= before.max() if draws else 1.0  # draws that are as likely weigh 1, to the last bit
    result = Inferred(
        plan,
        [choice for choice, _ in rows],
        np.stack([made for _, made in rows]),
        base,
        refused + refused_alone,
        before,
        draws > 0,
        moves or _moves(plan, rows),
        len(runs.runs),
        runs.runs.kept,
    )
    if not np.isfinite(result.posterior.likelihood).any():
        raise StudyError(
            f"{plan.name}: no reading has every fitted value; a transfer may not finish, or nothing is measured"
        )
    return result


def _moves(plan: InferPlan, rows: Sequence[tuple[Choice, Array]]) -> dict[str, Array]:
    """For each rule how far it moves each value, in tolerances: at most, among readings that have the other rules alike."""
    found = {}
    tolerance = np.array([one.tolerance for one in plan.values])
    for part in plan.space.parts:
        own = {plan.space.columns.get(key) for key in (part.name, *part.keys)}
        alike: dict[str, list[Array]] = {}
        for choice, made in rows:
            others = repr({name: cell for name, cell in choice.cells.items() if name not in own})
            alike.setdefault(others, []).append(made.mean(axis=1))
        far = [_apart(np.array(several)) for several in alike.values()]
        found[plan.space.column(part)] = np.asarray(np.max(far, axis=0) / tolerance)
    return found


def _apart(means: Array) -> Array:
    """The range of each value; without end where some readings have it and others do not."""
    none = np.isnan(means)
    far = np.where(none, -math.inf, means).max(axis=0) - np.where(none, math.inf, means).min(axis=0)
    return np.where(none.all(axis=0), 0.0, np.where(none.any(axis=0), math.inf, far))


def _moving(
    plan: InferPlan, bench: ReadingBench, values: Values, base: Array, refused: Counter[str]
) -> tuple[InferPlan, dict[str, Array], dict[str, Any]]:
    """The plan with the rules alone that move a value, how far each rule's values move each, and the baseline's of the other rules."""
    moves, parts = dict[str, Array](), list[Free | Alternatives]()
    for part in plan.space.parts:
        space = plan.space.of([part])
        others = {key: value for key, value in plan.baseline.items() if key not in part.keys}
        alone = (Choice({}, {**others, **one.sets}, one.cells) for one in space.alone())
        made = list(_made(alone, bench, values, refused))
        moves |= _moves(replace(plan, space=space), [(Choice({}, {}, {}), base), *made])
        parts += [part] if moves[space.column(part)].max() >= MIN_MOVE else []
    if not parts:
        raise StudyError(f"{plan.name}: no rule moves a value by {MIN_MOVE} of its tolerance")
    settled = {key for part in plan.space.parts if part not in parts for key in part.keys}
    others = {key: value for key, value in plan.baseline.items() if key in settled}
    return replace(plan, space=plan.space.of(parts)), moves, others


def _drawn(plan: InferPlan) -> tuple[list[Choice], int]:
    """Readings drawn from the prior, each once, and how many draws it took."""
    uniform, found, draws = Draws(plan.seed, "readings").uniform, dict[str, Choice](), 0
    while len(found) < plan.readings and draws < 100 * plan.readings:
        choice = plan.space.draw(uniform)
        found.setdefault(repr(choice.parameters), choice)
        draws += 1
    return list(found.values()), draws


def _made(
    choices: Iterable[Choice], bench: ReadingBench, values: Values, refused: Counter[str]
) -> Iterator[tuple[Choice, Array]]:
    """The values of the readings that are scenarios."""
    points = iter(choices)
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
