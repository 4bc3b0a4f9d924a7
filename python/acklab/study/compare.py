"""Comparisons: a scenario, several values for any of its keys, several seeds; a ranking with intervals.

Its public name is ``acklab.compare``, which can also be called.

>>> import acklab
>>> told = acklab.compare(
...     "examples/allman1998.toml", {"Reno": {}, "SACK": {"flow.f.sender.recovery": "sack"}}, metrics=["completion"], seeds=2,
... )
>>> [(ranked.case, round(ranked.samples["completion"].value, 3)) for ranked in told.rankings[0].rows]
[('Reno', 1.851), ('SACK', 1.851)]
"""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, count, islice
from pathlib import Path
from typing import Any, cast

from .. import _core
from ..engines.journal import Workers, beginning, identity
from ..results.findings import (
    ONE_RUN,
    TOO_FEW,
    UNDECIDED,
    Finding,
)
from ..results.result import Page
from ..runs import Run
from ..scenario import _toml
from ..scenario.given import arguments, assignments, pairs, refused, source
from ..text.callable import can_be_called
from ..text.input import PlanText, loads, read_file
from ..text.keys import changed
from ..text.numbers import counted
from ..text.terminal import not_known
from . import statistics
from .answers import Answer
from .grammar import (
    FLAG,
    SHARE,
    TABLES,
    TEXT,
    TEXTS,
    TIME,
    CompareError,
    Key,
    StudyError,
    argument,
    fields,
    kind,
    refuse,
    share,
    span,
)
from .intervals import LEAST_SEEDS, Sample, sample
from .metrics import QUANTITIES, Metric, measures, metric
from .reading import OF_SCENARIOS, Case, _named, case
from .router import Setting, router_settings
from .runs import Meter, RunCache, carry_out, unwatched
from .seeds import MOST_SEEDS, Seeds, seeded, seeds
from .statistics import MARGIN, Difference, Ranked, Ranking, rank

__all__ = [
    "QUANTITIES",
    "Case",
    "CompareError",
    "Compared",
    "Comparison",
    "Metric",
    "Ranked",
    "Ranking",
    "case",
    "compare",
    "from_file",
    "metric",
]

#: Most runs, all of whose numbers are in memory.
MOST_RUNS = 2_000_000


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
    seeds: Any = 10
    """How many; or a rule, ``{"half_width": 0.05}``: more until half the interval of every difference from the first is at most this share
    of the first's mean; or ``{"decide": True}``: more until no verdict is undecided. ``at_least`` and ``at_most`` bound both."""
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
            StudyError: it can not.
        """
        refuse(
            (
                len(self.cases) < 2,
                f"a comparison needs at least two cases; there {_are(len(self.cases))}: "
                "--case 'NAME: KEY=VALUE' for each, or --cases FILE",
            ),
            (not self.metrics, "nothing to measure: give at least one metric"),
            (not self.situations, "situation = []: give at least one, or leave the key out"),
        )
        for what, cases in (("case", self.cases), ("situation", self.situations)):
            for one, other in combinations(cases, 2):
                does = (
                    "set the same keys; give one of them others" if one.sets else "set nothing; give one of them keys"
                )
                refuse(
                    (one.name == other.name, f"two {what}s are called {one.name!r}"),
                    (
                        sorted(one.sets) == sorted(other.sets),
                        f"{what}s {one.name!r} and {other.name!r} {does}: 'NAME: KEY=VALUE'",
                    ),
                )
        names, most = [one.name for one in self.metrics], self.rule.most
        runs = most * len(self.cases) * len(self.situations)
        strange = next((name for name in self.objective_names if name not in names), "")
        refuse(
            (len(set(names)) < len(names), "two metrics have one name; name them: `NAME: QUANTITY@WHERE`"),
            (most < 2, f"seeds = {most}: at least 2, for one seed has no interval, and at most {MOST_SEEDS:,}"),
            (runs > MOST_RUNS, f"{counted(runs, 'run')}; at most {MOST_RUNS:,}"),
            (strange, f"for: {not_known('metric', strange, names)}"),
            (
                len(set(self.objective_names)) < len(self.objective_names),
                f"for = {', '.join(self.objective_names)}: each metric once",
            ),
            (self.spread_starts_s < 0, "spread_starts must not be negative"),
            *(
                (not 0 <= given < 1, f"{what} = {given:g}: a share of the mean between 0 and 1, such as 0.05")
                for what, given in (("margin", self.margin), ("spread_delays", self.spread_delays))
            ),
        )
        refuse(
            *(
                (
                    not objective.ranks,
                    f"metric {objective.name}: neither more nor less of it is better, so it ranks nothing; name another metric "
                    "first, or objectives with --for",
                )
                for objective in self.objectives
            )
        )

    @property
    def objectives(self) -> list[Metric]:
        """The metrics that judge the cases, the most important first."""
        return [next(one for one in self.metrics if one.name == name) for name in self.objective_names] or [
            self.metrics[0]
        ]

    @property
    def rule(self) -> Seeds:
        """From how many seeds to how many."""
        return self.seeds if isinstance(self.seeds, Seeds) else seeds(self.seeds)

    def trees(self) -> dict[tuple[str, str], dict[str, Any]]:
        """Each case in each situation as a complete scenario; so every mistake is found before anything runs.

        Raises:
            StudyError: a case is no scenario; the message says which.
        """
        found = {}
        for situation in self.situations:
            for one in self.cases:
                sets = [*self.sets, *situation.sets, *one.sets]
                try:
                    text = _core.expanded(self.scenario, file=self.file, sets=sets)
                except _core.ScenarioError as error:
                    raise StudyError(f"{_told(one, situation)}: {error}") from None
                found[situation.name, one.name] = loads(text)
                if told := refused(found[situation.name, one.name]):
                    raise StudyError(f"{_told(one, situation)}: {told}")
        return found

    def without_effect(self) -> dict[str, list[str]]:
        """Keys that are set for all cases, and the cases that each does not change: they set what it would, or have its value."""

        def made(sets: Sequence[str]) -> list[list[str]]:
            own = [[[*sets, *where.sets, *one.sets] for where in self.situations] for one in self.cases]
            return [[_core.expanded(self.scenario, file=self.file, sets=each) for each in several] for several in own]

        found, all_set = {}, made(self.sets)
        for place, text in enumerate(self.sets):
            with contextlib.suppress(_core.ScenarioError):  # another key needs it
                rest = made([*self.sets[:place], *self.sets[place + 1 :]])
                found[text] = [
                    one.name
                    for one, with_it, without in zip(self.cases, all_set, rest, strict=True)
                    if with_it == without
                ]
        return {text: names for text, names in found.items() if names}

    def seeded(self, tree: Mapping[str, Any], seed: int) -> str:
        """One run, as a line of JSON."""
        return seeded(tree, seed, self.spread_starts_s, self.spread_delays)


def _told(one: Case, situation: Case) -> str:
    return f"case {one.name!r}" + (f", situation {situation.name!r}" if situation.name else "")


def _are(count: int) -> str:
    return "is none" if count == 0 else f"is {count}" if count == 1 else f"are {count}"


CASE = {
    "name": Key("", lambda given: _named(str(given)), needed=True),
    "about": Key("", TEXT, ""),
    "settable": Key("", FLAG),
    "set": Key(
        "",
        kind(
            'has to be a table, such as set = { "link.0.rate" = "2Mbps" }',
            lambda given: isinstance(given, Mapping),
            assignments,
        ),
        (),
    ),
}
#: A comparison file's keys, and what each is for.
KEYS = {
    "$schema": Key("where an editor finds this schema; not read"),
    "title": Key("for people; not read"),
    "scenario": Key("a scenario file, beside this one"),
    "case": Key(
        "[[case]] tables: name, about, set, settable; the first is what the others are measured against", TABLES, ()
    ),
    "situation": Key("[[situation]] tables, in which every case is tried: name, about, set", TABLES, ()),
    "metrics": Key("what is measured; the first one ranks", measures),
    "for": Key("names of the metrics by which cases are judged", TEXTS),
    "seeds": Key("how many seeds a case, or until when; 10 if left out", seeds),
    "margin": Key("the share of the mean below which a difference does not matter", SHARE),
    "spread_starts": Key("each seed starts each flow up to so much later, all cases alike", TIME),
    "spread_delays": Key("each seed lengthens each link by up to this share, all cases alike", SHARE),
}
#: What :class:`Comparison` calls them.
_CALLED = {"case": "cases", "situation": "situations", "for": "objective_names", "spread_starts": "spread_starts_s"}


def from_file(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What a comparison file says, as keyword arguments of :class:`Comparison`; ``scenario`` is a path beside it.

    Raises:
        StudyError: it is no comparison file.
        OSError: it cannot be read.
    """
    where, tree = PlanText.read(read_file(path), os.fspath(path), StudyError)
    found = fields(where, tree, KEYS)
    for part in ("case", "situation"):
        known = {key: one for key, one in CASE.items() if part == "case" or key != "settable"}
        rows = [fields(where, table, known, f"{part}[{place}].") for place, table in enumerate(found[part] or ())]
        found[part] = [Case(row["name"], tuple(row["set"] or ()), row["about"], row.get("settable")) for row in rows]
    where.settle()
    if "scenario" in tree:
        found["scenario"] = Path(path).parent / str(tree["scenario"])
    return {_CALLED.get(key, key): found[key] for key in KEYS if key in tree and key not in ("$schema", "title")}


RunKey = tuple[str, str, int]
"""Situation, case, seed."""


@dataclass(frozen=True, repr=False)
class Compared(Answer):
    """Results of a comparison."""

    verb = "compare"

    comparison: Comparison
    title: str
    rankings: Sequence[Ranking]
    values: Mapping[RunKey, Sequence[float]]
    """Every metric's value in each run."""
    seeds: int
    """Seeds of each case."""
    configure: Sequence[Setting] = ()
    """How a router gets the queues of each case, a row for each direction of a link whose queue differs from the first's."""

    @cached_property
    def findings(self) -> list[Finding]:
        """Each metric of each case beside the first: by situation, in each by case, in each the objectives first."""
        cases = self.comparison.cases
        return [
            self._finding(ranking, metric, (case.name, cases[0].name))
            for ranking in self.rankings
            for case in cases[1:]
            for metric in self.columns
        ]

    def _finding(self, ranking: Ranking, metric: Metric, cases: tuple[str, str]) -> Finding:
        here, there = (ranking.row(name).samples[metric.name] for name in cases)
        done, base_done = (self.finished(ranking.situation, name, metric) for name in cases)
        shown = ranking.between(metric, *cases)
        found = statistics.finding(
            metric, ranking.situation, cases, (here, there), shown, (done, base_done), self.seeds
        )
        if shown is None or (ranking.random and self.seeds >= LEAST_SEEDS):
            return found
        return replace(found, verdict=TOO_FEW if ranking.random else ONE_RUN)

    @property
    def columns(self) -> list[Metric]:
        """The metrics, the objectives first."""
        objectives = self.comparison.objectives
        return [*objectives, *(metric for metric in self.comparison.metrics if metric not in objectives)]

    def finished(self, situation: str, case: str, metric: Metric) -> int:
        """Runs of a case that gave a metric a value."""
        place = list(self.comparison.metrics).index(metric)
        return sum(not math.isnan(self.values[situation, case, seed][place]) for seed in range(1, self.seeds + 1))

    @property
    def lossless(self) -> list[str]:
        """Cases in which no metric that has a direction is worse or undecided, in any situation; none without verdicts."""
        if not self.random or self.seeds < LEAST_SEEDS:
            return []
        ranking = {metric.name for metric in self.comparison.metrics if metric.ranks}
        losing = {finding.case for finding in self.findings if finding.loses and finding.metric in ranking}
        return [case.name for case in self.comparison.cases[1:] if case.name not in losing]

    def frames(self) -> dict[str, Any]:
        """The tables as polars frames."""
        return cast("dict[str, Any]", self._page().frames(self))

    def write_files(self, folder: Path) -> None:
        """Writes the files into a directory."""
        self._page().write(self, folder)

    def _repr_html_(self) -> str:
        from ..report.pieces import embedded

        return Page(self.report(picture=embedded(self._page().chart(self))).page())._repr_html_()

    def __repr__(self) -> str:
        cases = ", ".join(case.name for case in self.comparison.cases)
        return f"<Compared {self.title!r}: {cases}; {counted(self.seeds, 'seed')}; print() shows the tables>"

    @property
    def random(self) -> bool:
        """Two seeds gave different numbers."""
        return any(ranking.random for ranking in self.rankings)


#: The files of a comparison.
NAMES = (
    *("cases.toml", "comparison.pdf", "comparison.png", "comparison.svg", "comparison.html", "comparison.json"),
    *("runs.parquet", "ranking.parquet", "findings.parquet"),
)
#: Runs that are made together: so many scenarios are in memory.
TOGETHER = 4096


def compare(
    comparison: Comparison,
    *,
    out: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    workers: Workers | None = None,
    fresh: bool = False,
    meter: Callable[[int], Meter] = unwatched,
) -> Compared:
    """Runs every case in every situation with every seed, and ranks.

    A run is known by its scenario. So other metrics, another base, other situations or another order of objectives are read from the
    runs that ``out`` has of the same scenario.

    Args:
        comparison: what to run.
        out: directory for tables, a chart and a page; runs that are there are not made again.
        threads: how many runs at once; one a processor if left out.
        workers: the workers of the runs; threads of this process if left out.
        fresh: discard the runs that are there.
        meter: shows the progress.

    Raises:
        StudyError: it can not be compared, or ``out`` holds other work; nothing was run.
        RunError: a run failed.
        OSError: something cannot be written.
    """
    comparison.check()
    trees = comparison.trees()
    start = beginning(comparison.seeded(next(iter(trees.values())), 1), comparison.engine)
    for one in comparison.metrics if "flows" in start else ():
        one.check(start)
    text = comparison.scenario if isinstance(comparison.scenario, str) else comparison.scenario.decode(errors="replace")
    title = changed(start["title"] or comparison.file, comparison.sets)
    return carry_out(
        "compare", NAMES, identity(text, "compare", comparison.engine), len(trees) * comparison.rule.most,
        lambda runs: _ranked(comparison, title, trees, runs), Compared.write_files, lambda result: {"seeds": result.seeds},
        out=out, threads=threads, workers=workers, fresh=fresh, meter=meter, engine=comparison.engine,
    )  # fmt: skip


def _ranked(comparison: Comparison, title: str, trees: Mapping[tuple[str, str], Any], runs: RunCache) -> Compared:
    values: dict[RunKey, list[float]] = {}
    results: dict[str, dict[str, set[int]]] = {s.name: {} for s in comparison.situations}
    rule, settings = comparison.rule, router_settings(trees)
    before, count = 0, rule.least
    while True:
        keys = ((*pair, seed) for pair in trees for seed in range(before + 1, count + 1))
        while some := list(islice(keys, TOGETHER)):
            lines = [comparison.seeded(trees[key[:2]], key[2]) for key in some]
            numbers = runs.numbers(lines, lambda place, some=some: "case {1!r}, seed {2}".format(*some[place]))  # type: ignore[misc]
            for key, number in zip(some, numbers, strict=True):
                summary = runs.summary(number)
                for one in () if values else comparison.metrics:
                    one.check(summary)
                values[key] = [one.read(summary) for one in comparison.metrics]
                results[key[0]].setdefault(key[1], set()).add(hash(str([summary["flows"], summary["links"]])))
        random = {name: any(len(seen) > 1 for seen in cases.values()) for name, cases in results.items()}
        rankings = [_ranking(comparison, name, values, count, random[name]) for name in random]
        told = {(*pair, seed): values[(*pair, seed)] for pair in trees for seed in range(1, count + 1)}
        result = Compared(comparison, title, rankings, told, count, settings)
        decided = all(row.verdict != UNDECIDED for row in result.findings) if rule.decide else None
        if count >= rule.most or (_narrow(rankings, rule.half_width) if decided is None else decided):
            return result
        before, count = count, rule.grown(count)


def _narrow(rankings: Sequence[Ranking], share: float) -> bool:
    """Whether half of every difference's interval is at most this share of the first's mean."""
    return all(
        row.beside is None or _half(row.beside, ranking) <= share for ranking in rankings for row in ranking.rows
    )


def _half(found: Difference, ranking: Ranking) -> float:
    """Half of a difference's interval, as a share of the first's mean."""
    if found.verdict in (statistics.SAME, statistics.ONE_RUN) or found.constant:
        return 0.0
    best = ranking.best.samples[ranking.by.name]
    if found.interval is None or best is None:
        return math.inf
    return found.interval.half_width / (1.0 if found.relative else abs(best.value) or math.inf)


def _ranking(
    comparison: Comparison, situation: str, values: Mapping[RunKey, Sequence[float]], count: int, random: bool
) -> Ranking:
    seeds, cases = range(1, count + 1), [case.name for case in comparison.cases]
    found: dict[str, dict[str, Sample | None]] = {}
    for place, each in enumerate(comparison.metrics):
        found[each.name] = {name: sample([values[situation, name, seed][place] for seed in seeds]) for name in cases}
    first = comparison.objectives[0]
    if all(one is None for objective in comparison.objectives for one in found[objective.name].values()):
        where = f" in situation {situation!r}" if situation else ""
        why = "a transfer does not finish in any" if "completion" in first.quantity.name else "nothing was measured"
        raise StudyError(f"metric {first.name}: no case has a value{where}; {why}")
    return rank(
        situation, comparison.metrics, found, objectives=comparison.objectives, random=random, margin=comparison.margin,
        situations=len(comparison.situations), looks=comparison.rule.looks,
    )  # fmt: skip


def called(
    scenario: Any,
    *others: Any,
    metric: Any = None,
    metrics: Any = ("goodput",),
    seeds: Any = 10,
    situations: Any = None,
    cases: Any = None,
    set: Any = None,  # as `--set`
    spread_starts: float | str = 0.0,
    spread_delays: float | str = 0.0,
    margin: float | str = MARGIN,
    out: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    **keys: Any,
) -> Compared:
    """Compares scenarios: ``acklab.compare(a, b)``, or one with cases: ``acklab.compare(a, {"Reno": {}, "SACK": {KEY: VALUE}})``.

    Args:
        scenario: whatever :func:`acklab.run` takes, or a run, whose scenario is run again. Or a :class:`Comparison`, alone.
        others: further scenarios; the first is what they are measured against. Or the cases of the one scenario: a dict from each
            case's name to the keys that it sets, or a list of texts as ``acklab compare --case`` takes them. Left out, ``scenario`` is a
            dict from each case's name to its scenario.
        metric: one or several as ``acklab compare --metric`` takes them, such as ``"completion"`` or ``"p99(rtt)@f"``; the first one ranks.
        metrics: the same.
        seeds: how many each case runs with, or ``{"half_width": 0.05}`` or ``{"decide": True}``; fewer than 5 have no intervals and no verdicts.
        situations: in which every case is tried, as cases are given.
        cases: the cases of one scenario, which may also stand behind it.
        set: keys to set in every case, as :func:`acklab.run` takes them: ``{"link.0.rate": "5Mbps"}``.
        spread_starts: the most by which a seed delays the start of a flow, in seconds or as a text such as ``"100ms"``.
        spread_delays: the most by which a seed lengthens a link, as a share: ``0.01`` or ``"1%"``.
        margin: the share of the mean below which a difference does not matter.
        out: a directory for tables, a chart and a page.
        threads: how many runs at once; one a processor if left out.
        keys: more keys to set in every case, such as ``title``.

    Returns:
        The comparison: ``print`` shows its tables; ``findings`` has each metric of each case beside the first.

    Raises:
        TypeError: a keyword is no argument and no key of a scenario.
        StudyError: it can not be compared; nothing was run.
        ScenarioError: one of them is no scenario.
        RunError: a run failed.
        OSError: a file cannot be read or written.
    """
    arguments(called, keys, "compare")
    given = [scenario, *others, *([] if cases is None else [list(cases) if isinstance(cases, tuple) else cases])]
    asked: dict[str, Any] = {
        "metrics": argument("metrics", measures, metrics if metric is None else metric),
        "sets": assignments({**keys, **pairs(set or {})}),
        "seeds": seeds,
    }
    if situations is not None:
        asked["situations"] = _cases(situations)
    asked["spread_starts_s"] = span(spread_starts) if isinstance(spread_starts, str) else float(spread_starts)
    asked |= {"spread_delays": share(str(spread_delays)), "margin": share(str(margin))}
    return compare(_comparison(given, asked), out=out, threads=threads)


def _comparison(given: Sequence[Any], told: Mapping[str, Any]) -> Comparison:
    if len(given) == 1 and isinstance(given[0], Comparison):
        return given[0]
    labels = list(map(str, given[0])) if len(given) == 1 and _are_cases(given[0]) else []
    given = list(given[0].values()) if labels else given
    if len(given) == 2 and (_are_cases(given[1]) or isinstance(given[1], list)):
        first, cases = given[0], _cases(given[1])
    elif len(given) >= 2:
        first, cases = given[0], _differences(given, labels)
    else:
        raise StudyError(
            "a comparison needs two scenarios, or one and its cases: acklab.compare(a, b), acklab.compare(a, {NAME: {KEY: VALUE}})"
        )
    return Comparison(*source(first), cases, **told)


def _are_cases(given: Any) -> bool:
    """Whether a table has cases: names with tables of keys, and none of a scenario's own keys."""
    return isinstance(given, Mapping) and not OF_SCENARIOS & given.keys()


def _cases(given: Any) -> list[Case]:
    if isinstance(given, Mapping):
        return [Case(str(name), tuple(assignments(sets or {}))) for name, sets in given.items()]
    return [one if isinstance(one, Case) else case(one) for one in given]


def _differences(scenarios: Sequence[Any], labels: Sequence[str]) -> list[Case]:
    """Whole scenarios, which may have names, as cases of the first: each sets the keys in which it differs."""
    names, trees = [], []
    for number, scenario in zip(count(1), scenarios, strict=False):
        text, file = source(scenario)
        trees.append(loads(_core.expanded(text, file=file)))
        named = scenario.label if isinstance(scenario, Run) else Path(file).stem if file != "scenario" else ""
        names.append("".join(labels[number - 1 : number]) or named or trees[-1]["title"] or f"scenario {number}")
    twice = {name for name in names if names.count(name) > 1}
    names = [f"{name} ({number})" if name in twice else name for number, name in enumerate(names, 1)]
    return [Case(name, tuple(_changed("", trees[0], tree))) for name, tree in zip(names, trees, strict=True)]


def _changed(at: str, one: Any, other: Any) -> list[str]:
    """The overrides that make a tree of another."""
    if at in ("title", "seed", "record") or one == other:
        return []
    if (
        isinstance(one, Mapping)
        and isinstance(other, Mapping)
        and (not at or one.keys() <= other.keys())
        and _same_kind(one, other)
    ):
        found = [f"{key}=[]" for key in one if key not in other]
        for key, value in other.items():
            below = f"{at}.{key}" if at else key
            found += _changed(below, one[key], value) if key in one else [f"{below}={_toml.inline(value)}"]
        return found
    if (
        isinstance(one, list)
        and isinstance(other, list)
        and len(one) == len(other)
        and all(isinstance(entry, Mapping) for entry in one)
    ):
        return [
            text
            for number, (a, b) in enumerate(zip(one, other, strict=True))
            for text in _changed(f"{at}.{number}", a, b)
        ]
    return [f"{at}={_toml.inline(other)}"]


def _same_kind(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return all(one.get(tag) == other.get(tag) for tag in ("kind", "policy"))


can_be_called(__name__, called)
