"""Causes, found by running: a scenario without each of its mechanisms, with each alone, and with none.

Every variant runs with the same nudges: flows start up to 10 ms later, links are up to 1 % longer, and what is random has another seed.
Intervals are over the nudges. A placebo, the scenario itself with other nudges, shows what chance does alone.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from .. import _core
from ..engines.journal import Journal, Runs, Workers, forget, identity, record
from ..report.report import Cell, Report, Row, Table, cell, glyphs
from ..results.columns import LESS
from ..results.directory import results
from ..results.findings import BETTER, DIFFERS, EQUIVALENT, WORSE, Finding
from ..results.frames import provenance, system_errors, write_scenario
from ..results.result import Result
from ..runs import cpu_count
from ..scenario.draws import uniform
from ..scenario.given import ScenarioLike, arguments, assignments, pairs, source
from ..text.input import CAPTURES, loads
from ..text.keys import changed as titled
from ..text.numbers import counted, digits
from ..text.templates import Fact, fact, sentence
from . import statistics as verdicts
from .grammar import StudyError, base
from .intervals import Sample
from .metrics import Metric, Quantity, metric
from .neutral import Change, alternatives, changed, mechanisms, word
from .seeds import Nudge

NUDGE = Nudge()
MIN_NUDGES, MAX_NUDGES = 10, 1000
#: Packets over links, in all runs, up to which the causes stand on a run's page: less than a second of work.
MAX_PACKETS = 200_000
#: Causes that are facts: those with the largest changes.
MAX_TOLD = 3
#: Flows of a table that start apart; of more, all keep their order.
MAX_APART = 100
#: What is compared with what.
WITHOUT, ALONE, ALL, PLACEBO, INSTEAD, AGAIN = "without", "alone", "all", "nudge", "instead", "instead, other nudges"
#: The heading of rows.
ROW = "mechanism"
#: Bases of findings: the scenario as it is, and with every mechanism neutral.
AS_IT_IS, NEUTRAL = "as it is", "all neutral"
NAMES = ("why.html", "why.json", "causes.parquet", "findings.parquet", "runs.parquet", "scenario.toml", "scenario.json")
#: Rows of the placebo and of all mechanisms together.
NUDGED, ALL_OF_THESE = "a nudge only", "all of these"

Meter = Callable[[int], Callable[[int], None]]
Variant = tuple[str, str]
"""What is changed (a situation), and the row."""
BASE, NONE = (AS_IT_IS, ""), (ALL, ALL_OF_THESE)


@dataclass(frozen=True)
class Question:
    """What is run."""

    text: str | bytes
    file: str
    sets: Sequence[str] = ()
    metric: str | None = None
    """As ``acklab compare --metric`` takes it; left out, the completion of the first flow, or its goodput."""
    values: bool = False
    """Each other value of each rule, instead of neutral values."""
    nudges: int = MIN_NUDGES
    margin: float = verdicts.MARGIN
    parameters: Mapping[str, bool] | None = None
    """Of a fit its parameters, and whether the capture determines each: those that it does are rows."""


#: The parameters of a fit that are mechanisms, and their keys.
_OF_FIT = {
    "window": "flow.0.sender.window",
    "replayed policy": "flow.0.receiver.ack",
    "losses": "link.0.loss",
    "queue": "link.0.queue.packets",
}


@dataclass(frozen=True)
class Cause:
    """A mechanism, or a value of a rule."""

    name: str
    change: Change
    used: bool
    """A packet changed, without it or with it alone."""

    def plain(self) -> dict[str, Any]:
        """As plain values, for JSON and tables."""
        new = self.change.new
        return {
            "cause": self.name, "key": self.change.key, "value": _text(self.change.old), "instead": _text(new),
            "used": self.used,
        }  # fmt: skip


@dataclass(frozen=True, repr=False)
class Why(Result):
    """What changes a scenario's result, as findings: each metric without a mechanism, and with it alone."""

    verb = "why"

    question: Question
    title: str
    metrics: Sequence[Metric]
    """The one that is asked for, the round trip, the retransmissions; then one a further flow."""
    causes: Sequence[Cause]
    shown: Sequence[Finding]
    values: Mapping[tuple[str, int], Sequence[float]]
    """Every metric in each run: case and nudge."""
    impossible: Mapping[tuple[str, str], str]
    """Situation and case -> the key with which the change does not go together."""
    no_neutral: Sequence[str]
    """Keys without a neutral value."""
    family: int
    """Verdicts of a metric whose intervals hold together."""

    @property
    def findings(self) -> Sequence[Finding]:
        """Each metric of each row."""
        return self.shown

    def write_files(self, folder: Path) -> None:
        """Writes the files into a directory."""
        scenario = self.question.text
        write_scenario(scenario, folder)
        (folder / "why.html").write_text(self.html(), encoding="utf-8")
        (folder / "why.json").write_text(json.dumps(self.plain(), indent=1) + "\n", encoding="utf-8")
        text = scenario if isinstance(scenario, str) else scenario.decode(errors="replace")
        about = provenance(scenario=text, seeds=self.question.nudges)
        for name, frame in self.frames().items():
            with system_errors(folder / f"{name}.parquet"):
                frame.write_parquet(folder / f"{name}.parquet", metadata=about)

    def finding(self, situation: str, case: str, place: int = 0) -> Finding | None:
        """The finding of a metric, by its place."""
        asked = (situation, case, self.metrics[place].name)
        return next((row for row in self.findings if (row.situation, row.case, row.metric) == asked), None)

    @property
    def named(self) -> list[str]:
        """The causes whose absence, or whose other value, is shown to change the metric."""
        return [cause.name for cause in self.causes if any(map(self._shown, (WITHOUT, INSTEAD), [cause.name] * 2))]

    def _shown(self, situation: str, case: str) -> bool:
        row = self.finding(situation, case)
        again = self.finding(AGAIN, case) if situation == INSTEAD else row
        return row is not None and row.verdict in _SHOWN and again is not None and again.verdict == row.verdict

    @property
    def only_alone(self) -> list[str]:
        """The causes that cost something alone, and whose absence changes nothing: another one has the same effect."""
        return [cause.name for cause in self.causes if self._hidden(cause.name)]

    def _hidden(self, case: str) -> bool:
        alone, absent = self.finding(ALONE, case), self.finding(WITHOUT, case)
        if alone is None or absent is None:
            return False
        return alone.verdict in (WORSE, DIFFERS) and absent.verdict == EQUIVALENT

    def report(self) -> Report:
        """Facts and tables."""
        tables = [_causes(self), _others(self)]
        return Report("why", self.title, _facts(self), tables)

    def plain(self) -> dict[str, Any]:
        """As plain values: the object that ``--json`` prints."""
        return {
            **self.report().plain(),
            "metric": self.metrics[0].name,
            "unit": self.metrics[0].quantity.unit,
            "nudges": self.question.nudges,
            "runs": len(self.values),
            "margin": self.question.margin,
            "family": self.family,
            "named": self.named,
            "only_alone": self.only_alone,
            "no_neutral": list(self.no_neutral),
            "not_possible": [
                {"situation": kind, "cause": case, "key": key} for (kind, case), key in self.impossible.items()
            ],
            "causes": [cause.plain() for cause in self.causes],
            "findings": [row.plain() for row in self.findings],
        }

    def frames(self) -> dict[str, Any]:
        """``causes``, a row a mechanism; ``findings``, a row a metric of each; ``runs``, a row a run and metric."""
        import polars as pl

        runs = [
            {"case": case, "nudge": nudge, "metric": one.name, "unit": one.quantity.unit, "value": value}
            for (case, nudge), values in self.values.items()
            for one, value in zip(self.metrics, values, strict=True)
        ]
        tables = {
            "causes": [cause.plain() for cause in self.causes],
            "findings": [row.plain() for row in self.findings],
            "runs": runs,
        }
        return {name: pl.DataFrame(rows, infer_schema_length=None) for name, rows in tables.items()}

    def html(self) -> str:
        """The page's text."""
        return self.report().page()

    def __repr__(self) -> str:
        return f"<Why {self.title!r}: {counted(len(self.causes), 'cause')}; print() shows the table>"


_SHOWN = (BETTER, WORSE, DIFFERS)
#: A sender's last state, which may differ without a packet.
_STATE = ("cwnd_segments", "ssthresh_segments")


def why(
    scenario: ScenarioLike,
    *,
    metric: str | None = None,
    values: bool = False,
    nudges: int = MIN_NUDGES,
    set: Any = None,  # as `--set`
    margin: float = verdicts.MARGIN,
    out: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    **keys: Any,
) -> Why:
    """Runs a scenario without each of its mechanisms, with each alone and with none: what causes its result.

    Args:
        scenario: whatever :func:`acklab.run` takes, or a run, whose scenario is run again; or a fit, or a capture, which is fitted. Of these
            only parameters that the capture determines are mechanisms.
        metric: as ``acklab compare --metric`` takes it, such as ``"goodput@up"``; left out, the completion of the first flow if it ends, else
            its goodput. Flows that it does not name are mechanisms, too.
        values: try each other value of each rule of the senders and receivers instead.
        nudges: how many each variant runs with, at least 10.
        set: keys to set before, as :func:`acklab.run` takes them.
        margin: the share of the mean below which a difference does not matter.
        out: a directory for tables and a page.
        threads: how many runs at once; one a processor if left out.
        keys: more keys to set before, such as ``seed``.

    Raises:
        TypeError: a keyword is no argument and no key of a scenario.
        StudyError: there is nothing to ask.
        ScenarioError: it is no scenario.
        RunError: a run failed.
        OSError: a file cannot be read or written.
    """
    arguments(why, keys)
    sets = assignments({**keys, **pairs(set or {})})
    asked = asking(scenario, sets=sets, metric=metric, values=values, nudges=nudges, margin=margin)
    return answer(asked, Path(out) if out is not None else None, threads=threads)


def asking(scenario: Any, **asked: Any) -> Question:
    """The question to a scenario, to a fit, or to the fit of a capture.

    Raises:
        StudyError: the fit is not accepted.
        FitError: the capture does not show enough for a scenario, or none fits.
        OSError: a file cannot be read.
    """
    text, file = source(scenario)
    if isinstance(text, bytes) and text.startswith(CAPTURES):
        from .fit import fit

        scenario = fit(file)
        text = scenario.scenario_toml()
    if getattr(scenario, "verb", "") != "fit":
        return Question(text, file, **asked)
    if scenario.bad:
        raise StudyError(f"{scenario.file}: the fit is not accepted: {sentence(scenario.bad)}")
    determined = {value.name: value.determined for value in scenario.values}
    return Question(text, scenario.file, **asked, parameters=determined)


def answer(
    question: Question,
    out: Path | None = None,
    *,
    threads: int | None = None,
    fresh: bool = False,
    meter: Meter = lambda total: lambda done: None,
) -> Why:
    """Makes the runs of a question and, with ``out``, writes tables and a page; runs that an earlier attempt left there are not made again.

    Raises:
        StudyError: there is nothing to ask, or ``out`` holds other work.
        RunError: a run failed; what was done is kept.
        OSError: something cannot be written.
    """
    if not MIN_NUDGES <= question.nudges <= MAX_NUDGES:
        raise StudyError(f"nudges: {question.nudges} is not from {MIN_NUDGES} to {MAX_NUDGES:,}")
    text = _core.expanded(question.text, file=question.file, sets=question.sets)
    study = _Study(question, loads(text))
    with contextlib.ExitStack() as stack:
        where = out or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="acklab-why-")))
        folder = stack.enter_context(results(where, "why", NAMES))
        told = [question.metric, question.values, question.nudges]
        journal = stack.enter_context(contextlib.closing(Journal(folder, identity(text, told), fresh=fresh)))
        result = study.answer(journal, _workers(threads or cpu_count(), study.pattern), meter)
        if out is not None:
            with folder.replacing({"seeds": question.nudges}) as scratch:
                result.write_files(scratch)
            forget(folder)
        journal.discard()
    return result


def beside(run: Any) -> str:
    """The causes of a run as HTML of its page: the table, or the command that makes it; empty where there is nothing to ask."""
    text = run.scenario_toml()
    tree = loads(text)
    found = [] if "program" in tree or not tree.get("flow") else mechanisms(tree, [0], run.end_s)[0]
    if not found:
        return ""
    runs = MIN_NUDGES * (2 * len(found) + 3)  # without each, with it alone, as it is twice, and none
    if runs * sum(row["packets"] for row in run.links) <= MAX_PACKETS:
        with contextlib.suppress(StudyError, _core.RunError):  # one without a mechanism may have no end
            return table(answer(Question(text, "scenario.toml"))).html()
    return f'<p class="note">{sentence(fact("why-asks"))}</p>'


class _Study:
    """The variants of a scenario."""

    def __init__(self, question: Question, tree: dict[str, Any]) -> None:
        self.question, self.tree = question, {**tree, "record": {}}
        if "program" in tree or not tree.get("flow"):
            raise StudyError(f"{question.file}: `why` needs flows, and runs no programs")
        first = json.loads(_core.Simulation(json.dumps(self.tree)).run().json(False))
        self.title = titled(tree["title"] or question.file, question.sets)
        flows = {_pattern(flow): place for place, flow in enumerate(tree["flow"])}
        leading = next(iter(flows))
        asked = question.metric or f"{_kind(first, leading)}@{leading}"
        asked = asked if "@" in asked else f"{asked}@{leading}"
        main = metric(asked)
        main.check(first)
        asked_for = [row["name"] for row in first["flows"] if fnmatchcase(row["name"], main.where)]
        measured = [at for at, flow in enumerate(tree["flow"]) if any(map(_names(flow).fullmatch, asked_for))]
        self.pattern = main.where if measured else leading
        measured = measured or [0]
        others = [pattern for pattern, place in flows.items() if place not in measured]
        rtt = Quantity("p95_rtt_ms", "95th percentile of the round trips", "ms", LESS, False, _p95)
        self.metrics = [main, Metric("p95 RTT", rtt, self.pattern)]
        self.metrics += [metric(f"retransmissions: sum(retransmits)@{self.pattern}")]
        further = [metric(f"{_kind(first, other)}@{other}") for other in others]
        self.metrics += [one for one in further if math.isfinite(one.read(first))]
        changes, self.no_neutral = mechanisms(self.tree, measured, first["end_s"])
        listed = alternatives(self.tree, measured) if question.values else changes
        self.changes = {_called(change, question.values): change for change in listed}
        if question.parameters is not None:
            keys = tuple(key for name, key in _OF_FIT.items() if question.parameters.get(name))
            self.changes = {name: change for name, change in self.changes.items() if change.key.startswith(keys)}
        if not self.changes:
            of = " and that the capture determines" if question.parameters is not None else ""
            raise StudyError(f"{question.file}: no mechanism is active that has a neutral value{of}")
        self.trees: dict[Variant, Any] = {BASE: self.tree}
        self.impossible: dict[Variant, str] = {}
        self.summaries: dict[tuple[Variant, int], Any] = {}

    def answer(self, journal: Journal, workers: Workers, meter: Meter) -> Why:
        """Makes the runs and judges them."""
        self._plan()
        n, variants = self.question.nudges, list(self.trees)
        runs = [(variant, nudge) for variant in variants for nudge in range(1, 2 * n + 1)]

        def lines(numbers: Sequence[int]) -> Iterator[str]:
            return (_nudged(self.trees[runs[number][0]], runs[number][1]) for number in numbers)

        def make(numbers: Sequence[int]) -> Why:
            journal.make(Runs(numbers, lines), workers, meter(len(numbers)), lambda number: str(runs[number]))
            for number in numbers:
                self.summaries[runs[number]] = json.loads(journal.line(number).decode())
            return self._judged(n)

        result = make([at for at, (variant, nudge) in enumerate(runs) if nudge <= n or variant == BASE])
        shown = {
            (row.situation, row.case) for row in result.findings if row.situation == INSTEAD and row.verdict in _SHOWN
        }
        again = [at for at, (variant, nudge) in enumerate(runs) if nudge > n and variant in shown]
        return make(again) if again else result

    def _plan(self) -> None:
        """The variants that are scenarios."""
        changes = self.changes
        for name, change in changes.items():
            self._add((INSTEAD if self.question.values else WITHOUT, name), [change])
        if not self.question.values:
            able = [name for name in changes if (WITHOUT, name) in self.trees]
            self._add(NONE, [changes[name] for name in able])
            for name in able:
                self._add((ALONE, name), [changes[other] for other in able if other != name])

    def _add(self, variant: Variant, changes: Sequence[Change]) -> None:
        tree = changed(self.tree, changes)
        try:
            _core.expanded(json.dumps(tree))
            self.trees[variant] = tree
        except _core.ScenarioError as error:
            self.impossible[variant] = re.sub(r"^scenario: ", "", str(error)).partition(": ")[0]

    def _judged(self, n: int) -> Why:
        """The findings of the runs that there are."""
        values = {key: [one.read(summary) for one in self.metrics] for key, summary in self.summaries.items()}
        # Situation, the variant and its first nudge, what it is compared with and its first nudge.
        pairs: list[tuple[str, Variant, int, Variant, int]] = []
        for variant in self.trees:
            beside = NONE if variant[0] == ALONE else BASE
            pairs += [(variant[0], variant, 1, beside, 1)] if variant != BASE and beside in self.trees else []
        pairs.append((PLACEBO, BASE, n + 1, BASE, 1))
        again = [
            (AGAIN, variant, n + 1, BASE, n + 1) for variant, nudge in values if nudge == n + 1 and variant != BASE
        ]
        found = []
        for place, one in enumerate(self.metrics):
            for situation, variant, start, beside, first in [*pairs, *again]:
                name = variant[1] or NUDGED
                if place > 2 and (situation == ALONE or name == f"flow {one.where.removesuffix('*')}"):
                    continue
                rules = verdicts.Rules(len(again if situation == AGAIN else pairs), self.question.margin)
                ours, theirs = (
                    [values[key, at + nudge][place] for nudge in range(n)]
                    for key, at in ((variant, start), (beside, first))
                )
                found.append(
                    _finding(one, (situation, name, NEUTRAL if beside == NONE else AS_IT_IS), ours, theirs, rules)
                )
        causes = [Cause(name, change, self._used(name, change, n)) for name, change in self.changes.items()]
        told = {(": ".join(filter(None, variant)), nudge): numbers for (variant, nudge), numbers in values.items()}
        return Why(
            self.question, self.title, self.metrics, causes, found, told, self.impossible, self.no_neutral, len(pairs)
        )

    def _used(self, name: str, change: Change, n: int) -> bool:
        """Whether a packet changed, without it or with it alone, or that is not known."""
        gone = _names(self.tree["flow"][change.path[1]]) if change.path[0] == "flow" and len(change.path) == 2 else None
        for variant, beside in (((WITHOUT, name), BASE), ((INSTEAD, name), BASE), ((ALONE, name), NONE)):
            if {variant, beside} & self.impossible.keys():
                return True
            for nudge in range(1, n + 1) if variant in self.trees else ():
                if _trace(self.summaries[variant, nudge], gone) != _trace(self.summaries[beside, nudge], gone):
                    return True
        return False


def _called(change: Change, values: bool) -> str:
    """A row's name: the key, and the value that it has or, of rules' values, gets."""
    value = word(change.new if values else change.old) if change.path[2:] else ""
    return f"{change.label} {value}".rstrip()


def _pattern(flow: Mapping[str, Any]) -> str:
    """What names the flows of a table."""
    return str(flow["name"]) + ("*" if flow.get("count", 1) > 1 else "")


def _names(flow: Mapping[str, Any]) -> re.Pattern[str]:
    """The names of a table's transfers."""
    return re.compile(re.escape(flow["name"]) + (r"\d+" if flow.get("count", 1) > 1 else "") + r"(#\d+)?")


def _kind(summary: Mapping[str, Any], pattern: str) -> str:
    """Completion where the flows end, else goodput."""
    return "completion" if math.isfinite(metric(f"completion@{pattern}").read(summary)) else "goodput"


def _p95(summary: Mapping[str, Any], _: str) -> float:
    value = summary["p95_rtt_s"]
    return math.nan if value is None else 1e3 * float(value)


def _trace(summary: Mapping[str, Any], gone: re.Pattern[str] | None) -> list[Any]:
    """What a run tells of its packets, without the rows of the flows that another one lacks."""
    flows = [
        {key: value for key, value in row.items() if key not in _STATE}
        for row in summary["flows"]
        if gone is None or not gone.fullmatch(row["name"])
    ]
    return [flows, summary["links"], summary["p95_rtt_s"]]


def _nudged(tree: Mapping[str, Any], number: int) -> str:
    """A run's scenario; flows of one table start later, each by a draw of its own."""
    tree = {key: value for key, value in NUDGE.of(tree, number).items() if key != "expect"}  # it names tables
    after = any(flow.get("after") for flow in tree["flow"])
    flows = [one for flow in tree["flow"] for one in _apart(flow, number, after or flow["count"] > MAX_APART)]
    seed = int(2**32 * uniform(number, f"seed {tree['seed']}"))
    return json.dumps({**tree, "flow": flows, "seed": seed}, separators=(",", ":"))


def _apart(flow: Mapping[str, Any], number: int, together: bool) -> list[Mapping[str, Any]]:
    """The flows of a table as tables; ``together``, the table whose flows start further apart, in the same order."""
    count, stagger = flow["count"], base(flow["stagger"])
    if count == 1:
        return [flow]
    if together:
        apart = NUDGE.later_s * uniform(number, f"stagger {flow['name']}") / count
        return [{**flow, "stagger": f"{stagger + apart:.9f}s"}]
    starts = [base(flow["start"]) + place * stagger + NUDGE.later_s * uniform(number, f"{flow['name']}{place}") for place in range(count)]  # fmt: skip
    alone = {**flow, "count": 1, "stagger": "0s"}
    return [{**alone, "name": f"{flow['name']}{place}", "start": f"{start:.9f}s"} for place, start in enumerate(starts)]


def _workers(threads: int, pattern: str) -> Workers:
    """Threads that record the senders, and keep of that the 95th percentile of the round trips."""

    def make(runs: Runs, journal: Path) -> Iterator[list[bytes]]:
        pool = ThreadPoolExecutor(threads)
        try:
            with journal.open("ab") as file:
                lines = runs.numbered()
                while some := list(islice(lines, 8 * threads)):
                    found = list(pool.map(partial(_measured, pattern), some))
                    file.writelines(record(number, result) for number, result in found)
                    file.flush()
                    yield [result for _, result in found]
        finally:
            pool.shutdown(cancel_futures=True)

    return make


def _measured(pattern: str, line: str) -> tuple[int, bytes]:
    import polars as pl

    number, _, text = line.partition(" ")
    result = _core.Simulation(text, sets=["record.series=true"]).run()
    summary = json.loads(result.json(False))
    names = [row["name"] for row in summary["flows"] if fnmatchcase(row["name"], pattern)]
    series = pl.DataFrame(result.series)
    chosen = series["rtt_s"].is_finite()
    if len(names) < len(summary["flows"]):
        chosen &= series["flow"].cast(pl.String).is_in(names)
    summary["p95_rtt_s"] = series["rtt_s"].filter(chosen).quantile(0.95, "nearest")
    return int(number), json.dumps(summary, separators=(",", ":")).encode()


def _finding(
    one: Metric, about: tuple[str, str, str], ours: Sequence[float], theirs: Sequence[float], rules: verdicts.Rules
) -> Finding:
    situation, case, beside = about
    finished = sum(map(math.isfinite, ours)), sum(map(math.isfinite, theirs))
    here = Sample.of(ours) if finished[0] == len(ours) else None
    there = Sample.of(theirs) if finished[1] == len(theirs) else None
    shown = verdicts.difference(here, there, rules) if here and there else None
    return verdicts.finding(one, situation, (case, beside), (here, there), shown, finished, len(ours))


def _facts(result: Why) -> list[Fact]:
    main = result.metrics[0]
    base = result.finding(PLACEBO, NUDGED)
    assert base is not None
    value = {"metric": main.name, "value": base.base_value, "unit": main.quantity.unit}
    counts = {"causes": len(result.causes), "nudges": result.question.nudges, "runs": len(result.values)}
    what = "value" if result.question.values else "mechanism"
    facts = [fact("why", **value, **counts, what=what if len(result.causes) == 1 else f"{what}s")]
    shown = [row for name in result.named for kind in (WITHOUT, INSTEAD) if (row := result.finding(kind, name))]
    for row in sorted(sorted(shown, key=_size)[-MAX_TOLD:][::-1], key=lambda row: _SHOWN.index(row.verdict)):
        how = "without" if row.situation == WITHOUT else "with"
        numbers = {"value": row.value, "base_value": row.base_value, "unit": row.unit}
        facts.append(fact("why-most", case=row.case, how=how, **numbers))
    if not shown:
        facts.append(fact("why-none", metric=main.name, margin=result.question.margin))
    if result.only_alone:
        facts.append(fact("why-alone", cases=result.only_alone))
    if (row := result.finding(ALL, ALL_OF_THESE)) and row.value is not None:
        facts.append(fact("why-all", metric=main.name, value=row.value, unit=row.unit))
    return facts


def _size(row: Finding) -> float:
    assert row.change is not None
    return (
        abs(math.log1p(row.change))
        if row.relative
        else math.inf
        if not row.base_value
        else abs(row.change / row.base_value)
    )


def _ordered(result: Why) -> list[Cause]:
    """What changes most comes first, then what does so alone."""

    def rank(cause: Cause) -> tuple[int, float]:
        kind = ALONE if cause.name in result.only_alone else INSTEAD if result.question.values else WITHOUT
        row = result.finding(kind, cause.name)
        order = (cause.name in result.named, cause.name in result.only_alone, row is not None, True).index(True)
        return order, -_size(row) if row is not None and row.change is not None else 0.0

    return sorted((cause for cause in result.causes if cause.used), key=rank)


def _cell(result: Why, situation: str, case: str, place: int = 0) -> str | Cell:
    row = result.finding(situation, case, place)
    key = result.impossible.get((situation, case))
    return cell(row) if row is not None else f"not possible: {key}" if key and not place else ""


def _causes(result: Why) -> Table:
    kinds = (INSTEAD, AGAIN) if result.question.values else (WITHOUT, ALONE)
    base = result.finding(PLACEBO, NUDGED)
    heads = [
        ROW,
        *(["with it", "with it, other nudges"] if result.question.values else ["without it", "it alone"]),
        "p95 RTT",
        "retransmissions",
    ]

    def cells(name: str, first: str, second: str = "") -> list[str | Cell]:
        return [
            name,
            *(_cell(result, *key) for key in ((first, name), (second, name), (first, name, 1), (first, name, 2))),
        ]

    rows: list[Row] = [cells(cause.name, *kinds) for cause in _ordered(result)]
    rows.append(cells(NUDGED, PLACEBO))
    rows += [] if result.question.values else [cells(ALL_OF_THESE, ALL)]
    feet = glyphs(result.question.margin)
    unused = [cause.name for cause in result.causes if not cause.used]
    if result.question.values:
        feet.append(fact("changes", base=AS_IT_IS, family=result.family))
    else:
        feet += [fact("why-changes", family=result.family), fact("why-adds")]
        feet += [fact("why-unused", cases=unused)] if unused else []
        feet.append(fact("no-neutral", keys=result.no_neutral))
    if result.question.parameters is not None:
        feet.append(fact("why-open", names=[name for name, known in result.question.parameters.items() if not known]))
    main = result.metrics[0]
    value = "none" if base is None or base.base_value is None else digits(base.base_value)
    return Table(heads, rows, f"{main.name}: {value} {main.quantity.unit}".rstrip(), feet)


def table(result: Why, of: str = "") -> Table:
    """The causes for a run's page, ``of`` one of its runs."""
    causes = _causes(result)
    heads = [causes.name, *causes.heads[1:]]
    return replace(causes, heads=heads, name=f"Causes{of and f': {of}'}", feet=[_facts(result)[0], *causes.feet])


def _others(result: Why) -> Table:
    kind = INSTEAD if result.question.values else WITHOUT
    places = range(3, len(result.metrics))
    rows: list[Row] = [
        [cause.name, *(_cell(result, kind, cause.name, place) for place in places)]
        for cause in _ordered(result)
        if places
    ]
    return Table([ROW, *(result.metrics[place].label for place in places)], rows, "The other flows, without it")


def _text(value: Any) -> str:
    from ..scenario._toml import inline

    return "absent" if value is None else inline(value)
