"""How much wider a what-if's range is than its draws: the draws do not contain the error of the model itself.

The shares are calibrated by ``tests/capture/whatif_shares.py``, with the method of the second half's interval: of drawn transfers whose
truth is known, 93 % are inside.
"""

from __future__ import annotations

from collections.abc import Mapping

#: Quantity: the share by which its range as fitted, with the changes, and of their ratio is wider at each end.
WIDER: Mapping[str, float] = {}


def widened(low: float, high: float, share: float) -> tuple[float, float]:
    """The ends of a range of positive values, or of ratios, further apart by a share."""
    return low * (1 - share), high * (1 + share)
