"""Comparisons: the public name of :mod:`acklab.experiments.compare`, which can also be called.

>>> import acklab
>>> told = acklab.compare(
...     "examples/allman1998.toml", {"Reno": {}, "SACK": {"flow.f.sender.recovery": "sack"}}, metrics=["completion"], seeds=2,
... )
>>> [(ranked.case, round(ranked.samples["completion"].value, 3)) for ranked in told.rankings[0].rows]
[('Reno', 1.851), ('SACK', 1.851)]
"""

from .experiments.compare import *  # noqa: F403  # every public name
from .experiments.compare import __all__
from .experiments.compare.call import called
from .text.callable import can_be_called

__all__ = [*__all__]

can_be_called(__name__, called)
