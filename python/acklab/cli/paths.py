"""What an access path is, for people: the line of ``--path``, and what ``acklab explain`` says of one."""

from __future__ import annotations

import argparse

from ..scenario.access import path_as_text
from ..text import presets
from ..text.input import loads
from ..text.terminal import say
from . import examples


def say_path(options: argparse.Namespace) -> None:
    """Prints what ``--path`` and ``--set`` make, if the verb was given a path."""
    name = getattr(options, "of_path", None)
    if name is None or options.json:
        return
    from .. import _core

    with open(options.file, "rb") as file:
        expanded = _core.expanded(
            file.read(), file=options.file, sets=options.set, seed=options.seed if "seed" in options else None
        )
    changed = any(getattr(options, several, None) for several in ("vary", "case", "cases", "under"))
    say(f"path {name}{' as it is' if changed else ''}: {path_as_text(loads(expanded))}")


def explained(word: str) -> str | None:
    """What a word means with ``--path``: a preset, or a short key; none if it is neither."""
    if word in presets.KEYS:
        key, about = presets.KEYS[word]
        return f"{word}, with --path: {about}\n  in most presets: {key} (acklab explain docsis30 has those of one)"
    return _preset(word) if word in presets.PATHS else None


def _preset(name: str) -> str:
    """A preset's line, what its file says of its sources, and its keys."""
    from .. import _core

    text = examples.example(f"access/{name}.toml").read_bytes()
    known = presets.keys(name)
    lines = [f"--path {name}: {path_as_text(loads(_core.expanded(text, file=name)))}"]
    lines += [f"  {line.removeprefix('#').strip()}" for line in text.decode().partition("title =")[0].splitlines()]
    keys = [f"    {key:<12} {known[key]}: {about}" for key, (_, about) in presets.KEYS.items() if key in known]
    return "\n".join([*lines, "  short keys:", *keys])
