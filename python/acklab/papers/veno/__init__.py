"""Chung Ling Chi, Fu Chengpeng and Liew Soung Chang, "Improvements Achieved by SACK Employing TCP Veno
Equilibrium-Oriented Mechanism over Lossy Networks", EUROCON 2001.

Read it beside the paper. :mod:`.setting` has every path and parameter. :mod:`.modem` is Figure 1, :mod:`.dummynet` Figures 3
and 4, :mod:`.surface` Figure 5, and :mod:`.compatibility` Figures 6 and 7. :mod:`.gain` and
:mod:`.sensitivity` show under which conditions there is a gain of 72 %, and :mod:`.kinds` with which losses. :mod:`.fairness` shows
how each congestion control affects each other one.
"""

from . import compatibility, dummynet, fairness, gain, kinds, modem, sensitivity, surface  # noqa: F401
from .registry import PAPER

__all__ = ["PAPER"]
