"""``acklab infer``: which readings of open rules explain printed or measured values."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import Any

from .._terminal import say, say_json
from .._texts import file_name
from .options import add_open, add_workers, check_open, directory, open_page, say_kept, seed, workers

EXAMPLE = """\
FILE is a plan (TOML): a scenario, open rules with candidate values ([free], [alternatives.NAME]), [[run]] tables, and [[value]] tables
with what was printed or measured, its tolerance, and whether it may be fitted. For a paper of `acklab reproduce` write its name.

Every reading is run several times with the same nudges of starts and delays. Where all readings are affordable all are tried, else
Optuna chooses. The values that are held out are predicted, and each group of fitted values is predicted from the others.

example:
  acklab infer examples/infer/sender.toml --out inferred    which sender produced this transfer
  acklab infer smartacking --out inferred                   which sender a paper's simulator had

With --out, what is done is kept: the same command continues where an interrupt or a crash stopped it, and gives the same files.
A search by Optuna needs: pip install 'acklab[tune]'.

exit status: 0; 1 a run or an output failed; 2 bad plan or scenario; 130 interrupted; 143 terminated
"""


def add(verbs: Any) -> None:
    """Adds the verb to the command line."""
    verb = verbs.add_parser(
        "infer",
        help="find the readings of open rules that explain measured values",
        description="Find which values of open rules explain what was printed or measured.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verb.add_argument("file", metavar="FILE", help="the plan, or the name of a paper that has one")
    verb.add_argument("--readings", type=int, metavar="N", help="how many readings to try at most (the plan's, or 2000)")
    verb.add_argument("--nudges", type=int, metavar="N", help="how often each run is made (the plan's, or 5)")
    verb.add_argument("--seed", type=seed, metavar="N", help="seed of a search by Optuna (the plan's, or 1)")
    verb.add_argument("--count", action="store_true", help="say how many readings and runs it would be, and run nothing")
    verb.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    verb.add_argument("--out", type=directory, metavar="DIR", help="also write the readings, the winner's scenario and a page there; interrupted work continues")
    verb.add_argument("--fresh", action="store_true", help="with --out: delete the finished runs that are there, and make all of them")
    add_workers(verb)
    add_open(verb)
    verb.set_defaults(act=act, parser=verb, kernel=False)


def act(options: argparse.Namespace) -> int:
    """Infers and returns the exit status."""
    from .. import _core
    from .._progress import Progress
    from ..infer.output import plain
    from ..infer.run import infer, tried
    from ..infer.words import as_text
    from ..sweep.errors import SweepError
    from ..sweep.text import counted

    check_open(options)
    if options.fresh and not options.out:
        options.parser.error("--fresh goes with --out DIR")
    made_by = workers(options)
    given = {key: value for key in ("readings", "nudges", "seed") if (value := getattr(options, key)) is not None}
    try:
        try:
            plan = _plan(options.file, given)
        except OSError as error:
            options.parser.error(f"{file_name(options.file)}: {error.strerror}")
        if options.count:
            each = len(plan.entries) * plan.nudges
            of = f" of {plan.space.size:,}" if plan.space.size else ""
            say(f"{counted(tried(plan), 'reading')}{of} ({plan.search}), {counted(each, 'run')} each: {tried(plan) * each:,} runs")
            return 0
        out = Path(options.out) if options.out else None
        told = infer(plan, out, threads=options.threads, workers=made_by, fresh=options.fresh, meter=lambda total: Progress("infer", total))
    except (SweepError, _core.ScenarioError) as error:
        options.parser.exit(2, f"acklab: {error}\n")
    except KeyboardInterrupt:
        say_kept(options.out)
        raise
    if options.json:
        say_json(json.dumps(plain(told)))
        return 0
    say(as_text(told))
    if options.out:
        page = os.path.join(options.out, "infer.html")
        say(f"\nwritten to {file_name(page)}")
        open_page(options, page)
    return 0


def _plan(file: str, given: dict[str, Any]) -> Any:
    """The plan of a file, or of a paper; a file of that name goes first."""
    from ..infer.errors import InferError
    from ..infer.plan import from_tree, read
    from ..papers import NAMES, inferred

    if os.path.lexists(file) or file not in NAMES:
        return read(file, given)
    if (tree := inferred(file)) is None:
        there = ", ".join(name for name in NAMES if inferred(name) is not None)
        raise InferError(f"the paper {file} has no plan; there is one of {there}")
    return from_tree({**tree, **given}, file)
