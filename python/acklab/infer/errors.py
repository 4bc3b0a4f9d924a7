"""Errors of an inference."""

from __future__ import annotations

from ..tune.errors import TuneError


class InferError(TuneError):
    """An inference cannot be computed or continued; the message names the plan, the key, the value and what is allowed."""
