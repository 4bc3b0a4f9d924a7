"""What a scenario may not ask for is refused or stopped in plain words, and what stands beside it goes on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import acklab
from front import COMMAND, ENDLESS, Acklab

LINK = {"between": ["S", "R"], "rate": "1Mbps", "delay": "5ms"}


def scenario(link: dict[str, object] | None = None, **flow: object) -> dict[str, object]:
    flows = [{"from": "S", "to": "R", **flow}]
    return {"stop": {"at": "1s"}, "link": [LINK | (link or {})], "flow": flows}


#: Small texts that would not end, or not fit into memory: the key at fault, and what is said of it.
REFUSED = [
    (scenario(source={"kind": "telnet", "mean": "0s"}), "flow[0].source.mean", "at least 1us"),
    (scenario(source={"kind": "telnet", "mean": "1e-300s"}), "flow[0].source.mean", "at least 1us"),
    *(
        (
            scenario(source={"kind": "udp", "rate": "1Mbps", "on": on, "off": off, "spans": spans}),
            f"flow[0].source.{key}",
            "at least 1us",
        )
        for on, off, key in [("1e-300s", "1s", "on"), ("1s", "1e-300s", "off")]
        for spans in ("constant", "exponential")
    ),
    (scenario(source={"kind": "udp", "rate": "1e300bps"}), "flow[0].source.rate", "1e6Gbps"),
    (scenario(sender={"max_rto": "1e-300s", "min_rto": "0s"}), "flow[0].sender.max_rto", "at least 1us"),
    (scenario(count=10_000_000), "flow[0].count", "at most 1000000"),
    (scenario(count=1_000_000, sender={"initial_window": 1000}), "flow[0].sender.initial_window", "at most 16000000"),
    (scenario({"stages": [{"kind": "duplicate", "rate": 1}] * 40}), "link[0].stages", "at most 65536"),
    (scenario({"stages": [{"kind": "rbscp", "pieces": 64}] * 5}), "link[0].stages", "at most 65536"),
]

#: A legal scenario whose clock cannot go on: beside 9e8 s a packet's service is nothing.
STILL = {
    "stop": {"at": "1e9s"},
    "link": [{"between": ["S", "R"], "rate": "1000000Gbps", "delay": "0s"}],
    "flow": [{"name": "f", "from": "S", "to": "R", "start": "9e8s"}],
}


@pytest.mark.parametrize(("text", "key", "allowed"), REFUSED)
def test_what_would_not_end_or_not_fit_is_refused(text: dict[str, object], key: str, allowed: str) -> None:
    with pytest.raises(acklab.ScenarioError) as refused:
        acklab.run(json.dumps(text))
    assert key in str(refused.value) and allowed in str(refused.value)


def test_a_clock_that_stands_still_fails_the_run(acklab_command: Acklab) -> None:
    result = acklab_command("run", "-", stdin=json.dumps(STILL))
    assert result.returncode == 1
    assert "time stands still at 900000000s" in result.stderr and "flow `f`" in result.stderr
    assert "panicked" not in result.stderr and len(result.stderr.splitlines()) == 1


def test_a_batch_says_so_of_that_line_and_goes_on(acklab_command: Acklab) -> None:
    good = scenario(size={"segments": 5})
    texts = [good, *(text for text, _, _ in REFUSED), STILL, good]
    result = acklab_command("run", "--batch", "-", stdin="".join(json.dumps(text) + "\n" for text in texts))
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert len(answers) == len(texts)
    assert answers[0] == answers[-1] and "flows" in answers[0]
    for number, (answer, (_, key, allowed)) in enumerate(zip(answers[1:], REFUSED, strict=False), 2):
        assert answer["error"].startswith(f"line {number}: {key}") and allowed in answer["error"]
    assert "time stands still" in answers[-2]["error"]
    assert result.stderr == ""


def chain(links: int, flows: int) -> str:
    """A chain of so many links, and flows along ever more of it."""
    between = [{"between": [f"N{k}", f"N{k + 1}"], "rate": "1Gbps", "delay": "1us"} for k in range(links)]
    ends = [{"from": f"N{k}", "to": f"N{links - k}", "size": {"segments": 1}} for k in range(flows)]
    return json.dumps({"stop": {"at": "1ms"}, "link": between, "flow": ends})


def test_checking_can_be_interrupted() -> None:
    process = subprocess.Popen(
        [COMMAND, "run", "-"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    process.stdin.write(chain(20_000, 3_000))
    process.stdin.close()
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) in (130, 0, 1)


def test_a_simulation_that_another_thread_runs_says_so() -> None:
    simulation = acklab.simulation(ENDLESS)
    thread = threading.Thread(target=simulation.run_until, args=(1e5,), daemon=True)
    thread.start()
    said = set()
    for _ in range(200):
        for ask in (lambda: simulation.now_s, lambda: simulation.finished, simulation.clone, simulation.outcome):
            try:
                ask()
            except RuntimeError as error:
                said.add(str(error))
        if said or not thread.is_alive():
            break
        time.sleep(0.005)
    assert all("being run by another thread" in text for text in said) and said
    assert "run by another thread" in repr(simulation) or not thread.is_alive()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_is_told_that_a_batch_is_its_parents() -> None:
    program = """
import json, os, sys
import acklab
scenario = {"stop": {"at": "1s"}, "link": [{"between": ["S", "R"], "rate": "1Mbps", "delay": "5ms"}],
            "flow": [{"from": "S", "to": "R"}]}
runs = acklab.run_batch(json.dumps(scenario) for _ in range(2000))
next(iter(runs))
child = os.fork()
if child == 0:
    try:
        list(runs)
    except RuntimeError as error:
        os.write(1, str(error).encode())
        os._exit(0)
    os._exit(3)
assert os.waitpid(child, 0)[1] == 0
assert sum(1 for _ in runs) == 1999
"""
    result = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr
    assert "forked from" in result.stdout
