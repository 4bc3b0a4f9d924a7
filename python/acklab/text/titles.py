"""Titles of runs in which keys of the scenario were changed: its title may state a value that they change."""

from __future__ import annotations

from collections.abc import Sequence

#: Characters of an override that a title repeats; of a longer one it has the key.
MOST_TOLD = 60


def changed(title: str, sets: Sequence[str]) -> str:
    """The title, and what was set beside it; alone where the title itself was set.

    >>> changed("Cable, 100/10 Mb/s", ["link.1.rate=50Mbps", "flow.up.start=0s"])
    'Cable, 100/10 Mb/s; changed: link.1.rate=50Mbps, flow.up.start=0s'
    >>> changed("docsis30: down=50Mbps", ["title=docsis30: down=50Mbps", "link.1.rate=50Mbps"])
    'docsis30: down=50Mbps'
    """
    keys = [text.partition("=")[0].strip() for text in sets]
    if not sets or "title" in keys:
        return title
    return f"{title}; changed: {', '.join(text if len(text) <= MOST_TOLD else f'{key}=…' for key, text in zip(keys, sets, strict=True))}"
