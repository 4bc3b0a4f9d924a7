"""MRG32k3a, L'Ecuyer's generator, as ns-2 seeds it: workloads drawn here equal those of the oracle's scripts."""

from __future__ import annotations

_M1, _M2 = 4294967087, 4294944443
_NORM = 2.328306549295727688e-10  # 1 / (M1 + 1), with the digits the reference code prints


class Mrg32k3a:
    """A stream of uniforms; all six words of the state start equal to the seed."""

    def __init__(self, seed: int) -> None:
        self._a = (seed, seed, seed)
        self._b = (seed, seed, seed)

    def uniform(self, low: float = 0.0, high: float = 1.0) -> float:
        """ns-2's uniform: a 31-bit integer is drawn first, then divided by the largest of them."""
        a, b = self._a, self._b
        p1 = (1403580 * a[1] - 810728 * a[0]) % _M1
        p2 = (527612 * b[2] - 1370589 * b[0]) % _M2
        self._a, self._b = (a[1], a[2], p1), (b[1], b[2], p2)
        u = (p1 - p2 if p1 > p2 else p1 - p2 + _M1) * _NORM
        return low + int(u * 2147483648) / 2147483647 * (high - low)
