"""The public L4S tests (Heist and Morton, 2020 to 2021): two CUBIC flows by rate, queue and round trips.

:mod:`.setting` is every path and parameter, :mod:`.fairness` what is measured.
"""

from . import fairness  # noqa: F401
from .registry import PAPER

__all__ = ["PAPER"]
