"""Plan of an inference: open rules with their candidates, runs, printed values with tolerances, and which of them may be fitted."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...scenario._toml import dumps
from ...text.plans import PlanText
from ..search.draws import Entry
from ..search.errors import InferError
from ..search.objective import Objective, terms
from ..search.reading import PlanKeys, Reader, fixed, joined, table_of
from ..search.space import Free, Space
from ..sweep.errors import SweepError, heading, shown
from ..sweep.plan import scenario_text
from .nudge import Nudge, nudging

#: A plan's keys, and what each is for.
KEYS = {
    "title": "what the page is headed with; the plan's name if left out",
    "origin": "how the values came about, for the page: measured where, or simulated how",
    "scenario": "a scenario file, beside the plan, or a [scenario] table; a [[run]] may have its own",
    "set": "keys that have one value throughout",
    "free": "open rules: a list of candidate values, or { low =, high = } with step or log; `flow.*.KEY` is that key of each flow",
    "alternatives": "[alternatives.NAME] tables: an open rule whose candidates set several keys",
    "baseline": "keys of the reading that the winner is compared with; the scenario as it is if left out",
    "run": "[[run]] tables: name, scenario, set, without (open rules that this run does not read), until (another run whose time ends it)",
    "value": "[[value]] tables: name, run, metric, over, average, printed, tolerance, use, group; run, metric and over may be lists",
    "nudges": "how often each run is made: once as it is, then with other seeds, starts and delays; 5 if left out",
    "nudge": '{ later = "10ms", longer = 0.01 }: flows begin up to so much later, links are up to so much longer',
    "search": '"all" readings, or those that "tpe" or "random" chooses; "all" where `readings` suffices, else "tpe", if left out',
    "readings": "how many readings are tried at most; 2000 if left out",
    "batch": "how many readings are chosen before the fit of any is known; 16 if left out",
    "seed": "of the search; 1 if left out",
}
#: The finest tolerance, and the largest number: a miss in tolerances can then be squared.
LEAST, MOST = 1e-30, 1e60
RUN_KEYS = ("name", "scenario", "set", "without", "until")
VALUE_KEYS = ("name", "run", "metric", "over", "average", "printed", "tolerance", "use", "group")
_COUNTS = {"nudges": (5, 1, 1_000), "readings": (2_000, 1, 100_000), "batch": (16, 1, 1_000), "seed": (1, 0, 2**32 - 1)}
#: Columns of the table of readings that are no rules.
TAKEN = ("reading", "probability", "misfit")
SEARCHES = ("all", "tpe", "random")
FIT, HELD_OUT = "fit", "held-out"
AVERAGES = ("mean", "median")


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

    @property
    def label(self) -> str:
        """Name and unit."""
        return f"{self.name} ({self.unit})" if self.unit else self.name


@dataclass(frozen=True)
class Plan:
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
    batch: int = 16
    seed: int = 1
    tree: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)
    text: PlanText | None = field(default=None, repr=False, compare=False)

    @property
    def spread_starts_s(self) -> float:
        """Nothing: nudges move starts."""
        return 0.0

    @property
    def objectives(self) -> Sequence[Objective]:
        """Everything that is read from some run."""
        return [one for several in self.measured for one in several]

    def told(self) -> str:
        """The plan as TOML."""
        return dumps(dict(self.tree))


def _plan(tree: Mapping[str, Any], where: PlanText, folder: Path | None) -> Plan:
    keys = PlanKeys(tree, where, KEYS, _COUNTS)
    at = keys.at
    origin = at("origin", lambda: heading(tree.get("origin", ""))) or ""
    nudge = at("nudge", lambda: nudging(tree.get("nudge", {})))
    where.settle()
    if not keys.parts:
        raise where.error("", "no rule is open; give [free] or [alternatives.NAME]")
    space = where.check("", lambda: joined(keys.parts, TAKEN))
    where.settle()
    entries, without = at("run", lambda: _runs(tree, where.name, folder, space)) or ((), ())
    where.settle()
    measured: list[list[Objective]] = [[] for _ in entries]
    until = at("run", lambda: _until(tree, entries, measured)) or ()
    values = at("value", lambda: _values(tree, entries, measured)) or ()
    search = at("search", lambda: _search(tree.get("search"), space, keys.counts["readings"]))
    where.settle()
    return Plan(where.name, entries, without, until, measured, values, space, search, nudge, keys.title, origin, keys.sets, keys.baseline,
                tree=keys.tree, text=where, **keys.counts)  # fmt: skip


_READER = Reader(_plan, InferError)
read, from_tree = _READER.read, _READER.from_tree


def _tables(key: str, given: Any, known: Sequence[str]) -> list[Mapping[str, Any]]:
    if not isinstance(given, list) or not given or not all(isinstance(one, Mapping) for one in given):
        raise SweepError(f"{key} = {shown(given)}: has to be [[{key}]] tables")
    for place, one in enumerate(given):
        if strange := one.keys() - set(known):
            raise SweepError(f"{key}[{place}]: unknown {', '.join(sorted(strange))}; known are {', '.join(known)}")
    return given


def _runs(
    tree: Mapping[str, Any], name: str, folder: Path | None, space: Space
) -> tuple[list[Entry], list[frozenset[str]]]:
    called = {
        label: part.name
        for part in space.parts
        for label in (part.name, *([space.columns[part.key]] if isinstance(part, Free) else []))
    }
    entries, without = [], []
    for place, one in enumerate(_tables("run", tree.get("run", [{"name": "run"}]), RUN_KEYS)):
        try:
            text, file = scenario_text(one.get("scenario", tree.get("scenario")), name, folder)
        except SweepError as error:
            raise SweepError(f"run[{place}]: {error}") from None
        left_out = one.get("without", [])
        for part in left_out if isinstance(left_out, list) else [left_out]:
            if part not in called:
                raise SweepError(f"run[{place}]: without = {shown(part)}: no open rule; there are {', '.join(called)}")
        entries.append(
            Entry(
                str(one.get("name", f"run {place + 1}")),
                1.0,
                text,
                file,
                fixed(table_of(f"run[{place}].set", one.get("set", {}))),
            )
        )
        without.append(frozenset(called[part] for part in left_out))
    if len({one.name for one in entries}) < len(entries):
        raise SweepError("run: two have one name; give each another")
    return entries, without


def _until(
    tree: Mapping[str, Any], entries: Sequence[Entry], measured: list[list[Objective]]
) -> list[tuple[int, int] | None]:
    """For each run the one that ends it."""
    names, found = [one.name for one in entries], list[tuple[int, int] | None]()
    given = [one.get("until") for one in tree.get("run", [{}])]
    for place, one in enumerate(given):
        if one is None:
            found.append(None)
            continue
        at = f"run[{place}]"
        if not isinstance(one, Mapping) or one.keys() != {"run", "metric"} or not isinstance(one["metric"], str):
            raise SweepError(f'{at}: until = {shown(one)}: {{ run = NAME, metric = "a time in seconds" }}')
        other = _named(at, "until.run", one["run"], names)
        if given[other] is not None:
            raise SweepError(f"{at}: until: the run {shown(one['run'])} itself ends by another")
        found.append((other, _place(measured[other], Objective(one["metric"], terms(one["metric"].strip()), 1))))
    return found


def _values(tree: Mapping[str, Any], entries: Sequence[Entry], measured: list[list[Objective]]) -> list[Printed]:
    names = [one.name for one in entries]
    found: list[Printed] = []
    for place, one in enumerate(_tables("value", tree.get("value", []), VALUE_KEYS)):
        at = f"value[{place}]"
        given = one.get("metric")
        metrics: list[Any] = given if isinstance(given, list) and given else [given]
        if not all(isinstance(each, str) and each.strip() for each in metrics):
            raise SweepError(f"{at}: metric = {shown(given)}: a metric, a weighted sum of metrics, or a list of them")
        summed = [Objective(each, terms(each.strip()), 1) for each in metrics]
        reads = _several(at, "run", one.get("run", names[0] if len(names) == 1 else None), names)
        over = _several(at, "over", one["over"], names) if "over" in one else []
        if over and len(over) != len(reads):
            raise SweepError(f"{at}: over = {shown(one['over'])}: as many runs as run has, {len(reads)}")
        average = one.get("average", "mean")
        if average not in AVERAGES:
            raise SweepError(f"{at}: average = {shown(average)}: {' or '.join(AVERAGES)}")
        use = one.get("use", FIT)
        if use not in (FIT, HELD_OUT):
            raise SweepError(f'{at}: use = {shown(use)}: "{FIT}" or "{HELD_OUT}"')
        spots: list[list[tuple[int, int]]] = []
        for runs in (reads, over):
            spots.append([(run, _place(measured[run], each)) for run in runs for each in summed])
        name = str(one.get("name", f"{summed[0].name} of {names[reads[0]]}"))
        unit = summed[0].unit if not over and len(summed[0].terms) == 1 and summed[0].terms[0][0] == 1 else ""
        printed, tolerance = _number(at, "printed", one), _number(at, "tolerance", one)
        if abs(printed) > MOST:
            raise SweepError(f"{at}: printed = {shown(printed)}: a number from {-MOST:g} to {MOST:g}")
        if not LEAST <= tolerance <= MOST:
            raise SweepError(f"{at}: tolerance = {shown(tolerance)}: a number above 0, from {LEAST:g} to {MOST:g}")
        found.append(
            Printed(
                name, spots[0], spots[1], average, printed, tolerance, use == FIT, str(one.get("group", name)), unit
            )
        )
    if len({one.name for one in found}) < len(found):
        raise SweepError("value: two have one name; give each another")
    if not any(one.fit for one in found):
        raise SweepError(f'value: none has use = "{FIT}"; some value has to be fitted')
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
        raise SweepError(f"{at}: {key} = []: a run's name, or a list of them")
    return [_named(at, key, one, names) for one in (given if isinstance(given, list) else [given])]


def _named(at: str, key: str, given: Any, names: Sequence[str]) -> int:
    if not isinstance(given, str) or given not in names:
        raise SweepError(f"{at}: {key} = {shown(given)}: no run of that name; there are {', '.join(names)}")
    return names.index(given)


def _number(at: str, key: str, one: Mapping[str, Any]) -> float:
    value = one.get(key)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise SweepError(f"{at}: {key} = {shown(value)}: a number, in the metric's unit")
    return float(value)


def _search(given: Any, space: Space, most: int) -> str:
    size = space.size
    if given is None:
        return "all" if 0 < size <= most else "tpe"
    if given not in SEARCHES:
        raise SweepError(f"search = {shown(given)}: {', '.join(SEARCHES)}")
    if given == "all" and not 0 < size <= most:
        there = (
            f"there are {size:,}"
            if size
            else "there are more than can be listed (a range without step has no end of them)"
        )
        raise SweepError(f'search = "all": {there}; readings = {most:,} is the most that are tried')
    return str(given)
