"""What is swept: a scenario, what varies in it, how often each point is run, what is measured."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from .._toml import loads
from .._batches import SIMULATOR
from ..compare.columns import FLOWS
from ..compare.errors import CompareError
from ..compare.metrics import Metric
from ..compare.plan import span
from ..scenario._part import plain
from . import axes as axis
from . import derive, paths
from .errors import SweepError, shown
from .metrics import chosen, metric, schema
from .names import names
from .seeds import Drawn, Seeds, drawn, seeds

#: A plan's keys, and what each is for.
KEYS = {
    "title": "what tables and the page are headed with; the scenario's title if left out",
    "scenario": "a scenario file, beside the plan, or a [scenario] table",
    "set": "keys that have one value throughout",
    "vary": "keys, or $variables, each with a list or a range of values; every combination is a point",
    "together": "[[together]] tables of keys that vary together: the first value of each, then the second of each",
    "alternatives": "[alternatives.NAME] tables: named choices, each with the keys it sets",
    "derive": "keys whose value follows from others at each point",
    "draw": "keys whose value each seed draws, the same at every point",
    "seeds": "how many seeds a point, or until when; 1 if left out",
    "spread_starts": "each seed starts each flow up to so much later, all points alike",
    "metrics": "what the summary is about: QUANTITY[@WHERE], a quantity as comparisons have it, a column of the flows or links table, or an aggregate such as p99(completion)",
    "names": "what columns of varied or drawn keys are called; a short form of the key if left out",
    "columns": "columns of the flows table that are kept; all if left out",
}
#: Columns of the tables that are no axes.
TAKEN = ("point", "seed", "metric", "unit", "mean", "low", "high", "n", "missing")
#: Most points of a plan, and most runs: the place of each in the journal is in memory.
MOST_POINTS, MOST_RUNS = 10_000_000, 20_000_000


@dataclass(frozen=True)
class Plan:
    """A sweep, checked as far as it can be without its scenario."""

    scenario: str | bytes
    file: str
    """What errors call the scenario."""
    name: str
    """What errors call the plan."""
    axes: Sequence[axis.Axis]
    title: str = ""
    sets: Mapping[str, Any] = field(default_factory=dict)
    given_sets: Sequence[str] = ()
    """``KEY=VALUE`` texts, set after all else that is fixed."""
    derived: Sequence[derive.Derived] = ()
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

    @property
    def columns_told(self) -> list[axis.Column]:
        """The axes' columns, in order."""
        return [column for one in self.axes for column in one.columns]


class _Where:
    """Puts the plan and the key before a message."""

    def __init__(self, name: str) -> None:
        self.name = name

    def at(self, key: str, value: Any, make: Callable[[], Any]) -> Any:
        try:
            return make()
        except SweepError as error:
            said = str(error)
            if key and not said.startswith(key.split(".")[0]):
                said = f"{key} {said}" if value is None or said.startswith("=") else f"{key} = {shown(value)} {said}"
            raise SweepError(f"{self.name}: {said}") from None


def from_tree(tree: Mapping[str, Any], name: str = "plan", folder: Path | None = None) -> Plan:
    """A plan from its keys, as a plan file or Python has them.

    Raises:
        SweepError: it is none.
    """
    where = _Where(name)
    strange = tree.keys() - KEYS.keys()
    if strange:
        raise SweepError(f"{name}: unknown {', '.join(sorted(strange))}; known are {', '.join(KEYS)}")
    for key in tree.keys() - {"scenario"}:
        _known_kinds(name, key, plain(tree[key]))
    text, file = _scenario(tree, name, folder)
    axes: list[axis.Axis] = []
    for part in tree:  # in the plan's order, which is the tables'
        if part == "vary":
            for key, given in paths.flatten(_table(where, part, tree[part])):
                axes.append(where.at(f"vary.{key}", given, lambda key=key, given=given: axis.one_key(key, given)))
        elif part == "together":
            for number, table in enumerate(_tables(where, part, tree[part])):
                axes.append(where.at(f"together[{number}]", None, lambda table=table: axis.together(table)))
        elif part == "alternatives":
            for label, choices in _table(where, part, tree[part]).items():
                axes.append(
                    where.at(
                        f"alternatives.{label}",
                        None,
                        lambda label=label, choices=choices: axis.alternatives(label, choices),
                    )
                )
    if not axes:
        raise SweepError(f"{name}: nothing varies; give [vary], [[together]] or [alternatives.NAME]")
    sets = axis.settings(_table(where, "set", tree.get("set", {})))
    for key in sets:
        where.at(f"set.{key}", None, lambda key=key: paths.check(key))
    made = [
        where.at(f"derive.{key}", None, lambda key=key, table=table: derive.derived(key, table))
        for key, table in axis_tables(where, tree.get("derive", {}))
    ]
    draws = [
        where.at(f"draw.{key}", None, lambda key=key, given=given: drawn(key, given))
        for key, given in paths.flatten(
            _table(where, "draw", tree.get("draw", {})), leaf=lambda v: not isinstance(v, Mapping)
        )
    ]
    axes, draws = where.at("", None, lambda: _named(axes, draws, axis.settings(_table(where, "names", tree.get("names", {})))))
    plan = Plan(
        text, file, name, axes,
        title=str(tree.get("title", "")),
        sets=sets,
        derived=made,
        draws=draws,
        seeds=where.at("seeds", None, lambda: seeds(tree.get("seeds", 1))),
        spread_starts_s=where.at("spread_starts", None, lambda: _spread(tree.get("spread_starts"))),
        metrics=[where.at("", None, lambda text=text: metric(text)) for text in _list(where, "metrics", tree)],
        columns=where.at("columns", None, lambda: chosen(tree["columns"])) if "columns" in tree else None,
        tree={key: plain(value) for key, value in tree.items() if key != "scenario"},
    )  # fmt: skip
    where.at("", None, lambda: _check(plan))
    return plan


def _named(
    axes: Sequence[axis.Axis], draws: Sequence[Drawn], given: Mapping[str, Any]
) -> tuple[list[axis.Axis], list[Drawn]]:
    """The axes and draws with their columns' names. Alternatives have the names that the plan gives them."""
    keyed = {column.key for one in axes for column in one.columns for key in one.places[0] if key.lstrip("$") == column.key}
    columns = [column for one in axes for column in one.columns]
    keys = [(column.key, column.unit) for column in columns if column.key in keyed] + [(one.key, one.unit) for one in draws]
    taken = [*TAKEN, "name", "from", "to", *FLOWS, *(column.key for column in columns if column.key not in keyed)]
    found = names(keys, {key.lstrip("$"): name for key, name in given.items()}, taken)
    named = [
        replace(one, columns=[replace(column, alias=found.get(column.key, "") if column.key in keyed else "") for column in one.columns])
        for one in axes
    ]
    return named, [replace(one, alias=found[one.key]) for one in draws]


def _known_kinds(name: str, key: str, value: Any) -> None:
    """Refuses what neither a plan nor a scenario can hold: dates, which TOML has, and whatever Python has."""
    if isinstance(value, Mapping):
        for below, entry in value.items():
            _known_kinds(name, f"{key}.{below}", entry)
    elif isinstance(value, list):
        for entry in value:
            _known_kinds(name, key, entry)
    elif not isinstance(value, (str, int, float)) or value != value:
        raise SweepError(f"{name}: {key} has {value!r}; a value is text, a number, true or false, a list or a table")


def axis_tables(where: _Where, given: Any) -> list[tuple[str, Any]]:
    """The keys that are derived and their tables: a table with ``times`` is one, any other leads to some."""
    table = _table(where, "derive", given)
    ends = lambda value: not isinstance(value, Mapping) or not value or bool(value.keys() & {"times", "over", "round"})  # noqa: E731
    return list(paths.flatten(table, leaf=ends))


def from_file(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The tree of a plan file.

    Raises:
        SweepError: it is no TOML.
        OSError: it cannot be read.
    """
    try:
        return loads(Path(path).read_text(encoding="utf-8"))
    except ValueError as error:
        raise SweepError(f"{os.fspath(path)}: {error}") from None


def _scenario(tree: Mapping[str, Any], name: str, folder: Path | None) -> tuple[str | bytes, str]:
    from ..run import source

    given = tree.get("scenario")
    if given is None:
        raise SweepError(f'{name}: no scenario; give scenario = "FILE", or a [scenario] table')
    if isinstance(given, str) and "\n" not in given and "=" not in given:
        given = (folder or Path()) / given
    try:
        text, file = source(given)
    except OSError as error:
        raise SweepError(f"{name}: scenario = {shown(tree['scenario'])}: {error.strerror}") from None
    except TypeError:
        raise SweepError(f"{name}: scenario = {shown(given)}: a file's name or a [scenario] table") from None
    return text, f"{name}: scenario" if isinstance(given, Mapping) else file


def _table(where: _Where, key: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise SweepError(f"{where.name}: {key} = {shown(value)}: has to be a table, [{key}]")
    found: Mapping[str, Any] = plain(value)
    return found


def _tables(where: _Where, key: str, value: Any) -> list[Mapping[str, Any]]:
    if not isinstance(value, (list, tuple)) or not all(isinstance(entry, Mapping) for entry in value):
        raise SweepError(f"{where.name}: {key} = {shown(value)}: has to be [[{key}]] tables")
    return [plain(entry) for entry in value]


def _list(where: _Where, key: str, tree: Mapping[str, Any]) -> list[Any]:
    value = tree.get(key, [])
    if isinstance(value, str):
        return [value]
    if not isinstance(value, (list, tuple)):
        raise SweepError(f"{where.name}: {key} = {shown(value)}: has to be a list of texts")
    return list(value)


def _spread(given: Any) -> float:
    if given is None:
        return 0.0
    try:
        found = span(str(given))
    except CompareError as error:
        raise SweepError(f"spread_starts: {error}") from None
    if not 0 <= found < float("inf"):
        raise SweepError(f"spread_starts = {shown(given)}: must not be negative")
    return found


def _check(plan: Plan) -> None:
    """What two parts of a plan may not both say."""
    flows = schema("flows") if plan.columns is None else plan.columns
    axis.check_names(plan.axes, [one.title for one in plan.draws], {*TAKEN, *flows})
    if plan.points > MOST_POINTS:
        raise SweepError(f"{plan.points:,} points; at most {MOST_POINTS:,}")
    runs = plan.points * plan.seeds.least
    if runs > MOST_RUNS:
        raise SweepError(f"{runs:,} runs; at most {MOST_RUNS:,}")
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
                raise SweepError(f"{key} is {seen[key]} and {what}; one of them has to go")
            seen[key] = what
    for one in plan.derived:
        for factor in (*one.times, *one.over, *one.plus):
            if isinstance(factor, str) and paths.is_variable(factor) and seen.get(factor) not in ("varied", "set"):
                known = ", ".join(sorted(key for key in seen if paths.is_variable(key))) or "none"
                raise SweepError(f"derive.{one.key}: no variable {factor} is varied or set; there are {known}")
    used = {factor for one in plan.derived for factor in (*one.times, *one.over, *one.plus)}
    idle = [key for key in seen if paths.is_variable(key) and key not in used]
    if idle:
        raise SweepError(f"{idle[0]} is a variable that nothing is derived from; a scenario's key has no dollar sign")
    names = [one.name for one in plan.metrics]
    if len(set(names)) < len(names):
        raise SweepError("two metrics have one name; name them: `NAME: QUANTITY@WHERE`")
    if plan.seeds.metric and plan.seeds.metric not in names:
        raise SweepError(
            f"seeds.metric = {shown(plan.seeds.metric)}: no metric of that name; there are {', '.join(names) or 'none'}"
        )
