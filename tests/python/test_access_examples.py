"""The access links of `examples/access`: every filter in both situations, and a recommendation that holds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import acklab
from acklab.cli.examples import PATHS
from acklab.study.compare import Comparison, compare, from_file
from front import Acklab

ACCESS = Path(__file__).parents[2] / "examples" / "access"
LINKS = ("dsl", "lte", "cable", "satellite")


def test_every_link_is_compared_by_the_same_file() -> None:
    assert sorted(path.stem for path in ACCESS.glob("*.toml")) == sorted(
        [*PATHS, "filters", "modem", "queues", "router", "tune", "uploads"]
    ) and {*LINKS} < {*PATHS}
    told = from_file(ACCESS / "filters.toml")
    names = [case.name for case in told["cases"]]
    assert names == ["no filter", "static 1", "delayed", "per connection", "CAKE-style", "fair queues only"]
    assert [case.name for case in told["situations"]] == ["downloads alone", "with an upload"]
    assert [metric.name for metric in told["metrics"]] == ["download", "upload", "latency", "ACK share", "ACK overhead"]


@pytest.mark.parametrize("link", ("dsl", "cable"))
def test_a_filter_within_turns_is_what_helps(link: str) -> None:
    scenario = (ACCESS / f"{link}.toml").read_bytes()
    plan = from_file(ACCESS / "filters.toml")
    cases = [case for case in plan["cases"] if case.name in ("no filter", "static 1", "CAKE-style")]
    told = compare(Comparison(scenario, link, **{**plan, "cases": cases, "seeds": 2}))
    alone, busy = told.rankings
    for ranking in told.rankings:
        assert all(row.samples["download"] is not None for row in ranking.rows)
    means = {row.case: {name: one.value for name, one in row.samples.items() if one} for row in busy.rows}
    best, base = means["CAKE-style"], means["no filter"]
    assert best["download"] > base["download"] and best["upload"] > base["upload"]
    assert best["latency"] < base["latency"] and best["ACK share"] < base["ACK share"]
    assert means["static 1"]["download"] < 0.8 * best["download"], (
        "one queue with the upload: erasing ACKs is not enough"
    )
    assert "upload" not in [name for name, one in alone.best.samples.items() if one]


@pytest.mark.parametrize("path", [path for path in PATHS if not path.startswith("wifi")])
def test_a_modem_is_asked_about_one_thing_at_a_time(path: str) -> None:
    """Filters with the same queue, queues with the same filter, and one buffer."""
    told = Comparison((ACCESS / f"{path}.toml").read_bytes(), path, **from_file(ACCESS / "modem.toml"))
    told.check()
    queues = {
        case: tree["link"][1]["back"]["queue"]
        for (situation, case), tree in told.trees().items()
        if situation == "with an upload"
    }
    assert len({queue.get("bytes", queue.get("buffer")) for queue in queues.values()}) == 1
    filters = {case: queue.get("filter", {}).get("kind") for case, queue in queues.items()}
    assert [kind for case, kind in filters.items() if case.startswith("FIFO")] == [None, "static", "delayed", "cake"]
    assert [kind for case, kind in filters.items() if case.startswith("DOCSIS-PIE")] == [None, "static", "cake"]


def test_an_upload_is_alone_and_beside_downloads() -> None:
    """Alone its ACKs come down, where no filter of the uplink meets them."""
    plan = from_file(ACCESS / "uploads.toml")
    told = compare(
        Comparison(
            (ACCESS / "docsis30.toml").read_bytes(), "docsis30", **{**plan, "cases": plan["cases"][:2], "seeds": 2}
        )
    )
    alone, beside = told.rankings
    assert all(row.samples["download"] is None for row in alone.rows)
    assert alone.rows[0].samples["upload"] == alone.rows[1].samples["upload"]
    assert beside.row("FIFO").samples["upload"].value < alone.row("FIFO").samples["upload"].value
    assert beside.row("FIFO, static 1").samples["download"].value < beside.row("FIFO").samples["download"].value


def test_a_path_without_downloads_has_an_upload_alone(acklab_command: Acklab) -> None:
    flows = acklab.run(path="dsl", downloads=0, upload="0s", set={"stop.at": "1s"}).summary()["flows"]
    assert {flow["name"] for flow in flows if flow["bytes"]} == {"up", "ping"}
    done = acklab_command(
        "run", "--path", "dsl", "--set", "downloads=0", "--set", "upload=0s", "--set", "stop.at=1s", "--json"
    )
    assert json.loads(done.stdout)["flows"] == flows


def test_cake_is_compared_with_and_without_its_filter_at_each_target() -> None:
    told = Comparison((ACCESS / "docsis30.toml").read_bytes(), "docsis30", **from_file(ACCESS / "queues.toml"))
    queues = [
        tree["link"][1]["back"]["queue"]
        for (situation, _), tree in told.trees().items()
        if situation == "with an upload"
    ]
    cakes = {(queue["rtt"], queue["ack_filter"]) for queue in queues if queue["kind"] == "cake"}
    assert cakes == {("0.1s", "off"), ("0.1s", "on"), ("0.4s", "off"), ("0.4s", "on")}


@pytest.mark.parametrize("path", [path for path in PATHS if not path.startswith("wifi")])
def test_queues_are_compared_on_every_path(path: str) -> None:
    told = Comparison((ACCESS / f"{path}.toml").read_bytes(), path, **from_file(ACCESS / "queues.toml"))
    told.check()
    trees = told.trees()
    assert len(trees) == 16
    tree = trees["with an upload", "CAKE in both directions"]
    access = tree["link"][1]
    assert (access["queue"]["kind"], access["back"]["queue"]["ack_filter"]) == ("cake", "on")
    assert next(flow for flow in tree["flow"] if flow["name"] == "up")["start"] == "0s"


def test_a_target_below_the_grants_delay_costs_an_upload() -> None:
    """A packet waits 6 ms for its grant, so a target of 5 ms is never met (docs/howto/which-queue.md)."""
    text = (ACCESS / "docsis30.toml").read_text()
    uploads = []
    for rtt in ("100ms", "400ms"):
        sets = {"link.1.back.queue": {"kind": "cake", "rtt": rtt}, "flow.up.start": "0s", "flow.down.start": "1000s"}
        flows = acklab.run(text, **sets).summary()["flows"]
        uploads.append(next(flow for flow in flows if flow["name"] == "up")["goodput_bps"])
    assert uploads[0] < 2e6 < 9e6 < uploads[1]
