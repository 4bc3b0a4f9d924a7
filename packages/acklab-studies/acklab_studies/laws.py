r"""The laws between loss and throughput: the square root of p, PFTK, CUBIC's response function; and the same measured.

A sender that loses each packet with probability :math:`p` reaches a mean window :math:`W`: throughput times round trip, in
segments. A receiver acknowledges every :math:`b`-th segment (1: every, 2: delayed ACKs).

**The square root of p** (Mathis, Semke, Mahdavi and Ott 1997). A window that falls to half at each loss and grows by
:math:`1/b` a round trip loses one packet of :math:`1/p = \tfrac{3b}{8} W_{max}^2`, and is :math:`\tfrac34 W_{max}` on average:

.. math:: W = \sqrt{\frac{3}{2bp}}, \qquad C = W\sqrt p = \sqrt{3/2} \text{ or } \sqrt{3/4}.

That holds for losses at even distances. If they come at random, the windows they find differ, and :math:`C` is 1.31 in place of
1.22 (Ott, Kemperman and Mathis 1996).

**PFTK** (Padhye, Firoiu, Towsley and Kurose 1998) adds timeouts, of :math:`T_0` at first, and a window's limit. Its losses
come in runs to the end of a round trip, as in a full queue.

**CUBIC** (RFC 9438 section 5.1). For losses at even distances, the mean window follows from the integral of the cubic between two
losses: :math:`W = \sqrt[4]{C(3+\beta)/(4(1-\beta))}\,(T/p)^{3/4}`. Where Reno's mean window is larger, that one holds.

>>> [round(sqrt_law(0.01, acked), 2) for acked in (1, 2)]
[12.25, 8.66]
>>> round(cubic(1e-4, rtt_s=0.1), 1), round(cubic(1e-2, rtt_s=0.1), 2)
(187.4, 12.25)
"""

from __future__ import annotations

import math
from typing import Any

#: Constant of the square-root law where losses come independently, for ACKs of every segment (Ott et al. 1996).
RANDOM = 1.3098


def sqrt_law(p: float, acked: float = 1) -> float:
    """Mean window in segments for losses 1/p packets apart.

    Args:
        p: Share of packets lost.
        acked: Segments for each ACK: b.

    >>> round(sqrt_law(1 / 150), 9)
    15.0
    """
    return math.sqrt(1.5 / (acked * p))


def pftk(p: float, rtt_s: float, timeout_s: float, acked: float = 2, limit: float = math.inf) -> float:
    """Mean window by the full formula of PFTK (its equation 32), in segments.

    Args:
        p: Chance that a packet is lost if the one before it in its round trip was not.
        rtt_s: Round trip.
        timeout_s: First retransmission timeout.
        acked: Segments for each ACK: b.
        limit: The receiver's window, segments.

    >>> [round(pftk(p, 0.1, 1.0), 2) for p in (1e-4, 1e-2, 1e-1)]
    [86.16, 6.95, 0.91]
    >>> round(pftk(1e-4, 0.1, 1.0, limit=20), 1)
    19.7
    """
    most = (2 + acked) / (3 * acked)
    window = most + math.sqrt(8 * (1 - p) / (3 * acked * p) + most * most)
    if window < limit:
        rounds = acked / 2 * window + 1
    else:
        window = limit
        rounds = acked / 8 * limit + (1 - p) / (p * limit) + 2
    run = _timeout_chance(p, window)
    backoff = 1 + p + 2 * p**2 + 4 * p**3 + 8 * p**4 + 16 * p**5 + 32 * p**6
    sent = (1 - p) / p + window + run / (1 - p)
    return sent / (rtt_s * rounds + run * backoff * timeout_s / (1 - p)) * rtt_s


def _timeout_chance(p: float, window: float) -> float:
    """Chance that a loss in so large a window ends in a timeout: Q, PFTK's equation 24."""
    kept = (1 - p) ** 3
    return min(1.0, (1 - kept) * (1 + kept * (1 - (1 - p) ** (window - 3))) / (1 - (1 - p) ** window))


def cubic(p: float, rtt_s: float, c: float = 0.4, beta: float = 0.7, reno_friendly: bool = True) -> float:
    """CUBIC's mean window in segments for losses 1/p packets apart, and ACKs of every segment.

    >>> round(cubic(1e-3, rtt_s=0.1, reno_friendly=False), 2), round(cubic(1e-3, rtt_s=0.1), 2)
    (33.32, 38.73)
    """
    window = (c * (3 + beta) / (4 * (1 - beta))) ** 0.25 * (rtt_s / p) ** 0.75
    return max(window, sqrt_law(p)) if reno_friendly else window


def scenario(
    p: float,
    losses: int,
    *,
    even: bool,
    delayed: bool = False,
    control: Any = "reno",
    seed: int = 1,
    rtt_s: float = 0.1,
) -> dict[str, Any]:
    """One endless flow over a link that loses and does not queue; its timeout is 1 s.

    Args:
        p: Share of packets lost.
        losses: About how many are to be lost before it ends.
        even: At even distances, or else at random.
        delayed: ACKs of every second segment.
        control: The sender's congestion control.
        seed: Of random losses.
        rtt_s: Round trip.
    """
    rules = control if isinstance(control, dict) else {"kind": control}
    near, beta = sqrt_law(p, 1 + delayed), 0.5
    if rules["kind"] == "cubic":
        constants = {key: rules[key] for key in ("c", "beta", "reno_friendly") if key in rules}
        near, beta = cubic(p, rtt_s, **constants), rules.get("beta", 0.7)
    # The law's largest window. CUBIC's has no pull towards the law nearby, so it must begin there: slow start ends at that
    # window, and the first loss comes soon after.
    top = near * (4 / (3 + beta) if rules["kind"] == "cubic" else 4 / 3)
    soon, distance = round(3 * top), round(1 / p)
    loss = {"list": [soon + distance * k for k in range(4 * losses)]} if even else {"rate": p, "seed": seed}
    ack = {"policy": "delayed", "timer": "200ms"} if delayed else {"policy": "every"}
    return {
        "stop": {"at": f"{losses / p / near * rtt_s:.0f}s"},
        "link": [
            {
                "between": ["S", "R"],
                "rate": "100Gbps",
                "delay": f"{rtt_s * 500:.6g}ms",
                "queue": {"kind": "drop-tail", "packets": 100_000},
                "loss": loss,
                "back": {"loss": {"list": []}},
            }
        ],
        "flow": [
            {
                "from": "S",
                "to": "R",
                "size": "unlimited",
                "sender": {
                    "stack": "ns2-2.35",
                    "recovery": "sack",
                    "control": control,
                    "credit": {"kind": "ack-counting"},
                    "packet": 1000,
                    "window": 100_000,
                    "initial_ssthresh": top,
                    "min_rto": "1s",
                },
                "receiver": {"stack": "ns2-2.35", "ack": ack},
            }
        ],
    }


def measured(outcome: dict[str, Any], rtt_s: float = 0.1) -> tuple[float, float]:
    """(share of packets lost, mean window in segments) of a run of :func:`scenario`."""
    flow = outcome["flows"][0]
    lost = outcome["links"][0]["lost"]
    return lost / flow["segments_sent"], flow["segments_acked"] * rtt_s / outcome["end_s"]
