"""Overrides as they are typed: their keys, and the title of what they change."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence


def key(text: str) -> str:
    """The key of ``KEY=VALUE``, a dot before each step; an equals sign in double quotes is part of a name. Empty if there is no key.

    >>> key("flow[0].sender.window=4"), key('flow."a=b".start = 1s'), key("quiet")
    ('flow.0.sender.window', 'flow."a=b".start', '')
    """
    found = re.match(r'\s*((?:"[^"]*"|[^="])+)=', text)
    return re.sub(r"[\[\].]+", ".", found[1].strip()).strip(".") if found else ""


def numbered(one: str, flows: Sequence[str]) -> str:
    """A key with its flow by number, if it has it by name.

    >>> numbered("flow.down.size", ["up", "down"]), numbered('flow."a b"', ["a b"]), numbered("flow.1.size", ["up", "down"])
    ('flow.1.size', 'flow.0', 'flow.1.size')
    """
    for number, name in enumerate(flows):
        if name.isdecimal():
            continue
        for spelt in (f"flow.{name}", f'flow."{name}"'):
            if one == spelt or one.startswith(f"{spelt}."):
                return f"flow.{number}{one[len(spelt) :]}"
    return one


def twice(texts: Iterable[str], flows: Sequence[str] = ()) -> str | None:
    """What is said of the first text whose key an earlier one sets, too, or sets a part of: the earlier value would be lost.

    With the names of the ``flows`` a flow's name and its number are one key.

    >>> twice(["seed=1", "stop.at=2s", "seed=2"]), twice(["a.b=1", "a={}"]), twice(["a={}", "a.b=1"])
    ('seed is given twice; give it once', 'a replaces a.b, which is given before it; give one of them', None)
    >>> twice(["flow.0.size=1", "flow.f.size=2"], ["f"])
    'flow.f.size and flow.0.size are one key; give it once'
    """
    before: dict[str, str] = {}
    for given in map(key, texts):
        one = numbered(given, flows)
        if one and one in before:
            return (
                f"{given} is given twice; give it once"
                if given == before[one]
                else f"{given} and {before[one]} are one key; give it once"
            )
        if one and (part := next((earlier for earlier in before if earlier.startswith(f"{one}.")), None)):
            return f"{given} replaces {before[part]}, which is given before it; give one of them"
        before[one] = given
    return None


#: Characters of an override that a title repeats; of a longer one it has the key.
MOST_TOLD = 60
_QUOTED, _INSIDE = re.compile(r'^"([^"]*)"$'), r"\1"


def changed(title: str, sets: Sequence[str]) -> str:
    """The title, and what was set beside it; alone where the title itself was set.

    >>> changed("Cable, 100/10 Mb/s", ["link.1.rate=50Mbps", 'flow.up.start="0s"'])
    'Cable, 100/10 Mb/s; changed: link.1.rate=50Mbps, flow.up.start=0s'
    >>> changed("docsis30: down=50Mbps", ["title=docsis30: down=50Mbps", "link.1.rate=50Mbps"])
    'docsis30: down=50Mbps'
    """
    given = [(key.strip(), value) for key, _, value in (text.partition("=") for text in sets)]
    if not given or "title" in dict(given):
        return title
    return f"{title}; changed: {', '.join(_told(*one) for one in given)}"


def _told(key: str, value: str) -> str:
    """An override as it is typed: a file of results has its text in quotes."""
    text = f"{key}={_QUOTED.sub(_INSIDE, value.strip())}"
    return text if len(text) <= MOST_TOLD else f"{key}=…"
