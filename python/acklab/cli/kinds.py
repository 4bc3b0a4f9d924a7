"""Files given in place of a scenario: a plan, the cases of a comparison, or a capture."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..experiments.sweep.flags import is_plan
from ..text.input import read_file
from ..text.toml import loads

#: First bytes of pcap in both byte orders, with micro- and nanoseconds, of pcapng, and of snoop.
_CAPTURES = (b"snoop\0", b"\xd4\xc3\xb2\xa1", b"\xa1\xb2\xc3\xd4", b"\x4d\x3c\xb2\xa1", b"\xa1\xb2\x3c\x4d", b"\n\r\r\n")


#: How lines begin about files that are no plans in another form.
NO_TEXT = ("\n  this is a capture", "\n  this is a qlog")


def instead(file: str | None) -> str:
    """A second line for a message, if what ``file`` names is for another verb; else nothing."""
    path = Path(file) if file else None
    if path is None or not path.is_file():
        return ""
    text = read_file(path)
    if text.startswith(_CAPTURES):
        return f"\n  this is a capture: acklab analyze {file}"
    try:
        tree = loads(text.decode("utf-8"))
    except ValueError:
        return ""
    if searched := _searches(tree):
        return f"\n  this is a plan of a search: acklab {searched} {file}"
    if "case" in tree or "situation" in tree:
        return f"\n  this has cases: acklab compare SCENARIO --cases {file}"
    return f"\n  this is a plan: acklab sweep {file}" if is_plan(tree) else ""


def _searches(tree: Mapping[str, Any]) -> str:
    """The verb of a plan of a search, or nothing."""
    return "infer" if {"free", "value"} <= tree.keys() else "tune" if {"free", "objectives", "trials"} & tree.keys() else ""


def instead_of_a_search(file: str, verb: str) -> str:
    """The same for a file given to ``tune`` or ``infer``: it may be a sweep's plan, or a scenario."""
    path = Path(file)
    if not path.is_file():
        return ""
    if instead(file).startswith(NO_TEXT):
        return f"\n  this is a capture: acklab analyze {file} says how its receivers send ACKs, acklab fit {file} makes a scenario of it"
    try:
        tree = loads(read_file(path).decode("utf-8"))
    except ValueError:
        from ..captures.qlog import is_qlog

        return f"\n  this is a qlog: acklab analyze {file}" if is_qlog(path) else ""
    if (found := _searches(tree)) and found != verb:
        return f"\n  this is a plan of acklab {found}: acklab {found} {file}"
    if is_plan(tree) and not found:
        return f"\n  this is a plan of a sweep: acklab sweep {file}; a search has `free` keys (acklab {verb} --help)"
    if "flow" in tree or "link" in tree:
        return f"\n  this is a scenario: a plan names it, scenario = \"{path.name}\", and its `free` keys (acklab {verb} --help)"
    return ""


def instead_of_a_sweep(file: str | None) -> str:
    """The same for a file given to ``sweep``: it may be the plan of a search."""
    told = instead(file)
    return told if "plan of a search" in told or "this has cases" in told or "a capture" in told else ""


def instead_of_a_capture(file: str) -> str:
    """The same for a file given to ``analyze`` or ``fit``: it may be a scenario, or a plan."""
    path = Path(file)
    try:
        tree = loads(read_file(path).decode("utf-8")) if path.is_file() and path.suffix in (".toml", ".json") else {}
    except ValueError:
        return ""
    return f"\n  this is a scenario: acklab run {file}" if {"flow", "topology"} & tree.keys() else instead(file) if tree else ""


def longer(options: Any) -> str:
    """A second line for a key of one word: the keys of the scenario that end with it."""
    given = [text for name in ("set", "vary") for text in getattr(options, name, None) or []]
    words = [match[1] for text in given if (match := re.match(r"\s*(\w+)\s*=", text))]
    path = Path(getattr(options, "file", None) or "")
    if not words or not path.is_file():
        return ""
    try:
        tree = loads(read_file(path).decode("utf-8"))
    except ValueError:
        return ""
    known = list(_keys(tree))
    for word in words:
        if word not in tree and (found := [key for key in known if key.rpartition(".")[2] == word]):
            return f"\n  the scenario's keys of that name: {', '.join(found[:4])}"
    return ""


def _keys(tree: Any, at: str = "") -> Iterator[str]:
    """The paths of a tree, as ``--set`` takes them."""
    entries = tree.items() if isinstance(tree, Mapping) else enumerate(tree) if isinstance(tree, list) else ()
    for step, entry in entries:
        path = f"{at}.{step}" if at else str(step)
        if not isinstance(tree, list):
            yield path
        yield from _keys(entry, path)
