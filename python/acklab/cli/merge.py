"""``acklab merge``: the shards of a sweep, put together."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from .options import add_open, add_verb, directory

EXAMPLE = """\
example:
  acklab sweep examples/queue.toml --shard 1/2 --out part1    on one machine
  acklab sweep examples/queue.toml --shard 2/2 --out part2    on another
  acklab merge part1 part2 --out queue                        the files that the undivided sweep would have written

exit status: 0; 1 something cannot be read or written; 2 not all shards of one sweep; 130 interrupted; 143 terminated
"""


def add(verbs: Any) -> None:
    """Adds the verb to the command line."""
    about = "Write what an undivided sweep would have written, from the directories of all its shards."
    verb = add_verb(verbs, "merge", act, about, EXAMPLE)
    verb.add_argument(
        "shards", metavar="DIR", nargs="+", help="the directories of `acklab sweep --shard`, all of one sweep"
    )
    verb.add_argument(
        "--out", type=directory, metavar="DIR", required=True, help="where to write tables, charts and a page"
    )
    verb.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    add_open(verb)


def act(options: argparse.Namespace) -> int:
    """Merges and returns the exit status."""
    from .. import _core
    from ..study.errors import StudyError
    from ..study.shards import merge
    from .sweep import say_swept

    try:
        told, design = merge([Path(shard) for shard in options.shards], Path(options.out))
    except (StudyError, _core.ScenarioError) as error:
        options.parser.exit(2, f"acklab: {error}\n")
    say_swept(told, design, options)
    return 0
