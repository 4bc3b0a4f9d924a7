"""Plan of a comparison: a scenario, its alternatives, the situations in which they run, and the metrics."""

from __future__ import annotations

import contextlib
import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

from ... import _core
from ...figures.stats import LEAST_SEEDS
from ...scenario.code import refused
from ...scenario.draws import Draws
from ...scenario.given import assignments
from ...text.counts import counted
from ...text.escapes import not_known
from ...text.input import read_file
from ...text.keys import twice
from ...text.plans import PlanText
from ...text.toml import loads
from ..sweep.seeds import Seeds
from .difference import MARGIN
from .errors import CompareError
from .metrics import Metric, metric

#: Most seeds, and most runs, all of whose numbers are in memory.
MOST_SEEDS, MOST_RUNS = 1_000_000, 2_000_000


@dataclass(frozen=True)
class Case:
    """An alternative, or a situation: a name, and the keys it sets."""

    name: str
    sets: Sequence[str] = ()
    """``KEY=VALUE`` texts, values in TOML."""
    about: str = ""
    """What it is, in words."""
    settable: bool | None = None
    """Whether a real box can be set to it; None where only the commands tell."""


def case(text: str) -> Case:
    """A case as it is written: ``NAME``, ``NAME: KEY=VALUE; KEY=VALUE``, or only ``KEY=VALUE``.

    >>> case("static: link.0.back.queue.packets=10; seed=2")
    Case(name='static', sets=('link.0.back.queue.packets=10', 'seed=2'), about='', settable=None)
    >>> case("link.0.rate=2Mbps").name
    'link.0.rate=2Mbps'

    Raises:
        CompareError: the text is not a case.
    """
    name, colon, rest = text.partition(":")
    if "=" in name:
        name, rest = text.strip(), text
    elif not colon:
        return Case(_named(text))
    sets = tuple(piece.strip() for piece in pieces(rest) if piece.strip())
    for piece in sets:
        if "=" not in piece:
            raise CompareError(
                f"case {name.strip()!r}: `{piece}` sets nothing; write KEY=VALUE, several separated by ;"
            )
    if told := twice(sets):
        raise CompareError(f"case {name.strip()!r}: {told}")
    return Case(_named(name), sets)


def _named(name: str) -> str:
    if not name.strip():
        raise CompareError("a case needs a name: NAME, or NAME: KEY=VALUE")
    return name.strip()


def pieces(text: str, between: str = ";") -> Iterator[str]:
    """Cut at semicolons, or another sign, that stand in no quotes or brackets."""
    start, depth, quote = 0, 0, ""
    for place, sign in enumerate(text):
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "\"'":
            quote = sign
        elif sign in "[{":
            depth += 1
        elif sign in "]}":
            depth -= 1
        elif sign == between and depth == 0:
            yield text[start:place]
            start = place + 1
    yield text[start:]


@dataclass
class Comparison:
    """Everything that is run and measured."""

    scenario: str | bytes
    """The scenario's text."""
    file: str
    """Its name in messages."""
    cases: Sequence[Case]
    situations: Sequence[Case] = (Case(""),)
    metrics: Sequence[Metric] = field(default_factory=lambda: [metric("goodput")])
    """The first one ranks."""
    seeds: int = 10
    """How many, or with ``half_width`` at most how many."""
    at_least: int = 5
    half_width: float = 0.0
    """More seeds until half the interval of every difference from the first is at most this share of the first's mean."""
    margin: float = MARGIN
    """Share of the mean up to which a difference does not matter: cases are equivalent within it."""
    objective_names: Sequence[str] = ()
    """Names of metrics by which cases are judged, the most important first; the first metric if left out."""
    spread_starts_s: float = 0.0
    """Each seed starts each flow up to so many seconds later, all cases alike."""
    spread_delays: float = 0.0
    """Each seed makes each link longer by up to this share of its delay, all cases alike."""
    sets: Sequence[str] = ()
    """Keys set in every case."""
    engine: str = "simulator"
    """The engine of the runs: ``simulator``, or ``kernel`` in virtual time."""

    def check(self) -> None:
        """Refuses what can not be compared.

        Raises:
            CompareError: it can not.
        """
        if len(self.cases) < 2:
            raise CompareError(
                f"a comparison needs at least two cases; there {_are(len(self.cases))}: "
                "--case 'NAME: KEY=VALUE' for each, or --cases FILE"
            )
        for what, cases in (("case", self.cases), ("situation", self.situations)):
            names = [one.name for one in cases]
            twice = next((name for name in names if names.count(name) > 1), None)
            if twice is not None:
                raise CompareError(f"two {what}s are called {twice!r}")
            for one, other in combinations(cases, 2):
                if sorted(one.sets) == sorted(other.sets):
                    does = (
                        "set the same keys; give one of them others"
                        if one.sets
                        else "set nothing; give one of them keys"
                    )
                    raise CompareError(f"{what}s {one.name!r} and {other.name!r} {does}: 'NAME: KEY=VALUE'")
        names = [one.name for one in self.metrics]
        if not names:
            raise CompareError("nothing to measure: give at least one metric")
        if len(set(names)) < len(names):
            raise CompareError("two metrics have one name; name them: `NAME: QUANTITY@WHERE`")
        if not self.situations:
            raise CompareError("situation = []: give at least one, or leave the key out")
        if not 2 <= self.seeds <= MOST_SEEDS:
            raise CompareError(
                f"seeds = {self.seeds}: at least 2, for one seed has no interval, and at most {MOST_SEEDS:,}"
            )
        runs = self.seeds * len(self.cases) * len(self.situations)
        if runs > MOST_RUNS:
            raise CompareError(f"{counted(runs, 'run')}; at most {MOST_RUNS:,}")
        for what, given in (
            ("half_width", self.half_width),
            ("margin", self.margin),
            ("spread_delays", self.spread_delays),
        ):
            if not 0 <= given < 1:
                raise CompareError(f"{what} = {given:g}: a share of the mean between 0 and 1, such as 0.05")
        if self.half_width and not LEAST_SEEDS <= self.at_least <= self.seeds:
            raise CompareError(
                f"at_least = {self.at_least}: from {LEAST_SEEDS} to seeds = {self.seeds}; fewer have no interval"
            )
        for name in self.objective_names:
            if name not in names:
                raise CompareError(f"for: {not_known('metric', name, names)}")
        if len(set(self.objective_names)) < len(self.objective_names):
            raise CompareError(f"for = {', '.join(self.objective_names)}: each metric once")
        for objective in self.objectives:
            if not objective.ranks:
                raise CompareError(
                    f"metric {objective.name}: neither more nor less of it is better, so it ranks nothing; name another metric first, "
                    "or objectives with --for"
                )
        if self.spread_starts_s < 0:
            raise CompareError("spread_starts must not be negative")

    @property
    def objectives(self) -> list[Metric]:
        """The metrics that judge the cases, the most important first."""
        return [next(one for one in self.metrics if one.name == name) for name in self.objective_names] or [
            self.metrics[0]
        ]

    @property
    def rule(self) -> Seeds:
        """From how many seeds to how many."""
        return Seeds(self.at_least, self.seeds, self.half_width) if self.half_width else Seeds(self.seeds, self.seeds)

    def trees(self) -> dict[tuple[str, str], dict[str, Any]]:
        """Each case in each situation as a complete scenario; so every mistake is found before anything runs.

        Raises:
            CompareError: a case is no scenario; the message says which.
        """
        found = {}
        for situation in self.situations:
            for one in self.cases:
                sets = [*self.sets, *situation.sets, *one.sets]
                try:
                    text = _core.expanded(self.scenario, file=self.file, sets=sets)
                except _core.ScenarioError as error:
                    raise CompareError(f"{_told(one, situation)}: {error}") from None
                found[situation.name, one.name] = loads(text)
                if told := refused(found[situation.name, one.name]):
                    raise CompareError(f"{_told(one, situation)}: {told}")
        return found

    def without_effect(self) -> list[str]:
        """Of the keys that are set for all cases, those that change none: each case sets what they would, or the scenario has their value."""

        def made(sets: Sequence[str]) -> list[str]:
            own = [[*sets, *situation.sets, *one.sets] for situation in self.situations for one in self.cases]
            return [_core.expanded(self.scenario, file=self.file, sets=each) for each in own]

        found, all_set = [], made(self.sets)
        for place, one in enumerate(self.sets):
            with contextlib.suppress(_core.ScenarioError):  # another key needs it
                if made([*self.sets[:place], *self.sets[place + 1 :]]) == all_set:
                    found.append(one)
        return found

    def seeded(self, tree: Mapping[str, Any], seed: int) -> str:
        """One run, as a line of JSON."""
        return seeded(tree, seed, self.spread_starts_s, self.spread_delays)


def _told(one: Case, situation: Case) -> str:
    return f"case {one.name!r}" + (f", situation {situation.name!r}" if situation.name else "")


def seeded(tree: Mapping[str, Any], seed: int, spread_starts_s: float, spread_delays: float = 0.0) -> str:
    """A complete scenario with a seed, as a line of JSON. A draw of up to ``spread_starts_s`` delays each flow's start. A draw of up to
    the share ``spread_delays`` lengthens each link's delay."""
    flows, tree = tree.get("flow", []), _longer(tree, seed, spread_delays) if spread_delays else tree
    if spread_starts_s:
        drawn = Draws(seed, "starts")
        flows = [
            {**flow, "start": f"{_seconds(flow['start']) + drawn.uniform(0.0, spread_starts_s):.9f}s"}
            for table in flows
            for flow in _members(table)
        ]
    return json.dumps({**tree, "flow": flows, "seed": seed, "record": {}}, separators=(",", ":"))


def _longer(tree: Mapping[str, Any], seed: int, most: float) -> dict[str, Any]:
    """The scenario with longer links. Both directions of a link have the same draw, whose stream is named by the link's ends."""
    links = []
    for link in tree.get("link", []):
        factor = Draws(seed, f"delay {'>'.join(link['between'])}").uniform(1.0, 1.0 + most)
        made = {**link, **({"back": {**link["back"]}} if "back" in link else {})}
        for way in (made, made.get("back", {})):
            if "delay" in way:
                way["delay"] = f"{_seconds(way['delay']) * factor:.12f}s"
        links.append(made)
    return {**tree, "link": links}


def _members(table: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The flows for which a table stands, each as a table of its own."""
    count, start, stagger = table["count"], _seconds(table["start"]), _seconds(table["stagger"])
    if count == 1:
        yield table
        return
    for k in range(count):
        yield {**table, "name": f"{table['name']}{k}", "start": f"{start + k * stagger:.9f}s", "count": 1}


def _are(count: int) -> str:
    return "is none" if count == 0 else f"is {count}" if count == 1 else f"are {count}"


def _seconds(text: str) -> float:
    """An expanded scenario writes every time in seconds."""
    return float(text.removesuffix("s"))


_KEYS = (
    "$schema",
    "case",
    "situation",
    "metrics",
    "for",
    "seeds",
    "margin",
    "spread_starts",
    "spread_delays",
    "scenario",
    "title",
)


def from_file(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What a comparison file says, as keyword arguments of :class:`Comparison`; ``scenario`` is a path beside it.

    Raises:
        CompareError: it is no comparison file.
        OSError: it cannot be read.
    """
    where, tree = PlanText.read(read_file(path), os.fspath(path), CompareError)
    where.unknown(tree.keys(), _KEYS)
    found: dict[str, Any] = {}
    for key, plural in (("case", "cases"), ("situation", "situations")):
        if key in tree:
            tables = where.check(key, lambda key=key: _list(key, tree[key], dict)) or []
            found[plural] = [
                where.check(f"{key}[{number}]", lambda key=key, entry=entry: _table(key, entry))
                for number, entry in enumerate(tables)
            ]
    if "metrics" in tree:
        texts = where.check("metrics", lambda: _list("metrics", tree["metrics"], str)) or []
        found["metrics"] = [where.check("metrics", lambda text=text: metric(text)) for text in texts]
    if "for" in tree:
        found["objective_names"] = where.check("for", lambda: _list("for", tree["for"], str))
    if "seeds" in tree:
        found.update(where.check("seeds", lambda: rule(tree["seeds"])) or {})
    if "margin" in tree:
        found["margin"] = where.check("margin", lambda: share(str(tree["margin"])))
    if "spread_delays" in tree:
        found["spread_delays"] = where.check("spread_delays", lambda: share(str(tree["spread_delays"])))
    if "spread_starts" in tree:
        found["spread_starts_s"] = where.check("spread_starts", lambda: span(str(tree["spread_starts"])))
    if "scenario" in tree:
        found["scenario"] = Path(path).parent / str(tree["scenario"])
    where.settle()
    return found


def rule(given: Any) -> dict[str, Any]:
    """Seeds as a file or the command line gives them, as keyword arguments of :class:`Comparison`.

    Raises:
        CompareError: they are neither a number nor a rule.
    """
    if isinstance(given, int) and not isinstance(given, bool):
        return {"seeds": given}
    if (
        not isinstance(given, Mapping)
        or not given.keys() <= {"at_least", "at_most", "half_width"}
        or "half_width" not in given
    ):
        raise CompareError(
            f"seeds = {given!r}: a whole number, at least 2, or {{ at_least = 5, at_most = 100, half_width = 0.05 }}"
        )
    found = {
        "at_least": given.get("at_least", 5),
        "seeds": given.get("at_most", 100),
        "half_width": given["half_width"],
    }
    for key, value in found.items():
        if isinstance(value, bool) or not isinstance(value, (int, float) if key == "half_width" else int):
            raise CompareError(
                f"seeds = {dict(given)!r}: {value!r} is no {'share' if key == 'half_width' else 'whole number'}"
            )
    return found


def share(text: str) -> float:
    """A share of one, ``5%`` or ``0.05``.

    Raises:
        CompareError: the text is not a share.
    """
    try:
        value = float(text.strip().removesuffix("%")) / (100 if text.strip().endswith("%") else 1)
    except ValueError:
        value = math.nan
    if not 0 <= value < 1:
        raise CompareError(f'`{text}` is no share, from 0 to less than 1; write one as "5%" or "0.05"')
    return value


def _list(key: str, value: Any, kind: type) -> list[Any]:
    if not isinstance(value, list) or not all(isinstance(entry, kind) for entry in value):
        what = f"[[{key}]] tables" if kind is dict else "a list of texts"
        raise CompareError(f"{key} has to be {what}")
    return value


def _table(key: str, entry: Mapping[str, Any]) -> Case:
    known = ["name", "about", "set", *(["settable"] if key == "case" else [])]
    if strange := entry.keys() - set(known):
        raise CompareError(f"{key}: {not_known('key', min(strange), known)}")
    settable = entry.get("settable")
    if not isinstance(settable, bool | None):
        raise CompareError(f"{key}: settable = {settable!r}: has to be true or false")
    sets = entry.get("set", {})
    if not isinstance(sets, Mapping):
        raise CompareError(f'{key}: set has to be a table, such as set = {{ "link.0.rate" = "2Mbps" }}')
    return Case(_named(str(entry.get("name", ""))), tuple(assignments(sets)), str(entry.get("about", "")), settable)


def span(text: str) -> float:
    """A time with its unit, in seconds.

    Raises:
        CompareError: the text is not a time.
    """
    for unit, factor in (("ms", 1e-3), ("us", 1e-6), ("s", 1.0)):
        if text.endswith(unit):
            try:
                return float(text.removesuffix(unit)) * factor
            except ValueError:
                break
    raise CompareError(f'`{text}` is no time; write one as "500ms" or "2s"')
