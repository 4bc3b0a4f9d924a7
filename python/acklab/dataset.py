"""Datasets: the public name of :mod:`acklab.experiments.dataset`."""

from .experiments.dataset import *  # noqa: F403  # every public name
from .experiments.dataset import __all__

__all__ = [*__all__]
