"""What is wrong with an inference."""

from __future__ import annotations

from ..tune.errors import TuneError


class InferError(TuneError):
    """An inference makes no sense, or cannot go on; the message names the plan, the key, the value and what is allowed."""
