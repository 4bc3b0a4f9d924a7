"""The paper on ACK filtering: its figures' key numbers, pinned; and the model beside the simulation."""

from __future__ import annotations

import json
from typing import Any

import pytest

from acklab.papers import paper
from acklab.papers.ackfilter import section2, section4
from acklab.papers.ackfilter.setting import ALGORITHMS, DELTAS, LARGE_BUFFER, MODEL, SMALL_BUFFER, Many, One
from acklab.reproduce.execute import Lines, trace
from acklab.reproduce.experiments import Effort, Failed
from acklab.runs import run_batch


@pytest.fixture(scope="module")
def recorded() -> section2.Recorded:
    found = trace(section2.SINGLE.cells(Effort()), section2.SINGLE.read)
    assert not isinstance(found, Failed), found
    return found


def test_every_claim_is_measured_and_has_a_criterion() -> None:
    assert paper("ackfilter").check() == []
    assert len(paper("ackfilter").claims) == 28


def test_figure_6_is_the_independent_simulations(recorded: section2.Recorded) -> None:
    """Segments acknowledged by 5 s, as the ledger's check simulation has them."""
    acked = {delta: int(recorded[delta].acked(5.0)) for delta in DELTAS}
    assert acked == {1: 2842, 3: 3480, 10: 3967, 20: 4051, 30: 4051, 40: 4027, 60: 3967, 100: 3847, 500: 2647}
    assert int(recorded["delayed"].acked(5.0)) == 4087


def test_figure_4_is_the_independent_simulations(recorded: section2.Recorded) -> None:
    assert [round(float(recorded[1].cwnd(t))) for t in (1.0, 1.4, 2.0, 3.0)] == [11, 22, 49, 166]
    assert [float(recorded[500].cwnd(t)) for t in (2.0, 3.0)] == [243, 556]


def test_figures_5_8_and_9_key_numbers(recorded: section2.Recorded) -> None:
    assert recorded[500].onset == pytest.approx(3.13, abs=0.01)
    assert recorded[30].onset == pytest.approx(1.42, abs=0.01)
    assert recorded["delayed"].onset == pytest.approx(1.71, abs=0.01)
    assert section2.plateau(recorded[500]) == pytest.approx((1.62, 3.24), abs=0.03)
    assert recorded[1].passes(section2.PLATEAU_BPS) == pytest.approx(2.3, abs=0.02)
    assert recorded[30].steady_occupancy(2.0, 10.0)[2] == 30
    assert recorded["delayed"].steady_occupancy(2.0, 10.0)[2] == 1


def test_the_model_is_the_simulation_until_data_takes_time(recorded: section2.Recorded) -> None:
    for n in range(1, 7):
        assert float(recorded[1].cwnd((n + 1) * MODEL.rtt_s)) == MODEL.window(n, 1)
        assert recorded[1].burst(n, recorded[1].departures) == MODEL.acks(n, 1)
    paced = MODEL.paced(16, 1, forward_per_s=1250)
    for n in (8, 12, 15):
        assert float(recorded[1].cwnd((n + 1) * MODEL.rtt_s)) == pytest.approx(paced[n][0], rel=0.2)


def test_a_waiting_ack_moves_by_erasures_too(recorded: section2.Recorded) -> None:
    """Why the longest round trip is not T + delta / mu_r for thresholds above the optimum."""
    arriving = MODEL.growth * MODEL.acks_per_s
    for delta in (100, 500):
        longest = float(recorded[delta].round_trips[1].max())
        assert longest == pytest.approx(MODEL.rtt_filtering(delta, arriving), rel=0.01)
        assert longest < 0.7 * MODEL.rtt_limits(delta)[1]


def test_classic_is_threshold_1_departure_by_departure(recorded: section2.Recorded) -> None:
    assert recorded[1].departed == recorded["erase-all"].departed


def throughputs(setting: Many, sources: int = 3) -> dict[str, float]:
    """Mean throughput of a file in 100 s with seed 1, Mb/s."""
    lines, read = Lines(), section4.READ
    scenarios = {a: setting.scenario(a, sources, 1, 100) for a in ALGORITHMS}
    for scenario in scenarios.values():
        lines.ask(scenario, read)
    lines.run()
    return {a: round(8e-6 * lines.answer(s, read)[0], 3) for a, s in scenarios.items()}  # type: ignore[index]


def test_figures_11_and_12_in_small() -> None:
    large, small = throughputs(LARGE_BUFFER), throughputs(SMALL_BUFFER)
    assert large == {"none": 0.819, "classic": 1.932, "aggregate": 1.919, "fifo": 2.052, "rr": 2.075}
    assert small == {"none": 1.826, "classic": 1.932, "aggregate": 1.952, "fifo": 2.057, "rr": 2.062}
    assert large["none"] < large["classic"] < large["rr"]


def test_every_algorithm_sees_the_same_files() -> None:
    trees = [json.loads(LARGE_BUFFER.scenario(a, 3, 7)) for a in ALGORITHMS]
    assert all(tree["flow"] == trees[0]["flow"] and tree["seed"] == 7 for tree in trees)
    assert len({json.dumps(tree["link"][-1]) for tree in trees}) == len(ALGORITHMS)


def flow(scenario: str) -> dict[str, Any]:
    return dict(next(iter(run_batch([scenario])))["flows"][0])


def test_the_filters_paper_with_another_round_trip_and_two_segments_an_ack() -> None:
    """Sections 2.1 and 2.2: alpha = 1 + 1/d and delta_o = mu_r T/(d + 1); a segment takes 0.8 ms, an ACK 3.2 ms, and the rest is T."""
    assert One(d=2, rtt_s=0.4).model.growth == 1.5
    assert One(d=2, rtt_s=0.4).model.optimum == pytest.approx(312.5 * 0.4 / 3)
    assert flow(One(rtt_s=0.1).scenario(None, segments=1))["completion_s"] == pytest.approx(0.1 + 0.0008 + 0.0032)
    # The first segment waits for the timer; then one ACK for two.
    both = flow(One(d=2).scenario(None, segments=3))
    assert both["acks_sent"] == 2
    assert both["completion_s"] == pytest.approx(0.1 + 2 * 0.2 + 3 * 0.0008 + 2 * 0.0032)
    tree = json.loads(Many(d=2, rtt_s=0.4, wait="2s").scenario("rr", 1, 1))
    assert tree["link"][-1]["delay"] == "195ms" and tree["flow"][0]["receiver"]["ack"]["segments"] == 2
    assert tree["flow"][0]["repeat"]["think_to"] == "2s"
