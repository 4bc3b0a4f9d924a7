"""Random numbers drawn outside a run."""

import statistics
from collections.abc import Sequence

import pytest

from acklab.scenario.draws import Draws


def test_streams_are_the_simulators() -> None:
    # crates/path/src/random.rs pins the same two draws.
    drawn = Draws(1, "starts")
    assert [drawn.uniform(), drawn.uniform()] == [0.11644190578253857, 0.11875091416300046]


def test_a_range_is_kept_and_names_and_seeds_differ() -> None:
    drawn = Draws(3, "starts")
    assert all(2 <= drawn.uniform(2, 5) <= 5 for _ in range(1000))
    assert len({Draws(seed, name).uniform() for seed in (1, 2) for name in ("starts", "phases")}) == 4


@pytest.mark.parametrize("name", ["starts", "loss A>B", "queue A>B", "source f.0"])
def test_draws_of_neighbouring_seeds_are_independent(name: str) -> None:
    # The mean over eight seeds of their k-th draws varies as one of eight independent draws does, whose variance is
    # 1/96; not so those of a generator seeded with the number alone, as ns-2's is: the first is near zero, too.
    first, spread = _means([Draws(seed, name) for seed in range(1, 9)])
    assert 0.1 < first < 0.9 and abs(spread - 1) < 0.1
    first, spread = _means([SeededByNumber(seed, name) for seed in range(1, 9)])
    assert first < 0.01 and 2.0 < spread < 2.5


class SeededByNumber(Draws):
    """As ns-2 seeds it."""

    def __init__(self, seed: int, component: str) -> None:
        self._a, self._b = (seed, seed, seed), (seed, seed, seed)


def _means(streams: Sequence[Draws]) -> tuple[float, float]:
    """Means over the streams: that of the first draws, and the variance of 4000 over that of independent ones."""
    means = [statistics.fmean(drawn.uniform() for drawn in streams) for _ in range(4000)]
    return means[0], statistics.variance(means) * 96
