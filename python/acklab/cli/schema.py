"""``acklab schema``: what a scenario file may say."""

from __future__ import annotations

import argparse
import json
from typing import Any

from ..text.terminal import say
from .options import add_verb

EXAMPLE = """\
example:
  acklab schema > scenario.schema.json     for editors: complete and check scenario files
  acklab schema --plan > plan.schema.json  the same for the plans of `acklab sweep`
  acklab schema --stacks                   each stack's table of rules
"""


def add(verbs: Any) -> None:
    """Adds the verb to the command line."""
    about = "Print the JSON Schema of scenario files or of sweep plans, or the rule tables of the stacks."
    schema = add_verb(verbs, "schema", act, about, EXAMPLE)
    which = schema.add_mutually_exclusive_group()
    which.add_argument("--plan", action="store_true", help="print the JSON Schema of sweep plans instead")
    which.add_argument("--stacks", action="store_true", help="print each stack's rules instead")


def act(options: argparse.Namespace) -> int:
    """Prints what was asked for."""
    from .. import _core

    say(_stacks() if options.stacks else json.dumps(_plan() if options.plan else json.loads(_core.schema()), indent=2))
    return 0


def _plan() -> dict[str, Any]:
    from ..study.sweep_schema import plan_schema as schema

    return schema()


def _stacks() -> str:
    from .. import _core
    from ..text.terminal import align

    rows = json.loads(_core.stacks())
    heads = ["side", "rule", *(stack for stack, _ in rows[0]["values"]), "what it decides"]
    cells = [[row["side"], row["rule"], *(value for _, value in row["values"]), row["about"]] for row in rows]
    return "\n".join(align(heads, cells, names=len(heads)))
