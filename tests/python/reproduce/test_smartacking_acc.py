"""ACC as section 2 of smartacking has it, in the seven set-ups of section 4.2; and when cross traffic falls silent."""

from __future__ import annotations

import json
from typing import Any

import pytest

from acklab.papers.smartacking.changing import turns
from acklab.papers.smartacking.runs import Recorded
from acklab.papers.smartacking.setting import asymmetric, one_zero, parking_lot, tcp_udp, two_two
from acklab.reproduce.execute import trace
from acklab.reproduce.experiments import records
from acklab.runs import run_batch

SETUPS = {
    "1-0": lambda scheme: one_zero(5, scheme),
    "Asymmetric": lambda scheme: asymmetric(10, scheme),
    "2-2": lambda scheme: two_two(8, scheme),
    "High-Multiplexing": lambda scheme: two_two(16, scheme, copies=50),
    "Different-RTT": lambda scheme: two_two(8, scheme, long=True),
    "TCP-UDP": lambda scheme: tcp_udp(5, scheme),
    "Parking-Lot": lambda scheme: parking_lot(4, scheme),
}


def shorter(line: str, segments: int = 1500, at: str = "8s") -> str:
    tree = json.loads(line)
    tree["stop"] = {"at": at}
    for flow in tree["flow"]:
        if "size" in flow:
            flow["size"] = {"segments": segments}
    return json.dumps(tree)


def share(result: dict[str, Any]) -> float:
    flows = [flow for flow in result["flows"] if flow["acks_sent"]]
    return sum(flow["acks_sent"] for flow in flows) / sum(flow["segments_sent"] for flow in flows)


@pytest.mark.parametrize("name", SETUPS)
def test_acc_acknowledges_less_often_than_ackevery_where_its_queue_is_half_full(name: str) -> None:
    acc, every = run_batch([shorter(SETUPS[name](scheme)) for scheme in ("acc", "every")])
    # Segments that are lost have no ACK. With 200 connections windows are so small that d is seldom above one.
    assert share(every) > 0.75
    assert share(acc) < 0.9 * share(every), (share(acc), share(every))
    assert all(flow["marks_counted"] == 0 for flow in acc["flows"]), "no sender is told of a mark"


@pytest.mark.parametrize("name", SETUPS)
def test_acc_meets_the_marking_level_of_every_setup_and_no_other_limit(name: str) -> None:
    """A limited queue is marked from half of it on, in time, and has the room that it has for the other schemes."""
    acc, every = (json.loads(SETUPS[name](scheme))["link"] for scheme in ("acc", "every"))
    pairs = [(a.get("back", a)["queue"], e.get("back", e)["queue"], a) for a, e in zip(acc, every, strict=True)]
    pairs += [(a["queue"], e["queue"], a) for a, e in zip(acc, every, strict=True)]
    marked = [(a, e, link) for a, e, link in pairs if a["kind"] == "codel"]
    assert marked and all(a == e for a, e, _ in pairs if a["kind"] != "codel")
    for queue, plain, _ in marked:
        assert (queue["packets"], queue["target"]) == (plain["waiting"] + 1, "100s")


@pytest.mark.parametrize(("first", "on"), [("on", [0.2, 10.2, 20.2]), ("off", [5.2, 15.2])])
def test_the_turns_of_cross_traffic_follow_its_reading(first: str, on: list[float]) -> None:
    line = shorter(tcp_udp(5, "paced", first=first, estimate=True), at="22s")
    found = trace({"run": records(line, "packets", "series")}, Recorded, threads=1)["run"]
    assert turns(found).tolist() == pytest.approx(on, abs=1e-6)
