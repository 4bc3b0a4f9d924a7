"""The examples that come with the package: files by name, templates, and access paths with named keys."""

from __future__ import annotations

import argparse
import os
import re
from pathlib import Path

from ..text.escapes import not_known
from ..text.toml import loads

#: ``acklab new --template``: the file that is copied, and what it shows.
TEMPLATES = {
    "t1": ("t1.toml", "one transfer through one bottleneck"),
    "dumbbell": ("dumbbell.toml", "two flows that share a bottleneck"),
    "cable": ("access/cable.toml", "an access link: downloads, an upload, small requests"),
    "wifi": ("wifi.toml", "a download over 802.11n"),
    "quic": ("quic/uplink.toml", "a QUIC transfer over a slow uplink"),
}
#: Which of the access paths send by grants.
GROUPS = {
    "uplink by grants": ("docsis30", "docsis31", "docsis31-ll", "gpon", "lte-fdd", "nr-tdd"),
    "no grants": ("vdsl", "geo", "leo"),
    "no grants, simplified": ("cable", "dsl", "lte", "satellite"),
    "no grants, shared air": ("wifi5", "wifi6"),
}
#: ``--path``: access links, each a scenario of `examples/access`.
PATHS = tuple(name for names in GROUPS.values() for name in names)
#: What the keys of a path are called: the scenario's key, and its meaning.
KEYS = {
    "down": ("link.1.rate", "rate to the user"),
    "up": ("link.1.back.rate", "rate from the user"),
    "delay": ("link.1.delay", "delay of the access link, one way"),
    "down_buffer": ("link.1.queue.bytes", "queue to the user, in bytes or time: 250kB, 40ms"),
    "up_buffer": ("link.1.back.queue.bytes", "queue from the user, in bytes or time"),
    "downloads": ("flow.down.count", "how many downloads"),
    "upload": ("flow.up.start", "when the upload starts"),
}
ABOUT = (
    "Access paths (acklab explain docsis30 says what one is):\n"
    + "".join(f"  {', '.join(names)}: {about}\n" for about, names in GROUPS.items())
    + "\nWith --path, keys have short names:\n"
    + "".join(f"  {key:<12} {about}\n" for key, (_, about) in KEYS.items())
    + "A preset's buffer is a time: it keeps its milliseconds when the rate changes.\n"
)


def keys(path: str) -> dict[str, str]:
    """The short keys that a path has, and the scenario's.

    A path whose rate is a table has no key for it, and one whose queue is not limited in bytes no key for the buffer. An 802.11 network
    has none for its link.

    >>> keys("docsis30")["up"], keys("docsis31")["up_buffer"], "up" in keys("leo")
    ('link.1.back.rate.rate', 'link.1.back.queue.buffer', False)
    """
    links = loads(example(f"access/{path}.toml").read_text(encoding="utf-8"))["link"]
    found = {name: key for name, (key, _) in KEYS.items()}
    if len(links) == 1:  # 802.11 is no link
        return {name: key for name, key in found.items() if not key.startswith("link.1")}
    link = links[1]
    back = {**link, **link.get("back", {})}
    for name, end in (("down", link), ("up", back)):
        if isinstance(end["rate"], dict):
            found[name] += ".rate"
            if "rate" not in end["rate"]:
                del found[name]
        limit = next((key for key in ("bytes", "buffer") if key in end["queue"]), None)
        if limit is None:
            del found[f"{name}_buffer"]
        else:
            found[f"{name}_buffer"] = found[f"{name}_buffer"].replace("bytes", limit)
    return found


def example(name: str) -> Path:
    """A file of the package's examples."""
    return Path(__file__).resolve().parents[1] / "examples" / name


def found(argument: str) -> str:
    """An argument that names a file of the examples, which the package has where the working directory has not.

    >>> found("examples/none.toml")
    'examples/none.toml'
    """
    inside = example(argument.removeprefix("examples/"))
    return os.fspath(inside) if argument.startswith("examples/") and not os.path.exists(argument) and inside.exists() else argument


def add_path(verb: argparse.ArgumentParser) -> None:
    """Adds ``--path`` to a verb."""
    verb.set_defaults(of_path=None)
    verb.add_argument("--path", metavar="NAME", help=f"an access path instead of FILE: {', '.join(PATHS)} (which have grants: see below)")


def take_path(options: argparse.Namespace) -> None:
    """Makes the scenario's file and keys of a path and its named keys, in ``--set``, ``--vary``, ``--case`` and ``--under``."""
    name: str | None = options.path
    if name is None or options.of_path is not None:
        return
    if name not in PATHS:
        options.parser.error(not_known("path", name, PATHS))
    if options.file is not None:
        options.parser.error("give a FILE or a --path, not both")
    options.file = os.fspath(example(f"access/{name}.toml"))
    title = [f"title={name}: {', '.join(options.set)}"] if options.set else []
    known = keys(name)
    for several in ("set", "vary", "case", "under"):
        if hasattr(options, several):
            _refuse_strange(options, getattr(options, several), known)
            setattr(options, several, [_written_out(text, known) for text in getattr(options, several)])
    options.set = [*title, *options.set]
    options.of_path = name


_NAMED = re.compile(r"(^|[:;]\s*)(\w+)(?==)")
#: A scenario's own keys of one word.
_OWN = ("title", "seed", "stop", "record", "stack", "link", "flow", "topology", "wlan")


def _refuse_strange(options: argparse.Namespace, texts: list[str], known: dict[str, str]) -> None:
    """Refuses a key of one word that neither a path nor a scenario has."""
    for text in texts:
        for _, key in _NAMED.findall(text):
            if key not in known and key not in _OWN:
                options.parser.error(f"--path {options.path}: {not_known('key', key, list(known))}")


def _written_out(text: str, known: dict[str, str]) -> str:
    """Named keys of ``KEY=VALUE`` texts as the scenario's keys.

    >>> _written_out("down=50Mbps", keys("dsl")), _written_out("slow: up=1Mbps; down=2Mbps", keys("dsl"))
    ('link.1.rate=50Mbps', 'slow: link.1.back.rate=1Mbps; link.1.rate=2Mbps')
    """
    return _NAMED.sub(lambda key: key[1] + known.get(key[2], key[2]), text)
