"""What flows did together: which compete, what they carried, whose shares are compared."""

from __future__ import annotations

import copy
import re
from typing import Any

import pytest

import acklab
from acklab.results.summary import together
from acklab.results.together import SIZED, WITHOUT_LIMIT, WRITES, Group, Way, Ways, groups, manners

LINK = {
    "between": ["S", "C"],
    "rate": "20Mbps",
    "delay": "10ms",
    "queue": {"kind": "drop-tail", "packets": 40},
    "back": {"rate": "2Mbps"},
}
DOWN = {"name": "down", "from": "S", "to": "C", "count": 2}
UP = {"name": "up", "from": "C", "to": "S"}
PING = {
    "name": "ping",
    "from": "C",
    "to": "S",
    "source": {"kind": "writes", "write": "64B", "every": "50ms", "times": 20},
}
SHORT = {"name": "short", "from": "S", "to": "C", "count": 2, "size": {"bytes": "30kB"}}
LATE = {"name": "late", "from": "S", "to": "C", "start": "1000s"}


def run(*flows: dict[str, Any], **more: Any) -> acklab.Run:
    return acklab.run({"link": [LINK], "flow": copy.deepcopy([*flows]), "stop": {"at": "3s"}, **more})


def grouped(made: acklab.Run) -> list[Group]:
    told = made.summary()
    return groups(told["flows"], told["links"], told["end_s"], manners(made.scenario_toml()))


@pytest.fixture(scope="module")
def shared() -> acklab.Run:
    return run(DOWN, UP, PING, SHORT, LATE, record={"series": True})


def test_flows_compete_if_they_send_in_one_manner_over_one_slowest_link(shared: acklab.Run) -> None:
    found = [(group.manner, group.link, [row["name"] for row in group.flows]) for group in grouped(shared)]
    assert found == [
        (WITHOUT_LIMIT, "S->C", ["down0", "down1", "late"]),
        (WITHOUT_LIMIT, "C->S", ["up"]),
        (WRITES, "C->S", ["ping"]),
        (SIZED, "S->C", ["short0", "short1"]),
    ]
    assert [row["name"] for row in grouped(shared)[0].begun] == ["down0", "down1"], (
        "what begins after the end carries nothing"
    )


def test_only_flows_without_limit_are_compared(shared: acklab.Run) -> None:
    down, up, ping, short = grouped(shared)
    rates = [row["goodput_bps"] for row in down.begun]
    assert (
        down.fairness == pytest.approx(sum(rates) ** 2 / 2 / sum(rate * rate for rate in rates)) and down.fairness < 1
    )
    assert up.fairness is ping.fairness is short.fairness is None


def test_flows_that_begin_apart_are_not_compared() -> None:
    """Who has the path for itself at first carries more: that is no unfairness."""
    (near,) = grouped(run({**DOWN, "stagger": "0.29s"}))
    (apart,) = grouped(run({**DOWN, "stagger": "0.31s"}))
    assert near.fairness is not None and apart.fairness is None and apart.apart_s == pytest.approx(0.31)


def test_together_is_all_payload_over_the_time_of_all() -> None:
    (group,) = grouped(run({**DOWN, "stagger": "2s"}))
    first, second = group.flows
    assert group.goodput_bps == pytest.approx(8 * (first["bytes"] + second["bytes"]) / (3 - first["first_data_s"]))
    assert group.goodput_bps < 20e6 < first["goodput_bps"] + second["goodput_bps"], (
        "rates over different times do not add up"
    )
    assert group.share == pytest.approx(group.goodput_bps / 20e6)


def test_routes_are_the_simulators() -> None:
    """The fewest links, and of several such routes the one whose links are listed first."""
    between = [("S", "A"), ("S", "B"), ("B", "R"), ("A", "R"), ("A", "B")]
    links = [
        {"between": [*ends], "rate": f"{10 + number}Mbps", "delay": f"{number + 1}ms"}
        for number, ends in enumerate(between)
    ]
    made = acklab.run({"link": links, "flow": [{"from": "S", "to": "R", "size": {"segments": 3}}]})
    told = made.summary()
    way = Ways(told["links"]).way("S", "R")
    assert {(link["from"], link["to"]) for link in told["links"] if link["packets"]} == {
        (link["from"], link["to"]) for link in (*way.there, *way.back)
    }
    assert (
        way.round_trip_s == pytest.approx(2 * way.one_way_s)
        and way.round_trip_s < told["flows"][0]["min_rtt_s"] < 1.3 * way.round_trip_s
    )
    assert Way.slowest(way.there)["rate_bps"] == min(link["rate_bps"] for link in way.there)
    assert Way.slowest([*way.there, {**way.back[0], "rate_bps": None}]) is None and Ways(told["links"]).way(
        "S", "nowhere"
    ) == Way((), ())


def test_thinned_series_keep_all_round_trips(shared: acklab.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows that a chart shows are extremes: percentiles of them would be wrong."""
    import polars as pl

    from acklab.plot import reading
    from acklab.plot.runs import Run

    whole = Run.of(shared).samples
    monkeypatch.setattr(reading, "WHOLE", {**reading.WHOLE, "series": 10})
    monkeypatch.setattr(reading, "CELLS", {**reading.CELLS, "series": 1})
    tables = {
        "flows": shared.flows,
        "links": shared.links,
        "series": shared.series.to_polars().lazy(),
        "scenario_toml": shared.scenario_toml(),
    }
    thinned = Run.of(tables)
    assert (
        thinned.thinned.rows
        and thinned.series.filter(pl.col("flow") == "ping").drop_nulls("rtt_s").height < whole.height
    )
    assert thinned.samples["rtt_s"].to_list() == whole["rtt_s"].to_list()


def test_a_terminal_has_what_groups_carried_in_a_table() -> None:
    made = run(DOWN, PING, LATE)
    down, ping = grouped(made)
    lines = together(made.summary(), manners(made.scenario_toml()))
    heads, carried, waited = (re.split(" {2,}", line.strip()) for line in lines[:3])
    assert heads == ["together", "Mb/s", "% of", "link", "Jain's index", "mean RTT ms"]
    assert (carried[0], carried[3]) == ("down0 and down1", "S->C") and down.goodput_bps and down.share
    assert [float(carried[place]) for place in (1, 2, 4)] == pytest.approx(
        [1e-6 * down.goodput_bps, 100 * down.share, down.fairness], rel=2e-3
    )
    assert waited[0] == "ping" and float(waited[1]) == pytest.approx(1e3 * ping.mean_rtt_s, rel=1e-3)  # type: ignore[operator]
    assert len(lines) == 5, "how to get their range, and the flow that has not begun"
