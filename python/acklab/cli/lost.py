"""Notes on overrides that a case undoes, or that take more with them than a user may expect."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..scenario.access import granted
from ..text.keys import key

if TYPE_CHECKING:
    from ..study.compare import Comparison


def lost(text: str, later: Sequence[str]) -> str | None:
    """The key of the first of the ``later`` overrides that sets this one's key again, alone or with all around it.

    >>> lost("link.1.queue.bytes=40ms", ["link.1.rate=5Mbps", 'link.1.queue={ kind = "cake" }'])
    'link.1.queue'
    """
    own = key(text)
    return next((one for one in map(key, later) if own == one or own.startswith(f"{one}.")), None)


def notes(scenario: str | bytes, file: str, sets: Sequence[str]) -> list[str]:
    """What the overrides lose: an uplink's grants, where its rate becomes a plain one."""
    plain = [
        text for text in sets if key(text).endswith(".rate") and not text.partition("=")[2].lstrip().startswith("{")
    ]
    if not plain:
        return []
    from .. import _core
    from ..study.keys import look
    from ..text.toml import loads

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


def notes_on_cases(comparison: Comparison) -> list[str]:
    """Of the overrides of all cases, those that some case replaces."""
    found = []
    for text in comparison.sets:
        lose = [(one.name, whole) for one in comparison.cases if (whole := lost(text, one.sets))]
        if 0 < len(lose) < len(comparison.cases):
            names = ", ".join(repr(name) for name, _ in lose)
            found.append(
                f"note: --set {text} is lost in {names}: {'each sets' if len(lose) > 1 else 'it sets'} {lose[0][1]} as a whole"
            )
    return found
