"""CUBIC and the receiver's ACK ratio: RFC 9438, sections 4.3 to 4.5, and a message to the IETF's CCWG of 2026 on them.

:mod:`.setting` is every path and parameter; :mod:`.closed` the growth in closed form, :mod:`.growth` one flow after a loss,
:mod:`.sharing` two flows whose receivers differ.
"""

from . import growth, sharing  # noqa: F401
from .setting import PAPER

__all__ = ["PAPER"]
