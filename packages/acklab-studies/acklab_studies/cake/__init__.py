"""CAKE's ACK filter: Høiland-Jørgensen, Täht and Morton, "Piece of CAKE", LANMAN 2018 (arXiv 1804.07617), and the
filter's commit in Linux.

:mod:`.setting` is every path and parameter, :mod:`.access` what is measured.
"""

from . import access  # noqa: F401
from .setting import PAPER

__all__ = ["PAPER"]
