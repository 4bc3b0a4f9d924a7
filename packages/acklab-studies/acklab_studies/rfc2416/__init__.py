"""RFC 2416: what happens when TCP starts with four packets and a modem's router holds three (Shepard and Partridge, 1998).

:mod:`.setting` is every path and parameter, :mod:`.traces` what is measured.
"""

from . import traces  # noqa: F401
from .setting import PAPER

__all__ = ["PAPER"]
