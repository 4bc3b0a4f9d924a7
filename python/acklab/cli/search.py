"""What ``acklab tune`` and ``acklab infer`` share: options, and the steps from a plan to what is printed."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any

from ..text.terminal import file_name, say
from .meant import NO_TEXT, instead_of_a_search, unread
from .options import add_open, add_workers, check_open, directory, show, workers


def add_outputs(verb: argparse.ArgumentParser, rows: str, work: str) -> None:
    """Adds the options on output and on where runs are executed; ``rows`` is what the table lists, ``work`` what an interrupt stops."""
    verb.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    told = f"also write the {rows}, the winner's scenario and a page there; {work} continues"
    verb.add_argument("--out", type=directory, metavar="DIR", help=told)
    verb.add_argument(
        "--fresh", action="store_true", help="with --out: delete the finished runs that are there, and make all of them"
    )
    add_workers(verb)
    add_open(verb)


def follow(
    options: argparse.Namespace,
    keys: Sequence[str],
    read: Callable[[str, dict[str, Any]], Any],
    carry_out: Callable[..., Any],
    instead: Callable[[Any], str | None] = lambda plan: None,
) -> int:
    """Reads the plan, makes its runs, prints what they say, and returns the exit status.

    Args:
        options: the command line's.
        keys: options that replace keys of the plan.
        read: makes a plan of a file's name and those keys.
        carry_out: makes the runs.
        instead: what to print instead of making runs, or None.
    """
    from .. import _core
    from ..results.progress import Progress
    from ..study.grammar import StudyError

    check_open(options)
    if options.fresh and not options.out:
        options.parser.error("--fresh goes with --out DIR")
    made_by = workers(options)
    given = {key: value for key in keys if (value := getattr(options, key)) is not None}
    try:
        try:
            plan = read(options.file, given)
        except OSError as error:
            options.parser.error(unread(options.file, error))
        if answer := instead(plan):
            say(answer)
            return 0
        told = carry_out(
            plan,
            out=options.out,
            threads=options.threads,
            workers=made_by,
            fresh=options.fresh,
            meter=lambda total: Progress(options.verb, total),
        )
    except (StudyError, _core.ScenarioError) as error:
        other = instead_of_a_search(options.file, options.verb)
        said = (
            f"{file_name(options.file)}:" if other.startswith(NO_TEXT) else str(error)
        )  # the place at which a capture is no plan does not help
        options.parser.exit(2, f"acklab: {said}{other}\n")
    show(options, told)
    return 0
