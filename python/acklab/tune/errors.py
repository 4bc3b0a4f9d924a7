"""What is wrong with a search."""

from __future__ import annotations

from ..sweep.errors import SweepError


class TuneError(SweepError):
    """A search makes no sense, or cannot go on; the message names the plan, the key, the value and what is allowed."""
