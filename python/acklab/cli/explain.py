"""``acklab explain``: what a key of a scenario means, from the JSON Schema and the stacks."""

from __future__ import annotations

import argparse
import json
import os
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from ..text.schema import TAGS, Place, forms, resolved, walk
from ..text.terminal import align, not_known, say
from . import paths
from .options import add_verb

EXAMPLE = """\
example:
  acklab explain dup_thresh                  meaning, range, default, and the value in every stack
  acklab explain flow.f.sender.window        the same of a key as --set takes it, by name or number
  acklab explain up_buffer                   a short key of --path
  acklab explain delayed                     a named choice, and the keys that go with it
  acklab explain cwnd                        a column of a run's tables
  acklab explain quic                        a stack: the rules in which it differs from rfc
  acklab explain docsis30                    a preset of --path: its rates, grants, queues and sources

exit status: 0, or 2 for no such key
"""
#: The stack of a flow that names none.
DEFAULT = "rfc"
#: Lists whose entries have names, which a key may hold.
NAMED = ("flow", "link", "stack", "wlan")
#: A run's tables.
TABLES = ("flows", "links", "series", "queue", "packets")
#: Most places that are explained in full; of more only the names are listed.
MOST = 6


def add(verbs: Any) -> None:
    """Adds the verb to the command line."""
    about = "Print what a key of a scenario means: its range, its default, and which stacks set it."
    verb = add_verb(verbs, "explain", act, about, EXAMPLE)
    verb.add_argument(
        "key",
        metavar="KEY",
        help="a key, its last part, a named choice such as delayed, a column of a table, a stack, or a preset of --path",
    )


def act(options: argparse.Namespace) -> int:
    """Prints every place of that name and returns the exit status."""
    from .. import _core

    schema = json.loads(_core.schema())
    table = json.loads(_core.stacks())
    others = (paths.explained(options.key), _stack(table, options.key), _columns(options.key))
    beside = [told for told in others if told is not None]
    rules = {(row["side"], row["rule"]): row["values"] for row in table}
    every = list(walk(schema, schema))
    shared = Counter(id(place.schema) for place in every)
    wanted = _steps(options.key)
    fitting = [place for place in every if _fits(wanted, place.path)]
    if not fitting and len(wanted) > 2 and wanted[0] in NAMED:  # flow.NAME.key
        fitting = [place for place in every if _fits([wanted[0], *wanted[2:]], place.path)]
    # A table that several keys share is explained once, where its path is shortest; links and flows come first.
    fitting.sort(key=lambda place: (place.path[0] not in ("link", "flow"), len(place.path)))
    found = list({id(place.schema): place for place in reversed(fitting)}.values())[::-1]
    if beside:
        say("\n\n".join(beside) + ("\n" if found else ""))
        if not found:
            return 0
    if not found and os.path.isfile(options.key):
        options.parser.error(
            f"{options.key} is a file; give a key, such as acklab explain flow.sender.dup_thresh, or run it: acklab run {options.key}"
        )
    if not found or not wanted:
        known = sorted({place.path[-1].strip("()") for place in every})
        options.parser.error(not_known("key", options.key, known).partition("; there are")[0])
    if len(found) > MOST:
        say(
            f"{options.key} has {len(found)} meanings; name more of the path, such as acklab explain '{found[0].name}':"
        )
        say("\n".join(f"  {place.name}: {_about(schema, place.schema)}" for place in found))
    else:
        say("\n\n".join(_told(schema, place, rules, shared[id(place.schema)]) for place in found))
    return 0


def _stack(table: list[dict[str, Any]], text: str) -> str | None:
    """A built-in stack, by its name or ``stack NAME``: the rules in which it differs from the default one; none of another word."""
    name = text.strip().removeprefix("stack").lstrip(" .=").strip("\"'")
    if name not in dict(table[0]["values"]):
        return None
    rows = [(row["side"], row["rule"], dict(row["values"])) for row in table]
    other = [(side, rule, values) for side, rule, values in rows if name == DEFAULT or values[name] != values[DEFAULT]]
    what = (
        "its rules"
        if name == DEFAULT
        else f"the rules in which it differs from {DEFAULT} (acklab schema --stacks has all)"
    )
    lines = align(["side", "rule", name, *([] if name == DEFAULT else [DEFAULT])], [
        [side, rule, *(values[stack] or "-" for stack in dict.fromkeys((name, DEFAULT)))] for side, rule, values in other
    ], names=4)  # fmt: skip
    keys = f'flow.sender.stack = "{name}" and flow.receiver.stack = "{name}"'
    return "\n".join([f"stack {name}: {keys}; {what}:", *(f"  {line}" for line in lines)])


def _columns(name: str) -> str | None:
    """Columns of a run's tables of that name, with or without their unit; none of another word.

    >>> print(_columns("cwnd"))
    column flows.cwnd_segments
      Congestion window at the end.
    column series.cwnd_segments
      Congestion window.
    """
    from .. import _core

    lines = [
        f"column {table}.{column['name']}\n  {column['about']}"
        for table in TABLES
        for column in _core.columns(table)
        if name in (column["name"], column["name"].rpartition("_")[0])
    ]
    return "\n".join(lines) or None


def _steps(key: str) -> list[str]:
    """The steps of a key, or of a ``KEY=VALUE``, without places in lists.

    >>> _steps('flow.f.sender.recovery=sack'), _steps("link[1].queue"), _steps('flow."a.b".start')
    (['flow', 'f', 'sender', 'recovery'], ['link', 'queue'], ['flow', 'a.b', 'start'])
    """
    found = re.findall(r'"([^"]*)"|([^.\[\]\s()"]+)', key.partition("=")[0])
    return [quoted or bare for quoted, bare in found if quoted or not bare.isdigit()]


def _fits(wanted: list[str], path: tuple[str, ...]) -> bool:
    """Whether the steps stand in the path in this order, the last of them at its end."""
    steps = iter([step.strip("()") for step in path])
    return bool(wanted) and wanted[-1] == path[-1].strip("()") and all(step in steps for step in wanted)


def _about(root: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    return str(resolved(root, schema).get("description", "")).replace("\n", " ")


def _told(root: Mapping[str, Any], place: Place, rules: Mapping[tuple[str, str], Any], places: int) -> str:
    also = f"  (and in {places - 1} more tables)" if places > 1 else ""
    lines = [place.name + also, f"  {_about(root, place.schema)}", f"  allowed: {_allowed(root, place.schema)}"]
    if place.required:
        lines.append("  required")
    if "default" in place.schema:
        lines.append(f"  default: {json.dumps(place.schema['default'], ensure_ascii=False)}")
    values = rules.get((place.side, place.path[-1]))
    if values:
        width = max(len(stack) for stack, _ in values)
        lines += ["  in the stacks:", *(f"    {stack:<{width}}  {value}" for stack, value in values)]
    return "\n".join(lines)


def _allowed(root: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    whole = resolved(root, schema)
    if "const" in whole:
        return json.dumps(whole["const"])
    if several := forms(whole):
        found = list(dict.fromkeys(_allowed(root, form) for form in several))
        return (" or " if sum(map(len, found)) < 100 else "\n    or ").join(found)
    kind = whole.get("type")
    if kind == "object":
        entries = whole.get("properties", {})
        tag = next((f'{tag} = "{entries[tag]["const"]}"' for tag in TAGS if "const" in entries.get(tag, {})), None)
        required = whole.get("required", ())
        keys = [
            f"{key} (required)" if key in required else key for key, entry in entries.items() if "const" not in entry
        ]
        return f"{{ {', '.join([tag] if tag else [])}{', ' if tag and keys else ''}{', '.join(keys)} }}"
    if kind == "array":
        return f"a list, each {_allowed(root, whole.get('items', {}))}"
    if kind in ("integer", "number"):
        ends = [
            f"{word} {whole[key]:,}" for key, word in (("minimum", "at least"), ("maximum", "at most")) if key in whole
        ]
        return ", ".join(["a whole number" if kind == "integer" else "a number", *ends])
    if kind == "string" and "pattern" in whole:
        return str(root["$defs"].get(schema.get("$ref", "").rpartition("/")[2], whole).get("description", "a text"))
    return "true or false" if kind == "boolean" else "a text"
