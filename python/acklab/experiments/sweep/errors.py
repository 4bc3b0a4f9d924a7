"""What is wrong with a sweep."""

from __future__ import annotations

import json
from typing import Any

from ...text.escapes import Shown


class SweepError(Shown, ValueError):
    """A sweep makes no sense, or cannot go on; the message names the plan, the key, the value and what is allowed."""


def heading(value: Any) -> str:
    """A plan's title.

    Raises:
        SweepError: it is no text.
    """
    if not isinstance(value, str):
        raise SweepError(f"title = {shown(value)}: has to be a text")
    return value


def shown(value: Any, most: int = 60) -> str:
    """A value in a message, cut where it is long."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        text = repr(value)
    return text if len(text) <= most else text[: most - 1] + "…"
