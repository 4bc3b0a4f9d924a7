"""MRG32k3a, L'Ecuyer's generator: what is drawn outside a run, such as the starts of flows.

:class:`Draws` names streams as the simulator does (``crates/path/src/random.rs``). Streams are 2^127 draws apart, so
those of two names or of two seeds are unrelated. ns-2's ``seed N`` does not give this. It sets all six words of the
state to N. The recurrence is linear, so after any number of draws the state is N times that of seed 1. The k-th draws
of seeds 1, 2, 3, ... are nearly the fractions of 1, 2, 3, ... times one number. A mean over eight such seeds has 2.2
times the variance of a mean over independent draws, and over 50 of them 2.7 times. Intervals that assume independent
seeds are then too narrow. ns-2's own draws, to repeat one of its runs, are in ``tests/oracle``.
"""

from __future__ import annotations

from functools import cache, lru_cache

_M1, _M2 = _MODULI = 4294967087, 4294944443
_NORM = 2.328306549295727688e-10  # 1 / (M1 + 1), with the digits the reference code prints
_STEPS = (((0, 1, 0), (0, 0, 1), (-810728, 1403580, 0)), ((0, 1, 0), (0, 0, 1), (-1370589, 0, 527612)))
_ORIGIN = 12345

_Matrix = tuple[tuple[int, ...], ...]


class Draws:
    """A stream of uniforms: that of ``component`` in a run with ``seed``, the same as the simulator's of that name."""

    def __init__(self, seed: int, component: str) -> None:
        digest = 0xCBF29CE484222325
        for byte in seed.to_bytes(8, "little") + component.encode():  # FNV-1a, as the simulator hashes names
            digest = (digest ^ byte) * 0x100000001B3 % 2**64
        self._a, self._b = _state(0, digest), _state(1, digest)

    def uniform(self, low: float = 0.0, high: float = 1.0) -> float:
        """The next draw, between ``low`` and ``high``."""
        a, b = self._a, self._b
        p1 = (1403580 * a[1] - 810728 * a[0]) % _M1
        p2 = (527612 * b[2] - 1370589 * b[0]) % _M2
        self._a, self._b = (a[1], a[2], p1), (b[1], b[2], p2)
        return low + (p1 - p2 if p1 > p2 else p1 - p2 + _M1) * _NORM * (high - low)


@lru_cache(maxsize=65536)
def uniform(seed: int, stream: str, place: int = 0) -> float:
    """A uniform of a named stream by its place; finding a stream takes longer than a short run."""
    draws = Draws(seed, stream)
    return [draws.uniform() for _ in range(place + 1)][place]


def _state(part: int, stream: int) -> tuple[int, ...]:
    """Half of the state at the beginning of that stream."""
    state: tuple[int, ...] = (_ORIGIN, _ORIGIN, _ORIGIN)
    for bit, jump in enumerate(_jumps(part)):
        if stream >> bit & 1:
            state = tuple(sum(x * y for x, y in zip(row, state, strict=True)) % _MODULI[part] for row in jump)
    return state


@cache
def _jumps(part: int) -> list[_Matrix]:
    """2^127, 2^128, ... steps of half of the state at once, to 2^190."""
    jumps: list[_Matrix] = [_STEPS[part]]
    for _ in range(127 + 63):
        columns = tuple(zip(*jumps[-1], strict=True))
        square = (
            tuple(sum(x * y for x, y in zip(row, column, strict=True)) for column in columns) for row in jumps[-1]
        )
        jumps.append(tuple(tuple(cell % _MODULI[part] for cell in row) for row in square))
    return jumps[127:]
