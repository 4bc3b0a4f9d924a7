"""``acklab reproduce``: a paper's figures, tables and claims, regenerated and judged."""

from __future__ import annotations

import argparse
import contextlib
import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..papers import FIVE, GROUPS, installed, names, packages
from ..text.escapes import file_name, not_known
from ..text.terminal import complain, say
from .options import add_open, add_verb, add_workers, directory, on_ray, open_page, runs_kept

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..engines.journal import Journal
    from ..reproduce.changes import Changed
    from ..reproduce.experiments import Effort
    from ..reproduce.paper import Figure, Paper
    from ..reproduce.runner import Outcome
    from ..results.directory import Folder

EXAMPLE = """\
example:
  acklab reproduce                                  every paper, pages in acklab-out/reproduce
  acklab reproduce allman1998 --quick               a quick look at one
  acklab reproduce allman1998/figure-2              one figure and the claims about it
  acklab reproduce allman1998 --figure table-1      the same, by option; may be repeated
  acklab reproduce allman1998/figure-8 --set flow.0.sender.initial_window=4   the same runs with another key: not the paper
  acklab reproduce allman1998 --json > claims.json  verdicts for scripts; writes pages only with --out

The papers: {FIVE}.
{INSTALLED}
What is done is kept: the same command goes on where an interrupt or a crash stopped it, and gives the same files.

exit status: 0, also where claims differ; 1 an experiment could not be run or an output failed; 2 no such paper or
figure; 130 interrupted; 143 terminated
"""
MORE = "acklab-studies brings later work, classics and studies: pip install acklab-studies"


def add(verbs: Any) -> None:
    """Adds the verb to the command line."""
    about = "Compute a paper's figures and tables again, check every claim, and write one offline page for each paper."
    more = [
        f"{group}: {', '.join(found)} (`{group}` names them all)." for group in GROUPS if (found := installed(group))
    ]
    shown = EXAMPLE.format(FIVE=", ".join(FIVE), INSTALLED="\n".join(more) or MORE)
    verb = add_verb(verbs, "reproduce", act, about, shown, runs_kept)
    verb.add_argument(
        "papers", metavar="PAPER[/FIGURE]", nargs="*", help="the papers, or single figures; all papers if left out"
    )
    verb.add_argument("--figure", metavar="FIGURE", action="append", default=[], help="only this figure of each paper")
    verb.add_argument(
        "--quick", action="store_true", help="fewer seeds and cells, no slow checks; every output says so"
    )
    verb.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    verb.add_argument("--out", type=directory, metavar="DIR", help="where to write (acklab-out/reproduce)")
    verb.add_argument(
        "--seeds", type=int, metavar="N", help="at most N seeds for claims with random runs (50; quick: 8)"
    )
    verb.add_argument(
        "--set",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        help="change a key in every run, such as flow.0.sender.initial_window=10; may be repeated. All outputs say that this is not the paper",
    )
    verb.add_argument(
        "--fresh", action="store_true", help="discard what an interrupted attempt left there, and begin anew"
    )
    add_workers(verb)
    add_open(verb)


def act(options: argparse.Namespace) -> int:
    """Regenerates what was asked for."""
    from ..reproduce import output
    from ..reproduce.report import told
    from ..results.directory import results

    if options.seeds is not None and options.seeds < 2:
        options.parser.error("--seeds must be at least 2: one seed has no interval")
    options.out = options.out or (None if options.json else "acklab-out/reproduce")
    out = Path(options.out) if options.out else None
    chosen = _chosen(options)
    changes = _changes(options, chosen)  # refused before anything is written
    with results(out, "reproduce", output.NAMES) if out else contextlib.nullcontext() as folder:
        outcomes, index = _all(options, chosen, folder, changes)
    if options.json:
        say(json.dumps(output.summary(outcomes)))
    else:
        say(told(outcomes))
        say(f"\nwritten to {file_name(index or '')}")
    if index is not None:
        open_page(options, index)
    return 1 if any(outcome.failed for outcome in outcomes) else 0


def _all(
    options: argparse.Namespace,
    chosen: list[tuple[Paper, list[str]]],
    out: Folder | None,
    changes: dict[int, Changed] | None,
) -> tuple[list[Outcome], Path | None]:
    """Regenerates paper after paper and writes each as soon as it is done."""
    from ..engines import cluster
    from ..reproduce import output
    from ..reproduce.runner import reproduce

    index = None
    outcomes: list[Outcome] = []
    by = partial(cluster.batches, address=options.address) if on_ray(options) else None
    effort = _effort(options)
    with contextlib.closing(_journal(options, chosen, out)) if out else contextlib.nullcontext() as journal:
        for paper, figures in chosen:
            claims = _claims_about(paper, figures) if figures else None
            outcome = reproduce(
                paper,
                effort,
                only=_only(figures),
                claims=claims,
                threads=options.threads,
                by=by,
                journal=journal,
                changes=changes,
            )
            for failed in outcome.failed:
                complain(f"{outcome.paper.id}: can not run {failed.experiment}: {failed.why}")
            outcomes.append(outcome)
            if out is not None:
                index = output.write(outcomes, out, [outcome])
        if journal is not None:
            journal.discard()
    return outcomes, index


def _effort(options: argparse.Namespace) -> Effort:
    from ..reproduce.runner import FULL, QUICK

    effort = replace(QUICK if options.quick else FULL, sets=tuple(options.set))
    return effort if options.seeds is None else effort.at_most(options.seeds)


def _only(figures: list[str]) -> Callable[[Figure], bool] | None:
    return (lambda figure: figure.id in figures) if figures else None


def _changes(options: argparse.Namespace, chosen: list[tuple[Paper, list[str]]]) -> dict[int, Changed] | None:
    """What ``--set`` does to the figures, one paper after the other."""
    if not options.set:
        return None
    from ..reproduce.changes import changed
    from ..reproduce.runner import drawn_of

    effort = _effort(options)
    found: dict[int, Changed] = {}
    for paper, figures in chosen:
        found |= changed([(one.id, one.needs) for one in drawn_of(paper, effort, _only(figures))], effort)
    return found


def _journal(options: argparse.Namespace, chosen: list[tuple[Paper, list[str]]], out: Folder) -> Journal:
    """The journal of this command: what is regenerated, how thoroughly, and by which code."""
    from importlib import resources

    from ..engines.journal import Journal, identity

    modules = [
        path.read_text(encoding="utf-8")
        for package in packages()
        for path in sorted(Path(str(resources.files(package))).rglob("*.py"))
    ]
    told = {paper.id: figures for paper, figures in chosen}
    return Journal(
        out,
        identity("", [told, options.quick, options.seeds, *([options.set] if options.set else []), modules]),
        fresh=options.fresh,
    )


def _chosen(options: argparse.Namespace) -> list[tuple[Paper, list[str]]]:
    """Papers and, where only some are wanted, the ids of their figures."""
    from ..papers import paper

    wanted: dict[str, list[str]] = {}
    known = (*FIVE, *(name for group in GROUPS for name in installed(group)))
    for text in [
        name for given in options.papers or names() for name in (installed(given) if given in GROUPS else [given])
    ]:
        name, _, figure = text.partition("/")
        if name not in known:
            more = "" if len(known) > len(FIVE) else f"\n  {MORE}"
            options.parser.error(not_known("paper or study", name, known) + more)
        wanted.setdefault(name, []).extend([figure] if figure else [])
    chosen = []
    for name, figures in wanted.items():
        work = paper(name)
        figures = [*figures, *options.figure]
        drawn = [figure.id for figure in work.figures]
        for figure in figures:
            if figure not in drawn:
                options.parser.error(f"{name}: {not_known('figure', figure, drawn)}")
        chosen.append((work, figures))
    return chosen


def _claims_about(paper: Paper, figures: list[str]) -> list[str]:
    from ..reproduce.page import about

    wanted: list[Figure] = [figure for figure in paper.figures if figure.id in figures]
    return [
        id for id, claim in paper.ledger.claims.items() if any(about(claim.figure, figure.label) for figure in wanted)
    ]
