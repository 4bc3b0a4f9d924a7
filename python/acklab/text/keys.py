"""Keys of ``KEY=VALUE`` texts, and which of them are there twice."""

from __future__ import annotations

import re
from collections.abc import Iterable


def key(text: str) -> str:
    """The key of ``KEY=VALUE``, a dot before each step; an equals sign in double quotes is part of a name. Empty if there is no key.

    >>> key("flow[0].sender.window=4"), key('flow."a=b".start = 1s'), key("quiet")
    ('flow.0.sender.window', 'flow."a=b".start', '')
    """
    found = re.match(r'\s*((?:"[^"]*"|[^="])+)=', text)
    return re.sub(r"[\[\].]+", ".", found[1].strip()).strip(".") if found else ""


def twice(texts: Iterable[str]) -> str | None:
    """What is said of the first text whose key an earlier one sets, too, or sets a part of: the earlier value would be lost.

    >>> twice(["seed=1", "stop.at=2s", "seed=2"]), twice(["a.b=1", "a={}"]), twice(["a={}", "a.b=1"])
    ('seed is given twice; give it once', 'a replaces a.b, which is given before it; give one of them', None)
    """
    before: list[str] = []
    for one in map(key, texts):
        if one and one in before:
            return f"{one} is given twice; give it once"
        if one and (part := next((earlier for earlier in before if earlier.startswith(f"{one}.")), None)):
            return f"{one} replaces {part}, which is given before it; give one of them"
        before.append(one)
    return None
