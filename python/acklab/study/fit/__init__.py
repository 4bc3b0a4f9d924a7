"""Fits of scenarios to captures."""

from __future__ import annotations

from .fit import Fit, fit
from .place import FitError

__all__ = ["Fit", "FitError", "fit"]
