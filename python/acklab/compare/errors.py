"""Errors of a comparison."""

from __future__ import annotations


class CompareError(ValueError):
    """A comparison cannot be computed; the message says what is allowed."""
