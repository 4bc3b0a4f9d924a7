"""Reading TOML on every Python we support."""

from __future__ import annotations

import sys
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib as _reader
else:
    import tomli as _reader


def loads(text: str) -> dict[str, Any]:
    """The tree a TOML text describes."""
    return _reader.loads(text)
