"""The verdict on a claim."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from .explanation import Explanation
from .ledger import Claim
from .measure import Finding

REPRODUCED, DIFFERS, UNDECIDED = VERDICTS = ("reproduced", "differs", "undecided")


@dataclass(frozen=True)
class Verdict:
    """What became of a claim."""

    claim: Claim
    verdict: str
    why: str
    standing: str
    value: Any = None
    shown: str = ""
    interval: Any = None
    seeds: int = 0
    findings: tuple[Finding, ...] = field(default=(), repr=False)
    note: str = ""
    """What the paper's module says of it; ``why`` ends with it. A claim that differs needs one."""

    needed: float = 0.0
    """About how many times its seeds an undecided claim would need; infinite where it is hopeless."""

    cause: Explanation | None = None
    """Why it differs; none unless it does."""
    nudged: bool = False
    """Whether ``seeds`` counts nudged repetitions (:mod:`.nudge`)."""
    changed: bool = False
    """Whether keys were set: then it is no verdict on the paper."""
    alone: str = ""
    """What the run without a nudge has, where there are repetitions."""

    @property
    def undecided(self) -> bool:
        """Whether neither answer is known."""
        return self.verdict == UNDECIDED

    def wants_seeds(self, first: bool = False) -> bool:
        """Whether more seeds may settle it; the ``first`` look is too early to call it hopeless.

        What was measured without intervals nothing settles: it takes all there are.
        """
        return bool(self.undecided and self.findings and (first or self.needed != math.inf)) or bool(
            not self.seeds and self.findings
        )
