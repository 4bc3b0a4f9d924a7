"""Access paths that come with the package, and the short names of their keys."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from .input import example, loads
from .terminal import not_known

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
    "downloads": ("flow.down.count", "how many downloads, 0 for an upload alone"),
    "upload": ("flow.up.start", "when the upload starts"),
}
#: A scenario's own keys of one word.
OWN = ("title", "seed", "stop", "record", "stack", "link", "flow", "topology", "wlan")


def file_of(path: str) -> str:
    """The scenario of a path."""
    return example(f"access/{path}.toml")


def keys(path: str) -> dict[str, str]:
    """The short keys that a path has, and the scenario's.

    A path whose rate is a table has no key for it, and one whose queue is not limited in bytes no key for the buffer. An 802.11 network
    has none for its link.

    >>> keys("docsis30")["up"], keys("docsis31")["up_buffer"], "up" in keys("leo")
    ('link.1.back.rate.rate', 'link.1.back.queue.buffer', False)
    """
    links = _links(path)
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


def without_downloads(text: str) -> str:
    """An override of no downloads as the scenario has it: like the upload of a preset they start after the end.

    >>> without_downloads("flow.down.count=0"), without_downloads("alone: flow.down.count=0; flow.up.start=0s")
    ('flow.down.start=1000s', 'alone: flow.down.start=1000s; flow.up.start=0s')
    """
    return re.sub(r"\bflow\.down\.count=0(?=\s*(?:;|$))", "flow.down.start=1000s", text)


def no_key(key: str, known: Mapping[str, str]) -> str:
    """What is said of a key of one word that neither a path nor a scenario has.

    >>> no_key("dwn", {"down": "link.1.rate"})
    'no key dwn; did you mean down?'
    """
    if key.lower() == "rtt" and "delay" in known:
        return f"no key {key}; delay is the access link's, one way ({known['delay']}): a round trip takes each link's delay twice"
    return not_known("key", key, list(known))


def as_given(text: str, path: str, given: Iterable[str]) -> str:
    """An error of a path's scenario with the short keys in place of the scenario's, of those that were ``given``.

    >>> as_given("access/dsl.toml: link[1].rate = 50: must be a rate", "dsl", ["down"])
    'access/dsl.toml: down = 50: must be a rate'
    >>> as_given("at link.1.rate=50, link.1.rate.kind=x", "dsl", ["down"])
    'at down=50, link.1.rate.kind=x'
    """
    known = keys(path)
    for short in given:
        place = re.sub(r"\\\.(\d+)", r"[.\[]\1\]?", re.escape(known[short]))
        text = re.sub(rf"(?<![\w.\]]){place}(?![\w.\[])", short, text)
    return text


def _links(path: str) -> list[dict[str, Any]]:
    with open(file_of(path), encoding="utf-8") as file:
        links: list[dict[str, Any]] = loads(file.read())["link"]
    return links
