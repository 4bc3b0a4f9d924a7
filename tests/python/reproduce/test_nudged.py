"""Nudged repetitions: claims of experiments without seeds are judged by them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

import pytest

from acklab.papers import names, paper
from acklab.papers.allman1998.setting import READ, competition, transfer
from acklab.papers.trace import Transfer
from acklab.reproduce.experiments import Effort, Replications, Sweep, Traces, looks, records
from acklab.reproduce.judge import judge
from acklab.reproduce.ledger import load
from acklab.reproduce.measure import BadMeasurement, Measurement, NotTestable, Repeated
from acklab.reproduce.nudge import again, single, together
from acklab.reproduce.paper import Judged, Paper
from acklab.reproduce.runner import Bench, reproduce
from acklab.study.intervals import Sample, binomial

DROPS = "allman1998.fig2a.q22"
"""Its criterion: no drop, exactly."""
BOUND = "allman1998.fig5a"
"""Its criterion: at least 2."""


def sweep(**more: Any) -> Sweep:
    return Sweep("s", "s", {"queue": (8,)}, lambda queue: transfer("reno", "every", queue, 55), READ, **more)


def verdict(id: str, values: Iterator[float], *needs: Any, effort: Effort = Effort()) -> Any:
    """That on a claim which has the first value in the run without a nudge, the others in its repetitions."""
    (part,) = (p.name for p in load("allman1998").claims[id].criterion.parts)  # type: ignore[union-attr]
    told: dict[str, float] = {}

    def measure(grid: Any) -> Measurement:
        key = json.dumps({name: column.tolist() for name, column in grid.columns.items()})
        return Measurement({part: told[key] if key in told else told.setdefault(key, next(values))})

    one = Paper("allman1998", "t", "c", "a", {}, [])
    one.claims[id] = Judged(id, needs or (sweep(),), measure)
    return reproduce(one, effort, claims=[id], only=lambda figure: False, threads=1).verdicts[0]


def test_a_repetition_has_longer_links_another_seed_and_nothing_else() -> None:
    text = '{"seed":7,"link":[{"between":["A","B"],"delay":"10ms","rate":"1Mbps"}],"flow":[{"size":"10kB"}]}'
    cells = again(Traces("t", "t", lambda effort: {1: text}, Transfer), 3)
    assert isinstance(cells, Traces)
    first = json.loads(cells.cells(Effort())[1])
    assert cells.cells(Effort())[1] == again(Traces("u", "u", lambda effort: {1: text}, Transfer), 3).cells(Effort())[1]  # type: ignore[union-attr]
    tree = json.loads(text)
    assert 10 < float(first["link"][0].pop("delay").removesuffix("ms")) <= 10.1
    assert first.pop("seed") != tree.pop("seed")
    del tree["link"][0]["delay"]
    assert first == {**tree, "flow": [{"size": "10kB", "start": "0.000000000s"}]}
    made = {next(again(sweep(), k).scenarios({"queue": (8,)})) for k in range(1, 11)}  # type: ignore[union-attr]
    assert len(made) == 10


def test_where_delays_are_printed_a_repetition_has_other_clocks_and_nothing_else() -> None:
    text = transfer("reno", "every", 8, 55)
    cells = again(Traces("t", "t", lambda effort: {1: text}, Transfer), 3, delays=False).cells(Effort())  # type: ignore[union-attr]
    tree, made = json.loads(text), json.loads(cells[1])
    phase = made["flow"][0]["sender"].pop("rtt_filter")["phase"]
    assert 0 < float(phase.removesuffix("s")) < 0.1
    del tree["flow"][0]["sender"]["rtt_filter"]
    seeds = tree.pop("seed", None), made.pop("seed", None)
    assert tree == made and (seeds[0] is None) == (seeds[1] is None)
    assert paper("allman1998").unprinted == () and paper("veno").unprinted is None


def test_one_run_reproduces_nothing() -> None:
    found = verdict(BOUND, iter([2.05, *[1.55 + 0.01 * k for k in range(10)]]))
    assert (found.verdict, found.seeds, found.nudged) == ("differs", 10, True)
    assert "the run without a nudge has it" in found.why.lower()
    found = verdict(BOUND, iter([1.55, *[2.05 + 0.01 * k for k in range(10)]]))
    assert (found.verdict, found.seeds) == ("reproduced", 10)
    assert "the run without a nudge does not have it" in found.why.lower()


def test_repetitions_are_added_until_a_look_settles_the_claim() -> None:
    found = verdict(BOUND, iter([2.05, *[2.01 + 0.1 * (-1) ** k for k in range(50)]]))
    assert (found.undecided, found.seeds) == (True, 50)
    assert [look.seeds for look in looks([sweep()], Effort(), nudged=True)] == [10, 20, 50]
    assert [look.seeds for look in looks([sweep()], Effort(quick=True, seeds=(8,)), nudged=True)] == [6]


@pytest.mark.parametrize(
    ("with_drops", "wanted"), [(0, "reproduced"), (3, "reproduced"), (25, "undecided"), (50, "differs")]
)
def test_what_has_to_be_equal_has_to_be_so_in_most_repetitions(with_drops: int, wanted: str) -> None:
    drops = [1.0 if (k * with_drops) % 50 < with_drops else 0.0 for k in range(50)]
    found = verdict(DROPS, iter([0.0, *drops]))
    assert ("undecided" if found.undecided else found.verdict) == wanted
    assert f"of {found.seeds} repetitions" in found.shown
    assert found.findings[0].comparison.requirement == "> 0.5"


def test_a_quick_look_can_reproduce_what_always_holds() -> None:
    found = verdict(DROPS, iter([0.0] * 7), effort=Effort(quick=True, seeds=(8,)))
    assert (found.verdict, found.seeds) == ("reproduced", 6)


def test_the_binomial_interval_is_exact() -> None:
    """Tabulated: Clopper and Pearson, Biometrika 26 (1934); the rule of three for none of n."""
    assert (binomial(0, 10, 0.95).low, binomial(10, 10, 0.95).high) == (0.0, 1.0)
    assert binomial(0, 10, 0.95).high == pytest.approx(1 - 0.025**0.1)
    assert (binomial(5, 10, 0.95).low, binomial(5, 10, 0.95).high) == pytest.approx((0.1871, 0.8129), abs=1e-4)
    for level in (0.9, 0.99):
        for share in (0.1, 0.5):
            missed = sum(
                math.comb(20, k) * share**k * (1 - share) ** (20 - k)
                for k in range(21)
                if not binomial(k, 20, level).low <= share <= binomial(k, 20, level).high
            )
            assert missed <= 1 - level


def test_repetitions_with_nothing_to_measure_leave_the_verdict_to_most() -> None:
    some, few = [math.nan] * 4 + [2.05] * 6, [math.nan] * 5 + [2.05] * 5
    assert verdict(BOUND, iter([2.05, *some])).verdict == "reproduced"
    assert "nothing to measure" in verdict(BOUND, iter([2.05, *few])).why


def test_orders_are_compared_within_each_repetition() -> None:
    """Two that vary together by ten are told apart by one."""
    claim = load("allman1998").claims["allman1998.fig6.smooth"]
    upper = Repeated(tuple(10.0 * k + 1 + 0.1 * (k % 2) for k in range(10)))
    lower = Repeated(tuple(10.0 * k for k in range(10)))
    (part,) = (p.name for p in claim.criterion.parts)  # type: ignore[union-attr]
    assert judge(claim, Measurement({part: {"ubc": upper, "lbc": lower}})).verdict == "reproduced"


def test_what_has_seeds_keeps_them() -> None:
    plain = Measurement({"a": Sample.of([1.0, 2.0]), "b": 3.0}, "note")
    joint = together(plain, [Measurement({"a": Sample.of([1.0, 2.0]), "b": float(k)}) for k in range(3)])
    assert joint == Measurement({"a": Sample.of([1.0, 2.0]), "b": Repeated((0.0, 1.0, 2.0))}, "note")
    with pytest.raises(BadMeasurement, match="changes from one repetition"):
        together(plain, [Measurement({"a": Sample.of([1.0, 9.0]), "b": 3.0})])
    with pytest.raises(BadMeasurement, match="other cells"):
        together(Measurement({"a": {"x": 1.0}}), [Measurement({"a": {"y": 1.0}})])
    assert together(plain, [NotTestable("no loss")]) == NotTestable("no loss")
    assert single(plain) and not single(Measurement({"a": Sample.of([1.0])}))
    with pytest.raises(TypeError, match="has seeds"):
        again(Replications("r", "r", {}, lambda seed: competition("drop-tail", "every", 5, seed), READ), 1)


def test_recorded_runs_are_repeated_and_let_go() -> None:
    runs = Traces(
        "t", "t", lambda effort: {8: records(transfer("reno", "every", 8, 205), "packets", "series")}, Transfer
    )
    one = Paper("allman1998", "t", "c", "a", {}, [])
    one.claims[DROPS] = Judged(DROPS, (runs,), lambda cells: Measurement({"drops": float(len(cells[8].dropped))}))
    found = reproduce(one, claims=[DROPS], only=lambda figure: False, threads=1)
    assert (found.verdicts[0].verdict, found.verdicts[0].seeds, found.runs) == ("differs", 10, 11)


@pytest.mark.parametrize("name", names())
def test_only_what_a_nudge_cannot_change_is_decided_by_one_run(name: str) -> None:
    """An exact claim: over ten nudges a number moves by the nudge (1 %) at most, a count by one."""
    one = paper(name)
    for id, measured in one.claims.items():
        if not measured.exact:
            continue
        bench = Bench(Effort())
        bench.run(measured.needs, "exact")
        plain = numbers(measured.measure(*bench.results(measured.needs)))
        for number in range(1, 11):
            needs = [
                again(need, number, one.unprinted is None or need.name in one.unprinted) for need in measured.needs
            ]
            bench.run(needs, "exact")
            for before, now in zip(plain, numbers(measured.measure(*bench.results(needs))), strict=True):
                allowed = max(0.01 * abs(before), 1.0 if before == int(before) and now == int(now) else 0.0)
                assert abs(now - before) <= allowed, (id, number, before, now)


def numbers(measurement: Any) -> list[float]:
    def flat(value: Any) -> Iterator[float]:
        if isinstance(value, dict):
            for each in value.values():
                yield from flat(each)
        else:
            yield float(value)

    return [number for value in measurement.parts.values() for number in flat(value)]
