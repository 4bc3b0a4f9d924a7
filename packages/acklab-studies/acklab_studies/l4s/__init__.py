"""The public L4S tests (Heist and Morton, 2020 to 2021): two flows by rate, queue and round trips.

:mod:`.setting` is every path and parameter, :mod:`.fairness` the rows of CUBIC, :mod:`.prague` those of Prague.
"""

from . import fairness, prague  # noqa: F401
from .setting import PAPER

__all__ = ["PAPER"]
