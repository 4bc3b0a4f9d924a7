"""What ``acklab infer allman1998`` and :mod:`.readings` found, for the notes of claims that differ.

A test makes the runs of the readings that are named here again.
"""

from __future__ import annotations

from collections.abc import Mapping

TRIED, RULES = 192, 6
NEAREST: Mapping[str, tuple[float, int, int]] = {
    "Figure 2(b): timeouts with a queue of 8": (0.0, 96, 97),
    "Figure 9: throughput of lbc over daass": (0.976, 0, 173),
    "Figure 12: throughput of lbc over daass": (0.974, 0, 169),
}
"""Value of the plan -> the nearest to the paper's, how many readings are within the tolerance, and the nearest reading's place."""

SEARCHED = f"Under {TRIED} readings of {RULES} rules (acklab infer allman1998 has the plan)"

_LBC = NEAREST["Figure 9: throughput of lbc over daass"][0], NEAREST["Figure 12: throughput of lbc over daass"][0]
LBC_DAASS = (
    f"{SEARCHED}, LBC's throughput is never above DAASS's: among 200 transfers it is at most {_LBC[0]:.2f} times that with drop-tail and {_LBC[1]:.2f} times with RED. "
    "The nearest readings have each agent its own way."
)
BY_AGENT = (
    "Readings with each agent its own way have it: Reno's sender tells DAASS, and SACK's flag rises as its window grows. They contradict section 3.4, where the two "
    "behave alike without loss: SACK's first segment then waits for the timer."
)
DAASS_SHORT = f"{SEARCHED}, 24 have 18.9: those with each agent its own way and a timer of 100 ms. Table 1 keeps its 29.3. {BY_AGENT}"
UBC = f"{SEARCHED}, on all 1,900 transfers, 24 have -9 +- 5: those that never make a second fast retransmit, as ns-2.35. Then Figure 6 has no rise at 7 to 9."
SACK_AT_8 = (
    f"{SEARCHED}, ns's SACK has the timeout at 8 in each. RFC 6675, which is not of ns 1.4, has none. "
    "But then no segment is lost in recovery at 8 or 5, and LBC differs from UBC in 77 % of the transfers, where section 3.3.3 has them exactly the same."
)
LBC_GOODPUT = (
    f"{SEARCHED}, 144 have LBC above by their means (10 seeds, 50 to 500 transfers): a timer of 200 ms or a least RTO of 0.2 s suffices. The timer contradicts "
    "Table 1 (ACK every's short transfers gain 38 %, 28 are printed), the RTO its 12 % of all transfers (16)."
)
