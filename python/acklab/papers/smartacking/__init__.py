"""Daniel K. Blandford, Sally A. Goldman, Sergey Gorinsky, Yan Zhou and Daniel R. Dooly, "Smartacking: Improving TCP Performance
from the Receiving End", Journal of Internet Engineering 1(1), 2007.

Read it beside the paper: :mod:`.setting` has the schemes, configurations and every parameter, :mod:`.runs` the experiments,
:mod:`.recorded` what is read from recorded ones. The claims: :mod:`.exact` (Figures 1 and 2), :mod:`.timelines` and
:mod:`.dynamics` (3 to 7),
:mod:`.droptail` (8 to 12), :mod:`.changing` (13 to 16), :mod:`.sharing` (17 to 19); ``figures*`` draw; :mod:`.readings`, :mod:`.joint`
and :mod:`.beyond` have what the paper leaves open (:mod:`.inferred` is a plan of ``acklab infer``), :mod:`.nudged` what is luck, and :mod:`.edge` what hangs on
a queue that is not printed. :mod:`.tried` runs the claims under other readings, and :mod:`.proofs` has what came of it.
"""

from . import (  # noqa: F401
    beyond,
    changing,
    droptail,
    dynamics,
    edge,
    exact,
    figures_dynamics,
    figures_times,
    joint,
    nudged,
    proofs,
    readings,
    sharing,
    timelines,
)
from .proofs import attach
from .registry import PAPER

attach(PAPER)

__all__ = ["PAPER"]
