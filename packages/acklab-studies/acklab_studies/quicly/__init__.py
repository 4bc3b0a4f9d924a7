"""Public threads about quicly's CUBIC (2026): shares of two flows, from run to run, what a faster Reno-friendly region adds, and newcomers.

:mod:`.setting` is every path and parameter, :mod:`.shares` two flows that begin together, :mod:`.newcomer` one that joins.
"""

from . import newcomer, shares  # noqa: F401
from .setting import PAPER

__all__ = ["PAPER"]
