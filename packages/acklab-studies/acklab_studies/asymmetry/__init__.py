"""Balakrishnan, Padmanabhan and Katz: asymmetric paths, by RFC 3449's sentences and a talk's numbers.

:mod:`.setting` is every path and parameter, :mod:`.paths` what is measured.
"""

from . import paths  # noqa: F401
from .setting import PAPER

__all__ = ["PAPER"]
