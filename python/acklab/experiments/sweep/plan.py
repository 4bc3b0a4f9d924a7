"""What is swept: a scenario, what varies in it, how often each point is run, what is measured."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ...engines.batches import SIMULATOR
from ...results.columns import FLOWS
from ...results.frames import scenario_name
from ...scenario._part import plain
from ...scenario._toml import dumps
from ...text.escapes import replaced
from ...text.input import read_file
from ...text.plans import PlanText
from ..compare.errors import CompareError
from ..compare.metrics import Metric
from ..compare.plan import span
from . import axes as axis
from . import derive, paths
from .errors import SweepError, heading, shown
from .flags import assignment, value
from .metrics import chosen, metric, schema
from .names import names
from .seeds import Drawn, Seeds, drawn, seeds

#: A plan's keys, and what each is for.
KEYS = {
    "$schema": "where an editor finds this schema; not read",
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
#: Most points of a plan.
MOST_POINTS = 10_000_000


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

    def told(self) -> dict[str, Any]:
        """The plan's origin: its scenario as it was given, the plan that refers to it as a file, and the seeds."""
        tree = {"scenario": scenario_name(self.scenario), **self.tree}
        if self.given_sets:
            given = dict(map(assignment, self.given_sets))
            tree["set"] = {**tree.get("set", {}), **{key: value(text) for key, text in given.items()}}
        scenario = self.scenario if isinstance(self.scenario, str) else self.scenario.decode(errors="replace")
        return {"scenario": scenario, "plan": dumps(tree), "seeds": self.seeds.told()}

    @property
    def columns_told(self) -> list[axis.Column]:
        """The axes' columns, in order."""
        return [column for one in self.axes for column in one.columns]


def from_tree(tree: Mapping[str, Any], name: str | PlanText = "plan", folder: Path | None = None) -> Plan:
    """A plan from its keys, as a plan file or Python has them.

    Raises:
        SweepError: the keys are not a plan. Of several mistakes the message names the first in the file.
    """
    where = name if isinstance(name, PlanText) else PlanText(name, SweepError)
    tree = {key: value if key == "scenario" else plain(value) for key, value in tree.items()}
    where.unknown(tree.keys(), KEYS)
    for key in tree.keys() - {"scenario"}:
        where.check(key, lambda key=key: known_kinds(key, tree[key]))
    where.settle()

    def at(key: str, make: Callable[..., Any], value: Any = None) -> Any:
        def told(said: str) -> str:
            if said.startswith(key.split(".")[0]):
                return said
            return f"{key} {said}" if value is None or said.startswith("=") else f"{key} = {shown(value)} {said}"

        return where.check(key, make, told)

    def table(part: str) -> Mapping[str, Any]:
        found: Mapping[str, Any] = at(part, lambda: _table(part, tree.get(part, {}))) or {}
        return found

    scenario = where.check("scenario", lambda: scenario_text(tree.get("scenario"), where.name, folder))
    axes: list[axis.Axis] = []
    for part in tree:  # in the plan's order, which is the tables'
        if part == "vary":
            for key, given in paths.flatten(table(part)):
                axes.append(at(f"vary.{key}", lambda key=key, given=given: axis.one_key(key, given), given))
        elif part == "together":
            for number, keys in enumerate(at(part, lambda: _tables("together", tree["together"])) or ()):
                axes.append(at(f"together[{number}]", lambda keys=keys: axis.together(keys)))
        elif part == "alternatives":
            for label, choices in table(part).items():
                made = lambda label=label, choices=choices: axis.alternatives(label, choices)  # noqa: E731
                axes.append(at(f"alternatives.{label}", made))
    sets = axis.settings(table("set"))
    for key in sets:
        at(f"set.{key}", lambda key=key: paths.check(key))
    derived = [
        at(f"derive.{key}", lambda key=key, given=given: derive.derived(key, given))
        for key, given in axis_tables(table("derive"))
    ]
    draws = [
        at(f"draw.{key}", lambda key=key, given=given: drawn(key, given))
        for key, given in paths.flatten(table("draw"), leaf=lambda v: not isinstance(v, Mapping))
    ]
    some = at("seeds", lambda: seeds(tree.get("seeds", 1)))
    spread = at("spread_starts", lambda: _spread(tree.get("spread_starts")))
    texts = at("metrics", lambda: _list("metrics", tree)) or []
    metrics = [where.check("metrics", lambda text=text: metric(text)) for text in texts]
    title = where.check("title", lambda: heading(tree.get("title", "")))
    columns = at("columns", lambda: chosen(tree["columns"])) if "columns" in tree else None
    names_given = axis.settings(table("names"))
    where.settle()
    if not axes:
        raise where.error("", "nothing varies; give [vary], [[together]] or [alternatives.NAME]")
    named = where.check("", lambda: _named(axes, draws, names_given))
    where.settle()
    text, file = scenario
    plan = Plan(
        text, file, where.name, named[0],
        title=title,
        sets=sets,
        derived=derived,
        draws=named[1],
        seeds=some,
        spread_starts_s=spread,
        metrics=metrics,
        columns=columns,
        tree={key: plain(value) for key, value in tree.items() if key not in ("scenario", "$schema")},
    )  # fmt: skip
    where.check("", lambda: _check(plan))
    where.settle()
    return plan


def _named(
    axes: Sequence[axis.Axis], draws: Sequence[Drawn], given: Mapping[str, Any]
) -> tuple[list[axis.Axis], list[Drawn]]:
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


def known_kinds(key: str, value: Any) -> None:
    """Refuses what neither a plan nor a scenario can hold: dates, which TOML has, and whatever Python has."""
    for text in (key, value):
        if isinstance(text, str) and replaced(text) != text:
            raise SweepError(f"{ascii(text)} holds half a surrogate pair, which is no text")
    if isinstance(value, Mapping):
        for below, entry in value.items():
            if below != "scenario":  # which has a check of its own
                known_kinds(f"{key}.{below}", entry)
    elif isinstance(value, list):
        for entry in value:
            known_kinds(key, entry)
    elif not isinstance(value, (str, int, float)) or value != value:
        raise SweepError(f"{key} has {value!r}; a value is text, a number, true or false, a list or a table")


def axis_tables(table: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """The keys that are derived and their tables: a table with ``times`` is one, any other leads to some."""
    ends = lambda value: not isinstance(value, Mapping) or not value or bool(value.keys() & {"times", "over", "round"})  # noqa: E731
    return list(paths.flatten(table, leaf=ends))


def from_file(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The tree of a plan file.

    Raises:
        SweepError: it is no TOML.
        OSError: it cannot be read.
    """
    return PlanText.read(read_file(path), os.fspath(path), SweepError)[1]


def scenario_text(given: Any, name: str, folder: Path | None) -> tuple[str | bytes, str]:
    """The scenario that a plan gives, and its file: a name beside the plan, a table, or whatever :func:`acklab.run` takes.

    Raises:
        SweepError: there is none, or it cannot be read.
    """
    from ...scenario.given import source
    from ...text import presets

    if given is None:
        raise SweepError('no scenario; give scenario = "FILE", or a [scenario] table')
    if isinstance(given, str) and "\n" not in given and "=" not in given:
        beside: Any = (folder or Path()) / given
    else:
        beside = given
    try:
        text, file = source(beside)
    except OSError as error:
        preset = (
            f"; it is a preset of --path: acklab new {given} --template {given} writes {given}.toml"
            if given in presets.PATHS
            else ""
        )
        raise SweepError(f"scenario = {shown(os.fspath(given))}: {error.strerror}{preset}") from None
    except TypeError:
        raise SweepError(f"scenario = {shown(given)}: a file's name or a [scenario] table") from None
    return text, f"{name}: scenario" if isinstance(given, Mapping) else file


def _table(key: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise SweepError(f"{key} = {shown(value)}: has to be a table, [{key}]")
    found: Mapping[str, Any] = plain(value)
    return found


def _tables(key: str, value: Any) -> list[Mapping[str, Any]]:
    if not isinstance(value, (list, tuple)) or not all(isinstance(entry, Mapping) for entry in value):
        raise SweepError(f"{key} = {shown(value)}: has to be [[{key}]] tables")
    return [plain(entry) for entry in value]


def _list(key: str, tree: Mapping[str, Any]) -> list[Any]:
    value = tree.get(key, [])
    if isinstance(value, str):
        return [value]
    if not isinstance(value, (list, tuple)):
        raise SweepError(f"{key} = {shown(value)}: has to be a list of texts")
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
