"""Chung Ling Chi, Fu Chengpeng and Liew Soung Chang, "Improvements Achieved by SACK Employing TCP Veno
Equilibrium-Oriented Mechanism over Lossy Networks", EUROCON 2001.

Read it beside the paper. :mod:`.setting` has every path and parameter. :mod:`.hosts` has Figures 1, 3
and 4, :mod:`.simulator` Figure 5, and :mod:`.two_kinds` Figures 6 and 7.
"""

from . import hosts, simulator, two_kinds  # noqa: F401
from .setting import PAPER

__all__ = ["PAPER"]
