"""What is wrong with a study."""

from __future__ import annotations

import json
from typing import Any

from ..text.escapes import Shown


class StudyError(Shown, ValueError):
    """A study makes no sense, or cannot go on; the message names the plan, the key, the value and what is allowed."""


#: The error's names at the doors.
CompareError = InferError = SweepError = TuneError = StudyError


def shown(value: Any, most: int = 60) -> str:
    """A value in a message, cut where it is long."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        text = repr(value)
    return text if len(text) <= most else text[: most - 1] + "…"
