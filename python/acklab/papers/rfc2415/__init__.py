"""RFC 2415: initial windows of one to four segments for web pages beside file transfers (Poduri and Nichols, 1998).

:mod:`.setting` is every path, parameter and printed table, :mod:`.arithmetic` what the tables say of each other, :mod:`.pages` the runs.
"""

from . import arithmetic, pages  # noqa: F401
from .registry import PAPER

__all__ = ["PAPER"]
