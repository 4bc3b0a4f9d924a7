"""Where a sweep's metric jumps, or becomes 0, is told if the runs distinguish it, and else not."""

from types import SimpleNamespace
from typing import Any

import pytest

from acklab.experiments.compare import metric
from acklab.experiments.sweep.axes import Axis, Column
from acklab.experiments.sweep.jumps import jumps

QUEUES = [2, 3, 4, 5, 6]


def told(
    means: list[Any],
    half: float | None = None,
    n: int = 1,
    name: str = "completion",
    cases: int = 1,
    queues: Any = QUEUES,
) -> str:
    """The sentence of a sweep over queues, and over cases; means in the plan's order."""
    axes = [Axis([Column("queue_packets", "", list(queues))], [{} for _ in queues])]
    if cases > 1:
        axes.append(Axis([Column("ACKs", "", ["every", "delayed", "sparse", "none"][:cases])], [{}] * cases))
    plan = SimpleNamespace(axes=axes)
    design: Any = SimpleNamespace(plan=plan, places=lambda point: (point,) if cases == 1 else divmod(point, cases))
    ends = [(None, None) if half is None or one is None else (one - half, one + half) for one in means]
    rows = [{"mean": one, "low": low, "high": high, "n": n} for one, (low, high) in zip(means, ends, strict=True)]
    return jumps(metric(name), (name, name.endswith("s")), rows, design)[0]


def test_a_jump_is_told_with_its_ends() -> None:
    said = "completion falls from 3 to 1 s between queue 4 and 5 packets."
    assert told([3.2, 3.1, 3.0, 1.0, 1.0]) == said
    assert told([3.0, 1.0, 3.2, 1.0, 3.1], queues=[4, 5, 2, 6, 3]) == said  # in the values' order, not the plan's
    assert told([1.0, 1.1, 1.1, 3.0, 3.2]).startswith("completion rises from 1.100 to 3 s")


@pytest.mark.parametrize("means", [
    [3.0, 2.5, 2.0, 1.5, 1.0],  # even steps
    [8.0, 4.0, 2.0, 1.0, 0.5],  # a smooth curve
    [3.0, 3.0, 1.0, 1.0, 3.0],  # it returns
    [3.0, 0.9, 3.0, 1.0, 1.0],  # a value before is as low as one after
    [1.0, 1.0, 1.0, 1.0, 1.0],
    [3.0, 3.0, 3.0, None, 1.0],
])  # fmt: skip
def test_what_is_no_jump_is_not_told(means: list[Any]) -> None:
    assert told(means) == ""


def test_intervals_decide_between_several_seeds() -> None:
    means = [3.2, 3.1, 3.0, 1.0, 1.0]
    sure = " (the intervals on both sides do not overlap)."
    assert told(means, half=0.5, n=10).endswith(f" s between queue 4 and 5 packets{sure}")
    assert told(means, half=1.1, n=10) == ""
    assert told(means, half=0.95, n=10) == ""  # they do not overlap, but do so if they are as wide as four pairs demand
    assert told(means, n=3) == ""  # too few for intervals
    assert told(means, half=0.0, n=10) == "completion falls from 3 to 1 s between queue 4 and 5 packets."


def test_where_a_count_becomes_0_is_told_for_each_line() -> None:
    assert told([9, 2, 1, 0, 0], name="timeouts") == "timeouts are 0 from queue 5 packets on (1 at 4 packets)."
    assert told([0, 0, 1, 2, 9], name="timeouts") == "timeouts are 0 up to queue 3 packets (1 at 4 packets)."
    two = [9, 8, 2, 1, 1, 0, 0, 0, 0, 0]
    assert told(two, name="timeouts", cases=2) == (
        "timeouts are 0 from queue 5 packets on (ACKs every; 1 at 4 packets) and from 4 packets on (ACKs delayed; 1 at 3 packets)."
    )


def test_a_single_0_or_one_within_the_interval_is_not_told() -> None:
    assert told([9, 7, 5, 3, 0], name="timeouts") == ""
    assert told([3, 2, 0, 1, 0], name="timeouts") == ""
    assert told([9, 5, 1, 0, 0], half=0.9, n=10, name="timeouts") == ""
    assert told([9, 5, 1, 0, 0], half=0.2, n=10, name="timeouts").startswith(
        "timeouts are 0 from queue 5 packets on (1.00 ± 0.20 at 4"
    )


def test_many_lines_are_not_told_one_by_one() -> None:
    assert told([3.0] * 12 + [1.0] * 8, cases=4) == "" and told([3.0] * 9 + [1.0] * 6, cases=3)


def test_a_single_point_that_may_be_as_good_is_named() -> None:
    from acklab.experiments.sweep.answer import _others

    axes = [Axis([Column("queue_packets", "", QUEUES[:3])], [{}] * 3)]
    design: Any = SimpleNamespace(plan=SimpleNamespace(axes=axes), places=lambda point: (point,))
    rows = [{"mean": mean, "low": mean - 1, "high": mean + 1} for mean in (1.0, 2.0, 9.0)]
    assert _others(rows, 0, design) == " (the interval at queue 3 packets overlaps)"
    rows[2] = rows[1]
    assert _others(rows, 0, design) == " (intervals of 2 other points overlap)"
