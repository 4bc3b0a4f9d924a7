"""What ``acklab infer divack`` found, for the notes of claims that differ.

A test makes the runs of the readings that are named here again.
"""

from __future__ import annotations

from collections.abc import Mapping

TRIED, RULES = 48, 4
BEST = 45
"""The reading that has Figure 6 and most other values: RFC 6675, a window that never binds, least RTO 0.2 s, no limit on bursts."""
BEST_HAS: Mapping[str, float] = {
    "Figure 6: divss1, J = 32 over every": 0.532,
    "Figure 7: divss1, m = 32, J = 2 over divss1": 0.911,
    "Figure 7, limit: divss1, m = 64, J = 2 over divss1": 1.409,
    "1.5 Mb/s: divss2, J = 2, 1.5 Mb/s over every": 1.325,
}
NEWRENO = 21
"""The reading that is used here."""
VALUES = 31
GAINS, LIMITED = 2, 19
"""Readings with Figure 6's gains, and readings with Figure 7's limit."""

SEARCHED = f"Searched together (`acklab infer divack`: {TRIED} readings of {RULES} rules, each the mean of three nudged runs)"

FIGURE_6 = (
    f"{SEARCHED}, {GAINS} readings have three of four policies faster at J = 2, 8 and 32: RFC 6675, a window that never binds and a least RTO of "
    "0.2 s, with and without a limit of four segments on bursts. No reading has all four at J = 32 and J = 8"
)
LIMIT = (
    f"{SEARCHED}, {LIMITED} readings have 32 and 64 pieces within 8 % at J = 2 and 8. All of them advertise 20 or 44 segments, which bound the burst; none "
    f"has Figure 6's gains. The {GAINS} that have those send 41 % longer with 64 pieces at J = 2. So no reading tried has both figures"
)
CAPACITIES = (
    f"{SEARCHED}, no reading has all four policies faster at 1.5 Mb/s with J = 2; 13 have three. divss2 is at best 0.81 of 1-apdp's time, with Reno and 20 segments"
)
REFERENCES = f"{SEARCHED}, 42 readings have 1-apdp faster than delayed ACKs for 1.5 MB at J = 2, 8 and 32; shorter files are chance"
NOT_USED = (
    f"Of the {VALUES} values of the plan reading {BEST} has 24 within their tolerance, NewReno's {NEWRENO} has 17. Judged with all seeds (17,011 runs) it has 10 of 18 "
    "claims reproduced, 4 differ and 4 stay undecided; NewReno has 12 and 6. It gains Figure 8's defence. It loses Figures 6 and 7 among 64 and 128 flows, and large "
    "buffers. So the claims are judged with NewReno. The figure on recoveries has both"
)
