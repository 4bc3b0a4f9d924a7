"""Readers, planning, and small runs end to end."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from acklab import _core
from acklab.engines.journal import Journal, identity
from acklab.papers.allman1998.section4 import READ as READ_MANY
from acklab.papers.allman1998.setting import READ, competition, surface, transfer, workload
from acklab.papers.trace import Transfer
from acklab.reproduce.execute import Lines, trace
from acklab.reproduce.experiments import Effort, Failed, Replications, Traces, looks, records
from acklab.reproduce.grid import Grid, OneFlow
from acklab.reproduce.measure import Measurement, NotTestable
from acklab.reproduce.paper import Drawn, Figure, Judged, Paper
from acklab.reproduce.runner import Bench, _measure, reproduce
from acklab.results.directory import results
from acklab.study.intervals import Sample


def result(scenario: str) -> dict[str, Any]:
    """A run's summary, parsed whole."""
    found: dict[str, Any] = json.loads(_core.Simulation(scenario).run().json(False))
    return found


def test_a_reader_reads_what_json_says() -> None:
    cells = [("reno", "every", 8, 405), ("sack", "delayed", 22, 5), ("reno", "delayed", 4, 35)]
    lines = Lines(2)
    for cell in cells:
        lines.ask(transfer(*cell), READ)
    lines.run()
    for cell in cells:
        whole = result(transfer(*cell))
        flow, link = whole["flows"][0], whole["links"][2]
        wanted = [*(flow[k] for k in READ.flow), *(link[k] for k in READ.link)]
        assert lines.answer(transfer(*cell), READ) == tuple(wanted), cell


def test_many_flows_are_reduced() -> None:
    scenario = competition("drop-tail", "every", 20, 3)
    whole = result(scenario)
    flows = whole["flows"]
    throughput = np.mean([f["bytes"] / (f["finished_s"] - f["start_s"]) for f in flows])
    found = READ_MANY(json.dumps(whole, separators=(",", ":")).encode())
    assert found[0] == pytest.approx(throughput, rel=1e-12)
    assert found[1] == pytest.approx(
        100 * sum(f["bytes"] for f in flows) / 1000 / sum(f["segments_sent"] for f in flows)
    )


def test_workloads_are_nested_and_in_range() -> None:
    few, many = workload(7)[:50], workload(7)
    assert few == many[:50]
    assert all(5 <= segments <= 100 and 0 <= start < 100 for start, segments, _ in many)
    assert workload(7) != workload(8)


def test_the_same_text_is_one_run() -> None:
    lines = Lines(1)
    other = OneFlow(["bytes"])
    for _ in range(3):
        lines.ask(transfer("reno", "every", 22, 5), READ)
    lines.ask(transfer("reno", "every", 22, 5), other)
    assert lines.planned == 1
    lines.run()
    assert lines.runs == 1
    assert lines.answer(transfer("reno", "every", 22, 5), other) == (5000.0,)


def test_more_scenarios_than_the_batch_holds() -> None:
    """Feeding waits for room; taking has to go on meanwhile."""
    lines = Lines(1)
    scenarios = [transfer("reno", "every", queue, n) for queue in range(4, 23) for n in range(5, 90)]
    for scenario in scenarios:
        lines.ask(scenario, READ)
    done: list[int] = []
    lines.run(done.append)
    assert sum(done) == lines.runs == len(scenarios)


def test_a_scenario_that_cannot_run_says_so() -> None:
    lines = Lines(1)
    lines.ask('{"flow":[{"colour":"red"}]}', READ)
    lines.run()
    answer = lines.answer('{"flow":[{"colour":"red"}]}', READ)
    assert isinstance(answer, Failed)
    assert "colour" in answer.why
    found = trace({1: '{"flow":[{"colour":"red"}]}'}, Transfer)
    assert isinstance(found, Failed)


def test_grid() -> None:
    grid = Grid({"queue": [8, 9], "segments": [5, 15, 25]}, {"t": np.arange(6.0).reshape(2, 3)})
    assert grid.at(queue=9)["t"].tolist() == [3, 4, 5]
    assert grid.at(segments=[25, 5])["t"].tolist() == [[2, 0], [5, 3]]
    assert grid.at(segments=lambda n: n > 5, queue=8)["t"].tolist() == [1, 2]
    assert grid.frame().rows()[4] == (9, 15, 4.0)
    with pytest.raises(KeyError, match="queue, segments"):
        grid.at(size=5)


def small_paper(measure: Any, *needs: Any) -> Paper:
    """A paper of one claim (that of Figure 2 at 22) and one figure."""
    paper = Paper("allman1998", "t", "c", "a", {}, [])
    paper.claims["allman1998.fig2a.q22"] = Judged("allman1998.fig2a.q22", needs, measure)
    paper.figures.append(Figure("f", "Figure 2", "f", "3", needs, lambda *r: Drawn([])))
    return paper


def test_an_experiment_this_build_cannot_run_is_loud() -> None:
    broken = surface("reno", "every", note="broken")
    object.__setattr__(broken, "scenario", lambda queue, segments: '{"link":[]}')
    object.__setattr__(broken, "axes", {"queue": [8], "segments": [5]})
    found = reproduce(small_paper(lambda grid: Measurement({"drops": 0}), broken), claims=["allman1998.fig2a.q22"])
    assert [f.experiment for f in found.failed] == ["reno every broken"]
    assert found.verdicts[0].verdict == "undecided"
    assert "can not run" in found.verdicts[0].why
    assert found.figures == []


def test_seeds_are_topped_up() -> None:
    runs = replications()
    bench = Bench(Effort(seeds=(2, 3)), 1)
    bench.run([runs], "test")
    assert bench.results([runs])[0]["throughput"].shape == (1, 2)
    bench.want(runs, 3)
    bench.run([runs], "test")
    assert bench.results([runs])[0]["throughput"].shape == (1, 3)
    assert bench.lines.runs == 3, "the first two are not run again"
    bench.want(runs, 2)
    assert bench.results([runs])[0]["throughput"].shape == (1, 3)


def replications(**more: Any) -> Replications:
    """Five transfers among each other."""
    return Replications(
        "r", "r", {"flows": (5,)}, lambda flows, seed: competition("drop-tail", "every", flows, seed), READ_MANY, **more
    )


def test_looks_of_its_own_are_for_usual_full_runs() -> None:
    own, many, few = replications(rounds=(5, 18)), replications(most_seeds=225), replications(most_seeds=20)
    assert own.seeds(Effort()) == (5, 18)
    assert many.seeds(Effort()) == (10, 20, 40, 80, 160, 225)
    assert many.seeds(Effort(quick=True, seeds=(8,))) == (8,), "a quick run stays quick"
    assert many.seeds(Effort().at_most(100)) == (10, 20, 40, 100), "who names a number gets it"
    assert few.seeds(Effort()) == (10, 20)
    assert few.seeds(Effort().at_most(100)) == (10, 20), "a look with as many seeds is none"


def test_a_claim_is_looked_at_with_every_number_of_seeds_that_all_have() -> None:
    usual, capped, own = replications(), replications(most_seeds=20), replications(rounds=(5, 18))
    counts = [[look.seeds for look in looks(some, Effort())] for some in ([usual], [usual, capped], [usual, own], [])]
    assert counts == [[10, 20, 50], [10, 20], [5, 10, 18], [0]]
    assert [look.share for look in looks([usual, own], Effort())] == pytest.approx([5 / 18, 5 / 18, 8 / 18])


def stopped(measure: Any, *needs: Any) -> tuple[list[int], int]:
    """With how many seeds a claim was looked at, and with how many it ended."""
    seen: list[int] = []

    def watched(grid: Grid) -> Measurement:
        seen.append(len(grid.axes["seed"]))
        return Measurement({"drops": measure(grid)})

    found = reproduce(
        small_paper(watched, *needs), claims=["allman1998.fig2a.q22"], only=lambda figure: False, threads=1
    )
    return seen, found.verdicts[0].seeds


def test_a_claim_takes_no_seed_after_it_is_settled() -> None:
    """The criterion asks for 0 drops: a sample without any settles it at once; so does one that is far from it."""
    runs = replications(most_seeds=40)
    assert stopped(lambda grid: Sample.of([0.0] * len(grid.axes["seed"])), runs) == ([10], 10)
    assert stopped(lambda grid: Sample.of(range(100, 100 + len(grid.axes["seed"]))), runs) == ([10], 10)
    assert stopped(lambda grid: Sample.of([(-1.0) ** k + 0.3 for k in grid.axes["seed"]]), runs) == ([10, 20, 40], 40)
    assert stopped(lambda grid: 0.0, runs) == ([10, 40], 0), "a number without an interval has all of them"


def test_a_claim_stops_with_the_same_seeds_whatever_else_is_judged() -> None:
    """Another claim on the same runs takes forty seeds; this one still has the ten that settled it."""
    runs, ids = replications(most_seeds=40), ("allman1998.fig2a.q22", "allman1998.fig3a.q22")
    paper = small_paper(lambda grid: Measurement({"drops": Sample.of([0.0] * len(grid.axes["seed"]))}), runs)
    paper.claims[ids[1]] = Judged(ids[1], (runs,), lambda grid: Measurement({"drops-21": 0.0, "drops-22": 0.0}))
    found = reproduce(paper, claims=ids, only=lambda figure: False, threads=1)
    assert (found.runs, found.verdicts[0].seeds) == (40, 10)


def test_what_a_note_tells_of_does_not_bound_the_seeds() -> None:
    seen: list[tuple[int, ...]] = []

    def measure(*grids: Grid) -> Measurement:
        seen.append(tuple(len(grid.axes["seed"]) for grid in grids))
        return Measurement({"drops": Sample.of(grids[0]["loss"][0].tolist())})

    usual, capped = replications(), replications(most_seeds=2)
    paper = small_paper(measure, usual)
    for needs, beside in (((usual,), (capped,)), ((usual, capped), ())):
        paper.claims["allman1998.fig2a.q22"] = Judged("allman1998.fig2a.q22", needs, measure, beside)
        found = reproduce(paper, Effort(seeds=(3,)), claims=["allman1998.fig2a.q22"], only=lambda figure: False)
        assert found.verdicts[0].seeds == seen[-1][0]
    assert seen == [(3, 2), (2, 2)]


def test_traces_are_reduced() -> None:
    cells = Traces(
        "t", "t", lambda effort: {8: records(transfer("reno", "every", 8, 205), "packets", "series")}, Transfer
    )
    bench = Bench(Effort(), 1)
    bench.run([cells], "test")
    found = bench.results([cells])[0][8]
    assert found.overshoot() == {4: [30], 5: [46, 48, 50, 52, 54, 56, 58, 60]}
    assert [s.seq for s in found.fast_retransmits[:2]] == [30, 46]


def test_shorter_transfers_lose_what_the_longest_loses() -> None:
    """What :data:`OVERSHOOT` rests on."""
    for mechanism, queue in (("every", 8), ("every", 20), ("delayed", 7)):
        lost: dict[int, list[int]] = {}
        for n in (55, 85, 125, 995):
            run = _core.Simulation(records(transfer("reno", mechanism, queue, n), "packets", "series")).run()
            lost[n] = sorted(seq for window in Transfer(run).overshoot().values() for seq in window)
        for n in (55, 85, 125):
            assert lost[n] == [seq for seq in lost[995] if seq < n], (mechanism, queue, n)


def test_threads_and_interrupts_do_not_show(tmp_path: Path) -> None:
    """A claim that goes from look to look: the same value with one thread, with three, and after an interrupt in each round."""
    runs = replications(most_seeds=40)

    def near_zero(grid: Grid) -> Measurement:
        rates = grid["throughput"][0]
        return Measurement({"drops": Sample.of((rates - rates.mean() + 0.3 * rates.std()).tolist())})

    paper = small_paper(near_zero, runs)

    def value(threads: int, folder: Path | None = None, stop_after: int | None = None) -> Any:
        def made() -> Any:
            return reproduce(
                paper, claims=["allman1998.fig2a.q22"], only=lambda figure: False, threads=threads, journal=journal
            )

        if folder is None:
            journal = None
            return made().verdicts[0]
        with results(folder, "reproduce") as place, closing(Journal(place, identity("", "one"))) as journal:
            if stop_after is not None:
                append, calls = journal.append, iter(range(stop_after))

                def interrupted(records: Any) -> None:
                    append(records)
                    if next(calls, None) is None:
                        raise KeyboardInterrupt

                journal.append = interrupted  # type: ignore[method-assign]
            return made().verdicts[0]

    whole = value(1)
    assert whole.seeds == 40, "it is never settled"
    assert value(3) == whole
    for stop_after in (0, 1):
        with pytest.raises(KeyboardInterrupt):
            value(3, tmp_path, stop_after)
    assert value(1, tmp_path) == whole


def test_a_claim_that_changed_runs_cannot_answer_is_undecided() -> None:
    """`--set link.1.queue.packets=5` leaves Figure 2 without a window that fills the queue; it ended in an internal error."""

    def measure(*_: Any) -> Any:
        return next(iter(()))

    judged: Any = SimpleNamespace(uses=(), needs=(), beside=(), measure=measure)
    bench: Any = SimpleNamespace(results=lambda needs: [], effort=SimpleNamespace(sets=("link.1.queue.packets=5",)))
    told = _measure(judged, bench)
    assert (
        isinstance(told, NotTestable)
        and told.why == "the changed runs do not have what this claim measures (StopIteration)"
    )
    bench.effort.sets = ()
    with pytest.raises(StopIteration):
        _measure(judged, bench)
