"""When a verdict over seeds is settled: looks at growing numbers of seeds that share one error (Lan and DeMets 1983).

A claim is judged with :data:`FIRST` seeds, then with twice as many, and so on up to its most. It takes no more seeds once
a look settles it. At every look some intervals could miss the true values; all looks together may err with
:data:`~acklab.study.intervals.ALPHA` (5 %):

* **Over the looks** the error is spent in proportion to seeds: the look with ``n`` seeds gets ``(n - before) / most`` of it.
  The shares add up to one and the looks' errors are added (Bonferroni), so nothing is assumed of how looks depend.
  Whenever a claim stops, its last interval covers at least as often as said.
* **For "differs"** one comparison that fails is enough, so the look's error is divided by the claim's comparisons (Bonferroni).
* **For "reproduced"** enough cells have to hold. If all have to, each is tested with the whole error of the look. A wrong claim
  has a wrong cell, and that cell has to pass too (intersection-union test, Berger 1982). If ``k`` of ``n`` have to, a wrong claim has
  at least ``n - k + 1`` wrong cells. With exactly so many, one of them has to pass; the probability of that is at most the sum of
  their errors. With more wrong cells, more have to pass, and the ratio of the two numbers is smaller. So the error is divided by
  ``n - k + 1``.

An interval that misses the truth makes a verdict wrong on one side only, so a wrong verdict is even rarer. The error is as exact as
the intervals are: Student's for means, order statistics' for medians, jackknife and bootstrap for what is made of several
means. With few seeds the last three, and means of very skewed values, cover less than they say.

Sources: K. K. G. Lan, D. L. DeMets, "Discrete sequential boundaries for clinical trials", Biometrika 70 (1983);
R. L. Berger, "Multiparameter hypothesis testing and acceptance sampling", Technometrics 24 (1982).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..study.intervals import ALPHA

FIRST = 10
"""Seeds of the first look."""
HOPELESS = 100
"""A claim stops undecided where, if its estimates stayed, so many times its seeds would not settle it. That is no wrong verdict."""
_CLOSE = 0.75
"""A look with more than so much of the last look's seeds is left out: it costs error and saves little."""


@dataclass(frozen=True)
class Look:
    """One look of a claim at its seeds."""

    seeds: int
    share: float = 1.0
    """Of the claim's error that this look may spend."""

    def confirms(self, cells: int, needed: int) -> float:
        """Confidence level of an interval that counts for its cell, where ``needed`` of ``cells`` have to hold."""
        return 1 - ALPHA * self.share / (cells - needed + 1)

    def contradicts(self, comparisons: int) -> float:
        """Confidence level of an interval that counts against its claim, one of so many."""
        return 1 - ALPHA * self.share / max(comparisons, 1)


ONCE = Look(0)
"""The only look at what has no seeds."""


def ladder(most: int) -> tuple[int, ...]:
    """Numbers of seeds at which a claim with at most so many is looked at: doubling from :data:`FIRST`.

    >>> ladder(50), ladder(20), ladder(8)
    ((10, 20, 50), (10, 20), (8,))
    """
    counts = []
    count = FIRST
    while count <= _CLOSE * most:
        counts.append(count)
        count *= 2
    return (*counts, most)


def spending(counts: Sequence[int]) -> tuple[Look, ...]:
    """Looks at growing numbers of seeds, with the share of the error that each may spend.

    >>> [look.share for look in spending([10, 20, 50])]
    [0.2, 0.2, 0.6]
    """
    before = (0, *counts[:-1])
    return tuple(Look(count, (count - last) / counts[-1]) for last, count in zip(before, counts, strict=True))
