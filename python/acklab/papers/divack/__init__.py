"""Andrés Arcia-Moret, Nicolas Montavont, Jean-Marie Bonnin, David Ros, "TCP ACK Division Revisited", 2009.

Read it beside the paper. :mod:`.setting` has Figure 5 and every parameter. :mod:`.section3` has Figures 1 to 4,
:mod:`.section4` Figures 5 to 8 and the conclusions' remarks on them.
"""

from . import figures_times, section3, section4  # noqa: F401
from .setting import PAPER

__all__ = ["PAPER"]
