"""Chadi Barakat and Eitan Altman, "On ACK Filtering on a Slow Reverse Channel", INRIA Research Report 3908, March 2000.

Read it beside the paper. :mod:`.setting` has every parameter. :mod:`acklab.papers.ackfilter.model` is the model of its sections 2.1 to
2.3. :mod:`.section2`, :mod:`.section3`, :mod:`.section4` and :mod:`.newcomer` hold the claims of the sections, and ``figures*``
their figures.
"""

from . import evidence, figures_many, figures_one, newcomer, section2, section3, section4, today  # noqa: F401
from .registry import PAPER

__all__ = ["PAPER"]
