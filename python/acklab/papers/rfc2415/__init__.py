"""RFC 2415: initial windows of one to four segments for web pages beside file transfers (Poduri and Nichols, 1998).

:mod:`.setting` is every path, parameter and printed table, :mod:`.arithmetic` what the tables say of each other, :mod:`.files` the runs of
HTTP/1.0, and :mod:`.pages` those of HTTP/1.1.
"""

from . import arithmetic, files, pages  # noqa: F401
from .registry import PAPER

__all__ = ["PAPER"]
