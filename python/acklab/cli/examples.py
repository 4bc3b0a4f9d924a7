"""The examples that come with the package: files by name, templates, and access paths with named keys."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..text.input import example as path_of
from ..text.presets import GROUPS, KEYS, OWN, PATHS, as_given, keys, no_key, without_downloads
from ..text.terminal import not_known
from .options import refuse_twice

if TYPE_CHECKING:
    from pathlib import Path

#: ``acklab new --template``: the file that is copied, and what it shows.
TEMPLATES = {
    "t1": ("t1.toml", "one transfer through one bottleneck"),
    "dumbbell": ("dumbbell.toml", "two flows that share a bottleneck"),
    "cable": ("access/cable.toml", "an access link: downloads, an upload, small requests"),
    "wifi": ("wifi.toml", "a download over 802.11n"),
    "quic": ("quic/uplink.toml", "a QUIC transfer over a slow uplink"),
}
ABOUT = (
    "Access paths (acklab explain docsis30 says what one is):\n"
    + "".join(f"  {', '.join(names)}: {about}\n" for about, names in GROUPS.items())
    + "\nWith --path, keys have short names:\n"
    + "".join(f"  {key:<12} {about}\n" for key, (_, about) in KEYS.items())
    + "A preset's buffer is a time: it keeps its milliseconds when the rate changes.\n"
)


def example(name: str) -> Path:
    """A file of the package's examples."""
    from pathlib import Path

    return Path(path_of(name))


def add_path(verb: argparse.ArgumentParser) -> None:
    """Adds ``--path`` to a verb."""
    verb.set_defaults(of_path=None)
    verb.add_argument(
        "--path",
        metavar="NAME",
        help=f"an access path instead of FILE: {', '.join(PATHS)} (which have grants: see below)",
    )


def take_path(options: argparse.Namespace) -> None:
    """Makes the scenario's file and keys of a path and its named keys, in ``--set``, ``--vary``, ``--case`` and ``--under``."""
    name: str | None = options.path
    if name is None or options.of_path is not None:
        return
    if name not in PATHS:
        options.parser.error(not_known("path", name, PATHS))
    if options.file is not None:
        options.parser.error("give a FILE or a --path, not both")
    options.file = path_of(f"access/{name}.toml")
    title = [f"title={name}: {', '.join(options.set)}"] if options.set else []
    known = keys(name)
    options.short = []
    for several in ("set", "vary", "case", "under"):
        if hasattr(options, several):
            _refuse_strange(options, getattr(options, several), known)
            options.short += [
                key for text in getattr(options, several) for _, key in _NAMED.findall(text) if key in known
            ]
            setattr(options, several, [_written_out(text, known) for text in getattr(options, several)])
    refuse_twice(options, lambda text: as_given(text, name, options.short))
    options.set = [*title, *options.set]
    options.of_path = name


def in_short(options: argparse.Namespace, text: str) -> str:
    """An error with the short keys of ``--path`` that were given, in place of the scenario's."""
    return as_given(text, options.of_path, options.short) if getattr(options, "of_path", None) else text


def short_names(path: str, plan: Mapping[str, Any]) -> dict[str, str]:
    """What a sweep's columns are called: as the user called the keys of the path that vary."""
    varied = {*plan.get("vary", {}), *(key for table in plan.get("together", []) for key in table)}
    return {key: name for name, key in keys(path).items() if key in varied}


_NAMED = re.compile(r"(^|[:;]\s*)(\w+)(?==)")


def _refuse_strange(options: argparse.Namespace, texts: list[str], known: dict[str, str]) -> None:
    """Refuses a key of one word that neither a path nor a scenario has."""
    for text in texts:
        for _, key in _NAMED.findall(text):
            if key not in known and key not in OWN:
                options.parser.error(f"--path {options.path}: {no_key(key, known)}")


def _written_out(text: str, known: dict[str, str]) -> str:
    """Named keys of ``KEY=VALUE`` texts as the scenario's keys.

    >>> _written_out("down=50Mbps", keys("dsl")), _written_out("slow: up=1Mbps; down=2Mbps", keys("dsl"))
    ('link.1.rate=50Mbps', 'slow: link.1.back.rate=1Mbps; link.1.rate=2Mbps')
    """
    return without_downloads(_NAMED.sub(lambda key: key[1] + known.get(key[2], key[2]), text))
