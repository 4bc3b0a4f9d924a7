"""Fits of scenarios to captures."""

from __future__ import annotations

from .errors import FitError
from .fit import Fit, fit

__all__ = ["Fit", "FitError", "fit"]
