"""Comparing alternatives: a scenario, several values for any of its keys, several seeds; a ranking with intervals.

>>> from acklab.compare import Comparison, case, compare, metric
>>> path = '''
... stop = { when = "flows-complete" }
... [[link]]
... between = ["S", "R"]
... rate = "1.5Mbps"
... delay = "50ms"
... [[flow]]
... from = "S"
... to = "R"
... size = { segments = 50 }
... '''
>>> told = compare(Comparison(path, "a transfer", [
...     case("every: flow.0.receiver.ack.policy=every"),
...     case("delayed: flow.0.receiver.ack.policy=delayed"),
... ], metrics=[metric("completion")], seeds=2))
>>> [ranked.case for ranked in told.rankings[0].rows]
['every', 'delayed']
"""

from .errors import CompareError
from .metrics import Metric, metric
from .plan import Case, Comparison, case, from_file
from .quantities import QUANTITIES
from .rank import Ranked, Ranking
from .result import Compared
from .run import compare

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
