"""The keys and named choices of a scenario, read from its JSON Schema."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

#: Keys that name which of several tables is meant.
TAGS = ("kind", "policy")


@dataclass(frozen=True)
class Place:
    """A key, or a named choice, of a scenario."""

    path: tuple[str, ...]
    schema: Mapping[str, Any]
    side: str = ""
    """Whose rule it is, of those that stacks have."""
    required: bool = False
    """Whether its table needs it."""

    @property
    def name(self) -> str:
        """The path as ``--set`` has it, with choices in parentheses."""
        return ".".join(self.path).replace(".(", " (")


def places() -> list[Place]:
    """Every key and named choice of a scenario, in the schema's order."""
    from .. import _core

    schema = json.loads(_core.schema())
    return list(walk(schema, schema))


def walk(
    root: Mapping[str, Any], schema: Mapping[str, Any], path: tuple[str, ...] = (), refs: tuple[str, ...] = ()
) -> Iterator[Place]:
    """Every key below a schema; a table that holds itself is entered once."""
    ref = schema.get("$ref")
    if ref in refs:
        return
    whole = resolved(root, schema)
    refs = (*refs, ref) if ref else refs
    side = "sender" if "SenderTable" in str(refs[-1:]) else "receiver" if "ReceiverTable" in str(refs[-1:]) else ""
    for key, entry in whole.get("properties", {}).items():
        if "const" not in entry and key != "$schema":
            yield Place((*path, key), entry, side, key in whole.get("required", ()))
            yield from walk(root, entry, (*path, key), refs)
    if isinstance(whole.get("additionalProperties"), Mapping):  # a stack's rules are the sender's and the receiver's
        base = resolved(root, whole["additionalProperties"]).get("properties", {}).get("base")
        if base:
            yield Place((*path, "NAME", "base"), base)
    for form in forms(whole):
        entries = resolved(root, form).get("properties", {})
        name = form.get("const") or next(
            (entries[tag]["const"] for tag in TAGS if "const" in entries.get(tag, {})), None
        )
        if name:
            yield Place((*path, f"({name})"), form)
        yield from walk(root, form, (*path, f"({name})") if name else path, refs)
    if isinstance(whole.get("items"), Mapping):
        yield from walk(root, whole["items"], path, refs)


def resolved(root: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """A schema with what it refers to."""
    target = schema.get("$ref", "")
    found: Mapping[str, Any] = {**root["$defs"][target.rpartition("/")[2]], **schema} if target else schema
    return found


def forms(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The schemas of which one holds."""
    found: list[Mapping[str, Any]] = schema.get("oneOf") or schema.get("anyOf") or []
    return found
