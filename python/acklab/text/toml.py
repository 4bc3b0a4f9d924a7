"""Reading TOML on every Python we support."""

from __future__ import annotations

import sys
from typing import Any


def loads(text: str) -> dict[str, Any]:
    """The tree a TOML text describes."""
    if sys.version_info >= (3, 11):  # imported when it is used: most commands leave the scenario to the simulator
        import tomllib as reader
    else:
        import tomli as reader

    return reader.loads(text)
