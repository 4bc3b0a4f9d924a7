"""Errors of searches and inferences."""

from __future__ import annotations

from ..sweep.errors import SweepError


class TuneError(SweepError):
    """A search cannot be computed or continued; the message names the plan, the key, the value and what is allowed."""


class InferError(TuneError):
    """An inference cannot be computed or continued; the message names the plan, the key, the value and what is allowed."""
