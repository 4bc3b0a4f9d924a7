"""Comparisons: the public name of :mod:`acklab.study.compare`, which can also be called.

>>> import acklab
>>> told = acklab.compare(
...     "examples/allman1998.toml", {"Reno": {}, "SACK": {"flow.f.sender.recovery": "sack"}}, metrics=["completion"], seeds=2,
... )
>>> [(ranked.case, round(ranked.samples["completion"].value, 3)) for ranked in told.rankings[0].rows]
[('Reno', 1.851), ('SACK', 1.851)]
"""

from .study.compare import Compared, Comparison, called, compare, from_file
from .study.errors import CompareError
from .study.metrics import Metric, metric
from .study.quantities import QUANTITIES
from .study.reading import Case, case
from .study.statistics import Ranked, Ranking
from .text.callable import can_be_called

__all__ = [
    "QUANTITIES",
    "Case",
    "CompareError",
    "Compared",
    "Comparison",
    "Metric",
    "Ranked",
    "Ranking",
    "case",
    "compare",
    "from_file",
    "metric",
]

can_be_called(__name__, called)
