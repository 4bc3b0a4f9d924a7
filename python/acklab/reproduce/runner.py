"""Regenerating papers: plan the runs, make each different one once, judge every claim until it is settled, draw."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import repeat
from typing import Any

from .. import _core
from ..engines.journal import Journal
from ..results.progress import Progress
from .changes import Changed, changed
from .execute import Batches, Key, Lines, trace
from .experiments import Branches, Effort, Experiment, Failed, Replications, Sweep, Traces, looks
from .explanation import Unsearched
from .judge import judge, quickly, without_a_nudge
from .measure import Measurement, NotTestable
from .nudge import again, single, together
from .paper import Drawn, Figure, Judged, Paper
from .stopping import Look
from .verdict import DIFFERS, Verdict

QUICK = Effort(quick=True, seeds=(8,))
FULL = Effort()


@dataclass
class Outcome:
    """A paper regenerated."""

    paper: Paper
    effort: Effort
    verdicts: list[Verdict]
    figures: list[tuple[Figure, Drawn]]
    failed: list[Failed] = field(default_factory=list)
    runs: int = 0
    seconds: float = 0.0
    left_out: dict[str, str] = field(default_factory=dict)
    """Figures that changed runs cannot have, by label, and the key whose values each compares."""
    still: dict[str, int] = field(default_factory=dict)
    """Figures of which no compared run changed, by label, and how many were compared."""


#: What a paper's code raises where changed runs do not have what it reads.
UNREADABLE = (LookupError, ArithmeticError, StopIteration, ValueError)


class Bench:
    """Results of experiments, shared by every figure and claim that needs them."""

    def __init__(
        self,
        effort: Effort,
        threads: int | None = None,
        journal: Journal | None = None,
        name: str = "",
        by: Batches | None = None,
    ) -> None:
        self.effort = effort
        self.lines = Lines(threads, journal, name, by)
        self.seeds: dict[int, int] = {}
        self._found: dict[int, Any] = {}
        self._threads = threads
        self._checked = False
        self.traces = 0
        self.changed: dict[int, Changed] = {}
        """What ``--set`` does to the experiments of the figures that are drawn."""

    def compared(self, one: Experiment) -> list[str]:
        """The set keys of which an experiment compares values."""
        if not self.effort.sets:
            return []
        return self.changed.setdefault(id(one), Changed(one, self.effort)).compares

    def run(self, experiments: Iterable[Experiment], what: str) -> None:
        """Makes the runs that are not made yet."""
        wanted = [e for e in dict.fromkeys(experiments) if id(e) not in self._found]
        sweeps = [(e, self._axes(e)) for e in wanted if isinstance(e, Sweep)]
        traces = [
            (e, {key: self._changed(line) for key, line in e.cells(self.effort).items()})
            for e in wanted
            if isinstance(e, Traces)
        ]
        asked: list[list[Key]] = []
        for sweep, axes in sweeps:
            warm = sweep.warmups(axes) if isinstance(sweep, Branches) else repeat(None)
            keys = (
                self.lines.ask(self._changed(one), sweep.read, w)
                for one, w in zip(sweep.scenarios(axes), warm, strict=False)
            )
            asked.append(list(keys))
        progress = Progress(what, self.lines.planned + sum(len(cells) for _, cells in traces))
        try:
            self.lines.run(progress)
            for one, cells in traces:
                found = trace(cells, one.read, progress, self._threads)
                self.traces += len(cells)
                self._found[id(one)] = Failed(one.name, found.why) if isinstance(found, Failed) else found
        finally:
            progress.close()
        for (sweep, axes), keys in zip(sweeps, asked, strict=True):
            self._found[id(sweep)] = self._collect(sweep, axes, keys)

    def _changed(self, line: str) -> str:
        """A scenario with the keys of ``--set``.

        Raises:
            ScenarioError: it has no such key, or the value is not allowed.
        """
        if not self.effort.sets:
            return line
        template = _core.Template(line, file="the paper's scenario")
        if not self._checked:
            template.check(self.effort.sets)
            self._checked = True
        return template.lines(self.effort.sets, [json.loads(line).get("seed", 1)])[0]

    def _axes(self, sweep: Sweep) -> Any:
        axes = sweep.chosen(self.effort)
        if isinstance(sweep, Replications):
            axes = sweep.with_seeds(axes, self.seeds.setdefault(id(sweep), sweep.seeds(self.effort)[0]))
        return axes

    def _collect(self, sweep: Sweep, axes: Any, keys: Iterable[Key]) -> Any:
        rows = []
        for key in keys:
            row = self.lines.found(key, sweep.read)
            if isinstance(row, Failed):
                return Failed(sweep.name, row.why)
            rows.append(row)
        return sweep.grid(axes, rows)

    def want(self, experiment: Experiment, seeds: int) -> None:
        """Plans seeds up to a number; those that are there are kept."""
        if isinstance(experiment, Replications) and self.seeds[id(experiment)] < seeds:
            self.seeds[id(experiment)] = seeds
            self._found.pop(id(experiment), None)  # two claims may want it, with other looks

    def forget(self, experiments: Iterable[Experiment]) -> None:
        """Drops results."""
        for one in experiments:
            self._found.pop(id(one), None)

    def results(self, needs: Sequence[Experiment]) -> list[Any]:
        """Results in the order asked for, :class:`Failed` among them."""
        return [self._found[id(one)] for one in needs]


def reproduce(
    paper: Paper,
    effort: Effort = FULL,
    *,
    only: Callable[[Figure], bool] | None = None,
    claims: Iterable[str] | None = None,
    threads: int | None = None,
    by: Batches | None = None,
    journal: Journal | None = None,
    changes: dict[int, Changed] | None = None,
) -> Outcome:
    """Regenerates a paper, or the chosen figures and claims of it.

    Args:
        paper: which.
        effort: everything, or a quick look.
        only: which figures; all if left out, but in a quick look not the slow ones.
        claims: ids of the claims to judge; all if left out.
        threads: how many runs at once; one a processor if left out.
        by: the workers, instead of threads, of runs that share no warm-up and record nothing.
        changes: what :func:`.changes.changed` gave for the figures, if it was asked already.
        journal: where numbers are kept for an attempt that continues this one; recorded runs are made again.
    """
    start = time.monotonic()
    figures = drawn_of(paper, effort, only)
    chosen = list(paper.ledger.claims if claims is None else claims)
    bench = Bench(effort, threads, journal, paper.id, by)
    if effort.sets:
        bench.changed = (
            changed([(figure.id, figure.needs) for figure in figures], effort) if changes is None else changes
        )
    measured = [paper.claims[id] for id in chosen]
    needs = [one for m in measured for one in m.uses] + [one for f in figures for one in f.needs]
    needs = [one for one in needs if not bench.compared(one)]
    bench.run(needs, paper.id)
    verdicts = [_explained(v, paper) for v in _judged(paper, chosen, bench).values()]
    if effort.quick:
        verdicts = [quickly(v) if v.seeds else v for v in verdicts]
    if effort.sets:
        verdicts = [replace(v, changed=True) for v in verdicts]
    compared = {
        figure.label or figure.title: keys
        for figure in figures
        for one in figure.needs
        if (keys := bench.compared(one))
    }
    drawn = [(figure, _draw(figure, bench)) for figure in figures if not any(map(bench.compared, figure.needs))]
    failed = {f.experiment: f for one in needs for f in bench.results([one]) if isinstance(f, Failed)}
    outcome = Outcome(
        paper, effort, verdicts, [(figure, d) for figure, d in drawn if d is not None], list(failed.values())
    )
    outcome.left_out = {label: keys[0] for label, keys in compared.items()}
    if effort.sets:
        moved = {
            f.label or f.title: [bench.changed[id(one)].moved for one in f.needs] for f, _ in outcome.figures if f.needs
        }
        outcome.still = {
            label: sum(n for _, n in found) for label, found in moved.items() if not any(many for many, _ in found)
        }
    outcome.runs, outcome.seconds = bench.lines.runs + bench.traces, time.monotonic() - start
    return outcome


def drawn_of(paper: Paper, effort: Effort, only: Callable[[Figure], bool] | None = None) -> list[Figure]:
    """The figures that are drawn: those chosen; else all, but in a quick look not the slow ones."""
    return [f for f in paper.figures if (only(f) if only else not (effort.quick and f.slow))]


def _judged(paper: Paper, chosen: Iterable[str], bench: Bench) -> dict[str, Verdict]:
    """Looks at every claim until it is settled or its last seed is used. Claims go from look to look together: runs of theirs
    that share a warm-up are then made together."""
    chosen = list(chosen)
    repetitions = Repetitions(paper, bench, chosen)
    left = {id: list(looks(paper.claims[id].needs, bench.effort, id in repetitions.made)) for id in chosen}
    repetitions.have({id: left[id][0].seeds for id in repetitions.made})
    verdicts = {id: _judge(paper, id, bench, repetitions, left[id].pop(0)) for id in left}
    first = True
    while going := [id for id in left if left[id] and verdicts[id].wants_seeds(first)]:
        first = False
        for id in going:
            if not verdicts[id].seeds:
                del left[id][:-1]
            for one in paper.claims[id].needs:
                bench.want(one, left[id][0].seeds)
        bench.run([one for id in going for one in paper.claims[id].needs], f"{paper.id}, more seeds")
        repetitions.have({id: left[id][0].seeds for id in going if id in repetitions.made})
        verdicts |= {id: _judge(paper, id, bench, repetitions, left[id].pop(0)) for id in going}
    return verdicts


class Repetitions:
    """The nudged repetitions of the claims that one run would decide, measured one after the other."""

    def __init__(self, paper: Paper, bench: Bench, chosen: Iterable[str]) -> None:
        self._paper, self._bench = paper, bench
        claims = {id: paper.claims[id] for id in chosen}
        self.made: dict[str, list[Measurement | NotTestable]] = {
            id: [] for id, one in claims.items() if paper.needs_repetitions(id) and single(_measure(one, bench))
        }
        """Measurements of each claim's repetitions."""

    def have(self, wanted: Mapping[str, int]) -> None:
        """Makes repetitions up to each claim's number. Only what was measured of them is kept."""
        for number in range(1, max(wanted.values(), default=0) + 1):
            going = [self._paper.claims[id] for id, count in wanted.items() if len(self.made[id]) < number <= count]
            alike = {
                one: again(one, number, self._paper.unprinted is None or one.name in self._paper.unprinted)
                for claim in going
                for one in claim.needs
                if not isinstance(one, Replications)
            }
            self._bench.run(alike.values(), f"{self._paper.id}, repetition {number}")
            for claim in going:
                self.made[claim.id].append(_measure(claim, self._bench, None, alike))
            self._bench.forget(alike.values())


def _measure(
    measured: Judged, bench: Bench, seeds: int | None = None, instead: Mapping[Experiment, Experiment] | None = None
) -> Measurement | NotTestable:
    if compared := next((keys for one in measured.uses if (keys := bench.compared(one))), []):
        return NotTestable(f"the claim compares values of {compared[0]}, and the changed runs have one value")
    needs = [(instead or {}).get(one, one) for one in measured.needs]
    results, beside = bench.results(needs), bench.results(measured.beside)
    broken = next((r for r in (*results, *beside) if isinstance(r, Failed)), None)
    if broken is not None:
        return NotTestable(f"this build can not run {broken.experiment!r}: {broken.why}")
    try:
        return measured.measure(*_alike(results, seeds), *_alike(beside))
    except UNREADABLE as error:
        if not bench.effort.sets:
            raise
        return NotTestable(f"the changed runs do not have what this claim measures ({type(error).__name__})")


def _judge(paper: Paper, id: str, bench: Bench, repetitions: Repetitions, look: Look) -> Verdict:
    claim, standing = paper.ledger.claims[id], paper.standing(id)
    value = _measure(paper.claims[id], bench, look.seeds)
    if id not in repetitions.made or isinstance(value, NotTestable):
        return judge(claim, value, look=look, standing=standing)
    alone = judge(claim, value, standing=standing)
    verdict = judge(claim, together(value, repetitions.made[id][: look.seeds]), look=look, standing=standing)
    return without_a_nudge(verdict, alone)


def _alike(results: list[Any], seeds: int | None = None) -> list[Any]:
    """Grids with seeds are compared pairwise: all are cut to so many seeds, or to the fewest among them."""
    counts = [len(r.axes["seed"]) for r in results if hasattr(r, "axes") and "seed" in r.axes]
    fewest = min(counts, default=0) if seeds is None else seeds
    if all(count == fewest for count in counts):
        return results
    first = list(range(1, fewest + 1))
    return [r.at(seed=first) if hasattr(r, "axes") and "seed" in r.axes else r for r in results]


def _explained(verdict: Verdict, paper: Paper) -> Verdict:
    if verdict.verdict != DIFFERS or verdict.changed:
        return verdict
    return replace(verdict, cause=paper.explanations.get(verdict.claim.id, verdict.claim.cause) or Unsearched())


def _draw(figure: Figure, bench: Bench) -> Drawn | None:
    results = bench.results(figure.needs)
    if any(isinstance(r, Failed) for r in results):
        return None
    try:
        return figure.draw(*_alike(results))
    except UNREADABLE:
        if not bench.effort.sets:
            raise
        return None
