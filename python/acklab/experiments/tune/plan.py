"""Plan of a search: a scenario, its free keys, the objectives, the distribution of paths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...scenario._toml import dumps
from ...text.plans import PlanText
from ..compare.errors import CompareError
from ..compare.plan import span
from ..search.draws import Entry, drawn
from ..search.errors import TuneError
from ..search.objective import Objective, objective
from ..search.reading import PlanKeys, Reader, fixed, joined, table_of
from ..search.space import Space, settings
from ..sweep.errors import SweepError, shown
from ..sweep.plan import scenario_text

#: A plan's keys, and what each is for.
KEYS = {
    "title": "what the page is headed with; the plan's name if left out",
    "scenario": "a scenario file, beside the plan, or a [scenario] table; a [[path]] may have its own",
    "set": "keys that have one value throughout",
    "free": 'keys to choose: { low = "1ms", high = "500ms", log = true }, { low = 4, high = 64, step = 4 }, or a list of choices',
    "alternatives": "[alternatives.NAME] tables: named choices, each with the keys it sets; bounds leave a key free for this choice alone",
    "baseline": "keys of what the winner is judged against; the scenario as it is if left out",
    "objectives": 'a list of metrics or weighted sums: "completion", "cost: p50(completion) + 0.001 * acks_sent", { maximize = "..." }; several make a Pareto front',
    "relative": "true: every value counts as a ratio to the baseline's on the same path, and means are geometric",
    "path": "[[path]] tables, a distribution: name, weight (1), scenario, set, draw (keys each path draws)",
    "paths": "how many paths are drawn for the search; 16 if left out",
    "held_out": "how many fresh paths judge the winner; as many as `paths` if left out, none for one path",
    "seeds": "how many seeds each path is run with; 1 if left out",
    "spread_starts": "a time: each seed delays the start of each flow by up to this time, in all trials alike",
    "trials": "how many different choices are tried; 64 if left out",
    "batch": "how many trials are chosen before the results of any is known; 8 if left out",
    "sampler": '"tpe" or "random" for one objective, "nsga2" for several',
    "seed": "of the search and of the drawn paths; 1 if left out",
}
PATH_KEYS = ("name", "weight", "scenario", "set", "draw")
#: Key -> the value if it is left out, the least and the most.
_COUNTS = {"paths": (16, 1, 100_000), "held_out": (None, 0, 100_000), "seeds": (1, 1, 10_000), "trials": (64, 1, 100_000),
           "batch": (8, 1, 1_000), "seed": (1, 0, 2**32 - 1)}  # fmt: skip
#: Columns of the table of trials that are no keys.
TAKEN = ("trial", "state", "paths", "objective", "low", "high")
_SAMPLERS = ("tpe", "random", "nsga2")


@dataclass(frozen=True)
class Plan:
    """A search, checked as far as it can be without its scenarios."""

    name: str
    entries: Sequence[Entry]
    space: Space
    objectives: Sequence[Objective]
    title: str = ""
    sets: Mapping[str, Any] = field(default_factory=dict)
    baseline: Mapping[str, Any] = field(default_factory=dict)
    spread_starts_s: float = 0.0
    paths: int = 16
    held_out: int = 16
    seeds: int = 1
    trials: int = 64
    batch: int = 8
    seed: int = 1
    sampler: str = "tpe"
    tree: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """The keys of which it was made."""
    text: PlanText | None = field(default=None, repr=False, compare=False)

    @property
    def relative(self) -> bool:
        """Whether values count as ratios to the baseline's."""
        return self.objectives[0].relative

    def told(self) -> str:
        """The plan as TOML; a scenario is the name of its file, or a table."""
        return dumps({key: value for key, value in self.tree.items() if not isinstance(value, bytes)})


def _plan(tree: Mapping[str, Any], where: PlanText, folder: Path | None) -> Plan:
    keys = PlanKeys(tree, where, KEYS, _COUNTS)
    at, counts = keys.at, keys.counts
    at("held_out", lambda: _at_least_two(counts["held_out"]))
    relative = at("relative", lambda: _truth("relative", tree.get("relative", False)))
    objectives = [
        at("objectives", lambda one=one: objective(one, bool(relative))) for one in _listed(tree.get("objectives", []))
    ]
    spread = at("spread_starts", lambda: _spread(tree.get("spread_starts")))
    sampler = at(
        "sampler", lambda: _sampler(tree.get("sampler", "nsga2" if len(objectives) > 1 else "tpe"), len(objectives))
    )
    entries = at("path", lambda: _entries(tree, where.name, folder))
    where.settle()
    if not keys.parts:
        raise where.error("", "nothing is free; give [free] or [alternatives.NAME]")
    if not objectives:
        raise where.error("", 'no objectives; give a list such as objectives = ["completion"]')
    space = where.check("", lambda: joined(keys.parts, TAKEN))
    where.check("objectives", lambda: _distinct([one.name for one in objectives]))
    where.settle()
    if counts["held_out"] is None:
        counts["held_out"] = counts["paths"] if counts["paths"] > 1 else 0
    return Plan(where.name, entries, space, objectives, keys.title, keys.sets, keys.baseline, spread,
                sampler=sampler, tree=keys.tree, text=where, **counts)  # fmt: skip


_READER = Reader(_plan, TuneError)
read, from_tree = _READER.read, _READER.from_tree


def _at_least_two(given: int | None) -> None:
    if given == 1:
        raise SweepError("held_out = 1: one path has no interval; 0, or at least 2")


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _truth(key: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise SweepError(f"{key} = {shown(value)}: true or false")
    return value


def _spread(given: Any) -> float:
    try:
        found = 0.0 if given is None else span(str(given))
    except CompareError as error:
        raise SweepError(f"spread_starts: {error}") from None
    if not 0 <= found < float("inf"):
        raise SweepError(f"spread_starts = {shown(given)}: must not be negative")
    return found


def _sampler(given: Any, objectives: int) -> str:
    allowed = _SAMPLERS[:2] if objectives < 2 else _SAMPLERS[2:]
    if given not in allowed:
        raise SweepError(
            f"sampler = {shown(given)}: with {'one objective' if objectives < 2 else 'several objectives'} {' or '.join(allowed)}"
        )
    return str(given)


def _distinct(found: Sequence[str]) -> None:
    if len(set(found)) < len(found):
        raise SweepError('objectives: two have one name; name them: "NAME: METRIC"')


def _entries(tree: Mapping[str, Any], name: str, folder: Path | None) -> list[Entry]:
    tables = tree.get("path", [{}])
    if not isinstance(tables, list) or not tables or not all(isinstance(one, Mapping) for one in tables):
        raise SweepError(f"path = {shown(tables)}: has to be [[path]] tables")
    found = []
    for place, one in enumerate(tables):
        at = f"path[{place}]"
        strange = one.keys() - set(PATH_KEYS)
        if strange:
            raise SweepError(f"{at}: unknown {', '.join(sorted(strange))}; known are {', '.join(PATH_KEYS)}")
        weight = one.get("weight", 1)
        if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not 0 < weight < float("inf"):
            raise SweepError(f"{at}: weight = {shown(weight)}: a number above 0")
        draws = []
        for key, value in settings(table_of(f"{at}.draw", one.get("draw", {}))).items():
            try:
                draws.append(drawn(key, value))
            except SweepError as error:
                raise SweepError(f"{at}.draw.{key} {error}") from None
        try:
            text, file = scenario_text(one.get("scenario", tree.get("scenario")), name, folder)
        except SweepError as error:
            raise SweepError(f"{at}: {error}") from None
        label = str(
            one.get("name", Path(file).stem if "scenario" in one else "" if len(tables) == 1 else f"path {place + 1}")
        )
        found.append(Entry(label, float(weight), text, file, fixed(table_of(f"{at}.set", one.get("set", {}))), draws))
    names = [one.name for one in found]
    if twice := next((place for place, name in enumerate(names) if name in names[:place]), None):
        first = names.index(names[twice])
        own = (
            ""
            if "name" in tables[twice] and "name" in tables[first]
            else "; without `name` a path is called as its scenario's file"
        )
        raise SweepError(
            f'path[{first}] and path[{twice}] are both called {shown(names[twice])}{own}: give each a name = "..."'
        )
    return found
