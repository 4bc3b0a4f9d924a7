"""The statistics of comparisons and sweeps, against published values and against simulated data whose truth is known."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from statistics import median

import numpy as np
import pytest

from acklab.study.intervals import Sample, bounded, interval, seeds_needed, t_quantile
from acklab.study.metrics import metric
from acklab.study.seeds import Seeds, seeds
from acklab.study.statistics import DIFFERENT, EQUIVALENT, SAME, TOO_FEW, UNDECIDED, Rules, difference, rank
from acklab.text.numbers import estimate

#: Simulated experiments of a rate.
MANY = 2_000 * (10 if os.environ.get("ACKLAB_LONG") else 1)
COMPLETION = metric("completion")


def draws(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def rate(experiment: Callable[[], bool]) -> float:
    """How often something happens."""
    return sum(experiment() for _ in range(MANY)) / MANY


def error(chance: float) -> float:
    """Three binomial standard errors of a rate."""
    return 3 * math.sqrt(chance * (1 - chance) / MANY)


# ---- published values ------------------------------------------------------------------------------------------------
#: Critical values of Student's t: NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2.
NIST = {
    1: (3.078, 6.314, 12.706, 31.821, 63.657),
    2: (1.886, 2.920, 4.303, 6.965, 9.925),
    5: (1.476, 2.015, 2.571, 3.365, 4.032),
    9: (1.383, 1.833, 2.262, 2.821, 3.250),
    10: (1.372, 1.812, 2.228, 2.764, 3.169),
    20: (1.325, 1.725, 2.086, 2.528, 2.845),
    30: (1.310, 1.697, 2.042, 2.457, 2.750),
    60: (1.296, 1.671, 2.000, 2.390, 2.660),
    100: (1.290, 1.660, 1.984, 2.364, 2.626),
}


@pytest.mark.parametrize("freedom", NIST)
def test_quantiles_are_those_of_the_tables(freedom: int) -> None:
    found = [t_quantile(probability, freedom) for probability in (0.90, 0.95, 0.975, 0.99, 0.995)]
    assert found == pytest.approx(NIST[freedom], abs=6e-4)


def test_quantiles_of_one_and_two_degrees_have_closed_forms() -> None:
    for probability in (0.6, 0.9, 0.999, 1 - 0.05 / 600):
        assert t_quantile(probability, 1) == pytest.approx(math.tan(math.pi * (probability - 0.5)), rel=1e-9)
        alpha = 4 * probability * (1 - probability)
        assert t_quantile(probability, 2) == pytest.approx((2 * probability - 1) * math.sqrt(2 / alpha), rel=1e-9)


# ---- known truth -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("seeds", [2, 5, 10, 30])
def test_intervals_cover_the_mean_as_often_as_they_say(seeds: int) -> None:
    rng = draws(seeds)

    def covers() -> bool:
        found = interval(Sample.of(rng.normal(4.2, 0.7, seeds)))
        return found.low <= 4.2 <= found.high

    assert rate(covers) == pytest.approx(0.95, abs=error(0.95))


@pytest.mark.parametrize(("least", "spread"), [(3, 0.1), (5, 0.05), (5, 0.1), (10, 0.15)])
def test_intervals_that_decided_how_many_seeds_there_are_cover_it_too(least: int, spread: float) -> None:
    rng, rule = draws(least), Seeds(least, 60, 0.05)

    def covers() -> bool:
        values = rng.normal(1.0, spread, 60)
        count = least
        while (wanted := rule.more(values[:count])) > count:
            count = wanted
        found = interval(Sample.of(values[:count]), rule.looks)
        return found.low <= 1.0 <= found.high

    assert rate(covers) >= 0.95 - error(0.95)


@pytest.mark.parametrize("cases", [2, 4, 6])
def test_equal_cases_are_called_worse_at_most_as_often_as_said(cases: int) -> None:
    """The family's error: any of the cases worse than the one that happens to look best."""
    rng = draws(cases)

    def wrong() -> bool:
        common = rng.normal(4.0, 1.0, 10)
        samples = {str(k): Sample.of(common + rng.normal(0, 0.3, 10)) for k in range(cases)}
        found = rank("", [COMPLETION], {"completion": samples}, margin=0.0)
        return any(row.verdict == "worse" for row in found.rows)

    assert rate(wrong) <= 0.05 + error(0.05)


def test_seeds_until_a_verdict_is_decided_keep_the_error() -> None:
    """Equal cases, looked at with 5, 10, 20, 40, 80 and 100 seeds; with one look's intervals more than 5 % are called different."""
    rng, rule = draws(11), seeds({"at_most": 100, "decide": True})

    def wrong(looks: int) -> bool:
        one, other = rng.normal(4.0, 1.0, (2, rule.most))
        count = rule.least
        while True:
            verdict = difference(Sample.of(one[:count]), Sample.of(other[:count]), Rules(1, 0.0, looks)).verdict
            if verdict != UNDECIDED or count == rule.most:
                return verdict == DIFFERENT
            count = rule.grown(count)

    assert rule.looks == 6
    assert rate(lambda: wrong(rule.looks)) <= 0.05 + error(0.05)
    assert rate(lambda: wrong(1)) > 0.05 + error(0.05)


def test_equal_cases_in_many_situations_share_the_error() -> None:
    rng = draws(7)

    def wrong() -> bool:
        return any(
            row.verdict == "worse"
            for _ in range(4)
            for row in rank(
                "",
                [COMPLETION],
                {"completion": {k: Sample.of(rng.normal(4, 1, 8)) for k in "abc"}},
                situations=4,
                margin=0.0,
            ).rows
        )

    assert rate(wrong) <= 0.05 + error(0.05)


@pytest.mark.parametrize("ratio", [1.05, 1 / 1.05])
def test_cases_at_the_margin_are_called_equivalent_at_most_as_often_as_said(ratio: float) -> None:
    rng = draws(5)

    def wrong() -> bool:
        common = rng.normal(4.0, 0.5, 20)
        one, other = (Sample.of(mean / 4.0 * common + rng.normal(0, 0.08, 20)) for mean in (4.0, 4.0 * ratio))
        return difference(one, other, Rules(margin=0.05)).verdict == EQUIVALENT

    found = rate(wrong)
    assert 0.02 < found <= 0.05 + error(0.05), "and the test is not idle"


def test_equal_cases_with_enough_seeds_are_equivalent_and_without_a_margin_undecided() -> None:
    rng = draws(6)
    common = rng.normal(4.0, 0.5, 40)
    one, other = (Sample.of(common + rng.normal(0, 0.1, 40)) for _ in range(2))
    assert difference(one, other, Rules(margin=0.05)).verdict == EQUIVALENT
    assert difference(one, other, Rules(margin=0.0)).verdict == UNDECIDED


@pytest.mark.parametrize("seeds", [5, 10, 30])
def test_intervals_of_a_ratio_cover_it_and_are_positive(seeds: int) -> None:
    """Also of skewed values that the cases have in common."""
    rng = draws(seeds)

    def covers() -> bool:
        common = rng.lognormal(0.0, 1.0, seeds)
        one, other = (Sample.of(mean * common * rng.lognormal(0.0, 0.2, seeds)) for mean in (3.0, 2.0))
        found = difference(one, other, Rules()).interval
        assert found is not None and found.low > 0
        return found.low <= 1.5 <= found.high

    assert rate(covers) == pytest.approx(0.95, abs=error(0.95))


@pytest.mark.parametrize("seeds", [5, 10])
def test_skewed_values_that_differ_by_chance_are_seldom_called_different(seeds: int) -> None:
    """The interval of a ratio of means, by the delta method, would do so in 14 and 12 % of cases."""
    rng = draws(seeds)

    def wrong() -> bool:
        common = rng.lognormal(0.0, 1.0, seeds)
        one, other = (Sample.of(common * rng.exponential(1.0, seeds)) for _ in range(2))
        return difference(one, other, Rules(margin=0.0)).verdict == DIFFERENT

    assert rate(wrong) <= 0.05 + error(0.05)


def test_a_difference_below_the_margin_does_not_matter() -> None:
    """It is equivalent where that is shown, and else undecided, also where its interval excludes 0."""
    base = Sample.of([100.0, 101.0, 99.0, 100.5, 99.5, 100.0])
    near = Sample.of(
        [one * 1.01 + step for one, step in zip(base.values, (0.1, -0.1, 0.05, 0.0, -0.05, 0.0), strict=True)]
    )
    found = difference(near, base, Rules(margin=0.02))
    assert found.verdict == EQUIVALENT and found.interval is not None and found.interval.low > 1
    assert difference(near, base, Rules(margin=0.0)).verdict == DIFFERENT
    wide = Sample.of(
        [one * 1.015 + step for one, step in zip(base.values, (0.9, -0.9, 0.5, 0.0, -0.5, 0.0), strict=True)]
    )
    found = difference(wide, base, Rules(margin=0.02))
    assert found.verdict == UNDECIDED and found.interval is not None and found.interval.low > 1 and found.needed is None


def test_fewer_than_five_seeds_decide_nothing() -> None:
    found = difference(Sample.of([9.0, 9.1, 9.0, 9.2]), Sample.of([1.0, 1.1, 1.0, 1.0]), Rules())
    assert (found.verdict, found.interval) == (TOO_FEW, None)
    assert bounded(Sample.of([1.0] * 4)) is None


def test_no_interval_of_what_is_never_negative_goes_below_0() -> None:
    found = bounded(Sample.of([0.0, 0.0, 0.1, 0.0, 9.0]))
    assert found is not None and found.low == 0.0 < found.high
    assert estimate(1.82, 0.0, 6.8) == "1.8 (0 to 6.8)"


@pytest.mark.parametrize(("one", "other"), [(0.0, 3.0), (3.0, 0.0)])
def test_a_mean_of_0_is_compared_by_the_difference(one: float, other: float) -> None:
    wiggle = (0.0, 0.1, 0.2, 0.1, 0.0, 0.1)
    samples = [Sample.of([mean + step for step in wiggle] if mean else [0.0] * 6) for mean in (one, other)]
    found = difference(samples[0], samples[1], Rules())
    assert not found.relative and found.verdict == DIFFERENT and found.more == (one > other)


@pytest.mark.parametrize("spread", [0.3, 0.6])
def test_the_seeds_needed_are_right_within_a_factor_of_two(spread: float) -> None:
    """Against the least number of seeds with which four of five simulated experiments decide."""
    rng, rules = draws(8), Rules(margin=0.0)
    truth, verdict = 1.05, DIFFERENT

    def power(seeds: int) -> float:
        values = rng.normal(0.0, spread, (400, seeds))
        pairs = ((Sample.of(4.0 * truth + row), Sample.of([4.0] * seeds)) for row in values)
        return sum(difference(one, other, rules).verdict == verdict for one, other in pairs) / 400

    right = next(seeds for seeds in range(4, 400, 2) if power(seeds) >= 0.8)
    guesses = []
    for _ in range(400):
        found = difference(Sample.of(4.0 + rng.normal(0.0, spread, 8)), Sample.of([4.0] * 8), rules)
        if found.needed is not None:
            guesses.append(found.needed)
    assert len(guesses) > 100 and 0.5 <= median(guesses) / right <= 2


def test_more_spread_or_a_smaller_effect_needs_more_seeds() -> None:
    assert seeds_needed(1.0, 1.0, 0.95, 0.8) == 10  # Cohen 1988, one sample, d = 1
    assert seeds_needed(1.0, 0.5, 0.95, 0.8) == 34


# ---- what has no spread ----------------------------------------------------------------------------------------------
def test_the_same_difference_in_few_seeds_proves_nothing() -> None:
    """A count may differ by 1 in each of three seeds by chance: its variance is not known to be 0."""
    few = difference(Sample.of([3, 4, 3, 4, 3]), Sample.of([2, 3, 2, 3, 2]), Rules())
    assert (few.verdict, few.needed) == (UNDECIDED, 6)
    assert difference(Sample.of([3, 4] * 3), Sample.of([2, 3] * 3), Rules()).verdict == DIFFERENT
    assert difference(Sample.of([3, 4, 3]), Sample.of([3, 4, 3]), Rules()).verdict == SAME


def test_no_needs_where_the_interval_is_already_narrow() -> None:
    found = difference(
        Sample.of([4.0, 4.01, 3.99, 4.0, 4.0]), Sample.of([4.01, 4.0, 4.0, 3.99, 4.0]), Rules(margin=0.0)
    )
    assert found.verdict == UNDECIDED and found.needed is None
