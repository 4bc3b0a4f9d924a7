"""Andrés Arcia-Moret, Nicolas Montavont, Jean-Marie Bonnin, David Ros, "TCP ACK Division Revisited", 2009.

Read it beside the paper. :mod:`.setting` has Figure 5 and every parameter. :mod:`.section1` has Figures 1 and 4, and
:mod:`.section3` Figures 2 and 3. :mod:`.section4` has Figures 5 to 8 and the conclusions' remarks on them.
"""

from . import figures_exchanges, figures_times, related, section1, section3, section4, security  # noqa: F401
from .registry import PAPER

__all__ = ["PAPER"]
