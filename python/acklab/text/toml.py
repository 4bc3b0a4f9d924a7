"""Reading TOML on every Python we support."""

from __future__ import annotations

import sys
from typing import Any


def loads(text: str) -> dict[str, Any]:
    """The tree a TOML text describes.

    Raises:
        ValueError: it is no TOML, or nested too deep.
    """
    if sys.version_info >= (3, 11):  # imported when it is used: most commands leave the scenario to the simulator
        import tomllib as reader
    else:
        import tomli as reader

    from .. import _core

    if told := _core.too_deep(text):
        raise ValueError(told)
    return reader.loads(text)
