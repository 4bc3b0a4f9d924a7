"""``acklab reproduce``: a paper's figures, tables and claims, regenerated and judged."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING, Any

from ..papers import FIVE, GROUPS, installed
from ..text.terminal import complain
from .options import add_open, add_verb, add_workers, directory, on_ray, runs_kept, show

if TYPE_CHECKING:
    from ..reproduce.runner import Outcome

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
    from ..engines import cluster
    from ..reproduce.regenerate import PaperError, reproduce

    options.out = options.out or (None if options.json else "acklab-out/reproduce")
    try:
        result = reproduce(
            *options.papers, figure=options.figure, quick=options.quick, seeds=options.seeds, set=options.set,
            out=options.out, threads=options.threads, fresh=options.fresh, each=_failures,
            by=partial(cluster.batches, address=options.address) if on_ray(options) else None,
        )  # fmt: skip
    except PaperError as error:
        options.parser.error(str(error))
    show(options, result)
    return 1 if any(outcome.failed for outcome in result.outcomes) else 0


def _failures(outcome: Outcome) -> None:
    for failed in outcome.failed:
        complain(f"{outcome.paper.id}: can not run {failed.experiment}: {failed.why}")
