"""``acklab tune``: a search for the keys that are best over a distribution of paths."""

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
FILE is a plan (TOML): a scenario or [[path]] tables, [free] keys with { low =, high = } or choices, and objectives.

Every trial sees the same drawn paths and seeds. A trial stops early where the interval of its paired difference to the best so far
says that it is worse. The winner and the baseline then run on fresh paths, because the best of many trials looks better than it is.

example:
  acklab tune examples/access/tune.toml --out tuned     which ACK policy for this mix of access paths
  acklab tune examples/access/tune.toml --trials 200 --out tuned    the same search, continued
  acklab tune plan.toml --engine ray --address auto --out tuned     on a cluster
  acklab run tuned/best.toml                            the winner's scenario

With --out, what is done is kept: the same command continues where an interrupt or a crash stopped it, and gives the same files.
The search needs Optuna: pip install 'acklab[tune]'.

exit status: 0; 1 a run or an output failed; 2 bad plan or scenario; 130 interrupted; 143 terminated
"""


def add(verbs: Any) -> None:
    """Adds the verb to the command line."""
    verb = verbs.add_parser(
        "tune",
        help="search for the keys that are best over many paths",
        description="Search for the keys of a scenario that are best over paths drawn from a distribution.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verb.add_argument("file", metavar="FILE", help="the plan")
    verb.add_argument("--trials", type=_trials, metavar="N", help="how many different choices to try (the plan's, or 64)")
    verb.add_argument("--seed", type=seed, metavar="N", help="seed of the search and of the drawn paths (the plan's, or 1)")
    verb.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    verb.add_argument("--out", type=directory, metavar="DIR", help="also write the trials, the winner's scenario and a page there; an interrupted search continues")
    verb.add_argument("--fresh", action="store_true", help="with --out: delete the finished runs that are there, and make all of them")
    add_workers(verb)
    add_open(verb)
    verb.set_defaults(act=act, parser=verb, kernel=False)


def _trials(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 100_000:
        raise argparse.ArgumentTypeError(f"{text} is no whole number from 1 to 100000")
    return int(text)


def act(options: argparse.Namespace) -> int:
    """Searches and returns the exit status."""
    from .. import _core
    from .._progress import Progress
    from ..sweep.errors import SweepError
    from ..tune.output import plain
    from ..tune.plan import read
    from ..tune.run import tune
    from ..tune.words import as_text

    check_open(options)
    if options.fresh and not options.out:
        options.parser.error("--fresh goes with --out DIR")
    made_by = workers(options)
    given = {key: value for key in ("trials", "seed") if (value := getattr(options, key)) is not None}
    try:
        try:
            plan = read(options.file, given)
        except OSError as error:
            options.parser.error(f"{file_name(options.file)}: {error.strerror}")
        out = Path(options.out) if options.out else None
        told = tune(plan, out, threads=options.threads, workers=made_by, fresh=options.fresh, meter=lambda total: Progress("tune", total))
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
        page = os.path.join(options.out, "tune.html")
        say(f"\nwritten to {file_name(page)}")
        open_page(options, page)
    return 0
