"""The study of 2026's paths: a cheap cut of what it runs, and the page of a study."""

from __future__ import annotations

import json
from statistics import fmean

import pytest

from acklab import _core
from acklab_studies.paths2026 import runs, senders, sparse
from acklab_studies.paths2026.setting import MECHANISMS, PATHS, UPLINKS, download, network, scenario

EARLY = 1


def result(scenario: str) -> bytes:
    """A run's line."""
    return _core.Simulation(scenario).run().json(False).encode()


def cell(path: str, mechanism: str, size: str = "1 MB", sender: str = "linux") -> dict[str, float]:
    """One transfer's numbers."""
    found = runs.TRANSFER(result(runs._one(sender, path, size, mechanism, 1)))
    return dict(zip(runs.TRANSFER.names, found, strict=True))


def four(path: str, mechanism: str) -> dict[str, float]:
    """Numbers of four downloads and the requests beside them."""
    return dict(zip(runs.FOUR.read.names, runs.FOUR.read(result(runs._four(path, mechanism, 1))), strict=True))


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("path", PATHS)
def test_every_cell_runs_to_its_end(path: str, mechanism: str) -> None:
    found = cell(path, mechanism)
    assert found["time_s"] > 2 * PATHS[path].rtt_s, "a handshake and a window at least"
    assert 0 < found["acks_per_mb"] < 800


@pytest.mark.parametrize("path", PATHS)
def test_a_plain_uplink_is_as_late_as_the_mean_grant(path: str) -> None:
    """Requests without load take the round trip that the study assumes, with grants and without."""
    source = {"repeat": {"times": 100, "think": "50ms", "think_to": "150ms"}, "count": 8, "stagger": "12ms"}
    ends = {"sender": {"stack": "linux", "syn": False}, "receiver": {"stack": "linux", "ack": {"policy": "every"}}}
    asking = {"name": "ping", "from": "C", "to": "S", "start": "1s", "size": {"bytes": "64B"}, **source, **ends}
    for kind in UPLINKS:
        line = json.loads(
            result(json.dumps({"seed": 1, "stop": {"at": "14s"}, **network(path, "delayed", kind), "flow": [asking]}))
        )
        times = [flow["completion_s"] for flow in line["flows"] if flow["completed"]]
        assert fmean(times) == pytest.approx(PATHS[path].rtt_s, rel=0.01)


def test_grants_end_slow_start_early_and_a_filter_keeps_it_from_that() -> None:
    """The first seed is one of those where HyStart takes the wait for a grant for a queue."""

    def told(sender: str, uplink: str = UPLINKS[0]) -> float:
        return runs.TRANSFER(result(senders._one("nr", "20 MB", sender, uplink, EARLY)))[0]

    plain = told("linux", "plain")
    assert told("linux") > 1.2 * plain
    assert told("no-hystart") < 1.1 * plain and told("hystart++") < 1.1 * plain
    filtered = runs.TRANSFER(result(runs._one("linux", "nr", "20 MB", "cake", EARLY)))
    assert filtered[0] < 1.1 * plain and filtered[1] < 10


def test_a_filter_needs_a_sender_that_counts_bytes() -> None:
    by_bytes, by_segments = (
        {m: cell("cable", m, "20 MB", sender)["time_s"] for m in ("delayed", "cake")} for sender in runs.CONTROLS
    )
    assert by_bytes["cake"] < 1.05 * by_bytes["delayed"]
    assert by_segments["cake"] > 2 * by_segments["delayed"]


def test_flow_queues_share_evenly_and_one_queue_does_not() -> None:
    assert four("fibre", "every")["jain"] > 0.99
    assert four("cable", "every")["jain"] < 0.9


def test_acks_weigh_on_the_uplink_of_cable() -> None:
    """35 Mb/s for ACKs of 1 Gb/s: of every segment nearly all, delayed half, filtered almost nothing."""
    every, delayed, cake = (four("cable", mechanism)["uplink_percent"] for mechanism in ("every", "delayed", "cake"))
    assert every > 85 and 40 < delayed < 60 and cake < 3


def test_by_satellite_rare_acks_cost_little_time() -> None:
    often, rare = (runs.TRANSFER(result(sparse._one("geo", "linux", k, 1))) for k in (2, 50))
    assert rare[0] < 1.03 * often[0] and rare[1] < 0.06 * often[1]


def test_shared_smartacking_delays_little_whatever_it_is_told() -> None:
    told = {**MECHANISMS["smart"].ack, "rtt": "sender", "window": "sender"}
    for ack in (None, told):
        line = result(scenario("cable", "smart", [download("smart", ack=ack)] * 4, 1, requests=True))
        assert runs.FOUR.read(line)[2] > 600


def test_a_periodic_clock_survives_losses() -> None:
    """Four flows that lose segments: a repeated ACK must not make the round trip look short, which would make ACKs dense."""
    found = four("geo", "tack")
    assert found["retransmits_percent"] > 1 and found["acks_per_mb"] < 200


def test_starts_favour_no_flow() -> None:
    """Two seeds have the same starts, exchanged."""
    for seed in (1, 3):
        one, other = (
            [flow["start"] for flow in json.loads(runs._pair("lte", "delayed", each))["flow"]]
            for each in (seed, seed + 1)
        )
        assert one == other[::-1] and one[0] != one[1]


def test_percentiles_count_requests_that_are_not_answered() -> None:
    """With the time until the end, which is the least that they take."""
    done = [{"completed": True, "completion_s": 0.01 * (i + 1), "start_s": 1.0} for i in range(98)]
    late = [{"completed": False, "completion_s": None, "start_s": 1.0}] * 2
    assert runs.latency_ms([*done, *late], 6.0, 99) == 5000
    assert runs.latency_ms([*done, *late], 6.0, 50) == pytest.approx(500)
