"""Saturation throughput of 802.11's DCF, by Bianchi's model and its form with finite retries.

*Bianchi (2000), "Performance Analysis of the IEEE 802.11 Distributed Coordination Function", IEEE JSAC 18(3).*

The derivation uses renewal instead of the two-dimensional chain. Time is divided into the slots that a station sees. A slot is
empty, or it is a whole exchange of some station. The only assumption is that a transmission meets another with the same
probability *p*, whatever happened before.

* A packet's *i*-th attempt happens with probability p^i (as long as attempts are left). Before it, a counter is drawn from
  0 to W_i - 1, where W_i = 2^min(i, m) W. It therefore takes (W_i - 1)/2 slots of waiting, on average, and one of transmission.
* A station so transmits in a share of slots  tau = sum p^i / sum p^i (W_i + 1)/2,  over i = 0 ... R - 1 for R attempts,
  or without end in Bianchi's own case.
* A transmission collides unless all others are silent:  p = 1 - (1 - tau)^(n - 1).

The two have one solution, because tau falls in p, and p rises in tau. Bisection finds it. A slot is empty with probability
(1 - tau)^n, and carries one frame with n tau (1 - tau)^(n - 1). Otherwise it is a collision. Throughput is payload per mean slot.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["BIANCHI", "DOT11B", "Channel", "saturation", "solve"]


@dataclass(frozen=True, kw_only=True)
class Channel:
    """What of a channel and its MAC matters for throughput; times in seconds, rates in bit/s, sizes in bytes."""

    payload: int
    header: int
    rate: float
    basic_rate: float
    plcp: float
    slot: float
    sifs: float
    difs: float
    propagation: float
    #: Silence after a collision (EIFS, or DIFS where there is none).
    after_collision: float
    window: int = 32
    stages: int = 3
    #: None: without end.
    attempts: int | None = None
    rts: bool = False

    def control(self, size: int) -> float:
        """Air time of a control frame."""
        return self.plcp + 8 * size / self.basic_rate

    @property
    def data(self) -> float:
        """Air time of a data frame."""
        return self.plcp + 8 * (self.payload + self.header) / self.rate

    @property
    def success(self) -> float:
        """Length of a slot with one transmission."""
        hop = self.sifs + self.propagation
        announced = self.control(20) + hop + self.control(14) + hop if self.rts else 0.0
        return announced + self.data + hop + self.control(14) + self.propagation + self.difs

    @property
    def collision(self) -> float:
        """Length of a slot with several."""
        first = self.control(20) if self.rts else self.data
        return first + self.propagation + self.after_collision


#: The parameters of Bianchi's evaluation (his Table II): frequency hopping at 1 Mb/s.
BIANCHI = Channel(
    payload=1023,
    header=34,
    rate=1e6,
    basic_rate=1e6,
    plcp=128e-6,
    slot=50e-6,
    sifs=28e-6,
    difs=128e-6,
    propagation=1e-6,
    after_collision=128e-6,
)

#: 802.11b with the simulator's defaults (``crates/path/src/medium/params.rs``) and packets of 1500 bytes: EIFS after a collision, and
#: attempts come to an end.
DOT11B = Channel(
    payload=1500,
    header=36,
    rate=11e6,
    basic_rate=2e6,
    plcp=192e-6,
    slot=20e-6,
    sifs=10e-6,
    difs=50e-6,
    propagation=1e-6,
    after_collision=364e-6,
    stages=5,
    attempts=7,
)


def _tau(p: float, channel: Channel) -> float:
    attempts = channel.attempts if channel.attempts is not None else 4000
    chance, begun, slots = 1.0, 0.0, 0.0
    for i in range(attempts):
        window = channel.window * 2 ** min(i, channel.stages)
        begun += chance
        slots += chance * (window + 1) / 2
        chance *= p
        if chance < 1e-18:
            break
    return begun / slots


def solve(stations: int, channel: Channel) -> tuple[float, float]:
    """The chance to transmit in a slot, and the chance that a transmission collides.

    >>> tau, p = solve(1, BIANCHI)
    >>> round(1 / tau, 6), p
    (16.5, 0.0)
    """
    if stations == 1:
        return _tau(0.0, channel), 0.0
    low, high = 0.0, 1.0
    for _ in range(100):
        p = (low + high) / 2
        if 1 - (1 - _tau(p, channel)) ** (stations - 1) > p:
            low = p
        else:
            high = p
    return _tau(p, channel), p


def saturation(stations: int, channel: Channel) -> float:
    """Payload that stations which always have a frame get through, in bit/s.

    >>> [round(saturation(n, BIANCHI) / 1e6, 3) for n in (1, 5, 20, 50)]
    [0.839, 0.81, 0.679, 0.553]
    """
    tau, _ = solve(stations, channel)
    empty = (1 - tau) ** stations
    one = stations * tau * math.pow(1 - tau, stations - 1)
    mean = empty * channel.slot + one * channel.success + (1 - empty - one) * channel.collision
    return one * 8 * channel.payload / mean
