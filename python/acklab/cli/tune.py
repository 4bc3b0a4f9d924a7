"""``acklab tune``: a search for the keys that are best over a distribution of paths."""

from __future__ import annotations

import argparse
from typing import Any

from .options import add_outputs, add_verb, add_workers, runs_kept, seed
from .search import follow

EXAMPLE = """\
FILE is a plan (TOML): a scenario or [[path]] tables, [free] keys with { low =, high = } or choices, and objectives.

Every trial sees the same drawn paths and seeds. A trial stops early where the interval of its paired difference to the best so far
says that it is worse. The winner and the baseline then run on fresh paths, because the best of many trials looks better than it is.

example:
  acklab tune examples/access/tune.toml --out tuned     which ACK policy for this mix of access paths
  acklab tune examples/access/tune.toml --trials 200 --out tuned    the same search, continued
  acklab tune plan.toml --engine ray --address auto --out tuned     on a cluster
  acklab tune examples/access/tune.toml --out tuned --for goodput@up    the trials that are there, by another objective
  acklab run tuned/best.toml                            the winner's scenario

With --out, what is done is kept: the same command continues where an interrupt or a crash stopped it, and gives the same files.
The search needs Optuna: pip install optuna.

exit status: 0; 1 a run or an output failed; 2 bad plan or scenario; 130 interrupted; 143 terminated
"""


def add(verbs: Any) -> None:
    """Adds the verb to the command line."""
    about = "Search for the keys of a scenario that are best over paths drawn from a distribution."
    verb = add_verb(verbs, "tune", act, about, EXAMPLE, runs_kept)
    verb.add_argument("file", metavar="FILE", help="the plan")
    verb.add_argument(
        "--trials", type=_trials, metavar="N", help="how many different choices to try (the plan's, or 64)"
    )
    verb.add_argument(
        "--seed", type=seed, metavar="N", help="seed of the search and of the drawn paths (the plan's, or 1)"
    )
    about = "rank what was tried by this metric or weighted sum instead; of a stored search without a run (several: a front)"
    verb.add_argument("--for", action="append", type=_objective, metavar="METRIC", help=about)
    about = "also write the trials, the winner's scenario and a page there; an interrupted search continues"
    add_outputs(verb, about, "delete the finished runs that are there, and make all of them")
    add_workers(verb)
    verb.set_defaults(kernel=False)


def _trials(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 100_000:
        raise argparse.ArgumentTypeError(f"{text} is no whole number from 1 to 100000")
    return int(text)


def _objective(text: str) -> Any:
    from ..study.reading import value

    return value(text)


def act(options: argparse.Namespace) -> int:
    """Searches and returns the exit status."""
    from ..study.search import PLANS
    from ..study.tune import tune

    return follow(options, ("trials", "seed", "for"), PLANS.read, tune)
