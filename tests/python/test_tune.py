"""``acklab tune``: it finds known optima, the same bytes come out however it is run, and bad plans are refused in words."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, cast

import polars as pl
import pytest

import acklab
from acklab.runs import run_batch
from acklab.study.grammar import StudyError
from acklab.study.intervals import Sample
from acklab.study.metrics import objective
from acklab.study.runs import Bench
from acklab.study.search import PLANS, STOPPED, Search, Trial, looks
from acklab.study.seeds import draw, drawn
from acklab.study.tune_page import alike, bounds, verdict
from acklab.text.numbers import number
from front import inside as command

pytest.importorskip("optuna", reason="pip install optuna")

ROOT = Path(__file__).parents[2]
T1 = (ROOT / "examples" / "allman1998.toml").read_text()
LOSSY = """
stop = { when = "flows-complete" }
[[link]]
between = ["S", "R"]
rate = "2Mbps"
delay = "20ms"
queue = { kind = "drop-tail", packets = 50 }
loss = { rate = 0.02 }
[[flow]]
name = "f"
from = "S"
to = "R"
size = { segments = 60 }
"""
#: Paths that differ, one key that matters much, and one choice that matters little.
PLAN: dict[str, Any] = {
    "scenario": LOSSY,
    "free": {"flow.f.sender.window": {"low": 1, "high": 32, "log": True}},
    "alternatives": {
        "policy": {
            "every": {"flow.f.receiver.ack.policy": "every"},
            "delayed": {"flow.f.receiver.ack.policy": "delayed", "flow.f.receiver.ack.timer": {"low": "10ms", "high": "400ms", "log": True}},
        }
    },
    "baseline": {"flow.f.sender.window": 4},
    "objectives": ["completion"],
    "path": [
        {"name": "near", "weight": 3, "draw": {"link.0.delay": "5ms..20ms"}},
        {"name": "far", "draw": {"link.0.delay": {"low": "100ms", "high": "300ms", "log": True}}},
    ],
    "paths": 16, "trials": 20, "batch": 4,
}  # fmt: skip


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.name: path.read_bytes()
        for path in sorted(folder.iterdir())
        if path.is_file() and path.name != "acklab.json"
    }


def as_file(place: Path, **keys: Any) -> Path:
    """The plan as a file, beside its scenario."""
    from acklab.scenario._toml import dumps

    (place / "s.toml").write_text(LOSSY)
    path = place / "plan.toml"
    path.write_text(dumps({**PLAN, "scenario": "s.toml", **keys}))
    return path


def test_known_optimum_in_a_tenth_of_the_grid() -> None:
    """640 points, and few of them the best: full enumeration says which."""
    vary = {
        "flow.0.sender.window": list(range(6, 46, 2)),
        "flow.0.receiver.ack.segments": [1, 2, 3, 4, 6, 8, 12, 16],
        "flow.0.receiver.ack.timer": ["20ms", "50ms", "80ms", "110ms"],
    }
    cost = "cost: completion + 0.003 * acks_sent + 0.01 * max(max_queue_packets)@G->R"
    every = acklab.sweep(
        scenario=T1, vary=vary, metrics=["completion", "acks_sent", "max(max_queue_packets)@G->R"]
    ).summary
    means = [every["mean"].gather_every(3, offset=k).to_list() for k in range(3)]
    costs = [a + 0.003 * b + 0.01 * c for a, b, c in zip(*means, strict=True)]
    best = min(costs)
    assert len(costs) == 640 and sum(one < best + 1e-9 for one in costs) < 8
    for seed in range(1, 7):
        found = acklab.tune(scenario=T1, free=vary, objectives=[cost], paths=1, trials=63, seed=seed)
        assert found.runs <= 64  # the baseline's among them
        assert found.winner.cost[0] == pytest.approx(best, abs=1e-9), seed


def test_same_bytes_with_any_threads_and_after_a_kill(tmp_path: Path) -> None:
    plan = as_file(tmp_path, title="any")
    assert command("tune", str(plan), "--out", "one", "--threads", "1", cwd=tmp_path).returncode == 0
    assert command("tune", str(plan), "--out", "three", "--threads", "3", cwd=tmp_path).returncode == 0
    killed = subprocess.Popen(
        [sys.executable, "-m", "acklab", "tune", str(plan), "--out", "killed"], cwd=tmp_path, stdout=subprocess.DEVNULL
    )
    journal = tmp_path / "killed" / ".acklab" / "runs.jsonl"
    until = time.monotonic() + 60
    while (
        killed.poll() is None and time.monotonic() < until and not (journal.exists() and journal.stat().st_size > 5000)
    ):
        time.sleep(0.005)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    with journal.open("ab") as file:  # as a crash may leave it
        file.write(b"12 00000000 {half a rec")
    told = command("tune", str(plan), "--out", "killed", cwd=tmp_path)
    assert told.returncode == 0 and "done before" in told.stdout
    want = files(tmp_path / "one")
    assert want == files(tmp_path / "three")
    assert want == files(tmp_path / "killed"), "the terminal alone says how many runs were there"


def test_more_trials_continue_a_search(tmp_path: Path) -> None:
    few = acklab.tune(PLAN, out=tmp_path / "a", trials=12)
    more = acklab.tune(PLAN, out=tmp_path / "a", trials=20)
    whole = acklab.tune(PLAN, trials=20)
    assert more.kept == few.runs and whole.kept == 0
    assert more.to_polars().equals(whole.to_polars()) and more.text == whole.text
    assert [one.choice for one in few.trials] == [one.choice for one in more.trials[:12]]
    with pytest.raises(StudyError, match="what is run has changed"):
        acklab.tune(PLAN, out=tmp_path / "a", seed=2)


def test_another_objective_is_a_read_of_a_stored_search(tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = acklab.tune(PLAN, out=out)
    stored = (out / "runs.jsonl.gz").read_bytes()
    made: list[int] = []

    class Counted:
        def __call__(self, done: int) -> None:
            made.append(done)

        def close(self) -> None:
            pass

    told = acklab.tune({**PLAN, "for": [{"minimize": "acks_sent"}]}, out=out, meter=lambda total: Counted())
    assert not made and told.runs == first.runs and (out / "runs.jsonl.gz").read_bytes() == stored
    assert [one.choice for one in told.trials] == [one.choice for one in first.trials]
    # The same numbers as those of the runs themselves.
    bench, acks = Bench(told.plan), objective({"minimize": "acks_sent"})
    for one in (*told.trials[:3], told.base):
        lines = [line for path in told.paths[: len(one.values)] for line in bench.lines(one.choice.sets, path)]
        assert one.values == [(acks.read(made),) for made in run_batch(lines)]
    done = [told.base, *(one for one in told.trials if one.state == "complete")]
    assert told.winner is min(done, key=lambda one: one.cost) and told.winner.number != first.winner.number
    assert told.judged is None
    (table,) = (one for one in told.report().tables if one.name == "The best trials")
    stopped = sum(one.state == "stopped" for one in first.trials)
    assert stopped == sum(one.state == "stopped" for one in told.trials) > 0
    assert table.feet[0].values == {"objectives": ["completion"], "stopped": stopped} and told.plain()[
        "chosen_for"
    ] == ["completion"]
    # Where the winner is the same, its fresh paths judge it; and the search's own objective is a read again.
    same = acklab.tune({**PLAN, "for": ["again: completion"]}, out=out, meter=lambda total: Counted())
    assert same.winner.number == first.winner.number and same.judged is not None and first.judged is not None
    assert same.judged.values == first.judged.values
    again = acklab.tune(PLAN, out=out, meter=lambda total: Counted())
    assert not made and again.plain() == first.plain()


def test_a_front_of_other_objectives_and_what_they_cannot_be(tmp_path: Path) -> None:
    plan = as_file(tmp_path)
    words = ["tune", str(plan), "--out", "out", "--trials", "8"]
    assert command(*words, cwd=tmp_path).returncode == 0
    stored = (tmp_path / "out" / "runs.jsonl.gz").read_bytes()
    both = command(
        *words, "--for", "completion", "--for", "cost: completion + 0.01 * acks_sent", "--json", cwd=tmp_path
    )
    found = json.loads(both.stdout)
    assert len(found["objectives"]) == 2 and found["front"]
    assert (tmp_path / "out" / "runs.jsonl.gz").read_bytes() == stored, "a read"
    for given, said in (('{ minimize = "acks_sent@g" }', "no flow `g`"), ("complexion", "did you mean")):
        refused = command(*words, "--for", given, cwd=tmp_path)
        assert refused.returncode == 2 and said in refused.stderr


def test_winner_is_judged_on_fresh_paths() -> None:
    told = acklab.tune(PLAN)
    assert told.judged is not None and len(told.judged.paths) == 16
    seen, fresh = ({(path.seeds[0], *path.drew.items()) for path in paths} for paths in (told.paths, told.judged.paths))
    assert not seen & fresh
    (fact,) = [fact.values for fact in told.report().facts if fact.kind == "judged"]
    assert (fact["verdict"], fact["paths"]) == ("better", 16) and fact["low"] < fact["value"] - fact["base"] < fact[
        "high"
    ] < 0
    assert told.winner.choice.cells["sender_window"] > 8


def test_stopping_rule_stops_the_clearly_worse_and_keeps_the_best() -> None:
    told = acklab.tune(PLAN, trials=24, sampler="random")
    stopped = [one for one in told.trials if one.state == STOPPED]
    assert stopped and all(len(one.costs) in looks(16, 1)[:-1] for one in stopped)
    assert told.runs < (1 + 24 + 2) * 16
    # Whether they were stopped rightly: run in full, none is better than the winner.
    for one in stopped:
        full = acklab.tune(PLAN, baseline=dict(one.choice.sets), trials=1, held_out=0)
        assert full.base.cost > told.winner.cost


def test_an_undecided_answer_names_no_winner() -> None:
    plan = {key: value for key, value in PLAN.items() if key not in ("alternatives", "baseline")}
    told = acklab.tune({**plan, "free": {"flow.f.sender.min_rto": ["200ms", "1s"]}})
    assert told.winner.number and verdict(told) == "undecided" and "winner" not in told.text


def test_several_objectives_make_a_front(tmp_path: Path) -> None:
    told = acklab.tune(
        PLAN, objectives=["completion", {"minimize": "acks: acks_sent"}], trials=24, batch=8, out=tmp_path / "a"
    )
    done = [one.cost for one in told.trials if one.state == "complete"]
    assert len(told.front) > 1 and told.winner in told.front
    for one in told.front:
        assert not any(
            all(a <= b for a, b in zip(other, one.cost, strict=True)) and other != one.cost for other in done
        )
    first, *judged = (fact for fact in told.report().facts if fact.kind in ("middle-trial", "judged"))
    assert first.values["front"] == len(told.front) and [fact.values["objective"] for fact in judged] == [
        "completion",
        "acks",
    ]
    other = next(one for one in told.front if one is not told.winner)
    apart = [a[0] - b[0] for a, b in zip(other.costs, told.winner.costs, strict=True)]
    ends = Sample.of(apart).interval(0.95)
    rows = next(table for table in told.report().tables if table.name == "The front").rows
    assert f"({number(ends.low, ends.half_width)} to " in next(row for row in rows if row[0] == str(other.number))[1]


def test_a_winner_says_how_well_it_is_determined(tmp_path: Path) -> None:
    """Windows from 22 segments on give the same runs: the search cannot tell them apart."""
    told = acklab.tune(
        scenario=T1, free={"flow.0.sender.window": {"low": 2, "high": 40}, "link.0.queue.packets": [60, 70]}, trials=30, paths=6,
        path=[{"draw": {"link.0.delay": {"low": "1ms", "high": "2ms"}}}], objectives=["cost: completion + 0.001 * acks_sent"], out=tmp_path / "a",
        baseline={"flow.0.sender.window": 4},
    )  # fmt: skip
    same = [
        one
        for one in told.trials
        if one.state == "complete" and abs(one.cost[0] - told.winner.cost[0]) < 1e-12 and one is not told.winner
    ]
    assert same, "windows beyond the path give the same runs"
    assert {one.number for one in same} <= {one.number for one in alike(told)}
    (fact,) = [fact.values for fact in told.report().facts if fact.kind == "alike"]
    assert fact["trials"] == len(alike(told)) and fact["paths"] == 6
    page = (tmp_path / "a" / "tune.html").read_text()
    row = told.to_polars().row(by_predicate=pl.col("trial") == told.winner.number, named=True)
    assert row["cost: completion"] + 0.001 * row["cost: acks_sent"] == pytest.approx(row["cost"])
    heads = re.findall(r"<th [^>]*>(.*?)</th>", page)
    assert heads.index("cost (s)") == heads.index("trial") + 1, "on a phone the result comes before the keys"


def test_a_winner_at_a_bound_is_warned_of() -> None:
    told = acklab.tune(
        scenario=T1,
        free={"flow.0.sender.window": {"low": 2, "high": 8, "log": True}},
        baseline={"flow.0.sender.window": 2},
        objectives=["completion"],
        paths=1,
        trials=7,
    )
    assert told.winner.choice.cells == {"sender_window": 8}
    assert bounds(told) == [{"key": "sender window", "value": "8", "bound": "8"}]


def test_scenarios_that_are_written_run_as_they_did(tmp_path: Path) -> None:
    """The path where the winner loses gives the two values of the sentence."""
    told = acklab.tune(
        PLAN,
        out=tmp_path / "a",
        objectives=["cost: completion + 0.004 * acks_sent"],
        relative=True,
        spread_starts="50ms",
    )
    assert acklab.run(tmp_path / "a" / "best.toml").summary()["flows"][0]["completed"]
    loss, one = told.worst, told.plan.objectives[0]
    assert loss is not None and not loss.fresh and not told.fresh_losses
    assert "loses-none" in [fact.kind for fact in told.report().facts] and told.losses
    for name, want in (("loses", loss.value), ("loses-baseline", loss.base)):
        assert one.read(acklab.run(tmp_path / "a" / f"{name}.toml").summary()) == pytest.approx(want, rel=1e-12)
    plain = json.loads((tmp_path / "a" / "tune.json").read_text())
    assert plain["facts"] == [fact.plain() for fact in told.report().facts]


def test_a_space_without_end_is_searched_on_beside_the_next_best() -> None:
    free = {"link.0.delay": {"low": "1ms", "high": "9ms"}, "flow.f.sender.initial_window": [1, 2, 4]}
    plan = PLANS.from_tree({"scenario": LOSSY, "free": free, "objectives": ["completion"], "paths": 1})
    search = Search(plan, cast(Any, None), cast(Any, None))
    points = [
        {"link.0.delay": delay, "flow.f.sender.initial_window": place}
        for delay, place in ((2.0, 0), (2.0, 1), (3.0, 2))
    ]
    search.trials = [Trial(k + 1, plan.space.point(one), costs=[(float(k),)]) for k, one in enumerate(points)]
    search.best = search.trials[0]
    search._known = {json.dumps(one.choice.sets, sort_keys=True): one for one in search.trials}
    assert search._untried() == {
        "link.0.delay": 2.0,
        "flow.f.sender.initial_window": 2,
    }  # the best's one neighbour is known


def test_paths_come_in_the_shares_of_their_weights() -> None:
    plan = PLANS.from_tree(PLAN)
    for count in (4, 8, 40, 400):
        near = sum(path.name == "near" for path in draw(plan.entries, count, 1, seed=7))
        assert abs(near - 0.75 * count) <= 1.5, count
    wide = drawn("link.0.rate", {"low": "1Mbps", "high": "100Mbps", "log": True})
    assert (wide.value(0.0), wide.value(0.5), wide.value(1.0)) == ("1Mbps", "10Mbps", "100Mbps")


def test_objectives_know_which_values_are_better() -> None:
    assert objective("completion").sign == -1 and objective("goodput").sign == 1
    one = objective("cost: p50(completion) + 2e-3 * acks_sent@down* - 0.5 * goodput@A*")
    assert one.name == "cost" and [weight for weight, _ in one.terms] == [1.0, 0.002, -0.5] and one.sign == -1
    assert objective({"maximize": "completion"}).sign == 1
    assert (
        objective("goodput", relative=True).cost(2.0, 1.0) < 0 < objective("completion", relative=True).cost(2.0, 1.0)
    )


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("free", {"link.0.rate": {"low": "5Mbps", "high": "1Mbps"}}, "low has to be below high"),
        ("free", {"link.0.rate": {"low": "5Mbps", "high": "9ms"}}, "same kind of unit"),
        ("free", {"link.0.rate": {"low": "fast", "high": "9Mbps"}}, '"fast" is no number'),
        ("free", {"link.0.rate": {"low": "0Mbps", "high": "9Mbps", "log": True}}, "begins above 0"),
        ("free", {"link.0.rate": {"low": 1}}, "give { low ="),
        ("free", {"link.0.nothing": [1, 2]}, "nothing"),
        ("free", {"flow.f.sender.recovery": ["sack", 7]}, "recovery"),
        ("free", {"flow.f.sender.window": [4, 4]}, "each once"),
        ("free", {"flow.f.receiver.ack.policy": ["every", "delayed"]}, "chosen twice"),
        ("alternatives", {"policy": {"one": {"flow.f.sender.window": 3}}}, "at least two"),
        ("objectives", ["speed"], "no quantity `speed`"),
        ("objectives", ["goodput@g"], "no flow `g`; there are f"),
        ("objectives", ["goodput + completion"], "of some terms more is better"),
        ("objectives", [], "no objectives"),
        ("path", [{"name": "a", "wieght": 1}], "path[0]: no key wieght; did you mean weight?"),
        ("path", [{"draw": {"link.0.delay": "5ms"}}], "can not be drawn from"),
        ("path", [{"weight": 0}], "above 0"),
        ("paths", 0, "paths = 0: a whole number from 1"),
        ("sampler", "nsga2", "with one objective tpe or random"),
        ("trails", 10, "did you mean trials?"),
    ],
)
def test_bad_plans(tmp_path: Path, key: str, value: Any, said: str) -> None:
    path = as_file(tmp_path, **{key: value})
    with pytest.raises(StudyError, match=r"plan\.toml") as raised:
        acklab.tune(path, out=tmp_path / "out")
    assert said in str(raised.value)
    assert not (tmp_path / "out").exists()


def test_mistakes_end_the_command_with_2(tmp_path: Path) -> None:
    path = as_file(tmp_path, free={"link.0.rate": {"low": "5Mbps", "high": "1Mbps"}})
    told = command("tune", str(path), cwd=tmp_path)
    line = next(n for n, text in enumerate(path.read_text().splitlines(), 1) if "low" in text and "rate" in text)
    assert told.returncode == 2 and f"plan.toml:{line}:" in told.stderr and len(told.stderr.splitlines()) == 1


def test_baseline_that_wins_is_kept() -> None:
    told = acklab.tune(PLAN, free={"flow.f.sender.window": [1, 2]}, baseline={"flow.f.sender.window": 32}, trials=8)
    assert told.report().facts[0].kind == "baseline-stays" and told.winner.number == 0


def test_a_plan_in_the_package_starts(tmp_path: Path) -> None:
    """The shipped study, with fewer of everything."""
    plan = ROOT / "examples" / "access" / "tune.toml"
    told = acklab.tune(plan, paths=4, held_out=0, trials=2, batch=2)
    assert len(told.trials) == 2 and {path.name for path in told.paths} <= {"cable", "dsl", "lte", "satellite"}
    assert os.fspath(plan) == told.plan.name
