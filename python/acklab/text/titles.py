"""Titles of runs in which keys of the scenario were changed: its title may state a value that they change."""

from __future__ import annotations

import re
from collections.abc import Sequence

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
