"""Regenerating papers: plan the runs, make each different one once, judge every claim, ask for more seeds, draw."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any

from .._journal import Journal
from .._progress import Progress
from .evidence import forest
from .execute import Batches, Lines, trace
from .experiments import Branches, Effort, Experiment, Failed, Replications, Sweep, Traces, looks
from .judge import judge, quickly
from .measure import Measurement, NotTestable
from .paper import Drawn, Figure, Paper
from .verdict import Verdict

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


class Bench:
    """Results of experiments, shared by every figure and claim that needs them."""

    def __init__(
        self, effort: Effort, threads: int | None = None, journal: Journal | None = None, name: str = "", by: Batches | None = None
    ) -> None:
        self.effort = effort
        self.lines = Lines(threads, journal, name, by)
        self.seeds: dict[int, int] = {}
        self._found: dict[int, Any] = {}
        self._threads = threads
        self.traces = 0

    def run(self, experiments: Iterable[Experiment], what: str) -> None:
        """Makes the runs that are not made yet."""
        wanted = [e for e in dict.fromkeys(experiments) if id(e) not in self._found]
        sweeps = [e for e in wanted if isinstance(e, Sweep)]
        traces = [(e, e.cells(self.effort)) for e in wanted if isinstance(e, Traces)]
        for sweep in sweeps:
            axes = self._axes(sweep)
            warm = sweep.warmups(axes) if isinstance(sweep, Branches) else repeat(None)
            for scenario, warmup in zip(sweep.scenarios(axes), warm, strict=False):
                self.lines.ask(scenario, sweep.read, warmup)
        progress = Progress(what, self.lines.planned + sum(len(cells) for _, cells in traces))
        try:
            self.lines.run(progress)
            for one, cells in traces:
                found = trace(cells, one.read, progress, self._threads)
                self.traces += len(cells)
                self._found[id(one)] = Failed(one.name, found.why) if isinstance(found, Failed) else found
        finally:
            progress.close()
        for sweep in sweeps:
            self._found[id(sweep)] = self._collect(sweep)

    def _axes(self, sweep: Sweep) -> Any:
        axes = sweep.chosen(self.effort)
        if isinstance(sweep, Replications):
            axes = sweep.with_seeds(axes, self.seeds.setdefault(id(sweep), sweep.seeds(self.effort)[0]))
        return axes

    def _collect(self, sweep: Sweep) -> Any:
        axes = self._axes(sweep)
        rows = []
        for scenario in sweep.scenarios(axes):
            row = self.lines.answer(scenario, sweep.read)
            if isinstance(row, Failed):
                return Failed(sweep.name, row.why)
            rows.append(row)
        return sweep.grid(axes, rows)

    def more_seeds(self, experiment: Replications) -> bool:
        """Plans the next round of seeds; False when the cap is reached."""
        later = [count for count in experiment.seeds(self.effort) if count > self.seeds[id(experiment)]]
        if not later:
            return False
        self.seeds[id(experiment)] = later[0]
        del self._found[id(experiment)]
        return True

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
) -> Outcome:
    """Regenerates a paper, or the chosen figures and claims of it.

    Args:
        paper: which.
        effort: everything, or a quick look.
        only: which figures; all if left out, but in a quick look not the slow ones.
        claims: ids of the claims to judge; all if left out.
        threads: how many runs at once; one a processor if left out.
        by: who makes the runs that share no warm-up and record nothing, instead of threads.
        journal: where numbers are kept for an attempt that goes on after this one; recorded runs are made anew.
    """
    start = time.monotonic()
    figures = [f for f in paper.figures if (only(f) if only else not (effort.quick and f.slow))]
    chosen = list(paper.ledger.claims if claims is None else claims)
    bench = Bench(effort, threads, journal, paper.id, by)
    measured = [paper.claims[id] for id in chosen]
    needs = [one for m in measured for one in m.uses] + [one for f in figures for one in f.needs]
    bench.run(needs, paper.id)
    verdicts = [_judge(paper, id, bench) for id in chosen]
    while True:
        wanting = _wanting(paper, verdicts, bench)
        if not wanting:
            break
        bench.run(wanting, f"{paper.id}, more seeds")
        touched = {id(one) for one in wanting}
        verdicts = [
            _judge(paper, v.claim.id, bench) if touched & {id(one) for one in paper.claims[v.claim.id].uses} else v
            for v in verdicts
        ]
    if effort.quick:
        verdicts = [quickly(v) if v.seeds else v for v in verdicts]
    drawn = [(figure, _draw(figure, bench)) for figure in figures]
    failed = {f.experiment: f for one in needs for f in bench.results([one]) if isinstance(f, Failed)}
    outcome = Outcome(
        paper, effort, verdicts, [(figure, d) for figure, d in drawn if d is not None], list(failed.values())
    )
    plot = forest(verdicts, paper) if only is None else None
    if plot is not None:
        outcome.figures.append(
            (Figure(f"{paper.id}-forest", "", "Every claim on one scale", "", (), lambda: plot, "overview"), plot)
        )
    outcome.runs, outcome.seconds = bench.lines.runs + bench.traces, time.monotonic() - start
    return outcome


def _wanting(paper: Paper, verdicts: list[Verdict], bench: Bench) -> list[Replications]:
    """Experiments whose claims ask for more seeds and that may still get some."""
    asked = {
        id(one): one
        for verdict in verdicts
        if verdict.wants_seeds
        for one in paper.claims[verdict.claim.id].needs
        if isinstance(one, Replications)
    }
    return [one for one in asked.values() if bench.more_seeds(one)]


def _judge(paper: Paper, id: str, bench: Bench) -> Verdict:
    measured = paper.claims[id]
    results, beside = bench.results(measured.needs), bench.results(measured.beside)
    broken = next((r for r in (*results, *beside) if isinstance(r, Failed)), None)
    value: Measurement | NotTestable
    if broken is not None:
        value = NotTestable(f"this build can not run {broken.experiment!r}: {broken.why}")
    else:
        value = measured.measure(*_alike(results), *_alike(beside))
    often = looks(measured.needs, bench.effort)
    return judge(paper.ledger.claims[id], value, looks=often, standing=paper.standing(id))


def _alike(results: list[Any]) -> list[Any]:
    """Grids with seeds are compared pairwise: all are cut to the fewest seeds among them."""
    counts = [len(r.axes["seed"]) for r in results if hasattr(r, "axes") and "seed" in r.axes]
    if len(set(counts)) < 2:
        return results
    fewest = list(range(1, min(counts) + 1))
    return [r.at(seed=fewest) if hasattr(r, "axes") and "seed" in r.axes else r for r in results]


def _draw(figure: Figure, bench: Bench) -> Drawn | None:
    results = bench.results(figure.needs)
    return None if any(isinstance(r, Failed) for r in results) else figure.draw(*_alike(results))
