"""What is wrong with a comparison."""

from __future__ import annotations


class CompareError(ValueError):
    """A comparison makes no sense; the message says what is allowed."""
