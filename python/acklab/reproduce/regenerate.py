"""Papers as somebody names them, regenerated one after the other, and each written as soon as it is done."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module, resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..results.directory import Folder, results
from ..results.result import Result
from ..scenario.given import assignments
from ..text.terminal import not_known

if TYPE_CHECKING:
    from ..engines.journal import Journal
    from .changes import Changed
    from .execute import Batches
    from .experiments import Effort
    from .paper import Figure, Paper
    from .runner import Outcome

MORE = "acklab-studies brings later work, classics and studies: pip install acklab-studies"


class PaperError(ValueError):
    """There is no such paper or figure, or an option makes no sense; the message says what there is."""


@dataclass(frozen=True, repr=False)
class Reproduced(Result):
    """Papers regenerated: every claim with its verdict, and the tables of the figures."""

    verb = "reproduce"

    outcomes: Sequence[Outcome]

    def plain(self) -> dict[str, Any]:
        """As plain values: the object that ``--json`` prints."""
        from .output import summary

        return summary(self.outcomes)

    def frames(self) -> dict[str, Any]:
        """The tables of the figures, by their files' names."""
        return {
            f"{outcome.paper.id}/tables/{figure.id}-{name}": frame
            for outcome in self.outcomes
            for figure, drawn in outcome.figures
            for name, frame in drawn.tables.items()
        }

    def html(self) -> str:
        """The text of the paper's page; of several papers that of the first."""
        from .output import page_of

        return page_of(self.outcomes[0])

    def write_into(self, folder: Folder) -> None:
        """Writes what :meth:`write` does to a directory that is held."""
        from .output import write

        write(self.outcomes, folder)

    @property
    def text(self) -> str:
        """Facts and tables, as a terminal shows them."""
        from .report import told

        return told(self.outcomes)

    def __repr__(self) -> str:
        papers = ", ".join(outcome.paper.id for outcome in self.outcomes)
        return f"<Reproduced {papers}: {len(self.findings)} claims; print() shows those that are not reproduced>"


def reproduce(
    *papers: str,
    figure: str | Sequence[str] = (),
    quick: bool = False,
    seeds: int | None = None,
    set: Any = (),  # as `--set`
    out: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    by: Batches | None = None,
    fresh: bool = False,
    each: Callable[[Outcome], object] = lambda outcome: None,
) -> Reproduced:
    """Regenerates papers, or figures of them, and judges their claims.

    Args:
        papers: names such as ``"allman1998"`` or ``"allman1998/figure-2"``; all papers if left out.
        figure: only this figure of each paper, or these.
        quick: fewer seeds and cells, no slow checks.
        seeds: at most so many for claims with random runs, at least 2.
        set: keys to change in every run, a table, or texts as ``acklab reproduce --set`` takes them; then it is not the paper.
        out: a directory for the pages; what an interrupted attempt left there is not run again.
        threads: how many runs at once; one a processor if left out.
        by: the workers of the runs; threads of this process if left out.
        fresh: discard what is kept in ``out``.
        each: called with each paper as soon as it is done.

    Raises:
        PaperError: there is no such paper or figure.
        ScenarioError: a changed key is not legal.
        OSError: ``out`` cannot be written.
    """
    from . import output
    from .runner import FULL, QUICK, drawn_of
    from .runner import reproduce as regenerate

    if seeds is not None and seeds < 2:
        raise PaperError("seeds must be at least 2: one seed has no interval")
    chosen = _chosen(papers, [figure] if isinstance(figure, str) else figure)
    effort = replace(
        QUICK if quick else FULL,
        sets=tuple(assignments(set) if isinstance(set, Mapping) else [set] if isinstance(set, str) else set),
    )
    effort = effort if seeds is None else effort.at_most(seeds)
    changes: dict[int, Changed] | None = None
    if set:
        from .changes import changed

        changes = {}  # refused before anything is written
        for paper, figures in chosen:
            changes |= changed([(one.id, one.needs) for one in drawn_of(paper, effort, _only(figures))], effort)
    outcomes: list[Outcome] = []
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(results(out, "reproduce", output.NAMES)) if out is not None else None
        journal = None
        if folder is not None:
            journal = stack.enter_context(contextlib.closing(_journal(folder, chosen, [quick, seeds], effort, fresh)))
        for paper, figures in chosen:
            claims = _claims_about(paper, figures) if figures else None
            only = _only(figures)
            done = regenerate(
                paper, effort, only=only, claims=claims, threads=threads, by=by, journal=journal, changes=changes
            )
            outcomes.append(done)
            each(done)
            if folder is not None:
                output.write(outcomes, folder, [done])
        if journal is not None:
            journal.discard()
    return Reproduced(outcomes)


def _only(figures: Sequence[str]) -> Callable[[Figure], bool] | None:
    return (lambda figure: figure.id in figures) if figures else None


def _journal(folder: Folder, chosen: Any, asked: list[Any], effort: Effort, fresh: bool) -> Journal:
    """The journal of this work: what is regenerated, how thoroughly, and by which code."""
    from ..engines.journal import Journal, identity

    packages = import_module("acklab.papers").packages()
    files = [path for package in packages for path in sorted(Path(str(resources.files(package))).rglob("*.py"))]
    modules = [path.read_text(encoding="utf-8") for path in files]
    told = {paper.id: figures for paper, figures in chosen}
    return Journal(
        folder, identity("", [told, *asked, *([list(effort.sets)] if effort.sets else []), modules]), fresh=fresh
    )


def _chosen(given: Iterable[str], more: Sequence[str]) -> list[tuple[Paper, list[str]]]:
    """Papers and, where only some are wanted, the ids of their figures."""
    papers = import_module("acklab.papers")  # they know this room
    groups = {group: papers.installed(group) for group in papers.GROUPS}
    known = (*papers.FIVE, *(name for group in groups.values() for name in group))
    wanted: dict[str, list[str]] = {}
    for text in [name for one in given or papers.names() for name in groups.get(one, [one])]:
        name, _, figure = text.partition("/")
        if name not in known:
            raise PaperError(
                not_known("paper or study", name, known) + ("" if len(known) > len(papers.FIVE) else f"\n  {MORE}")
            )
        wanted.setdefault(name, []).extend([figure] if figure else [])
    chosen = []
    for name, some in wanted.items():
        work = papers.paper(name)
        figures, drawn = [*some, *more], [figure.id for figure in work.figures]
        if strange := next((figure for figure in figures if figure not in drawn), ""):
            raise PaperError(f"{name}: {not_known('figure', strange, drawn)}")
        chosen.append((work, figures))
    return chosen


def _claims_about(paper: Paper, figures: list[str]) -> list[str]:
    from .page import about

    wanted = [figure for figure in paper.figures if figure.id in figures]
    return [
        id for id, claim in paper.ledger.claims.items() if any(about(claim.figure, figure.label) for figure in wanted)
    ]
