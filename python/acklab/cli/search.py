"""What ``acklab tune`` and ``acklab infer`` share: the steps from a plan to what is printed."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any

from ..text.terminal import say
from .meant import explained
from .options import check_out, reading, show, workers


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

    check_out(options)
    made_by = workers(options)
    given = {key: value for key in keys if (value := getattr(options, key)) is not None}
    try:
        with reading(options, options.file):
            plan = read(options.file, given)
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
        options.parser.exit(2, f"acklab: {explained(error, options)}\n")
    show(options, told)
    return 0
