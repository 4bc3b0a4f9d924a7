"""Names of a sweep's columns: short, unique, and plain words that SQL and chart grammars take without quotes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from . import paths
from .errors import SweepError, shown


def names(keys: Sequence[tuple[str, str]], given: Mapping[str, Any], taken: Collection[str]) -> dict[str, str]:
    """A name for each key, given with its unit; ``taken`` are columns that tables have anyway.

    >>> names([("link.1.queue.packets", ""), ("link.0.rate", "bps"), ("link.1.rate", "bps"), ("flow.0.start", "s")], {}, ["start_s"])
    {'link.1.queue.packets': 'queue_packets', 'link.0.rate': 'link_0_rate', 'link.1.rate': 'link_1_rate', 'flow.0.start': 'flow_0_start'}

    Raises:
        SweepError: a given name is not a valid name, or its key does not vary.
    """
    known = [key for key, _ in keys]
    for key, name in given.items():
        if key not in known:
            raise SweepError(f"names.{key}: nothing of that key varies or is drawn; there are {', '.join(known)}")
        if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_]\w*", name):
            raise SweepError(f"names.{key} = {shown(name)}: a name is letters, digits and _")
    units, found = dict(keys), dict(given)
    longer = {key: _candidates(key) for key in known if key not in given}
    open_ = {key: next(candidates) for key, candidates in longer.items()}
    while open_:
        used = Counter(titled(name, units[key]) for key, name in [*found.items(), *open_.items()])
        used.update(taken)
        found |= {key: name for key, name in open_.items() if used[titled(name, units[key])] == 1}
        open_ = {key: next(longer[key]) for key in open_ if key not in found}
    return {key: found[key] for key in known}


def titled(name: str, unit: str) -> str:
    """A column's name with its unit."""
    return f"{name}_{unit}" if unit else name


def worded(name: str) -> str:
    """What a column is called in a sentence.

    >>> worded("sender_initial_window"), worded("ack_segments")
    ('sender initial window', 'ACK segments')
    """
    return " ".join({"ack": "ACK", "acks": "ACKs", "syns": "SYNs"}.get(word, word) for word in name.split("_"))


def counting(name: str) -> tuple[str, str]:
    """What a column without a unit is called, and what it counts.

    >>> counting("queue_packets"), counting("share")
    (('queue', 'packets'), ('share', ''))
    """
    stem, _, last = name.rpartition("_")
    return (worded(stem), last) if stem and last in ("packets", "segments", "bytes") else (worded(name), "")


def _candidates(key: str) -> Iterator[str]:
    """Names for a key, from short to surely unique."""
    steps = [re.sub(r"\W+", "_", step).strip("_") or "_" for step in paths.steps(key.lstrip("$"))]
    below = steps[2:] if len(steps) > 2 and steps[0] in ("link", "flow") else steps
    for part in (below[-2:], below, steps):
        yield "_".join(part)
    number = 2
    while True:
        yield f"{'_'.join(steps)}_{number}"
        number += 1
