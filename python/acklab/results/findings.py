"""What a study shows of a case beside another one, as data: one type for every verb, with a typed verdict."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

#: Verdicts. The difference is shown, for the better or the worse; both are shown to be within the margin; neither is shown.
BETTER, WORSE, EQUIVALENT, UNDECIDED = "better", "worse", "equivalent", "undecided"
#: Verdicts without a direction or a test: too few seeds for an interval; a case without a value; a shown difference of a metric of
#: which neither more nor less is better; one deterministic run each.
TOO_FEW, NO_VALUE, DIFFERS, ONE_RUN = "too-few-seeds", "no-value", "differs", "one-run"
VERDICTS = (BETTER, WORSE, EQUIVALENT, UNDECIDED, TOO_FEW, NO_VALUE, DIFFERS, ONE_RUN)


@dataclass(frozen=True)
class Finding:
    """A metric of a case, beside the same metric of a base case."""

    metric: str
    unit: str
    situation: str
    case: str
    base: str
    value: float | None
    """The case's mean; None where a seed gave no value."""
    base_value: float | None
    change: float | None
    """Share of the base's mean by which the mean is larger (-0.1: a tenth less); where not ``relative``, the difference in ``unit``."""
    relative: bool
    low: float | None
    high: float | None
    """Ends of the interval of ``change``."""
    level: float | None
    """The interval's confidence level."""
    verdict: str
    """One of :data:`VERDICTS`."""
    finished: int
    base_finished: int
    """Runs that gave a value."""
    runs: int
    """Runs of each case."""
    seeds_needed: int | None = None
    """Seeds that would show the measured difference, where it is undecided and that many are more than there are."""

    @property
    def loses(self) -> bool:
        """Whether a loss is shown or possible: worse, undecided, or a value in fewer runs than the base."""
        return self.verdict in (WORSE, UNDECIDED) or self.verdict == NO_VALUE and self.finished < self.base_finished

    def plain(self) -> dict[str, Any]:
        """As plain values, for JSON and tables."""
        return asdict(self)
