"""What somebody may have meant: a verb, a file of another kind or name, a key of one word, an override that others undo."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..text.input import CAPTURES, example, loads, read_file
from ..text.keys import key
from ..text.terminal import file_name, not_known

if TYPE_CHECKING:
    from ..study.compare import Comparison

#: Words that are no verbs, and the options that do it.
OPTIONS = {
    "what-if": "it is an option of a fit: acklab fit FILE --what-if KEY=VALUE",
    "merge": "it is an option of a sweep: acklab sweep --join DIR ... --out DIR",
    "query": "a dataset is Parquet, which DuckDB and polars read (docs/howto/scale.md)",
}

#: How lines begin about files that are no plans in another form.
NO_TEXT = tuple(
    f"\n  this is {what}"
    for what in (
        "a capture",
        "a qlog",
        "a table",
        "a page",
        "a program",
        "compressed",
        "a packetdrill",
        "the result",
        "the marker",
    )
)


def explained(error: object, files: Sequence[str | None]) -> str:
    """An error about one of these files with what :func:`instead` says of it; the place at which a capture is no scenario does not help."""
    for file in files:
        if told := instead(file):
            return f"{file_name(file or '')}:{told}" if told.startswith(NO_TEXT) else f"{error}{told}"
    return str(error)


def instead(file: str | None) -> str:
    """A second line for a message, if what ``file`` names is for another verb; else nothing."""
    path = Path(file) if file else None
    if path is None or not path.is_file():
        return ""
    text = read_file(path)
    if text.startswith(CAPTURES):
        return f"\n  this is a capture: acklab analyze {file}"
    if told := _no_scenario(path, text):
        return f"\n  this is {told}"
    try:
        tree = loads(text.decode("utf-8"))
    except ValueError:
        return ""
    if searched := _searches(tree):
        return f"\n  this is a plan of a search: acklab {searched} {file}"
    if "case" in tree or "situation" in tree:
        return f"\n  this has cases: acklab compare {'' if 'scenario' in tree else 'SCENARIO '}--cases {file}"
    return f"\n  this is a plan: acklab sweep {file}" if _is_plan(tree) else ""


def _is_plan(tree: Mapping[str, Any]) -> bool:
    from ..study.reading import is_plan  # a run with --set does not need that room

    return is_plan(tree)


def _no_scenario(path: Path, text: bytes) -> str:
    """What a file is that no verb reads in place of a scenario, and what to do with it; nothing where that is not known."""
    name, again = file_name(path), path.with_name("scenario.toml")
    rerun = f"; the scenario beside it runs again: acklab run {file_name(again)}" if again.is_file() else ""
    if text.startswith(b"PAR1"):
        return f"a table: acklab plot {name} draws it, DuckDB and polars read it{rerun}"
    if text.startswith(b"\x1f\x8b"):
        from ..captures.qlog import is_qlog

        return (
            f"a qlog: acklab analyze {name}"
            if is_qlog(path)
            else f"compressed: acklab analyze {name} if it is a capture or a qlog; unpack anything else"
        )
    if text.lstrip()[:5].lower() in (b"<!doc", b"<html"):
        return f"a page: open it in a browser{rerun}"
    if path.suffix == ".py":
        return f"a program: python {name}; with ACK policies and controls of yours: acklab run SCENARIO --python {name}"
    if path.suffix == ".pkt":
        return f"a packetdrill script: acklab drill {name}"
    try:
        tree = json.loads(text) if text.lstrip().startswith(b"{") else {}
    except ValueError:
        tree = {}
    if text.startswith(b"\x1e") or {"qlog_version", "file_schema"} & tree.keys():
        return f"a qlog: acklab analyze {name}"
    if {"end_s", "flows"} <= tree.keys():
        return f"the result of a run, no scenario{rerun}"
    return f"the marker of a directory of results{rerun}" if {"acklab", "verb", "files"} <= tree.keys() else ""


def instead_of_cases(file: str | None) -> str:
    """The same for a file given as ``--cases``: it may be a scenario."""
    path = Path(file) if file else None
    if path is None or not path.is_file():
        return ""
    try:
        tree = loads(read_file(path).decode("utf-8"))
    except ValueError:
        return instead(file)
    if {"case", "situation"} & tree.keys():
        return ""
    return (
        f"\n  this is a scenario: acklab compare {file_name(path)} --cases FILE, or --case for each"
        if {"flow", "link"} & tree.keys()
        else instead(file)
    )


def _searches(tree: Mapping[str, Any]) -> str:
    """The verb of a plan of a search, or nothing."""
    return (
        "infer"
        if {"free", "value"} <= tree.keys()
        else "tune"
        if {"free", "objectives", "trials"} & tree.keys()
        else ""
    )


def instead_of_a_search(file: str, verb: str) -> str:
    """The same for a file given to ``tune`` or ``infer``: it may be a sweep's plan, or a scenario."""
    path = Path(file)
    if not path.is_file():
        return ""
    told = instead(file)
    if told.startswith("\n  this is a capture"):
        return f"\n  this is a capture: acklab analyze {file} says how its receivers send ACKs, acklab fit {file} makes a scenario of it"
    if told.startswith(NO_TEXT):
        return told
    try:
        tree = loads(read_file(path).decode("utf-8"))
    except ValueError:
        return ""
    if (found := _searches(tree)) and found != verb:
        return f"\n  this is a plan of acklab {found}: acklab {found} {file}"
    if _is_plan(tree) and not found:
        return f"\n  this is a plan of a sweep: acklab sweep {file}; a search has `free` keys (acklab {verb} --help)"
    if "flow" in tree or "link" in tree:
        return f'\n  this is a scenario: a plan names it, scenario = "{path.name}", and its `free` keys (acklab {verb} --help)'
    return ""


def instead_of_a_sweep(file: str | None) -> str:
    """The same for a file given to ``sweep``: it may be the plan of a search."""
    told = instead(file)
    return "" if told.startswith("\n  this is a plan:") else told


def instead_of_a_capture(file: str) -> str:
    """The same for a file given to ``analyze`` or ``fit``: it may be a scenario, or a plan."""
    path = Path(file)
    try:
        tree = loads(read_file(path).decode("utf-8")) if path.is_file() and path.suffix in (".toml", ".json") else {}
    except ValueError:
        return ""
    return (
        f"\n  this is a scenario: acklab run {file}"
        if {"flow", "topology"} & tree.keys()
        else instead(file)
        if tree
        else ""
    )


def longer(options: Any, error: str = "") -> str:
    """A second line: for a key of one word the keys of the scenario that end with it, for a value the option as it is typed."""
    given = [text for name in ("set", "vary") for text in getattr(options, name, None) or []]
    words = [match[1] for text in given if (match := re.match(r"\s*(\w+)\s*=", text))]
    if (match := re.search(r" = (.+): must be .*; write (\{.*\})$", error)) and (
        place := next((key(text) for text in given if text.partition("=")[2].strip() == match[1]), None)
    ):
        return f"\n  as an option: --set '{place}={match[2]}'"
    path = Path(getattr(options, "file", None) or "")
    if not words or not path.is_file():
        return ""
    from ..scenario._toml import inline
    from ..study.keys import look

    try:
        tree = loads(read_file(path).decode("utf-8"))
    except ValueError:
        return ""
    known = list(_keys(tree))
    for word in words:
        if word not in tree and (found := [key for key in known if key.rpartition(".")[2] == word]):
            value = inline(look(tree, found[0]))
            return f"\n  the scenario's keys of that name: {', '.join(found[:4])}, as --set '{found[0]}={value}'"
    return ""


def _keys(tree: Any, at: str = "") -> Iterator[str]:
    """The paths of a tree, as ``--set`` takes them."""
    entries = tree.items() if isinstance(tree, Mapping) else enumerate(tree) if isinstance(tree, list) else ()
    for step, entry in entries:
        path = f"{at}.{step}" if at else str(step)
        if not isinstance(tree, list):
            yield path
        yield from _keys(entry, path)


def no_verb(word: str, verbs: Sequence[str]) -> str:
    """What is said of a first word that is no verb."""
    if os.path.exists(word):
        capture = word.endswith((".pcap", ".pcapng", ".gz", ".zst", ".lz4"))
        return f"which verb? to {'read' if capture else 'run'} it: acklab {'analyze' if capture else 'run'} {word}"
    return f"no verb {word}; {OPTIONS[word]}" if word in OPTIONS else not_known("verb", word, verbs)


def unread(name: str, error: OSError) -> str:
    """Why a named file cannot be read, with the name that was meant where a file beside it has nearly the same."""
    told = f"{file_name(name)}: {error.strerror}"
    if isinstance(error, IsADirectoryError) and os.path.isfile(again := os.path.join(name, "scenario.toml")):
        return f"{told}, with results; to run their scenario again: acklab run {file_name(again)}"
    if not isinstance(error, FileNotFoundError):
        return told
    path = Path(name)
    inside = name.startswith("examples/") and not path.parent.exists()
    folder = Path(example(str(path.parent.relative_to("examples")))) if inside else path.parent
    try:
        there = {one.stem: one.name for one in sorted(folder.iterdir()) if one.suffix in (".toml", ".json")}
    except OSError:
        there = {}
    near = get_close_matches(path.name.removesuffix(path.suffix), there, 1, 0.7)
    return f"{told}; did you mean {file_name(str(path.parent / there[near[0]]))}?" if near else told


def lost(text: str, later: Sequence[str]) -> str | None:
    """The key of the first of the ``later`` overrides that sets this one's key again, alone or with all around it.

    >>> lost("link.1.queue.bytes=40ms", ["link.1.rate=5Mbps", 'link.1.queue={ kind = "cake" }'])
    'link.1.queue'
    """
    own = key(text)
    return next((one for one in map(key, later) if own == one or own.startswith(f"{one}.")), None)


def notes(scenario: str | bytes, file: str, sets: Sequence[str]) -> list[str]:
    """What the overrides lose: an uplink's grants, where its rate becomes a plain one."""
    plain = [
        text for text in sets if key(text).endswith(".rate") and not text.partition("=")[2].lstrip().startswith("{")
    ]
    if not plain:
        return []
    from .. import _core
    from ..scenario.access import granted
    from ..study.keys import look

    try:
        tree = loads(_core.expanded(scenario, file=file))
    except _core.ScenarioError:  # which the run says itself, unless an override mends it
        return []
    found = []
    for text in plain:
        rate = look(tree, key(text))
        if granted(rate):
            better = f"{key(text)}.rate={text.partition('=')[2]}"
            found.append(
                f"note: --set {text} makes a constant rate of {rate['kind']}, which sends by grants; --set {better} keeps the grants"
            )
    return found


def notes_on_cases(comparison: Comparison) -> list[str]:
    """Of the overrides of all cases, those that some case replaces."""
    found = []
    for text in comparison.sets:
        lose = [(one.name, whole) for one in comparison.cases if (whole := lost(text, one.sets))]
        if 0 < len(lose) < len(comparison.cases):
            names = ", ".join(repr(name) for name, _ in lose)
            found.append(
                f"note: --set {text} is lost in {names}: {'each sets' if len(lose) > 1 else 'it sets'} {lose[0][1]} as a whole"
            )
    return found
