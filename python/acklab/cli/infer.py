"""``acklab infer``: which readings of open rules explain printed or measured values."""

from __future__ import annotations

import argparse
import os
from typing import Any

from .options import add_outputs, add_verb, add_workers, runs_kept, seed
from .search import follow

EXAMPLE = """\
FILE is a plan (TOML): a scenario, open rules with candidate values ([free], [alternatives.NAME]), [[run]] tables, and [[value]] tables
with what was printed or measured, its tolerance, and whether it may be fitted. For a paper of `acklab reproduce` write its name.

Every reading is run several times with the same nudges of starts and delays. Where all readings are affordable all are tried, else
they are drawn. The values that are held out are predicted, and each group of fitted values is predicted from the others.

example:
  acklab infer examples/infer/sender.toml --out inferred    which sender produced this transfer
  acklab infer smartacking --out inferred                   which sender a paper's simulator had

With --out, what is done is kept: the same command continues where an interrupt or a crash stopped it, and gives the same files.

exit status: 0; 1 a run or an output failed; 2 bad plan or scenario; 130 interrupted; 143 terminated
"""


def add(verbs: Any) -> None:
    """Adds the verb to the command line."""
    about = "Find which values of open rules explain what was printed or measured."
    verb = add_verb(verbs, "infer", act, about, EXAMPLE, runs_kept)
    verb.add_argument("file", metavar="FILE", help="the plan, or the name of a paper that has one")
    verb.add_argument(
        "--readings", type=int, metavar="N", help="how many readings to try at most (the plan's, or 2000)"
    )
    verb.add_argument("--nudges", type=int, metavar="N", help="how often each run is made (the plan's, or 5)")
    verb.add_argument("--seed", type=seed, metavar="N", help="seed of the search (the plan's, or 1)")
    verb.add_argument(
        "--count", action="store_true", help="say how many readings and runs it is at most, and run nothing"
    )
    about = "also write the readings, the winner's scenario and a page there; interrupted work continues"
    add_outputs(verb, about, "delete the finished runs that are there, and make all of them")
    add_workers(verb)
    verb.set_defaults(kernel=False)


def act(options: argparse.Namespace) -> int:
    """Infers and returns the exit status."""
    from ..study.infer import infer

    return follow(
        options,
        ("readings", "nudges", "seed"),
        _plan,
        infer,
        _counted if options.count else lambda plan: None,
    )


def _counted(plan: Any) -> str:
    """How many readings and runs it is at most."""
    from ..study.infer import most_runs, tried
    from ..text.numbers import counted

    each = len(plan.entries) * plan.nudges
    of = f" of {plan.space.size:,}" if plan.space.size else ""
    return f"{counted(tried(plan), 'reading')}{of} ({plan.search}), {counted(each, 'run')} each; at most {counted(most_runs(plan), 'run')}"


def _plan(file: str, given: dict[str, Any]) -> Any:
    """The plan of a file, or of a paper; a file of that name goes first."""
    from ..papers import FIVE
    from ..papers.open import inferred
    from ..study.grammar import StudyError
    from ..study.infer import PLANS

    if file in FIVE and not os.path.lexists(file):
        return PLANS.from_tree({**inferred(file), **given}, file)
    if not os.path.lexists(file) and not os.path.splitext(file)[1]:
        raise StudyError(f"{file}: no such file, and no paper of that name; there are {', '.join(FIVE)}")
    return PLANS.read(file, given)
