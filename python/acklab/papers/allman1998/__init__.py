"""Mark Allman, "On the Generation and Use of TCP Acknowledgments", ACM Computer Communication Review 28(5), October 1998.

Read it beside the paper. :mod:`.setting` has Figure 1 and every parameter. :mod:`.section2`, the three ``section3_*``,
:mod:`.section4`, :mod:`.section5` and :mod:`.section6` hold the experiments and claims of the sections of that number.
``figures*`` draw their figures and tables.
"""

from . import (  # noqa: F401
    evidence,
    figures_comparisons,
    figures_competition,
    figures_losses,
    section2,
    section3_baseline,
    section3_comparisons,
    section3_mechanisms,
    section4,
    section5,
    section6,
)
from .registry import PAPER

__all__ = ["PAPER"]
