r"""Slow start behind a slow reverse channel, with and without ACK filtering (ledger ackfilter.m.model).

The path. Data meets no queue. ACKs return through one slow channel that carries :math:`\mu_r` of them a second. Without
queueing a round trip takes :math:`T` seconds. The receiver acknowledges every :math:`d`-th segment, the sender is in slow
start and adds one segment to its window :math:`W` for each ACK.

**Growth.** A window of :math:`W` segments brings :math:`W/d` ACKs, so a round trip multiplies the window by
:math:`\alpha = 1 + 1/d`: after :math:`n` round trips that began with one segment, :math:`W(n) = \alpha^n`.

**Queue of a burst.** Segments leave in a burst, and their ACKs arrive at the channel as a burst. They leave the channel at
:math:`\mu_r` ACKs a second, and each clocks out segments of the next burst. The next burst has :math:`\alpha` times as many
segments in the same time. So its ACKs arrive :math:`\alpha` times as fast as they can leave. :math:`X` ACKs take
:math:`X/(\alpha\mu_r)` seconds to arrive. By then :math:`X/\alpha` have left, and :math:`X(1 - 1/\alpha) = X/(d+1)` wait.

**The threshold that costs nothing.** The channel is busy all the time once a burst has :math:`\mu_r T` ACKs. A filter that
lets :math:`\delta_o = \mu_r T/(d+1)` ACKs wait erases no ACK before that. Afterwards it erases the whole excess.

**Early filtering.** With a smaller threshold :math:`\delta` the first ACK is erased in the burst whose queue reaches
:math:`\delta`. That burst has :math:`\delta(d+1)` ACKs: :math:`W(n_0) = \delta d(d+1)`, :math:`n_0 = \log_\alpha W(n_0)`. From
then on the queue is full when a burst ends, and its :math:`\delta` ACKs follow those that left during the burst. Assume
that data takes no time to send. Then a burst lasts as long as the previous one took to leave the channel. So each round trip
lets :math:`\delta` more ACKs through than the previous one. With :math:`k = n - n_0`,

.. math::
    N(n) = \delta (d + 1 + k), \qquad
    W(n) = W(n_0) + \sum_{j<k} N(n_0 + j) = \delta \left[ d(d+1) + k(d+1) + k(k-1)/2 \right].

Growth by a factor has become growth by a polynomial. The channel is full at :math:`N = \mu_r T`.

**Round trip.** A burst's first ACK meets no queue. Later, with :math:`\delta` ACKs always waiting, each ACK waits for them. So
the round trip lies between :math:`T` and :math:`T + \delta/\mu_r`. The upper end holds for the last ACKs of a burst. While
ACKs still arrive, at :math:`\lambda` a second, each arrival erases the oldest ACK. So a waiting ACK moves forward by erasures as
well as by departures, one place for each arrival. It waits :math:`\delta/\lambda`.

What the model leaves out. Data takes time to send. On a forward channel of :math:`\mu_f` segments a second, the first and the
last ACK of a burst of :math:`W` are at least :math:`W/\mu_f` seconds apart. In this time :math:`\mu_r W/\mu_f` of them leave.
For :math:`\delta = 1` that outgrows the model's :math:`N` after some ten round trips; :meth:`SlowReverse.paced` includes it.

>>> path = SlowReverse(rate_bps=100e3, rtt_s=0.2)
>>> path.acks_per_s, path.optimum, path.rtt_limits(500)
(312.5, 31.25, (0.2, 1.8))
>>> [round(path.first_filtered(delta), 2) for delta in (1, 3, 30)]
[1.0, 2.58, 5.91]
>>> [round(path.window(n, 1)) for n in (4, 6, 9, 14)]
[11, 22, 46, 106]
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class SlowReverse:
    """A path whose reverse channel is its bottleneck."""

    rate_bps: float
    """Rate of the reverse channel, bit/s."""
    rtt_s: float
    """Round trip without queueing, s."""
    d: float = 1.0
    """Segments for each ACK."""
    ack_bytes: float = 40.0
    """Size of an ACK, bytes."""

    @property
    def acks_per_s(self) -> float:
        """What the reverse channel carries: mu_r, ACKs a second."""
        return self.rate_bps / (8 * self.ack_bytes)

    @property
    def growth(self) -> float:
        """Factor by which the window grows in a round trip while no ACK is lost: alpha.

        >>> SlowReverse(100e3, 0.2, d=2).growth
        1.5
        """
        return 1 + 1 / self.d

    def burst_queue(self, acks: float) -> float:
        """ACKs that wait when a burst of so many has arrived.

        >>> SlowReverse(100e3, 0.2).burst_queue(20)
        10.0
        """
        return acks / (self.d + 1)

    @property
    def optimum(self) -> float:
        """Threshold that erases nothing before the channel is full: delta_o, ACKs.

        >>> round(SlowReverse(100e3, 0.2, d=2).optimum, 1)
        20.8
        """
        return self.burst_queue(self.acks_per_s * self.rtt_s)

    def first_filtered(self, threshold: float) -> float:
        """Round trip in which a filter of that threshold erases its first ACK: n_0; not a whole number."""
        return math.log(self.window_first_filtered(threshold)) / math.log(self.growth)

    def window_first_filtered(self, threshold: float) -> float:
        """The window then: W(n_0), segments.

        >>> [SlowReverse(100e3, 0.2).window_first_filtered(delta) for delta in (1, 3, 30)]
        [2.0, 6.0, 60.0]
        """
        return threshold * self.d * (self.d + 1)

    def acks(self, n: float, threshold: float = math.inf) -> float:
        """ACKs that leave the channel in the n-th round trip: N(n).

        >>> path = SlowReverse(100e3, 0.2)
        >>> path.acks(5), path.acks(5, threshold=1)
        (32.0, 6.0)
        """
        if math.isinf(threshold) or n < (n0 := self.first_filtered(threshold)):
            return self.growth**n / self.d
        return threshold * (self.d + 1 + n - n0)

    def window(self, n: float, threshold: float = math.inf) -> float:
        """Window after n round trips: W(n), segments. Holds until the channel is full (:meth:`full`).

        >>> SlowReverse(100e3, 0.2).window(5)
        32.0
        """
        if math.isinf(threshold) or n < (n0 := self.first_filtered(threshold)):
            return self.growth**n
        k = n - n0
        return threshold * (self.d * (self.d + 1) + k * (self.d + 1) + k * (k - 1) / 2)

    def full(self, threshold: float = math.inf) -> float:
        """Round trip in which the channel becomes full: N(n) = mu_r T.

        >>> path = SlowReverse(100e3, 0.2)
        >>> round(path.full(), 2), path.full(1)
        (5.97, 61.5)
        """
        limit = self.acks_per_s * self.rtt_s
        if threshold >= self.optimum:
            return math.log(limit * self.d) / math.log(self.growth)
        return self.first_filtered(threshold) + limit / threshold - (self.d + 1)

    def rtt_limits(self, threshold: float) -> tuple[float, float]:
        """Shortest and longest round trip with so many ACKs waiting, s."""
        return self.rtt_s, self.rtt_s + threshold / self.acks_per_s

    def rtt_filtering(self, threshold: float, arriving_per_s: float) -> float:
        """Round trip while so many ACKs a second arrive at a full queue, s. In slow start that is alpha mu_r.

        >>> path = SlowReverse(100e3, 0.2)
        >>> path.rtt_filtering(500, path.growth * path.acks_per_s)
        1.0
        """
        return self.rtt_s + threshold / max(arriving_per_s, self.acks_per_s)

    def paced(self, rounds: int, threshold: float, forward_per_s: float) -> list[tuple[float, float]]:
        """(W, N) of round trips 0, 1, ... where data takes time to send: a burst lasts at least W/mu_f.

        Steps in whole round trips. ``forward_per_s`` is what the forward channel carries, segments a second.

        >>> path = SlowReverse(100e3, 0.2)
        >>> model = [round(w) for w, _ in path.paced(17, 1, forward_per_s=1250)]
        >>> model[5], model[10], model[15]
        (16, 60, 193)
        """
        found = []
        window, acks = 1.0, 1.0 / self.d
        for _ in range(rounds):
            found.append((window, acks))
            window += acks
            arriving = window / self.d
            lasts = max(acks / self.acks_per_s, window / forward_per_s)
            served = self.acks_per_s * lasts
            acks = min(arriving, served + min(threshold, max(arriving - served, 0.0)), self.acks_per_s * self.rtt_s)
        return found
