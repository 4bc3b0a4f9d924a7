"""picoquic over an asymmetric path: issues 1213 and 1233 of private-octopus/picoquic (2021), and the tests that came of them.

:mod:`.setting` is every path and parameter, :mod:`.path` what is measured.
"""

from . import path  # noqa: F401
from .setting import PAPER

__all__ = ["PAPER"]
