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


def refuse(*rules: tuple[object, str]) -> None:
    """Raises what is said of the first rule that is broken.

    Raises:
        StudyError: a rule is broken: its first part holds.
    """
    for broken, said in rules:
        if broken:
            raise StudyError(said)
