"""Mark Allman, "On the Generation and Use of TCP Acknowledgments", ACM Computer Communication Review 28(5), October 1998.

Read it beside the paper. :mod:`.setting` has Figure 1 and every parameter. :mod:`.section3` has sections 2 and 3, whose figures
and tables :mod:`.figures` draws, :mod:`.section4` the competing transfers, and :mod:`.section5` telnet and the conclusions.
"""

from . import figures, section3, section4, section5  # noqa: F401
from .setting import PAPER

__all__ = ["PAPER"]
