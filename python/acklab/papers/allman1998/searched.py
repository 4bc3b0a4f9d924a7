"""What ``acklab infer allman1998`` and :mod:`.readings` found, for the notes of claims that differ.

A test makes the runs of the readings that are named here again.
"""

from __future__ import annotations

from collections.abc import Mapping

TRIED, RULES = 144, 6
NEAREST: Mapping[str, tuple[float, int, int]] = {
    "Figure 2(b): timeouts with a queue of 8": (0.0, 72, 73),
    "Figure 9: throughput of lbc over daass": (0.970, 0, 25),
    "Figure 12: throughput of lbc over daass": (0.967, 0, 98),
}
"""Value of the plan -> the nearest to the paper's, how many readings are within the tolerance, and the nearest reading's place."""

SEARCHED = f"Under {TRIED} readings of {RULES} rules (acklab infer allman1998 has the plan)"

_LBC = NEAREST["Figure 9: throughput of lbc over daass"][0], NEAREST["Figure 12: throughput of lbc over daass"][0]
LBC_DAASS = (
    f"{SEARCHED}, LBC's throughput is never above DAASS's: among 200 transfers it is at most {_LBC[0]:.2f} times that with drop-tail and {_LBC[1]:.2f} times with RED. "
    "The nearest reading has one flag for all senders, which contradicts section 3.4: without loss DAASS then is 16 % slower than ACK every, where the text has them identical."
)
ONE_FLAG = "Readings with one flag for all senders have it, but they contradict section 3.4: without loss DAASS then is 16 % slower than ACK every, where the text has them identical."
DAASS_SHORT = (
    f"{SEARCHED}, 24 have 18.9: those with one flag for all senders and a timer of 100 ms. They have 18.9 in Table 1, too, which prints 28. By section 3.4 DAASS equals "
    "ACK every without loss. Two thirds of the short transfers lose nothing, so both have nearly the same median (28 is printed for ACK every), whatever recovery does."
)
UBC = f"{SEARCHED}, on all 1,900 transfers, 18 have -9 +- 5: those that never make a second fast retransmit, as ns-2.35. Then Figure 6 has no rise at 7 to 9."
SACK_AT_8 = (
    f"{SEARCHED}, ns's SACK has the timeout at 8 in each. RFC 6675, which is not of ns 1.4, has none. "
    "But then no segment is lost in recovery at 8 or 5, and LBC differs from UBC in 77 % of the transfers, where section 3.3.3 has them exactly the same."
)
LBC_GOODPUT = (
    f"{SEARCHED}, 108 have LBC above by their means (10 seeds, 50 to 500 transfers): a timer of 200 ms or a least RTO of 0.2 s suffices. The timer contradicts "
    "Table 1 (ACK every's short transfers gain 38 %, 28 are printed), the RTO its 12 % of all transfers (16)."
)
