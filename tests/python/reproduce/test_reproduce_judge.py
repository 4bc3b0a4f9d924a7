"""The judge: every kind of requirement, deterministic and from seeds, and measurements that do not fit."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from acklab.reproduce.criteria import parse
from acklab.reproduce.judge import DIFFERS, REPRODUCED, UNDECIDED, Verdict, judge
from acklab.reproduce.ledger import Claim
from acklab.reproduce.measure import BadMeasurement, Measurement, NotTestable
from acklab.reproduce.resample import RankCorrelation, rank_correlation, spearman
from acklab.reproduce.stopping import Look
from acklab.study.intervals import Sample, jackknife, split, t_quantile

NAN = float("nan")


def claim(*parts: dict[str, Any], kind: str = "number") -> Claim:
    """A claim with these parts, named a, b, ... where they have no name."""
    named = [{"name": "abc"[i], **part} for i, part in enumerate(parts)]
    texts = dict.fromkeys(("claim", "units", "paper_value", "tolerance", "figure"), "")
    criterion = parse("p.c", {"parts": named})
    return Claim(id="p.c", paper="p", kind=kind, criterion=criterion, **texts)


def verdict(part: dict[str, Any], value: Any, share: float = 1.0) -> Verdict:
    """The verdict on one part's value, at a look with this share of the error."""
    return judge(claim(part), Measurement({"a": value}), look=Look(0, share))


WITHIN = {"type": "within", "value": 12, "tolerance": 5, "sign": True}
ORDER = {"type": "order", "order": "a > b > 0 > c", "tie": 1}


@pytest.mark.parametrize(
    ("part", "value", "expected"),
    [
        ({"type": "equal", "value": 0}, 0, REPRODUCED),
        ({"type": "equal", "value": 0}, 1e-12, DIFFERS),
        ({"type": "equal", "value": 0, "slack": 1e-9}, 1e-12, REPRODUCED),
        (WITHIN, 17, REPRODUCED),
        (WITHIN, 17.01, DIFFERS),
        ({"type": "within", "value": 3, "tolerance": 5, "sign": True}, 0, DIFFERS),
        ({"type": "range", "above": 1, "below": 20}, 1, DIFFERS),
        ({"type": "range", "above": 1, "below": 20}, 1.5, REPRODUCED),
        ({"type": "range", "high": 1.25}, 1.25, REPRODUCED),
        (ORDER, {"a": 8, "b": 7, "c": -9}, REPRODUCED),
        (ORDER, {"a": 7, "b": 7.5, "c": -9}, REPRODUCED),
        (ORDER, {"a": 7, "b": 8.5, "c": -9}, DIFFERS),
        (ORDER, {"a": 8, "b": 7, "c": 1.5}, DIFFERS),
        (ORDER, {"a": -0.5, "b": -0.4, "c": -9}, DIFFERS),
        ({"type": "order", "order": "a >= b"}, {"a": 1, "b": 1}, REPRODUCED),
        ({"type": "order", "order": "a > b"}, {"a": 1, "b": 1}, DIFFERS),
        ({"type": "order", "order": "a = b", "tie": 2}, {"a": 1, "b": 3}, REPRODUCED),
        ({"type": "order", "order": "a = b", "tie": 2}, {"a": 1, "b": 3.1}, DIFFERS),
        ({"type": "order", "order": "a > b", "tie": 0.02, "relative": True}, {"a": 99, "b": 100}, REPRODUCED),
        ({"type": "order", "order": "a > b", "tie": 0.02, "relative": True}, {"a": 97, "b": 100}, DIFFERS),
    ],
)
def test_deterministic(part: dict[str, Any], value: Any, expected: str) -> None:
    found = verdict(part, value)
    assert (found.verdict, found.undecided, found.seeds) == (expected, False, 0)


@pytest.mark.parametrize(
    ("cells", "values", "expected"),
    [
        ("all", [0, 0, 0], REPRODUCED),
        ("all", [0, 1, 0], DIFFERS),
        ("majority", [0, 1, 0], REPRODUCED),
        ("majority", [1, 1, 0, 0], DIFFERS),
        (2, [0, 1, 0], REPRODUCED),
        ("80%", [0, 0, 0, 0, 1], REPRODUCED),
    ],
)
def test_cells(cells: Any, values: list[int], expected: str) -> None:
    part = {"type": "equal", "value": 0, "cells": cells}
    assert verdict(part, {str(i): v for i, v in enumerate(values)}).verdict == expected


def test_parts_all_have_to_hold() -> None:
    both = claim({"type": "equal", "value": 1}, {"type": "range", "high": 2})
    assert judge(both, Measurement({"a": 1, "b": 2})).verdict == REPRODUCED
    found = judge(both, Measurement({"a": 1, "b": 3}))
    assert found.verdict == DIFFERS
    assert found.value == {"a": 1, "b": 3}


def sample(mean: float, spread: float, seeds: int = 30, seed: int = 1, median: bool = False) -> Sample:
    """Seeds around a mean."""
    draws = random.Random(seed)
    return Sample.of([draws.gauss(mean, spread) for _ in range(seeds)], median)


@pytest.mark.parametrize(
    ("value", "expected", "undecided"),
    [
        (sample(12, 1), REPRODUCED, False),
        (sample(30, 1), DIFFERS, False),
        (sample(17, 3), UNDECIDED, True),
        (sample(12, 40), UNDECIDED, True),
        (sample(12, 1, seeds=1), UNDECIDED, True),
        (sample(12, 1, median=True), REPRODUCED, False),
    ],
)
def test_the_interval_decides(value: Sample, expected: str, undecided: bool) -> None:
    found = verdict(WITHIN, value)
    assert (found.verdict, found.undecided) == (expected, undecided)
    assert found.seeds == len(value.values)
    if undecided:
        assert found.needed


@pytest.mark.parametrize(
    ("near", "far", "wanted"),
    [(-0.3, 0.1, "near"), (0.3, -0.1, "far"), (0.3, 0.1, "far"), (-0.3, -0.1, "near"), (0.3, 0.02, "more than 100")],
)
def test_the_seeds_wanted_are_those_that_settle_the_claim(near: float, far: float, wanted: str) -> None:
    """One cell that does not hold settles a claim about all; that all hold is settled by the last."""
    part = {"type": "range", "low": 0.0, "cells": "all"}
    around = sample(0, 1).minus(Sample.of([sample(0, 1).value] * 30))
    values = {name: Sample.of([mean + v for v in around.values]) for name, mean in (("near", near), ("far", far))}
    found = verdict(part, values)
    assert found.undecided
    if wanted in values:
        level = split(2 if values[wanted].value < 0 else 1)
        half = values[wanted].interval(level).half_width
        assert found.needed == pytest.approx((half / values[wanted].value) ** 2)
    else:
        assert found.needed == math.inf
    assert found.wants_seeds() == (wanted in values), "what is hopeless stops"


def test_paired_differences_are_what_counts() -> None:
    # Seeds that differ widely, but always by one between the two.
    base = sample(1000, 200)
    more = Sample.of([v + 1 for v in base.values])
    assert verdict({"type": "order", "order": "a > b"}, {"a": more, "b": base}).verdict == REPRODUCED
    assert verdict({"type": "order", "order": "a > b"}, {"a": base, "b": more}).verdict == DIFFERS
    assert verdict({"type": "order", "order": "a >= b"}, {"a": base, "b": base}).verdict == REPRODUCED
    assert verdict({"type": "order", "order": "a > b"}, {"a": base, "b": base}).verdict == DIFFERS


def test_seeds_are_asked_for_until_the_verdict_is_settled() -> None:
    assert not verdict(WITHIN, sample(12, 9)).wants_seeds()
    strict = {"type": "order", "order": "a > 0"}
    assert not verdict(strict, {"a": sample(10, 9)}).wants_seeds()
    assert verdict(strict, {"a": sample(0.5, 9, seed=2)}).wants_seeds()
    assert verdict({"type": "range", "low": 0}, sample(9, 1, seeds=1)).wants_seeds(), "one seed has no interval yet"
    assert verdict(WITHIN, 12).wants_seeds(), "nothing settles a number without an interval"


def test_parts_that_compare_the_same_have_intervals_of_their_own() -> None:
    """Two orders of the same names, in the same cells: what one measured does not stand for the other."""
    order = {"type": "order", "order": "x > y", "cells": "all"}
    one, other = Sample.of([5, 6, 7, 6]), Sample.of([50, 60, 70, 60])
    parts = {
        name: {"here": {"x": sample, "y": 1}, "there": {"x": sample, "y": 2}}
        for name, sample in (("a", one), ("b", other))
    }
    found = judge(
        claim(order, {**order, "about": "again"}, {"type": "range", "low": 0}), Measurement({**parts, "c": one})
    )
    assert found.value.keys() == found.interval.keys() == {"a", "b", "c"}
    (low, high), (far_low, far_high) = found.interval["a"]["x - y here"], found.interval["b"]["x - y here"]
    assert low < 5 < high < far_low < 59 < far_high
    assert found.interval["c"] == pytest.approx([low + 1, high + 1])
    assert verdict({"type": "range", "low": 0}, one).interval[0] < 6


def test_more_cells_and_more_looks_widen_the_intervals() -> None:
    narrow = verdict({"type": "range", "low": 0, "cells": "all"}, {"1": sample(1, 1)})
    wide = verdict({"type": "range", "low": 0, "cells": 1}, {str(i): sample(1, 1) for i in range(10)})
    again = verdict({"type": "range", "low": 0, "cells": "all"}, {"1": sample(1, 1)}, share=1 / 3)
    widths = [v.findings[0].half_width or math.nan for v in (narrow, wide, again)]
    assert widths[0] < widths[2] < widths[1]


@pytest.mark.parametrize(
    "value",
    [NAN, Sample.of([1, NAN])],
)
def test_nothing_measured_is_undecided(value: Any) -> None:
    found = verdict(WITHIN, value)
    assert (found.verdict, found.findings) == (UNDECIDED, ())
    assert "nothing to measure" in found.why


@pytest.mark.parametrize(
    ("part", "value"),
    [
        (WITHIN, "12"),
        (WITHIN, None),
        (WITHIN, True),
        (WITHIN, math.inf),
        (WITHIN, Sample(())),
        (WITHIN, Sample.of([1.0, math.inf])),
        (WITHIN, {"x": 1}),
        ({**WITHIN, "cells": "all"}, 12),
        ({**WITHIN, "cells": "all"}, {}),
        (ORDER, 3),
        (ORDER, {}),
        (ORDER, {"a": 1, "b": 0}),
        (ORDER, {"a": Sample.of([1, 2]), "b": Sample.of([1]), "c": -1}),
        ({"type": "order", "order": "a > b", "cells": "all"}, {"a": 2, "b": 1}),
    ],
)
def test_measurements_that_do_not_fit(part: dict[str, Any], value: Any) -> None:
    with pytest.raises(BadMeasurement, match=r"p\.c"):
        verdict(part, value)


def test_measurements_of_other_parts() -> None:
    with pytest.raises(BadMeasurement, match="asked for"):
        judge(claim(WITHIN), Measurement({"b": 1}))
    with pytest.raises(BadMeasurement, match="kind"):
        judge(replace(claim(WITHIN), kind="hunch"), Measurement({"a": 1}))
    with pytest.raises(BadMeasurement, match="no criterion"):
        judge(replace(claim(WITHIN), criterion=None), Measurement({"a": 1}))


def test_what_no_run_can_test_says_why() -> None:
    found = judge(claim(WITHIN), NotTestable("the figure is missing"))
    assert (found.verdict, found.why, found.value) == (UNDECIDED, "the figure is missing", None)


def test_student_and_jackknife() -> None:
    assert t_quantile(0.975, 9) == pytest.approx(2.262157, abs=1e-5)
    assert t_quantile(0.995, 29) == pytest.approx(2.756386, abs=1e-5)
    assert t_quantile(0.975, 10_000) == pytest.approx(1.960201, abs=1e-5)
    assert split(10, 2) == pytest.approx(0.9975)
    values = [3.0, 5.0, 8.0, 13.0]
    mean = jackknife(4, lambda seeds: sum(values[i] for i in seeds) / len(seeds))
    assert mean.values == pytest.approx(values), "the mean's pseudo-values are the values"


def test_rank_correlations_of_lists_and_columns() -> None:
    assert spearman([1, 2, 3, 4], [10, 20, 40, 30]) == pytest.approx(0.8)
    table = np.array([[1.0, 9.0], [2.0, 5.0], [4.0, 3.0], [3.0, 1.0]])
    assert spearman([1, 2, 3, 4], table) == pytest.approx([0.8, -1.0])
    assert spearman(table, table[::-1]) == pytest.approx([-0.6, -1.0])


def test_a_rank_correlation_has_an_interval_that_holds_the_truth() -> None:
    """Five means, two of them close: the truth is 0.9, as often as not 1 is measured; it lies inside 95 times of 100."""
    true, numbers = np.array([1.0, 2.0, 3.05, 3.0, 4.0]), np.random.RandomState(3)
    inside = leaps = 0
    for _ in range(200):
        table = true[:, np.newaxis] + 0.5 * numbers.standard_normal((5, 20))
        interval = rank_correlation(lambda means: spearman(range(5), means), table).interval(0.95)
        inside += interval.low <= 0.9 + 1e-9 and interval.high >= 0.9 - 1e-9
        knife = jackknife(
            20, lambda seeds, table=table: float(spearman(range(5), table[:, seeds].mean(axis=1)))
        ).interval(0.95)
        leaps += knife.low > 0.9 + 1e-9 or knife.high < 0.9 - 1e-9
    assert inside >= 190
    assert leaps > 40, "why the jackknife is not asked"


def test_noise_draws_rank_correlations_down_and_the_mirror_takes_that_off() -> None:
    found = RankCorrelation(tuple(k / 100 for k in range(1, 40)), whole=0.3, seeds=30)  # a twentieth of them a side
    interval = found.interval(0.9)
    assert (interval.low, interval.high) == pytest.approx((0.02, 0.58))
    high = RankCorrelation(found.values, whole=0.9, seeds=30).interval(0.9)
    assert (high.low, high.high) == pytest.approx((0.02, 1.0))
    low = RankCorrelation(found.values, whole=0.1, seeds=30).interval(0.9)
    assert (low.low, low.high) == pytest.approx((-0.18, 0.38))


def test_a_rank_correlation_with_hardly_any_noise_is_itself() -> None:
    table = np.arange(5.0)[:, np.newaxis] + 1e-3 * np.random.RandomState(1).standard_normal((5, 20))
    found = rank_correlation(lambda means: spearman(range(5), means), table)
    interval = found.interval(0.99)
    assert (found.value, interval.low, interval.high, found.count) == (1, 1, 1, 20)
    settled = verdict({"type": "range", "above": 0.7}, found)
    assert (settled.verdict, settled.seeds) == (REPRODUCED, 20)
    with pytest.raises(BadMeasurement, match="no value for each seed"):
        verdict({"type": "order", "order": "a > 0"}, {"a": found})


def test_medians_have_order_statistics_for_ends() -> None:
    interval = Sample.of(range(1, 21), median=True).interval(0.95)
    assert (interval.low, interval.high) == (6, 15)
    assert math.isinf(Sample.of([1, 2, 3], median=True).interval(0.95).high)
