"""Daniel K. Blandford, Sally A. Goldman, Sergey Gorinsky, Yan Zhou and Daniel R. Dooly, "Smartacking: Improving TCP Performance
from the Receiving End", Journal of Internet Engineering 1(1), 2007.

Read it beside the paper. :mod:`.setting` has the schemes, configurations, experiments and every parameter. Figures and claims are in
:mod:`.dynamics` (3 to 7), :mod:`.times` (8 to 12, 17 to 19) and :mod:`.changing` (13 to 16). ``open.toml`` is the plan of ``acklab infer`` for what the
paper does not print.
"""

from . import changing, dynamics, figures_times, times  # noqa: F401
from .setting import PAPER

__all__ = ["PAPER"]
