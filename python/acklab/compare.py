"""Comparisons: the public name of :mod:`acklab.experiments.compare`."""

from .experiments.compare import *  # noqa: F403  # every public name
from .experiments.compare import __all__

__all__ = [*__all__]
