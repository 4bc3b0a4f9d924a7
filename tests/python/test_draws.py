"""Random numbers drawn outside a run."""

import statistics
from collections.abc import Sequence

from acklab.draws import Draws, Ns2Draws


def test_streams_are_the_simulators() -> None:
    # crates/path/src/random.rs pins the same two draws.
    drawn = Draws(1, "starts")
    assert [drawn.uniform(), drawn.uniform()] == [0.11644190578253857, 0.11875091416300046]


def test_ns2s_draws_are_its_own() -> None:
    # ns-2's generator after seed 1, as crates/path/src/random.rs pins it.
    drawn = Ns2Draws(1)
    assert [drawn.uniform() for _ in range(3)] == [0.0003395769746692744, 0.5558807158637237, 0.014204660437165137]


def test_a_range_is_kept_and_names_and_seeds_differ() -> None:
    drawn = Draws(3, "starts")
    assert all(2 <= drawn.uniform(2, 5) <= 5 for _ in range(1000))
    assert len({Draws(seed, name).uniform() for seed in (1, 2) for name in ("starts", "phases")}) == 4


def test_draws_of_neighbouring_seeds_are_independent() -> None:
    # The mean over eight seeds of their k-th draws varies as one of eight independent draws does, whose variance is
    # 1/96; not so those that ns-2 has, of which the first is near zero, too.
    first, spread = _means([Draws(seed, "starts") for seed in range(1, 9)])
    assert 0.2 < first < 0.8 and abs(spread - 1) < 0.05
    first, spread = _means([Ns2Draws(seed) for seed in range(1, 9)])
    assert first < 0.01 and 1.4 < spread < 1.6


def _means(streams: Sequence[Draws]) -> tuple[float, float]:
    """Means over the streams: that of the first draws, and how those of 4000 vary, as a share of what independent ones do."""
    means = [statistics.fmean(drawn.uniform() for drawn in streams) for _ in range(4000)]
    return means[0], statistics.stdev(means) / (1 / 96) ** 0.5
