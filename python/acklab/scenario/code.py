"""Algorithms in Python that a scenario names. A verb of many runs has none: no file of cases loads code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: A key whose value is a table of an algorithm -> the argument that takes its class.
TABLES = {"ack": "policies", "control": "controls"}


def refused(tree: Any, key: str = "") -> str | None:
    """What is said of the first algorithm in Python of an expanded scenario; none if it has none.

    >>> refused({"flow": [{"receiver": {"ack": {"policy": "python", "name": "Lazy"}}}]}).partition(";")[0]
    '`Lazy` is Python code, which a sweep or a comparison does not take'
    """
    if isinstance(tree, Mapping):
        if "python" in (tree.get("policy"), tree.get("kind")):
            name, table = tree.get("name", ""), TABLES.get(key, "policies")
            return (
                f"`{name}` is Python code, which a sweep or a comparison does not take; acklab.run_batch(SCENARIOS, "
                f'{table}={{"{name}": ...}}) makes many runs with it, and `acklab run --python FILE` one'
            )
        return next((said for below, value in tree.items() if (said := refused(value, below))), None)
    return next((said for entry in tree if (said := refused(entry, key))), None) if isinstance(tree, list) else None
