"""What changed when flows came or went in the middle of a run: the parts, their means, and the sentences."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

import acklab
from acklab.plot import prep
from acklab.plot.prep.facts import acknowledged, facts
from acklab.plot.prep.facts import moved as moved_of
from acklab.plot.runs import Run
from acklab.results.together import Change, change, groups, manners

ROOT = Path(__file__).parents[2]
LINK = {
    "between": ["S", "C"],
    "rate": "20Mbps",
    "delay": "10ms",
    "queue": {"kind": "drop-tail", "packets": 40},
    "back": {"rate": "2Mbps"},
}
DOWN = {"name": "down", "from": "S", "to": "C", "count": 2}
UP = {"name": "up", "from": "C", "to": "S", "start": "1s"}
SHORT = {**UP, "size": {"bytes": "100kB"}}
PING = {
    "name": "ping",
    "from": "C",
    "to": "S",
    "source": {"kind": "writes", "write": "64B", "every": "50ms", "times": 60},
}


def tree(*flows: dict[str, Any]) -> dict[str, Any]:
    return {"link": [LINK], "flow": copy.deepcopy([*flows]), "stop": {"at": "3s"}}


def found(*flows: dict[str, Any]) -> Change | None:
    made = acklab.run(tree(*flows))
    told = made.summary()
    return change(groups(told["flows"], told["links"], told["end_s"], manners(made.scenario_toml())), told["end_s"])


@pytest.fixture(scope="module")
def shared() -> acklab.Run:
    return acklab.run(tree(DOWN, UP, PING), record=True)


def test_a_visit_divides_the_run() -> None:
    comes, goes, both = found(DOWN, UP), found(DOWN, {**SHORT, "start": "0s"}), found(DOWN, SHORT)
    assert comes and goes and both
    assert [(part.to_s, part.visited) for part in comes.parts] == [(1.0, False), (3.0, True)]
    assert [part.visited for part in goes.parts] == [True, False] and 0.1 < goes.parts[0].to_s < 2.9
    assert [part.visited for part in both.parts] == [False, True, False] and both.parts[0].to_s == 1.0
    assert [row["name"] for group in comes.stayers for row in group.flows] == ["down0", "down1"] and comes.name == "up"
    assert comes.parts[0].from_s == pytest.approx(0.0, abs=0.1), (
        "from the first data of those that stay, as their goodput"
    )


def test_a_flow_of_the_same_group_may_come() -> None:
    made = found({**DOWN, "stagger": "1s"})
    assert made and [group.names for group in made.stayers] == ["down0"] and made.name == "down1"


def test_no_visit_is_told_where_there_is_not_one() -> None:
    assert found(DOWN) is None
    assert found(DOWN, {**UP, "start": "0.05s"}) is None, "at the very beginning"
    assert found(DOWN, {**UP, "start": "1000s"}) is None, "after the end"
    assert found(DOWN, UP, {**SHORT, "name": "more", "start": "2s"}) is None, "two visits"
    assert found(SHORT, {**SHORT, "name": "more", "start": "2s"}) is None, "nobody stays"
    assert found(DOWN, {**PING, "start": "1s"}) is None, "what writes now and then is no visitor"


def test_parts_add_up_to_the_whole(shared: acklab.Run) -> None:
    """Goodput of the parts is what the table counts: payload that the sender knows to have arrived."""
    run = Run.of(shared)
    (down,) = moved_of(run)
    assert run.change
    whole = sum(rate * (part.to_s - part.from_s) for rate, part in zip(down.rates, run.change.parts, strict=True))
    assert whole == pytest.approx(8 * sum(row["bytes"] for row in shared.summary()["flows"][:2]), rel=1e-9)
    for row in shared.summary()["flows"][:2]:
        assert acknowledged(run, row["name"])["bytes"][-1] == row["bytes"]


def kinds(run: Run) -> dict[str, list[dict[str, Any]]]:
    """The values of a run's facts, by kind."""
    told: dict[str, list[dict[str, Any]]] = {}
    for one in facts(run):
        told.setdefault(one.kind, []).append(dict(one.values))
    return told


def test_the_first_fact_is_what_changed(shared: acklab.Run) -> None:
    (down,) = moved_of(Run.of(shared))
    told = kinds(Run.of(shared))
    (fact,) = told["moved"]
    assert (fact["alone"], fact["beside"]) == down.rates and down.rates[0] > down.rates[1]
    assert (fact["visitors"], fact["from_s"], fact["to_s"]) == ("up (C→S)", 1.0, 3.0)
    assert [one["when"].replace("\xa0", " ")[-10:] for one in told["latency"]][1] == "1 s to 3 s" and len(
        told["fairness"]
    ) == 1
    assert prep.headline([Run.of(shared)])["title"].startswith("While up (C→S) sent (1")


def test_a_visit_that_ends_is_compared_with_before() -> None:
    run = Run.of(acklab.run(tree(DOWN, SHORT), record=True))
    (down,) = moved_of(run)
    (fact,) = kinds(run)["moved"]
    assert len(down.rates) == 3 and (fact["alone"], fact["beside"]) == down.rates[:2]


def test_means_say_over_what_time_they_are() -> None:
    """Two visits make no parts, so the means over the whole run say that they are."""
    made = acklab.run(tree(DOWN, UP, {**SHORT, "name": "more", "start": "2s"}), record=True)
    carried = {one["flows"]: one["when"].replace("\xa0", " ") for one in kinds(Run.of(made))["carried-of"]}
    assert carried["down0 and down1 (S→C)"] == "" and carried["up (C→S)"] == "1 s to 3 s"


def test_what_was_sent_again_without_need_is_counted() -> None:
    """An example drops 6 packets and sends 7 again: each loss needs one."""
    told = acklab.run(ROOT / "examples" / "t1.toml", record=True)
    row = told.summary()["flows"][0]
    drops = sum(link["drops"] for link in told.summary()["links"])
    assert (row["retransmits"], drops) == (7, 6)
    assert kinds(Run.of(told))["needless"] == [{"needless": 1, "retransmits": 7}]
