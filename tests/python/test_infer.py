"""``acklab infer``: it finds the sender that made a transfer, the weights follow the stated model, and bad plans are refused in words."""

from __future__ import annotations

import datetime
import json
import math
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import acklab
from acklab.papers import FIVE, paper
from acklab.papers.open import claims, inferred
from acklab.study.grammar import StudyError
from acklab.study.infer import PLANS, ReadingBench, tried
from acklab.study.posterior import Check, Posterior, further_rows, verdict
from acklab.study.seeds import Nudge
from front import inside

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "infer" / "sender.toml"
SCENARIO = """
stop = { when = "flows-complete" }
[[link]]
between = ["S", "R"]
rate = "2Mbps"
delay = "20ms"
queue = { kind = "drop-tail", packets = 8 }
[[flow]]
name = "f"
from = "S"
to = "R"
size = { segments = 60 }
"""
PLAN: dict[str, Any] = {
    "scenario": SCENARIO,
    "free": {"flow.*.sender.initial_window": [1, 2, 4, 10], "flow.f.sender.recovery": ["newreno", "rfc6675"]},
    "run": [{"name": "short", "set": {"flow.f.size.segments": 20}}, {"name": "long"}],
    "value": [
        {"name": "short", "run": "short", "metric": "completion@f", "printed": 0.27, "tolerance": 0.02},
        {
            "name": "ratio",
            "run": "long",
            "over": "short",
            "metric": "acks_sent",
            "printed": 3.0,
            "tolerance": 0.5,
            "use": "held-out",
        },
    ],
    "nudges": 3,
}


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return inside("infer", *arguments)


def test_the_example_names_the_sender_that_made_its_numbers() -> None:
    told = acklab.infer(EXAMPLE, nudges=2)
    assert dict(told.winner.cells) == {
        "receiver": "delayed", "sender_control": "cubic", "sender_recovery": "rfc6675", "sender_initial_window": 10
    }  # fmt: skip
    assert told.within(told.posterior.predicted(told.posterior.winner)[0], range(5)) == 5
    verdicts = {rule.name: rule.verdict for rule in told.rules}
    assert verdicts["sender_control"] == "decided"
    check, held_out = told.checks
    assert check.failed and not held_out.failed
    assert [group for group, _ in check.missed] == ["time, 4 MB", "ACKs"]
    assert {verdict(told, rule) for rule in told.rules} == {
        "favoured",
        "narrowed",
    }  # not decided: three values of one run
    facts = {(fact.kind, fact.values.get("check")): fact.values for fact in told.report().facts}
    facts |= {(fact.kind, None): fact.values for table in told.report().tables for fact in table.feet}
    assert facts["check-fails", "left out"]["missed"] == 2 and ("check-holds", "held out") in facts
    assert facts["dependent", None] == {"values": 3, "of": 3, "run": "4 MB"}
    assert facts["predicts", None] == {"within": 2, "values": 2, "baseline": 1}
    # What would decide the rule that is open: the held-out value in which its two most probable values differ most.
    asked = {one.rule: one for one in further_rows(told)}
    open_ = asked["sender_initial_window"]
    assert (open_.cells, open_.value, open_.fitted) == ((10, 16), "time, 200 kB", False)
    assert asked.keys() == {rule.name for rule in told.rules}  # a check fails, so none is settled
    assert sum(told.posterior.weights) == pytest.approx(1)


def test_same_bytes_with_any_threads_and_from_what_was_kept(tmp_path: Path) -> None:
    made = []
    for threads, out in ((1, tmp_path / "one"), (2, tmp_path / "two"), (2, tmp_path / "two")):
        told = acklab.infer(PLAN, out=out, threads=threads)
        made.append({file.name: file.read_bytes() for file in out.rglob("*") if file.is_file()})
    assert made[0] == made[1] == made[2]
    assert told.kept == told.runs
    more = acklab.infer({**PLAN, "free": {"flow.*.sender.initial_window": [1, 2, 3]}}, out=tmp_path / "two")
    assert more.kept == told.runs  # another plan takes what it shares


def test_draws_between_bounds_are_told_by_ranges() -> None:
    free = {**PLAN["free"], "link.0.delay": {"low": "10ms", "high": "40ms"}}
    plan = {**PLAN, "free": free, "readings": 12, "nudges": 1}
    first, again = acklab.infer(plan), acklab.infer(plan, threads=1)
    assert first.drawn and len(first.choices) == 12
    assert [one.sets for one in first.choices] == [one.sets for one in again.choices]
    (delay,) = (rule for rule in first.rules if rule.name == "delay")
    assert all(isinstance(cell, str) and " to " in cell for cell in delay.cells)


def test_draws_leave_out_what_moves_nothing_and_weigh_as_all_readings_do() -> None:
    free = {
        **PLAN["free"],
        "link.0.delay": ["15ms", "20ms", "25ms"],
        "link.0.queue.packets": [8, 12, 16],
        "flow.f.sender.initial_rto": ["1s", "3s"],  # no RTO before the first sample
    }
    plan = {**PLAN, "free": free, "nudges": 1, "search": "random"}
    every, some = acklab.infer(plan), acklab.infer({**plan, "readings": 40})
    assert "sender_initial_rto" in every.moves and "sender_initial_rto" not in [rule.name for rule in every.rules]
    assert (len(every.choices), every.drawn, len(some.choices), some.drawn) == (72, False, 40, True)
    assert acklab.infer({**plan, "search": "all"}).posterior.scale == pytest.approx(every.posterior.scale)
    known = {repr(choice.sets): row for row, choice in enumerate(every.choices)}
    rows = [known[repr(choice.sets)] for choice in some.choices]
    weights = every.posterior.weights[rows]
    assert some.posterior.weights == pytest.approx(weights / weights.sum(), abs=1e-3)
    assert some.posterior.effective < 10 and "decided" not in {verdict(some, rule) for rule in some.rules}


def test_random_and_all_try_the_same_readings_beside_a_baseline() -> None:
    """What the baseline sets in one alternative is no part of another."""
    plan = {
        **PLAN,
        "nudges": 1,
        "free": {"flow.f.sender.recovery": ["newreno", "rfc6675"]},
        "alternatives": {
            "start": {
                "wide": {"flow.f.sender.initial_window": 10},
                "shallow": {"flow.f.sender.initial_ssthresh": 2},
            }
        },
        "baseline": {"flow.f.sender.initial_window": 10},
    }
    every, drawn = (acklab.infer({**plan, "search": search}) for search in ("all", "random"))
    assert {json.dumps(one.sets, sort_keys=True) for one in every.choices} == {
        json.dumps(one.sets, sort_keys=True) for one in drawn.choices
    }
    assert drawn.posterior.weights == pytest.approx(every.posterior.weights)


def test_a_reading_that_is_drawn_again_counts_again() -> None:
    """Half of the prior is of one reading; the others share the rest."""
    start = {"one": {}, "more": {"flow.f.sender.initial_window": {"low": 2, "high": 65}}}
    plan = {**PLAN, "free": {}, "alternatives": {"start": start}, "nudges": 1, "search": "random", "readings": 20}
    told = acklab.infer(plan)
    before = next(dict(zip(rule.cells, rule.prior, strict=True)) for rule in told.rules if rule.name == "start")
    assert len(told.choices) == 20 and before["one"] == pytest.approx(0.5, abs=0.1)
    # Between two bounds no reading is drawn twice.
    start["more"] = {"link.0.delay": {"low": "10ms", "high": "40ms"}}
    told = acklab.infer({**plan, "alternatives": {"start": start}})
    before = next(dict(zip(rule.cells, rule.prior, strict=True)) for rule in told.rules if rule.name == "start")
    assert before["one"] == pytest.approx(0.5, abs=0.2)


def test_values_alone_that_are_no_scenario_are_told() -> None:
    """BBR needs a recovery that the baseline does not have, so its value alone is refused and the rule moves nothing."""
    plan = {
        **PLAN,
        "nudges": 1,
        "search": "random",
        "set": {"flow.f.sender.sequence": "bytes", "flow.f.sender.recovery": "rack"},
        "free": {"flow.f.sender.recovery": ["rack", "newreno"], "flow.f.sender.control": ["reno", "bbr"]},
        "baseline": {"flow.f.sender.recovery": "newreno"},
    }
    told = acklab.infer(plan)
    assert "sender_control" not in [rule.name for rule in told.rules]
    assert sum(told.refused.values()) == 1 and not told.drawn
    (assumed,) = (table for table in told.report().tables if table.name == "What is assumed")
    assert any(row[0] == "no scenario (1 readings)" for row in assumed.rows)


def test_a_bound_costs_nothing_on_its_side() -> None:
    asked = {"name": "x", "run": "short", "metric": "completion", "printed": 1.0, "bound": "least", "tolerance": 0.5}
    plan = PLANS.from_tree({**PLAN, "free": {"flow.f.sender.initial_window": [1, 2, 3]}, "value": [asked]})
    choices = [plan.space.point(one) for one in plan.space.every()]
    made = Posterior(plan.space, choices, np.array([[[0.5]], [[1.0]], [[9.0]]]), plan.values, [0], np.ones(3))
    low = math.exp(-0.5 * 2**2)
    assert made.weights == pytest.approx(np.array([low, 1, 1]) / (2 + low))
    assert [plan.values[0].within(one) for one in (0.4, 0.5, 9.0)] == [False, True, True]


def _posterior(values: list[list[float]], printed: float, tolerance: float) -> Posterior:
    plan = PLANS.from_tree({**PLAN, "free": {"flow.f.sender.initial_window": list(range(1, len(values) + 1))},
                      "value": [{"name": "x", "run": "short", "metric": "completion", "printed": printed, "tolerance": tolerance}]})  # fmt: skip
    choices = [plan.space.point(one) for one in plan.space.every()]
    return Posterior(plan.space, choices, np.array(values)[:, None, :], plan.values, [0], np.ones(len(choices)))


def test_weights_are_those_of_normal_values() -> None:
    exact = _posterior([[1.0, 1.0], [2.0, 2.0]], 1.0, 1.0)
    assert exact.weights[0] == pytest.approx(1 / (1 + math.exp(-0.5 * (1 / 0.5) ** 2)))
    noisy = _posterior(
        [[0.0, 2.0], [2.0, 2.0]], 1.0, 1.0
    )  # a mean of 1 that is chance: variance 2, and half of it for the mean
    first, second = 1 / math.sqrt(1 + 3 / 0.25), math.exp(-0.5 * 4)
    assert noisy.weights[0] == pytest.approx(first / (first + second))
    assert noisy.scale == 1


def test_bad_readings_are_not_made_certain() -> None:
    far = _posterior([[5.0, 5.0], [6.0, 6.0]], 1.0, 1.0)
    assert far.scale == pytest.approx(8)
    assert far.weights[0] == pytest.approx(1 / (1 + math.exp(-0.5 * (100 / 64 * 1 - 1))), rel=1e-6)
    assert far.rules()[0].verdict == "open"


def test_a_reading_without_a_value_is_excluded() -> None:
    lost = _posterior([[math.nan, 1.0], [2.0, 2.0]], 1.0, 1.0)
    assert lost.weights.tolist() == [0, 1]


def test_held_out_values_do_not_move_the_posterior() -> None:
    told = acklab.infer(PLAN)
    other = [PLAN["value"][0], {**PLAN["value"][1], "printed": 9.0}]
    assert acklab.infer({**PLAN, "value": other}).posterior.weights.tolist() == told.posterior.weights.tolist()
    assert not told.left_out  # one group
    (check,) = told.checks
    assert check.missed == [("ratio", 1)] and check.failed  # 3.7 predicted, 3.0 ± 0.5 printed
    held = acklab.infer({**PLAN, "value": [PLAN["value"][0], {**PLAN["value"][1], "printed": 3.7}]})
    assert not held.checks[0].failed
    assert held.report().facts[0].kind == "most-probable"
    assert acklab.infer({**PLAN, "value": PLAN["value"][:1]}).checks == []


def test_a_check_may_miss_a_tenth_of_its_groups() -> None:
    for groups, missed, failed in (
        (1, 1, True),
        (9, 1, True),
        (10, 1, False),
        (19, 2, True),
        (20, 2, False),
        (5, 0, False),
    ):
        assert Check("left out", groups, [("x", 0)] * missed).failed is failed


def test_a_group_is_predicted_from_the_others() -> None:
    told = acklab.infer({**PLAN, "value": [{**one, "use": "fit"} for one in PLAN["value"]]})
    for one in told.left_out:
        (place,) = one.places
        alone = told.posterior_of([1 - place])
        assert one.winner[place] == alone.predicted(alone.winner)[0][place]


def test_nudges_move_starts_and_delays_and_nothing_else() -> None:
    tree = {
        "link": [{"between": ["A", "B"], "delay": "10ms", "rate": "1Mbps", "back": {"delay": "0.02s"}}],
        "flow": [{"name": "f", "start": "1s"}],
    }
    moved = Nudge(0.5, 0.1).of(tree, 3)
    link = moved["link"][0]
    assert 10 < float(link["delay"].removesuffix("ms")) < 11
    assert 20 < float(link["back"]["delay"].removesuffix("ms")) < 22
    assert 1 < float(moved["flow"][0]["start"].removesuffix("s")) < 1.5
    assert link["rate"] == "1Mbps"
    assert moved == Nudge(0.5, 0.1).of(tree, 3) != Nudge(0.5, 0.1).of(tree, 4)


def test_rules_that_a_run_does_not_read_leave_it_alone() -> None:
    plan = {**PLAN, "run": [{**PLAN["run"][0], "without": ["sender_initial_window"]}, PLAN["run"][1]]}
    told = acklab.infer({**plan, "nudges": 1})
    shorts = {
        one: told.made[row, 0, 0] for row, one in enumerate(told.choices[k].cells["sender_recovery"] for k in range(8))
    }
    assert len(set(told.made[:, 0, 0])) == len(set(shorts.values()))


def test_a_run_leaves_out_a_value_that_it_cannot_have() -> None:
    """Reno has no beta; a key that no run can have is a mistake."""
    runs = [{"name": "short", "set": {"flow.f.sender.control": {"kind": "veno"}}}, {"name": "long"}]
    plan = {**PLAN, "run": runs, "free": {"flow.*.sender.control.beta": [1, 3]}}
    bench = ReadingBench(PLANS.from_tree(plan))
    beta = "flow.*.sender.control.beta"
    assert [any("beta" in text for text in bench.sets({beta: 1}, run, {})) for run in (0, 1)] == [True, False]
    with pytest.raises(StudyError, match="unknown key"):
        acklab.infer({**plan, "free": {"flow.*.sender.control.gamma": [1, 3]}})


def test_a_run_ends_when_another_one_does_under_each_reading_and_nudge() -> None:
    end = {"run": "whole", "metric": "finished_s@f"}
    runs = [{"name": "part", "until": end}, {"name": "whole", "set": {"flow.f.size.segments": 30}}]
    values = [
        {"name": metric, "run": run, "metric": metric, "printed": 1, "tolerance": 1}
        for run, metric in (("part", "segments_acked@f"), ("whole", "finished_s@f"))
    ]
    told = acklab.infer({**PLAN, "run": runs, "value": values})
    for choice, (acked, ended) in zip(told.choices, told.made, strict=True):
        sets = {key.replace("*", "0"): value for key, value in choice.sets.items()}
        alone = acklab.run(SCENARIO, **sets, stop={"at": f"{ended[0]:.9f}s"})
        assert json.loads(alone.json())["flows"][0]["segments_acked"] == acked[0]
    assert len(set(told.made[0, 1])) == 3  # each nudge ends at another time
    endless = [{**runs[0], "until": {**end, "metric": "repair"}}, {**runs[1], "set": {"flow.f.size.segments": 3}}]
    assert np.isnan(
        acklab.infer(
            {
                **PLAN,
                "run": endless,
                "value": [{**values[0], "use": "held-out"}, {**values[1], "metric": "start_s@f"}],
                "nudges": 1,
            }
        ).made[:, 0]
    ).all()


BAD = [
    ("run", [{"name": "short", "until": "long"}, {"name": "long"}], 'until = "long": { run = NAME'),
    (
        "run",
        [{"name": "short", "until": {"run": "wide", "metric": "completion"}}, {"name": "long"}],
        "there are short, long",
    ),
    (
        "run",
        [{"name": "short", "until": {"run": "short", "metric": "completion"}}, {"name": "long"}],
        "itself ends by another",
    ),
    ("fre", {}, "free"),
    ("free", {}, "no rule is open"),
    ("free", {"flow.f.sender.initial_window": [1]}, "at least two values"),
    ("free", {"flow.f.sender.initial_windw": [1, 2]}, "initial_window"),
    ("run", [{"name": "a"}, {"name": "a"}], 'are both called "a"'),
    ("run", [{"name": "short", "without": ["window"]}, {"name": "long"}], "no open rule"),
    ("value", [], "[[value]]"),
    ("value", [{**PLAN["value"][0], "run": "middle"}], "there are short, long"),
    ("value", [{**PLAN["value"][0], "tolerance": 0}], "above 0"),
    ("value", [{**PLAN["value"][0], "printed": "much"}], "a number"),
    (
        "value",
        [{**PLAN["value"][0], "printed": -1e308}],
        "printed = -1e+308: a number, in the metric's unit, from -1e+60 to 1e+60",
    ),
    ("value", [{**PLAN["value"][0], "tolerance": 1e-300}], "tolerance = 1e-300: a number above 0, from 1e-30 to 1e+60"),
    ("baseline", {"flow.f.sender.window": datetime.date(2026, 1, 1)}, "datetime.date(2026, 1, 1); a value is text"),
    ("title", [{"every": 1}, "null"], 'title = [{"every": 1}, "null"]: has to be a text'),
    ("value", [{**PLAN["value"][0], "use": "held-out"}], "has to be fitted"),
    ("value", [{**PLAN["value"][0], "metric": "completion@g"}], "no flow `g`"),
    ("value", [{**PLAN["value"][0], "metric": "complexion"}], "did you mean"),
    ("nudge", {"earlier": "1s"}, "later"),
    ("nudges", 0, "from 1 to"),
    ("search", "tpe", "random"),
]


@pytest.mark.parametrize(("key", "value", "said"), BAD)
def test_bad_plans(key: str, value: Any, said: str) -> None:
    with pytest.raises(StudyError) as found:
        acklab.infer({**PLAN, key: value})
    assert said in str(found.value)


def test_of_more_readings_than_may_be_tried_some_are_drawn() -> None:
    assert PLANS.from_tree({**PLAN, "readings": 3}).search == "random"
    assert tried(PLANS.from_tree({**PLAN, "readings": 3})) == 3
    with pytest.raises(StudyError, match="there are 8"):
        PLANS.from_tree({**PLAN, "readings": 3, "search": "all"})


def test_mistakes_end_the_command_with_2_and_counting_runs_nothing(tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(
        EXAMPLE.read_text().replace('"newreno"', '"newrenu"').replace('"path.toml"', f'"{EXAMPLE.parent}/path.toml"')
    )
    failed = command(str(plan), "--out", str(tmp_path / "out"))
    assert failed.returncode == 2
    assert "plan.toml:" in failed.stderr and "newreno" in failed.stderr
    assert command(str(tmp_path / "none.toml")).returncode == 2
    counted = command(str(EXAMPLE), "--count")
    assert counted.stdout.strip() == "144 readings of 144 (all), 10 runs each; at most 1,450 runs"


def test_a_value_that_a_reading_does_not_have_is_told(tmp_path: Path) -> None:
    unfinished = {**PLAN["value"][1], "name": "never", "run": "short", "metric": "repair"}
    del unfinished["over"]
    runs = [{"name": "short", "set": {"flow.f.size.segments": 3}}]  # nothing is lost, so nothing is repaired
    told = acklab.infer({**PLAN, "nudges": 1, "run": runs, "value": [PLAN["value"][0], unfinished]}, out=tmp_path)
    unreached = [fact.values for fact in told.report().facts if fact.kind == "not-reached"]
    assert [(one["value"], one["nearest"]) for one in unreached] == [("never", None)] and "nearest none" in told.text
    assert json.loads((tmp_path / "infer.json").read_text())["values"][1]["winner"] is None


@pytest.mark.parametrize("name", FIVE)
def test_the_papers_have_plans(name: str) -> None:
    done = command(name, "--count")
    assert done.returncode == 0 and " readings " in done.stdout and "(random)" in done.stdout


@pytest.mark.parametrize("name", FIVE)
def test_every_value_of_a_papers_plan_is_of_a_claim(name: str) -> None:
    plan = inferred(name)
    assert list(claims(name)) == [one["name"] for one in plan["value"]]
    assert {f"{name}.{short}" for short in claims(name).values()} <= paper(name).ledger.claims.keys()
    assert all(PLANS.from_tree(plan, name).values[place].fit for place in range(len(plan["value"])))


def test_a_value_over_several_runs_and_metrics_is_their_average() -> None:
    def value(average: str, metric: list[str] | str, runs: list[str]) -> dict[str, Any]:
        return {
            "name": f"{average} {metric} {runs}",
            "run": runs,
            "metric": metric,
            "average": average,
            "printed": 1.0,
            "tolerance": 1.0,
        }

    both = ["short", "long"]
    single = [value("mean", one, [run]) for run in both for one in ("completion@f", "acks_sent")]
    over = [
        {**one, "name": f"{one['name']} over", "over": ["long", "short"]} for one in (value("mean", "acks_sent", both),)
    ]
    asked = [
        *single,
        value("mean", ["completion@f", "acks_sent"], both),
        value("median", ["completion@f", "acks_sent"], both),
        *over,
    ]
    told = acklab.infer(
        {**PLAN, "value": asked, "free": {"flow.f.sender.recovery": ["newreno", "rfc6675"]}, "nudges": 1}
    )
    a, b, c, d, mean, median, ratios = told.posterior.mean[0]
    assert mean == pytest.approx((a + b + c + d) / 4)
    assert median == pytest.approx(np.median([a, b, c, d]))
    assert ratios == pytest.approx((b / d + d / b) / 2)


def test_a_value_has_as_many_runs_below_as_above() -> None:
    with pytest.raises(StudyError, match="as many runs as run has, 2"):
        acklab.infer(
            {
                **PLAN,
                "value": [
                    {"run": ["short", "long"], "over": "short", "metric": "acks_sent", "printed": 1, "tolerance": 1}
                ],
            }
        )


def test_everything_is_written(tmp_path: Path) -> None:
    told = acklab.infer(
        {**PLAN, "nudges": 2, "value": [{**one, "use": "fit"} for one in PLAN["value"]]}, out=tmp_path / "out"
    )
    plain = json.loads((tmp_path / "out" / "infer.json").read_text())
    assert plain["facts"] == [fact.plain() for fact in told.report().facts]
    assert plain["readings"] == 8
    assert told.to_polars()["probability"].sum() == pytest.approx(1)
    page = (tmp_path / "out" / "infer.html").read_text()
    assert all(f">{rule.replace('_', ' ')}<" in page for rule in told.plan.space.columns.values())
    best = acklab.run(tmp_path / "out" / "best.toml")
    assert best.summary()["flows"][0]["completion_s"] == pytest.approx(told.made[told.posterior.winner, 0, 0])
