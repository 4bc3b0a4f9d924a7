"""Errors of fits."""

from __future__ import annotations


class FitError(ValueError):
    """Nothing can be fitted, or no prediction follows from a fit; the message says why."""
