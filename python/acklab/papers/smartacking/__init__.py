"""Daniel K. Blandford, Sally A. Goldman, Sergey Gorinsky, Yan Zhou and Daniel R. Dooly, "Smartacking: Improving TCP Performance
from the Receiving End", Journal of Internet Engineering 1(1), 2007.

Read it beside the paper. :mod:`.setting` has the schemes, configurations and every parameter. :mod:`.runs` has the experiments, and
:mod:`.recorded` what is read from recorded ones. The claims are in :mod:`.timelines` and
:mod:`.dynamics` (3 to 7), :mod:`.droptail` (8 to 12), :mod:`.changing` (13 to 16) and :mod:`.sharing` (17 to 19). ``figures*`` draw.
:mod:`.beyond` has what the paper leaves for later. ``open.toml`` is the plan of ``acklab infer`` for what the
paper does not print.
"""

from . import (  # noqa: F401
    beyond,
    changing,
    droptail,
    dynamics,
    figures_dynamics,
    figures_times,
    sharing,
    timelines,
)
from .registry import PAPER

__all__ = ["PAPER"]
