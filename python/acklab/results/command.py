"""The command line that results are made by, without what does not change them; empty where Python makes them."""

from __future__ import annotations

import os

line: list[str] = []


def draws() -> bool:
    """Returns whether static charts are drawn; ``ACKLAB_CHARTS=none`` leaves them out."""
    return os.environ.get("ACKLAB_CHARTS") != "none"
