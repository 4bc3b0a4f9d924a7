"""How much wider a what-if's range is than its draws: the draws do not contain the error of the model itself.

The shares are from ``whatifs.py 3652 120`` and ``whatif_shares.py`` in ``tests/capture``: transfers over access links that were asked for
FQ-CoDel at the bottleneck. Of 46 that were not refused, the ranges of the draws had all truths of the mean round trip in 25. With these
shares, the least in steps of 0.1 %, they have those of each quantity in 93 %, as the second half's interval has of its calibration.
"""

from __future__ import annotations

from collections.abc import Mapping

#: What the ranges claim.
CLAIM = 0.9
#: What was counted, of each range (``whatifs.py 3653 120``; the table is in docs/reference/fits.md).
COUNTED = "In a test of 44 simulated downloads over access links, each had it in 86 to 100\u00a0%."
#: Quantity: the share by which its range as fitted, with the changes, and of their ratio is wider at each end.
WIDER: Mapping[str, float] = {
    "completion": 0.014,
    "goodput": 0.013,
    "mean round trip": 0.031,
    "ACKs": 0.121,
    "retransmissions": 0.334,
}


def widened(low: float, high: float, share: float) -> tuple[float, float]:
    """The ends of a range of positive values, or of ratios, further apart by a share."""
    return low * (1 - share), high * (1 + share)
