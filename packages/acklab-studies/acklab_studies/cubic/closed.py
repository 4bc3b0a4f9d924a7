"""CUBIC's window after a reduction, where each ACK is worth one step whatever it covers (RFC 9438, sections 4.2 and 4.4).

A step adds ``(W_cubic(t + RTT) - W) / W`` segments. An ACK for ``r`` segments comes ``W / (r RTT)`` times a second, so

    dW/dt = (W_cubic(t + RTT) - W) / T   with   T = r RTT,   W_cubic(t) = C (t - K)^3 + W_max

which is linear. With ``s = t + RTT - K`` its solution is the cubic's own polynomial in ``s``, behind by T, and what is left
of the start. Where the step counts the segments that an ACK covers, T is one round trip. The derivation is ours; the RFC
has no such formula.
"""

from __future__ import annotations

import math

C = 0.4


def recovery_s(w_max: float, least: float) -> float:
    """K: when W_cubic is back at ``w_max``, s (RFC 9438, figure 2)."""
    return float(((w_max - least) / C) ** (1 / 3))


def window(t: float, w_max: float, least: float, rtt_s: float, lag_s: float) -> float:
    """The window ``t`` seconds after the stage began at ``least`` segments; ``lag_s`` is T.

    >>> round(window(0.0, 1000, 700, 0.1, 0.1))
    700
    """
    k = recovery_s(w_max, least)

    def behind(at: float) -> float:
        s = at + rtt_s - k
        return C * (s**3 - 3 * lag_s * s**2 + 6 * lag_s**2 * s - 6 * lag_s**3)

    return w_max + behind(t) + (least - w_max - behind(0.0)) * math.exp(-t / lag_s)
