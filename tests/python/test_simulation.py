"""Step by step from Python: branches, interrupts, threads."""

from __future__ import annotations

import copy
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import acklab
from front import ENDLESS, RECORDED, TWO_HOPS


def test_steps_give_what_one_go_gives() -> None:
    whole = acklab.run(RECORDED).json()
    stepped = acklab.simulation(RECORDED)
    for milliseconds in range(0, 700, 37):
        stepped.run_until(milliseconds / 1000)
        assert stepped.now_s <= milliseconds / 1000
    assert stepped.run().json() == whole
    assert stepped.finished


@pytest.mark.parametrize("instant", [0.0, 0.05, 0.123456, 0.3, 0.5])
def test_a_clone_goes_on_to_the_same_bytes(instant: float) -> None:
    warm = acklab.simulation(RECORDED)
    warm.run_until(instant)
    branches = [warm.clone(), copy.copy(warm), copy.deepcopy(warm)]
    told = {branch.run().json() for branch in branches}
    assert told == {acklab.run(RECORDED).json()}
    assert not warm.finished
    assert warm.run().json() in told


def test_a_branch_does_not_disturb_the_trunk() -> None:
    trunk = acklab.simulation(TWO_HOPS)
    trunk.run_until(0.2)
    before = trunk.outcome().json()
    trunk.clone().run()
    assert trunk.outcome().json() == before


def test_run_until_stops_at_the_end() -> None:
    simulation = acklab.simulation(TWO_HOPS)
    simulation.run_until(10_000.0)
    assert simulation.finished and simulation.now_s < 10
    with pytest.raises(ValueError):
        simulation.run_until(float("nan"))


class Alarm(Exception):
    pass


@contextmanager
def alarm_in(seconds: float) -> Iterator[None]:
    def ring(*_: object) -> None:
        raise Alarm

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_signal_stops_a_long_run_at_once() -> None:
    with alarm_in(0.2), pytest.raises(Alarm):
        acklab.run(ENDLESS)


def test_an_interrupted_simulation_can_go_on() -> None:
    simulation = acklab.simulation(ENDLESS)
    with alarm_in(0.2), pytest.raises(Alarm):
        simulation.run_until(900_000)
    reached = simulation.now_s
    assert 0 < reached < 900_000
    simulation.run_until(reached + 0.1)
    assert simulation.now_s > reached


def test_other_threads_go_on_meanwhile() -> None:
    beats = 0
    done = threading.Event()

    def beat() -> None:
        nonlocal beats
        while not done.wait(0.005):
            beats += 1

    thread = threading.Thread(target=beat)
    thread.start()
    with alarm_in(0.5), pytest.raises(Alarm):
        acklab.run(ENDLESS)
    done.set()
    thread.join()
    assert beats > 10


def test_what_a_scenario_may_be(two_hops: Path) -> None:
    tree = {
        "link": [{"between": ("S", "R"), "rate": "1Mbps", "delay": "1ms"}],
        "flow": [{"from": "S", "to": "R", "size": {"segments": 2}}],
    }
    assert acklab.run(tree).summary()["flows"][0]["completed"]
    told = {acklab.run(each).json() for each in (TWO_HOPS, TWO_HOPS.encode(), two_hops, str(two_hops))}
    assert len(told) == 1


def test_overrides_are_keys_and_paths() -> None:
    run = acklab.run(TWO_HOPS, seed=5, title="other", **{"flow.0.size": {"bytes": "3kB"}, "flow.f.start": "1s"})
    assert (run.seed, run.title) == (5, "other")
    (flow,) = run.summary()["flows"]
    assert (flow["bytes"], flow["start_s"]) == (3000, 1.0)


def test_errors_are_exceptions_with_the_same_words(two_hops: Path) -> None:
    with pytest.raises(acklab.ScenarioError, match="did you mean `rate`"):
        acklab.run(TWO_HOPS.replace("rate", "rat", 1))
    with pytest.raises(acklab.ScenarioError, match="two-hops.toml"):
        acklab.run(two_hops, **{"flow.0.sender.windw": 3})
    with pytest.raises(OSError, match="nowhere"):
        acklab.run("nowhere.toml")
    with pytest.raises(TypeError):
        acklab.run(TWO_HOPS, seed=object())
    assert issubclass(acklab.ScenarioError, ValueError) and issubclass(acklab.RunError, RuntimeError)
