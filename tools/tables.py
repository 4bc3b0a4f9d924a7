#!/usr/bin/env python3
"""Rewrites the tables of six reference pages from the program: columns, metrics, keys of a scenario, rules of stacks, names in Python.

With ``--check`` nothing is written; the exit code says whether the pages are up to date.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from pydoc import locate
from typing import Any

from acklab import _core
from acklab.results.columns import WORDS, Column
from acklab.study.metrics import AGGREGATES, QUANTITIES
from acklab.text.schema import places

REFERENCE = Path(__file__).resolve().parent.parent / "docs/reference"
PAGES = {
    "tables.md": ("flows", "links", "series", "queue", "packets"),
    "metrics.md": ("Quantities", "Aggregates"),
    "analysis.md": ("connections", "throughput", "limits", "acks", "segments"),
    "scenario.md": ("Keys at a glance",),
    "stacks.md": ("The sender's rules", "The receiver's rules"),
    "python.md": ("Names at a glance",),
}


def keys() -> str:
    """The Markdown table of a scenario's tables, each with its keys."""
    found: dict[str, list[str]] = {}
    for place in places():
        if len(place.path) <= 3 and not any(step.startswith("(") for step in place.path):
            found.setdefault(".".join(place.path[:-1]) or "the file", []).append(f"`{place.path[-1]}`")
    rows = [
        [name if name == "the file" else f"`{name}`", ", ".join(found[name])]
        for name in sorted(found, key=lambda name: (name != "the file", name))
    ]
    return markdown(["table", "keys"], rows)


def stacks(side: str) -> str:
    """The Markdown table of every rule of one side, in every stack."""
    rules = [row for row in json.loads(_core.stacks()) if row["side"] == side]
    heads = ["rule", *(f"`{stack}`" for stack, _ in rules[0]["values"]), "what it decides"]
    rows = [[f"`{rule['rule']}`", *(value for _, value in rule["values"]), sentence(rule["about"])] for rule in rules]
    return markdown(heads, rows)


def markdown(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in (heads, *rows)]
    return "\n".join([lines[0], "|" + "---|" * len(heads), *lines[1:], ""])


def sentence(text: str) -> str:
    """A docstring's text on one line, without the links that only Rust's own documentation can follow."""
    text = re.sub(r" \(see \[`crate::[^]]*\]\)", "", text)
    return re.sub(r"\[(`[^`]*`)\](\([^)]*\))?", r"\1", " ".join(text.split()))


def first(what: Any) -> str:
    """The first sentence of a docstring."""
    text = sentence((what.__doc__ or "").strip().split("\n\n")[0])
    return re.split(r"(?<=[^.]\.)\s", re.sub(r":\w+:(?=`)", "", text))[0]


def names() -> str:
    """The Markdown table of what the page of Python documents: each name with the first sentence of its docstring."""
    rows, module = [], ""
    for kind, name in re.findall(
        r"^\.\. (currentmodule|auto\w+):: (\S+)", (REFERENCE / "python.md").read_text("utf-8"), re.MULTILINE
    ):
        if kind == "currentmodule":
            module = name
        elif kind == "automodule":
            found = import_module(name)
            public = [
                it
                for it, what in vars(found).items()
                if not it.startswith("_") and getattr(what, "__module__", "") == name
            ]
            rows += [
                (f"{'acklab.scenario' if name.startswith('acklab.scenario.') else name}.{it}", getattr(found, it))
                for it in public
            ]
        else:
            full = name if "." in name else f"{module}.{name}"
            rows.append((full, locate(full)))
    return markdown(["name", "what it is"], [[f"`{name}`", first(what)] for name, what in rows])


def table(name: str) -> str:
    """The Markdown table of a table's columns."""
    if name == "Keys at a glance":
        return keys()
    if name == "Names at a glance":
        return names()
    if name == "Quantities":
        heads = ["quantity", "unit", "meaning", "better", "because"]
        return markdown(
            heads, [[f"`{it.name}`", it.unit, it.about, WORDS[it.better], it.why] for it in QUANTITIES.values()]
        )
    if name == "Aggregates":
        return markdown(["aggregate", "meaning"], [[f"`{it}`", meaning] for it, meaning in AGGREGATES.items()])
    if name.endswith("'s rules"):
        return stacks(name.split()[1].removesuffix("'s"))
    columns = [Column(**column) for column in _core.columns(name)]
    heads, rows = ["column", "type", "meaning"], [[f"`{it.name}`", it.kind, it.about] for it in columns]
    if any(it.aggregate for it in columns):
        heads += ["aggregate", "better", "because", "heading"]
        rows = [
            [*row, *([it.aggregate, WORDS[it.better], it.why, it.head] if it.aggregate else [""] * 4)]
            for row, it in zip(rows, columns, strict=True)
        ]
    return markdown(heads, rows)


def page(name: str, text: str) -> str:
    """The page with its tables made again."""
    for section in PAGES[name]:
        place = re.compile(rf"(^## {section}\n(?:(?!^## )(?!\|).*\n)*)(?:\|.*\n)+", re.MULTILINE)
        text, found = place.subn(lambda match, section=section: match[1] + table(section), text)  # type: ignore[misc]
        if found != 1:
            raise SystemExit(f"{name} has no section `{section}` with a table")
    return text


if __name__ == "__main__":
    old = {name: (REFERENCE / name).read_text(encoding="utf-8") for name in PAGES}
    new = {name: page(name, text) for name, text in old.items()}
    if "--check" in sys.argv[1:]:
        sys.exit(old != new)
    for name, text in new.items():
        (REFERENCE / name).write_text(text, encoding="utf-8")
