"""Chadi Barakat and Eitan Altman, "On ACK Filtering on a Slow Reverse Channel", INRIA Research Report 3908, March 2000.

Read it beside the paper. :mod:`.setting` has every parameter. :mod:`acklab.papers.ackfilter.model` is the model of its sections 2.1 to
2.3. :mod:`.section2` has the claims and figures of sections 2 and 3, :mod:`.section4` those of section 4, and :mod:`.evidence` what a
reviewer asks.
"""

from . import section2, section4  # noqa: F401
from .setting import PAPER

__all__ = ["PAPER"]
