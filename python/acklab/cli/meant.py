"""What somebody may have meant: a verb, a file of another kind or name, a key of one word, an override that others undo."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from ..text.input import CAPTURES, example, loads, read_file
from ..text.keys import key
from ..text.terminal import file_name, not_known

#: Words that are no verbs, and the options that do it.
OPTIONS = {
    "what-if": "it is an option of a fit: acklab fit FILE --what-if KEY=VALUE",
    "merge": "it is an option of a sweep: acklab sweep --join DIR ... --out DIR",
    "query": "a dataset is Parquet, which DuckDB and polars read (docs/howto/scale.md)",
}

#: What a file of JSON that has these keys is.
TREES = {
    ("qlog_version",): "a qlog: acklab analyze {name}",
    ("file_schema",): "a qlog: acklab analyze {name}",
    ("end_s", "flows"): "the result of a run, no scenario{rerun}",
    ("acklab", "verb", "files"): "the marker of a directory of results{rerun}",
}
#: What a scenario is said to be that a verb does not read, or that is given as ``--cases``.
SCENARIOS = {
    **dict.fromkeys(("analyze", "drill", "fit"), "acklab run {file}"),
    **dict.fromkeys(
        ("tune", "infer"), 'a plan names it, scenario = "{name}", and its `free` keys (acklab {verb} --help)'
    ),
    "cases": "acklab compare {file} --cases FILE, or --case for each",
}


def explained(error: object, options: Any, file: str | None = None) -> str:
    """An error with what is meant: another verb for one of the files, a longer key or value; what is no text has no place in it."""
    files = [getattr(options, "file", None), *getattr(options, "others", [])] if file is None else [file]
    for verb, one in [("cases", getattr(options, "cases", None)), *((options.verb, one) for one in files)]:
        path = Path(one) if one else None
        text = read_file(path) if path is not None and path.is_file() else b""
        if path is not None and (told := _no_scenario(path, text, options.verb)):
            return f"{file_name(path)}:\n  this is {told}"
        if path is not None and (told := _other_verb(path, text, verb)):
            return f"{error}\n  this {told}"
    return f"{error}{longer(options, str(error))}"


def _no_scenario(path: Path, text: bytes, verb: str) -> str:
    """What a file is that holds neither scenario nor plan, and what to do with it; nothing for another, and for what the verb reads."""
    name, again = file_name(path), path.with_name("scenario.toml")
    rerun = f"; the scenario beside it runs again: acklab run {file_name(again)}" if again.is_file() else ""
    if verb in ("analyze", "fit"):
        return ""
    if text.startswith(CAPTURES):
        return f"a capture: acklab analyze {name} says how its receivers send ACKs, acklab fit {name} makes a scenario of it"
    if text.startswith(b"PAR1"):
        return f"a table: acklab plot {name} draws it, DuckDB and polars read it{rerun}"
    if text.startswith(b"\x1f\x8b"):
        return f"compressed: acklab analyze {name} if it is a capture or a qlog; unpack anything else"
    if text.lstrip()[:5].lower() in (b"<!doc", b"<html"):
        return f"a page: open it in a browser{rerun}"
    if path.suffix == ".py":
        return f"a program: python {name}; with ACK policies and controls of yours: acklab run SCENARIO --python {name}"
    if path.suffix == ".pkt" and verb != "drill":
        return f"a packetdrill script: acklab drill {name}"
    try:
        tree = json.loads(text.lstrip(b"\x1e").partition(b"\n")[0] if text.startswith(b"\x1e") else text)
    except ValueError:
        return ""
    told = next((told for keys, told in TREES.items() if {*keys} <= tree.keys()), "") if isinstance(tree, dict) else ""
    return told.format(name=name, rerun=rerun)


def _other_verb(path: Path, text: bytes, verb: str) -> str:
    """What a scenario or a plan is for, if not for the verb; else nothing."""
    try:
        tree = loads(text.decode("utf-8"))
    except ValueError:
        return ""
    file = file_name(path)
    from ..study.reading import is_plan  # a run with --set does not need that room

    search = (
        "infer"
        if {"free", "value"} <= tree.keys()
        else "tune"
        if {"free", "objectives", "trials"} & tree.keys()
        else ""
    )
    if search:
        return f"is a plan of a search: acklab {search} {file}" if search != verb else ""
    if {"case", "situation"} & tree.keys():
        return (
            f"has cases: acklab compare {'' if 'scenario' in tree else 'SCENARIO '}--cases {file}"
            if verb != "cases"
            else ""
        )
    if is_plan(tree):
        return f"is a plan: acklab sweep {file}" if verb != "sweep" else ""
    if {"flow", "link", "topology"} & tree.keys() and verb in SCENARIOS:
        return f"is a scenario: {SCENARIOS[verb].format(file=file, name=path.name, verb=verb)}"
    return ""


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
