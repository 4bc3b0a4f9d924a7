"""A public thread about quicly's CUBIC (2026): shares of two flows, from run to run, and what a faster Reno-friendly region adds.

:mod:`.setting` is every path and parameter, :mod:`.shares` what is measured.
"""

from . import shares  # noqa: F401
from .registry import PAPER

__all__ = ["PAPER"]
