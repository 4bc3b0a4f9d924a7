"""Seeds and what they draw: how many, each run's keys, starts and delays, and paths of a distribution."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..scenario.access import seconds_of
from ..scenario.draws import Draws, uniform
from .grammar import (
    TEXT,
    TIME,
    Key,
    Quantity,
    StudyError,
    bounds,
    kind,
    number,
    numeric,
    read,
    readable,
    shown,
    table_of,
    whole,
    write,
)
from .intervals import LEAST_SEEDS, interval, sample
from .keys import check, titled

MOST_SEEDS = 1_000_000
SEED_FORMS = (
    f"a whole number from 1 to {MOST_SEEDS:,}, or "
    "{ at_least = 5, at_most = 100, half_width = 0.05 }: until the 95 % interval of the first "
    'metric (or of `metric = "NAME"`) is no wider than 5 % of its mean to either side'
)
#: The keys of a rule.
RULE = {
    "at_least": Key("", whole(LEAST_SEEDS, MOST_SEEDS, "; fewer seeds have no interval"), 5),
    "at_most": Key("", whole(LEAST_SEEDS, MOST_SEEDS, "; fewer seeds have no interval"), 100),
    "half_width": Key(
        "", number("a share of the mean between 0 and 1, such as 0.05", lambda share: 0 < share < 1), needed=True
    ),
    "metric": Key("", TEXT, ""),
}
#: Those of a comparison's other rule.
DECIDE = {
    **{key: RULE[key] for key in ("at_least", "at_most")},
    "decide": Key("", kind("true, or leave it out", lambda given: given is True)),
}
#: After each look so many times the seeds there are, if the interval is still too wide.
GROWTH = 1.5
DRAW_FORMS = '"0s..1s" (uniform), { low = "1Mbps", high = "1Gbps", log = true }, or a list to choose from'


@dataclass(frozen=True)
class Seeds:
    """From ``least`` to ``most`` seeds a point: 1, 2, ..., the same for every point."""

    least: int = 1
    most: int = 1
    half_width: float = 0.0
    """Half an interval over the mean that is narrow enough; 0 where the number of seeds is fixed."""
    metric: str = ""
    """Whose interval; the first metric's if empty."""
    decide: bool = False
    """More seeds, twice as many at each look, until every verdict of a comparison is decided."""

    @property
    def looks(self) -> int:
        """Looks at an interval that share its error. Two keep its 95 %: stopping at the first narrow one covers 92 %."""
        if self.decide:
            return 1 + math.ceil(math.log2(self.most / self.least))
        return 2 if self.half_width else 1

    def grown(self, count: int) -> int:
        """How many seeds to have after ``count`` that were too few."""
        return min(self.most, 2 * count if self.decide else max(count + 1, math.ceil(GROWTH * count)))

    def told(self) -> int | dict[str, Any]:
        """The seeds as a plan gives them."""
        if self.decide:
            return {"at_least": self.least, "at_most": self.most, "decide": True}
        if not self.half_width:
            return self.least
        rule = {"at_least": self.least, "at_most": self.most, "half_width": self.half_width}
        return {**rule, "metric": self.metric} if self.metric else rule

    def more(self, values: Sequence[float]) -> int:
        """How many seeds a point wants altogether after these values: as many as there are if that is enough."""
        count = len(values)
        if not self.half_width or count >= self.most:
            return count
        found = sample(values)
        if found is None:
            return count  # a run without a value stays one, however many others there are
        half = interval(found, self.looks).half_width
        return count if half <= self.half_width * abs(found.value) else self.grown(count)


def seeds(given: Any) -> Seeds:
    """The seeds as a plan gives them.

    Raises:
        StudyError: it is neither a number nor a rule.
    """
    if isinstance(given, Mapping):
        return _rule(given)
    if isinstance(given, bool) or not isinstance(given, int) or not 1 <= given <= MOST_SEEDS:
        raise StudyError(f"seeds = {shown(given)}: give {SEED_FORMS}")
    return Seeds(given, given)


def _rule(given: Mapping[str, Any]) -> Seeds:
    rule = table_of(given, DECIDE if "decide" in given else RULE, "seeds")
    if rule["at_least"] > rule["at_most"]:
        raise StudyError(f"seeds.at_least = {rule['at_least']}: is above at_most = {rule['at_most']}")
    if "decide" in given:
        return Seeds(rule["at_least"], rule["at_most"], decide=True)
    return Seeds(rule["at_least"], rule["at_most"], rule["half_width"], rule["metric"])


@dataclass(frozen=True)
class Drawn:
    """A key that is drawn: uniform between two ends, on a linear or logarithmic scale, or one of several values."""

    key: str
    low: Quantity = Quantity(0.0)
    high: Quantity = Quantity(0.0)
    log: bool = False
    choices: Sequence[Any] = ()
    digits: int = 12
    """Significant digits of a value between the ends."""
    alias: str = ""

    @property
    def unit(self) -> str:
        """What its column counts in."""
        return "" if self.choices else self.low.kind

    @property
    def title(self) -> str:
        """Its column's name, with the unit."""
        return titled(self.alias or self.key, self.unit)

    def value(self, share: float) -> Any:
        """The value at a share, from 0 to 1, of what can be drawn."""
        if self.choices:
            return self.choices[min(int(share * len(self.choices)), len(self.choices) - 1)]
        low, high = self.low.number, self.high.number
        number = low * (high / low) ** share if self.log else low + share * (high - low)
        whole = self.low.whole and self.high.whole and not self.low.unit
        return write(math.floor(number + 0.5) if whole else float(f"{number:.{self.digits}g}"), self.low.unit, whole)

    def of_seed(self, seed: int) -> Any:
        """The value of a seed, from the stream of this key: the same at every point of a sweep."""
        return self.value(uniform(seed, f"sweep {self.key}"))

    @property
    def extremes(self) -> Sequence[Any]:
        """Values that have to be legal if all are to be."""
        return self.choices or [self.value(0.0), self.value(1.0)]


def drawn(key: str, given: Any, digits: int = 12) -> Drawn:
    """A draw as a plan gives it.

    Raises:
        StudyError: what is given is not a draw.
    """
    check(key)
    if isinstance(given, list) and given:
        return Drawn(key, choices=tuple(given))
    if isinstance(given, str) and given.count("..") == 1:
        given = dict(zip(("low", "high"), map(str.strip, given.split("..")), strict=True))
    if not isinstance(given, Mapping) or "step" in given:
        raise StudyError(f"= {shown(given)} can not be drawn from; give {DRAW_FORMS}")
    low, high, log, _ = bounds(given)
    return Drawn(key, low, high, log, digits=digits)


def as_number(value: Any) -> Any:
    """A drawn value as a table has it: a number in its base unit where it is one, else text."""
    found = numeric(value)
    return str(value) if found is None else found


def seeded(tree: Mapping[str, Any], seed: int, spread_starts_s: float, spread_delays: float = 0.0) -> str:
    """A complete scenario with a seed, as a line of JSON. A draw of up to ``spread_starts_s`` delays each flow's start. A draw of up to
    the share ``spread_delays`` lengthens each link's delay."""
    flows, tree = tree.get("flow", []), _with_longer_links(tree, seed, spread_delays) if spread_delays else tree
    if spread_starts_s:
        drawn = Draws(seed, "starts")
        flows = [
            {**flow, "start": f"{seconds_of(flow['start']) + drawn.uniform(0.0, spread_starts_s):.9f}s"}
            for table in flows
            for flow in _members(table)
        ]
    return json.dumps({**tree, "flow": flows, "seed": seed, "record": {}}, separators=(",", ":"))


def _with_longer_links(tree: Mapping[str, Any], seed: int, most: float) -> dict[str, Any]:
    """The scenario with longer links. Both directions of a link have the same draw, whose stream is named by the link's ends."""
    links = []
    for link in tree.get("link", []):
        factor = Draws(seed, f"delay {'>'.join(link['between'])}").uniform(1.0, 1.0 + most)
        made = {**link, **({"back": {**link["back"]}} if "back" in link else {})}
        for way in (made, made.get("back", {})):
            if "delay" in way:
                way["delay"] = f"{seconds_of(way['delay']) * factor:.12f}s"
        links.append(made)
    return {**tree, "link": links}


def _members(table: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The flows for which a table stands, each as a table of its own."""
    count, start, stagger = table["count"], seconds_of(table["start"]), seconds_of(table["stagger"])
    if count == 1:
        yield table
        return
    for k in range(count):
        yield {**table, "name": f"{table['name']}{k}", "start": f"{start + k * stagger:.9f}s", "count": 1}


@dataclass(frozen=True)
class Nudge:
    """Flows begin up to ``later_s`` later, links are up to ``longer`` (a share) longer."""

    later_s: float = 0.01
    longer: float = 0.01

    def of(self, tree: Mapping[str, Any], seed: int) -> dict[str, Any]:
        """The scenario with this seed's random starts and delays. Each link and flow has a draw by its name, so two scenarios share them."""
        links, flows = [], []
        for one in tree.get("link", []):
            ends = ">".join(one["between"])
            made = _longer(one, 1 + self.longer * uniform(seed, f"delay {ends}"))
            if "back" in one:
                made["back"] = _longer(one["back"], 1 + self.longer * uniform(seed, f"delay {ends}", 1))
            links.append(made)
        for place, one in enumerate(tree.get("flow", [])):
            late = self.later_s * uniform(seed, f"start {one.get('name', place)}")
            flows.append({**one, "start": f"{_number(one.get('start', '0s'), 's') + late:.9f}s"})
        return {**tree, "link": links, "flow": flows}


def _longer(way: Mapping[str, Any], times: float) -> dict[str, Any]:
    if "delay" not in way:
        return dict(way)
    return {**way, "delay": f"{_number(way['delay'], 'ms') * times:.9f}ms"}


def _number(text: str, unit: str) -> float:
    """A time in a unit; one that is written in it is not converted."""
    found = read(text)
    assert found is not None
    return found.number if found.unit == unit else found.base * {"s": 1.0, "ms": 1000.0}[unit]


#: The keys of a nudge.
NUDGE = {
    "later": Key("", TIME, 0.01),
    "longer": Key("", number("a share from 0 to 1", lambda share: 0 <= share <= 1), 0.01),
}


def nudging(given: Any) -> Nudge:
    """The nudge of a plan.

    Raises:
        StudyError: what is given is not a nudge.
    """
    nudge = table_of(given, NUDGE, "nudge")
    return Nudge(nudge["later"], nudge["longer"])


def nudged(scenario: str, nudge: Nudge, seed: int) -> str:
    """A line of JSON nudged, as another."""
    return json.dumps(nudge.of(json.loads(scenario), seed), separators=(",", ":"))


#: The conjugate golden ratio: its multiples' fractions fill the unit interval evenly, any first part of them too.
_GOLDEN = (math.sqrt(5) - 1) / 2
#: Seeds of the fresh paths begin here, those of the search at 1.
HELD_OUT = 1_000_000_000


@dataclass(frozen=True)
class Entry:
    """A path of the list: how often it is drawn, and what it sets and draws."""

    name: str
    weight: float
    scenario: str | bytes
    file: str
    sets: Mapping[str, Any] = field(default_factory=dict)
    draws: Sequence[Drawn] = ()


@dataclass(frozen=True)
class Draw:
    """A drawn path: its place, its entry, what it drew, its seeds."""

    number: int
    entry: int
    name: str
    drew: Mapping[str, Any]
    seeds: Sequence[int]

    @property
    def told(self) -> str:
        """The path in a sentence."""
        drew = ", ".join(f"{key} = {readable(value)}" for key, value in self.drew.items())
        seeds = f"seed {self.seeds[0]}" if len(self.seeds) == 1 else f"seeds {self.seeds[0]} to {self.seeds[-1]}"
        return f"{self.name or 'path'} {self.number} ({', '.join(filter(None, [drew, seeds]))})"


def draw(entries: Sequence[Entry], count: int, seeds: int, seed: int, fresh: bool = False) -> list[Draw]:
    """So many paths, by the plan's seed; ``fresh`` ones share no draw with the others.

    Entries come in the shares of their weights, evenly over every first part of the list.
    """
    kind = "fresh path" if fresh else "path"
    first = Draws(seed, f"tune {kind}s").uniform()
    total = math.fsum(entry.weight for entry in entries)
    found = []
    for place in range(count):
        share, number = (first + place * _GOLDEN) % 1.0 * total, 0
        while number < len(entries) - 1 and share >= entries[number].weight:
            share -= entries[number].weight
            number += 1
        entry = entries[number]
        drew = {one.key: one.value(Draws(seed, f"tune {kind} {place} {one.key}").uniform()) for one in entry.draws}
        begin = (HELD_OUT if fresh else 1) + place * seeds
        found.append(Draw(place + 1, number, entry.name, drew, range(begin, begin + seeds)))
    return found
