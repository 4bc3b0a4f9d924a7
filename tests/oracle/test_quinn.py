"""The stack `quic` is as near quinn as `quinn/README.md` says."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "quinn"))
import beside_quinn

CASES = beside_quinn.rows("cases.csv")
THEIRS = {row["name"]: row for row in beside_quinn.rows("quinn.csv")}

# Most by which acklab's ACKs, completion and packets lost may differ from quinn's, by path and what was asked. The README says why.
FREQUENT = ("plain", "2-25-1", "5-25-1")
OVERSHOT = {
    "shallow": {"frequent": (0.035, 0.04, 0.06), "sparse": (0.40, 0.08, 0.55)},
    "long": {"frequent": (0.03, 0.01, 0.02), "sparse": (0.26, 0.02, 0.02)},
    "narrow": {"frequent": (0.20, 0.23, 0.11), "sparse": (0.26, 0.31, 0.20)},
}


@pytest.fixture(scope="module")
def ours():
    return beside_quinn.ours(CASES)


def off(got, expected):
    return abs(got - float(expected)) / float(expected)


@pytest.mark.parametrize("name", [name for name in THEIRS if name.startswith("roomy")])
def test_where_no_queue_overflows(ours, name):
    """Every packet lost, and no other, is sent again; as many ACKs, but for phases of a few; the same time."""
    us, them = ours[name], THEIRS[name]
    assert abs(us["acks"] - int(them["acks"])) <= max(6, 0.035 * int(them["acks"]))
    assert us["resent"] == int(them["declared_lost"]) == int(them["vanished"])
    # A probe of quinn's is a PING: the lost tail itself goes a round trip later.
    tail = "-tail-" in name
    assert off(us["completion_s"], them["completion_s"]) < (0.08 if tail else 0.031)
    assert us["timeouts"] == (1 if tail else 0)


@pytest.mark.parametrize("name", [name for name in THEIRS if not name.startswith("roomy")])
def test_where_slow_start_overshoots(ours, name):
    us, them = ours[name], THEIRS[name]
    path, asked = name.split("-", 1)
    acks, completion, lost = OVERSHOT[path]["frequent" if asked in FREQUENT else "sparse"]
    assert off(us["acks"], them["acks"]) <= acks
    assert off(us["completion_s"], them["completion_s"]) <= completion
    assert off(us["resent"], them["declared_lost"]) <= lost


def test_bursts_of_the_pacer_explain_the_acks(ours):
    """quinn's pacer sends ten at a time. One by one, every other packet finds the queue full, and each gap has an ACK."""
    cases = [case for case in CASES if case["name"] in ("shallow-plain", "long-plain")]
    smooth = beside_quinn.ours(cases, pacing={"burst": 1})
    for name, us in smooth.items():
        assert us["acks"] > 1.08 * int(THEIRS[name]["acks"]) > 1.08 * 0.99 * ours[name]["acks"]
