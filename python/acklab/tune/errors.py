"""Errors of a search."""

from __future__ import annotations

from ..sweep.errors import SweepError


class TuneError(SweepError):
    """A search cannot be computed or continued; the message names the plan, the key, the value and what is allowed."""
