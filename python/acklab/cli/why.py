"""``acklab why``: what causes a scenario's result, found by running it without each mechanism."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from .options import add_outputs, add_verb, check_out, reading, runs_kept, show, threads

EXAMPLE = """\
Every mechanism with a neutral value is run neutral: without it, with it alone (all others neutral), and all of them neutral. Neutral are no
loss, no stage, no ACK filter, no pacing, Nagle, segmentation or idle restart, the policy `every`, a constant rate or delay at the mean, an
unlimited queue or window, drop-tail of equal room, and no cross traffic: flows that --metric does not name.

Each variant runs with the same nudges (starts up to 10 ms later, links up to 1 % longer, another seed). The row `a nudge only` shows what
chance does. Redundant causes show nothing without one of them, but do so alone.

example:
  acklab why examples/allman1998.toml                    what makes this transfer slow
  acklab why examples/access/dsl.toml --metric goodput@up --set flow.up.start=0s    what takes the upload's rate
  acklab why client.pcap                                 of a capture: the mechanisms of its fit that it determines
  acklab why examples/allman1998.toml --values           each other value of each rule instead, confirmed on other nudges

With --out, what is done is kept until the tables are written: the same command continues where an interrupt stopped it.

exit status: 0; 1 a run or an output failed; 2 bad scenario; 130 interrupted; 143 terminated
"""


def add(verbs: Any) -> None:
    """Adds the verb to the command line."""
    verb = add_verb(
        verbs, "why", act, "Run a scenario without each of its mechanisms, and with each alone.", EXAMPLE, runs_kept
    )
    verb.add_argument("file", metavar="FILE", help="the scenario (TOML or JSON), or a capture, which is fitted")
    verb.add_argument(
        "--metric", metavar="METRIC", help="as of acklab compare (completion or goodput of the first flow)"
    )
    verb.add_argument("--values", action="store_true", help="try each other value of each rule, not neutral values")
    verb.add_argument("--nudges", type=int, default=10, metavar="N", help="runs of each variant, at least 10 (10)")
    verb.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], help="set a key before")
    verb.add_argument("--margin", metavar="SHARE", help="a smaller change of the mean does not matter (2%%)")
    add_outputs(verb, "also write the tables and a page there", "run again what is kept of an interrupted attempt")
    verb.add_argument("--threads", type=threads, metavar="N", help="how many runs at once (one a processor)")


def act(options: argparse.Namespace) -> int:
    """Answers and returns the exit status."""
    from .._core import CaptureError
    from ..results.progress import Progress
    from ..study.fit.place import FitError
    from ..study.grammar import StudyError, share
    from ..study.why import answer, asking

    check_out(options)
    asked = {"sets": options.set, "metric": options.metric, "values": options.values, "nudges": options.nudges}
    out = None if options.out is None else Path(options.out)
    try:
        with reading(options, options.file):
            asked |= {"margin": share(options.margin)} if options.margin is not None else {}
            question = asking(Path(options.file), **asked)
        result = answer(
            question, out, threads=options.threads, fresh=options.fresh, meter=lambda total: Progress("why", total)
        )
    except (StudyError, FitError, CaptureError) as error:
        options.parser.exit(2, f"acklab: {error}\n")
    show(options, result)
    return 0
