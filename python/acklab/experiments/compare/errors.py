"""Errors of a comparison."""

from __future__ import annotations

from ...text.escapes import Shown


class CompareError(Shown, ValueError):
    """A comparison cannot be computed; the message says what is allowed."""
