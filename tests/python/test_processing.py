"""Hosts that take a time for each packet that arrives (`processing`)."""

import polars
import pytest

import acklab

LINK = {"rate": "10Mbps", "delay": "1ms"}
SCENARIO = {
    "stop": {"when": "flows-complete"},
    "record": {"packets": True},
    "link": [{"between": ["S", "X"]} | LINK, {"between": ["X", "R"]} | LINK],
    "flow": [{"from": "S", "to": "R", "size": {"segments": 200}}],
}


def late(scenario, link):
    """By how many microseconds packets come later from a link than its rate and its delay say, in the order in which they left."""
    packets = polars.DataFrame(acklab.run(scenario).packets).filter(polars.col("link") == link)
    left, came = (packets.filter(polars.col("event") == event) for event in ("dequeue", "deliver"))
    assert len(left) == len(came) and left["size_bytes"].to_list() == came["size_bytes"].to_list()
    wire = left["size_bytes"].cast(float) * 8 / 10e6 + 1e-3
    return ((came["time_s"] - left["time_s"] - wire) * 1e6).to_list()


@pytest.mark.parametrize("link", ["X->R", "X->S"])
def test_a_host_takes_up_to_twice_its_time(link):
    times = late(SCENARIO | {"processing": "5us"}, link)
    assert -0.01 < min(times) < 1 and 9 < max(times) < 10.01
    assert sum(times) / len(times) == pytest.approx(5, abs=0.8)
    assert max(late(SCENARIO, link)) < 0.01


def test_a_router_takes_none():
    assert max(late(SCENARIO | {"processing": "5us"}, "S->X")) < 0.01


def test_a_station_is_a_host_like_others():
    air = {"ap": "A", "stations": ["R"]}
    scenario = SCENARIO | {"link": [{"between": ["S", "A"]} | LINK], "wlan": [air], "processing": "50ms"}
    slow, fast = (acklab.run(one).flows[0]["completion_s"] for one in (scenario, scenario | {"processing": "0s"}))
    assert slow > fast + 0.1
