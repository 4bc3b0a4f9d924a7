"""neqo's ACKs per round trip: tables of mozilla/neqo issue 2907 and pull request 2885 (2025), and their bench min_bandwidth.

:mod:`.setting` is every path and parameter, :mod:`.tables` what is measured.
"""

from . import tables  # noqa: F401
from .setting import PAPER

__all__ = ["PAPER"]
