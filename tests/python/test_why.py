"""``acklab why``: rows worked out by hand, causes that hide each other, chance that is no cause, and the declarations behind them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import acklab
from acklab import _core, cli
from acklab.results.findings import EQUIVALENT, UNDECIDED
from acklab.study.grammar import CompareError
from acklab.study.neutral import changed, mechanisms, word
from acklab.study.why import ALL, ALL_OF_THESE, ALONE, AS_IT_IS, NUDGED, PLACEBO, WITHOUT, Why
from acklab.text.input import loads
from front import inside as command

ROOT = Path(__file__).parents[2]
DONE = {"when": "flows-complete"}
EVERY = {"ack": {"policy": "every"}}
PAUSE = {"kind": "pause", "at": ["100ms"], "length": "3s"}


def link(rate: str, delay: str, *, ends: tuple[str, str] = ("S", "R"), **keys: Any) -> dict[str, Any]:
    return {"between": list(ends), "rate": rate, "delay": delay, **keys}


def flow(segments: int, name: str = "f", **keys: Any) -> dict[str, Any]:
    return {"name": name, "from": "S", "to": "R", "size": {"segments": segments}, **keys}


def tail(packets: int, **keys: Any) -> dict[str, Any]:
    return {"kind": "drop-tail", "packets": packets, **keys}


def change(result: Why, situation: str, case: str, place: int = 0) -> float:
    row = result.finding(situation, case, place)
    assert row is not None and row.change is not None
    return row.change


def placebo(result: Why) -> str:
    row = result.finding(PLACEBO, NUDGED)
    assert row is not None
    return row.verdict


def test_flows_of_a_table_start_apart() -> None:
    """Five equal flows share a queue: which of them gets how much is chance, and no mechanism is its cause."""
    group = {**flow(0, count=5), "size": "unlimited"}
    bottleneck = link("8Mbps", "20ms", queue=tail(60))
    expected = [{"flow": "f1", "at": "1s", "what": "state", "equals": "slow-start"}]
    result = acklab.why(dict(stop={"at": "6s"}, link=[bottleneck], flow=[group], expect=expected), metric="goodput@f1")
    values = [numbers[0] for (case, _), numbers in result.values.items() if case == AS_IT_IS]
    assert max(values) > 1.1 * min(values)
    assert result.named == [] and placebo(result) == UNDECIDED


# ---- rows by hand ----------------------------------------------------------------------------------------------------
def test_a_window_that_is_too_small() -> None:
    """8 segments a round trip of 100 ms: 25 round trips. Without it slow start sends 10, 20, 40, 80 and 50 segments: 5."""
    result = acklab.why(
        dict(stop=DONE, link=[link("100Mbps", "50ms")], flow=[flow(200, sender={"window": 8}, receiver=EVERY)])
    )
    assert result.named == ["f sender.window 8"] and placebo(result) == EQUIVALENT
    row = result.finding(WITHOUT, "f sender.window 8")
    assert row is not None and row.value is not None
    assert row.base_value == pytest.approx(25 * 0.1007, rel=0.01) and row.value == pytest.approx(5 * 0.1007, rel=0.02)
    # Alone it is the same limit: all others were no limit.
    assert change(result, ALONE, "f sender.window 8") == pytest.approx(-1 + 1 / (1 + row.change), rel=0.01)  # type: ignore[operator]
    assert change(result, ALL, ALL_OF_THESE) == pytest.approx(row.change or 0.0, abs=1e-3)


def test_delayed_acks_at_a_window_of_one_segment() -> None:
    """Each of 40 segments waits for the receiver's timer: 200 ms beside a round trip of 11 ms."""
    receiver = {"ack": {"policy": "delayed", "timer": "200ms"}}
    result = acklab.why(
        dict(stop=DONE, link=[link("10Mbps", "5ms")], flow=[flow(40, sender={"window": 1}, receiver=receiver)])
    )
    base = result.finding(WITHOUT, "f receiver.ack delayed")
    assert (
        base is not None
        and base.base_value == pytest.approx(40 * 0.211, rel=0.02)
        and base.value == pytest.approx(40 * 0.0115, rel=0.05)
    )
    # Both together make it: without either it is gone, and delayed ACKs alone cost nothing at a larger window.
    assert result.named == ["f sender.window 1", "f receiver.ack delayed"]
    assert result.only_alone == []


def test_random_loss() -> None:
    result = acklab.why(
        dict(stop=DONE, link=[link("10Mbps", "20ms", loss={"rate": 0.03})], flow=[flow(400, receiver=EVERY)])
    )
    assert result.named == ["S->R loss rate"]
    assert change(result, WITHOUT, "S->R loss rate") < -0.4
    retransmissions = result.finding(WITHOUT, "S->R loss rate", 2)
    assert retransmissions is not None and retransmissions.value == 0 and (retransmissions.base_value or 0) > 8
    assert placebo(result) == UNDECIDED  # other losses each time


def test_an_ack_filter_that_is_too_greedy() -> None:
    """Three segments follow the lost one. Where their ACKs wait, the filter leaves the newest: a timeout tells, not a third duplicate."""
    queue = tail(100, filter={"kind": "static", "threshold": 1})
    sender = {"stack": "ns2-1998", "recovery": "newreno", "packet": 1000, "window": 30}
    path = link("10Mbps", "20ms", loss={"list": [96]}, back={"rate": "300kbps", "queue": queue})
    receiver = {"stack": "ns2-1998", **EVERY}
    result = acklab.why(dict(stop=DONE, link=[path], flow=[flow(100, sender=sender, receiver=receiver)]))
    assert {"S->R loss list", "R->S queue.filter static"} <= {*result.named}
    without = result.finding(WITHOUT, "R->S queue.filter static")
    assert (
        without is not None
        and without.value == pytest.approx(0.385, rel=0.02)
        and without.base_value == pytest.approx(0.685, rel=0.02)
    )


def test_two_causes_that_hide_each_other() -> None:
    """Two pauses at one time: without one the other stays, but each alone costs its 3 s."""
    links = [link("10Mbps", "10ms", ends=ends, stages=[PAUSE]) for ends in (("S", "G"), ("G", "R"))]
    result = acklab.why(dict(stop=DONE, link=links, flow=[flow(400, receiver=EVERY)]))
    pauses = ["S->G stages.0 pause", "G->R stages.0 pause"]
    assert result.named == [] and result.only_alone == pauses
    for name in pauses:
        row = result.finding(ALONE, name)
        assert row is not None and row.value is not None and row.base_value is not None
        assert row.value - row.base_value == pytest.approx(3.3, abs=0.3)
        without = result.finding(WITHOUT, name)
        assert without is not None and without.verdict == EQUIVALENT
    assert change(result, ALL, ALL_OF_THESE) == pytest.approx(-0.856, abs=0.01)


CHAOS = {
    "eight": dict(
        queue=tail(60),
        flow=[flow(10**6, count=8, receiver=EVERY, sender={"stack": "ns2-1998", "packet": 1000, "window": 100})],
    ),
    "two": dict(
        queue=tail(40),
        flow=[flow(10**6, name, receiver=EVERY, start=start) for name, start in (("f", "0s"), ("g", "1s"))],
    ),
}


@pytest.mark.parametrize("name", CHAOS)
def test_chance_is_no_cause(name: str) -> None:
    """Each packet is a little late at random, so that the flows' drops differ; the link stays full, whatever they do."""
    scenario = CHAOS[name]
    path = link("5Mbps", "20ms", queue=scenario["queue"], stages=[{"kind": "jitter", "mean": "1ms"}])
    result = acklab.why(dict(stop={"at": "30s"}, link=[path], flow=scenario["flow"]), metric="goodput@*")
    assert result.named == [] and result.only_alone == []
    assert {cause.name for cause in result.causes if cause.used} >= {"S->R stages.0 jitter"}
    drops = {json.dumps(values) for (case, _), values in result.values.items() if case == "as it is"}
    assert len(drops) > 10, "the nudges change the run"


def test_cross_traffic_is_a_mechanism_and_each_flow_has_a_column() -> None:
    path = link("5Mbps", "20ms", queue=tail(40))
    flows = [
        flow(10**6, name, receiver=EVERY, start=start) for name, start in (("f", "0s"), ("g", "0s"), ("h", "100s"))
    ]
    result = acklab.why(dict(stop={"at": "20s"}, link=[path], flow=flows))
    assert [one.name for one in result.metrics] == ["goodput of f", "p95 RTT", "retransmissions", "goodput of g"]
    assert result.named[0] == "flow g" and change(result, WITHOUT, "flow g") > 0.5
    assert "flow f" not in [cause.name for cause in result.causes]
    # The third flow begins after the end: it has no column, and none of its mechanisms is used.
    assert {cause.name for cause in result.causes if cause.used and cause.name.startswith(("flow h", "h "))} == set()
    both = acklab.why(dict(stop={"at": "5s"}, link=[path], flow=flows), metric="goodput@*")
    assert len(both.metrics) == 3 and not [cause for cause in both.causes if cause.name.startswith("flow")]


def test_what_does_not_go_together_is_named() -> None:
    """A policy of QUIC goes with its sender's packet numbers, so `every` does not."""
    ends: dict[str, Any] = {"sender": {"stack": "quic"}, "receiver": {"stack": "quic"}}
    result = acklab.why(dict(stop=DONE, link=[link("10Mbps", "20ms")], flow=[flow(50, **ends)]))
    assert result.impossible[WITHOUT, "f receiver.ack quic"] == "flow[0].sender.recovery.packet_numbers"
    assert "not possible: flow[0].sender.recovery.packet_numbers" in str(result)
    assert result.finding(ALL, ALL_OF_THESE) is not None, "the others are neutral together"


def test_other_values_of_rules() -> None:
    sender = {"stack": "ns2-1998", "recovery": "newreno", "packet": 1000}
    receiver = {"ack": {"policy": "delayed", "timer": "400ms"}}
    result = acklab.why(
        dict(stop=DONE, link=[link("10Mbps", "20ms")], flow=[flow(10, sender=sender, receiver=receiver)]), values=True
    )
    keys = {cause.change.key for cause in result.causes}
    assert {
        "flow.0.sender.recovery",
        "flow.0.receiver.ack",
        "flow.0.sender.syn",
        "flow.0.sender.recovery.frto",
    } - keys == {"flow.0.sender.recovery.frto"}
    assert "f receiver.ack every" in result.named and "f sender.recovery sack" not in result.named
    assert change(result, "instead", "f receiver.ack every") == pytest.approx(
        change(result, "instead, other nudges", "f receiver.ack every"), abs=0.02
    )


# ---- declarations ----------------------------------------------------------------------------------------------------
def neutral(text: str | dict[str, Any], end_s: float = 10.0) -> tuple[Any, dict[str, Any], list[str]]:
    """The expanded scenario, what each mechanism becomes, and what has no neutral value."""
    tree = loads(_core.expanded(text if isinstance(text, str) else json.dumps(text)))
    changes, without = mechanisms(tree, [0], end_s)
    return tree, {change.label: change.new for change in changes}, without


def test_each_mechanism_becomes_neutral() -> None:
    queue = {"kind": "red", "packets": 30, "filter": {"kind": "static", "threshold": 2}}
    cake = {"kind": "cake", "bandwidth": "8Mbps", "ack_filter": "aggressive"}
    stages = [{"kind": "jitter", "mean": "4ms", "most": "8ms"}, {"kind": "thin", "every": 2, "hold": "5ms"}]
    table = {"kind": "table", "rows": [["0s", "1Mbps"], ["2s", "0bps"], ["4s", "3Mbps"]]}
    links = [
        link("2Mbps", "1ms", ends=("S", "A"), queue=queue, loss={"rate": 0.1}, stages=stages),
        link(
            "9Mbps",
            "1ms",
            ends=("A", "B"),
            queue=cake,
            back={"rate": table, "queue": {"kind": "docsis-pie", "buffer": "9kB"}},
        ),
        link("1Mbps", "1ms", ends=("B", "R"), back={"rate": {"kind": "mahimahi", "milliseconds": [1, 2, 3, 4]}}),
    ]
    sender = {
        "sequence": {"kind": "bytes", "nagle": "on"},
        "pacing": "spread",
        "fault": "no-backoff",
        "idle_restart": "linux",
        "window": 9,
    }
    receiver = {"ack": {"policy": "spoof"}}
    flows = [
        flow(9, sender=sender, receiver=receiver),
        flow(9, "g", receiver=EVERY, sender={"idle_restart": "off", "window": "1GB"}),
    ]
    _, found, without = neutral(dict(stop={"at": "10s"}, link=links, flow=flows))
    unlimited, none = {"packets": 10**9}, None
    assert found == {
        "S->A queue": tail(30, filter=found["S->A queue"]["filter"]),
        "S->A queue.packets": unlimited["packets"],
        "S->A queue.filter": none,
        "A->S queue": tail(30, filter=found["S->A queue"]["filter"]),
        "A->S queue.packets": unlimited["packets"],
        "A->S queue.filter": none,
        "S->A loss": none,
        "S->A stages.0": {"kind": "jitter", "mean": "1000000000s", "most": "0.004000000000s"},
        "S->A stages.1": none,
        # 4 MiB at least; a filter of its own becomes the queue's.
        "A->B queue": {"kind": "drop-tail", "bytes": "4194304B", "filter": {"kind": "cake", "aggressive": True}},
        "A->B queue.ack_filter": "off",
        "B->A queue": {"kind": "drop-tail", "waiting_bytes": "9000B"},
        "B->A queue.buffer": "1000GB",
        "B->A rate": "2000000.000000bps",  # 2 Mb in 2 s, nothing, 18 Mb in 6 s
        "B->R queue.packets": unlimited["packets"],
        "R->B queue.packets": unlimited["packets"],
        "R->B rate": "12000000.000000bps",  # 1500 bytes a millisecond
        "f sender.sequence.nagle": "off",
        "f sender.window": "1GB",
        "f sender.idle_restart": "off",
        "f sender.pacing": "off",
        "f sender.fault": "none",
        "f receiver.ack": "every",
        "flow g": none,
    }  # fmt: skip
    assert without == ["rate", "delay", "initial_window", "recovery", "control", "initial_rto", "min_rto", "max_rto"]


@pytest.mark.parametrize(
    "path",
    sorted((ROOT / "examples").glob("*.toml")) + sorted((ROOT / "examples" / "access").glob("*.toml")),
    ids=lambda path: path.stem,
)
def test_every_neutral_value_of_an_example_is_one(path: Path) -> None:
    text = path.read_text()
    if "link]" not in text and "wlan]" not in text and "topology]" not in text:
        pytest.skip("a plan")
    tree = loads(_core.expanded(text, file=path.name))
    changes, _ = mechanisms(tree, range(len(tree["flow"])), 10.0)
    assert changes
    for each in [[one] for one in changes] + [changes]:
        _core.expanded(json.dumps(changed(tree, each)))


def test_the_means_of_random_delays() -> None:
    """Of a jitter that is never cut, and of one cut at its mean: 1 - 1/4, 1 - 1/e, 1/2."""
    for kind, whole, cut in (("uniform", 1.0, 0.75), ("exponential", 1.0, 0.632121), ("pareto", 1.0, 0.5)):
        for keys, mean in (({}, whole), ({"most": "10ms"}, cut)):
            stage = {"kind": "jitter", "mean": "10ms", "distribution": kind, **keys}
            _, found, _ = neutral(dict(stop={"at": "1s"}, link=[link("1Mbps", "1ms", stages=[stage])], flow=[flow(1)]))
            assert float(found["S->R stages.0"]["most"][:-1]) == pytest.approx(0.01 * mean, rel=1e-5)


def test_a_mechanism_that_was_not_used_gives_the_same_bytes() -> None:
    """Three queues that never fill, and a restart after idle times of a flow that is never idle; the others change the run."""
    tree = loads(_core.expanded((ROOT / "examples" / "allman1998.toml").read_bytes(), file="allman1998.toml"))

    def run(tree: Any) -> str:
        return _core.Simulation(json.dumps(tree), sets=["record.packets=true"]).run().json(True)

    base, changes = run(tree), mechanisms(tree, [0], 2.0)[0]
    same = [change.key for change in changes if run(change.put(tree)) == base]
    unused = [
        "link.0.queue.packets",
        "link.0.back.queue.packets",
        "link.1.back.queue.packets",
        "flow.0.sender.idle_restart",
    ]
    assert same == [*unused[:2], "link.1.queue.packets", *unused[2:]]
    # The window keeps the bottleneck's queue from its limit: alone, the limit is used.
    result = acklab.why(ROOT / "examples" / "allman1998.toml")
    assert [cause.change.key for cause in result.causes if not cause.used] == unused
    assert result.only_alone == ["G->R queue.packets 22"]


# ---- the verb --------------------------------------------------------------------------------------------------------
def test_the_same_command_gives_the_same_bytes(tmp_path: Path) -> None:
    file = str(ROOT / "examples" / "allman1998.toml")
    for out, threads in (("one", "1"), ("three", "3")):
        assert command("why", file, "--out", out, "--threads", threads, cwd=tmp_path).returncode == 0
    names = sorted(path.name for path in (tmp_path / "one").iterdir() if path.is_file())
    assert names == [
        "acklab.json",
        "causes.parquet",
        "findings.parquet",
        "runs.parquet",
        "scenario.toml",
        "why.html",
        "why.json",
    ]
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "three" / name).read_bytes(), name
    told = json.loads(command("why", file, "--json", cwd=tmp_path).stdout)
    assert told == json.loads((tmp_path / "one" / "why.json").read_text())
    assert told["named"] == ["f sender.window 40", "f receiver.ack delayed"] and told["runs"] == 170


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--nudges", "5"], "nudges: 5 is not from 10 to 1,000"),
        (["--metric", "completion@x"], "no flow `x`; there are f"),
        (["--metric", "speed"], "no quantity `speed`"),
        (["--set", "flow.0.size.segments=0"], "flow[0].size"),
        (["--fresh"], "--fresh goes with --out DIR"),
    ],
)
def test_mistakes_are_explained(arguments: list[str], words: str, tmp_path: Path) -> None:
    done = command("why", str(ROOT / "examples" / "allman1998.toml"), *arguments, cwd=tmp_path)
    assert done.returncode == 2 and words in done.stderr and "Traceback" not in done.stderr


def test_nothing_to_ask_is_an_error() -> None:
    scenario = dict(
        stop=DONE,
        link=[link("1Mbps", "1ms", queue=tail(10**9))],
        flow=[flow(1, sender={"window": "1GB", "idle_restart": "off"}, receiver=EVERY)],
    )
    with pytest.raises(CompareError, match="no mechanism is active"):
        acklab.why(scenario)


def test_a_run_is_asked_as_its_scenario_is() -> None:
    run = acklab.run(ROOT / "examples" / "allman1998.toml")
    result = acklab.why(run, set={"flow.f.size.segments": 100})
    assert result.named and "changed: flow.f.size.segments=100" in result.title
    table = result.report().tables[0]
    assert [row[0] for row in table.rows][-2:] == [NUDGED, ALL_OF_THESE] and len(table.heads) == 5
    assert len(result.to_polars()) == len(result.findings) == 3 * result.family
    assert word({"policy": "delayed", "timer": "1s"}) == "delayed"


def test_the_page_of_a_short_run_has_its_causes_and_that_of_a_long_one_the_command(tmp_path: Path) -> None:
    for name, segments in (("short", 40), ("again", 40), ("long", 9000)):
        sets = ["--set", f"flow.f.size.segments={segments}", "--out", str(tmp_path / name)]
        assert cli.main(["run", str(ROOT / "examples" / "allman1998.toml"), *sets]) == 0
    pages = [(tmp_path / name / "report.html").read_text("utf-8") for name in ("short", "again", "long")]
    asks, row = "acklab why scenario.toml", ">f receiver.ack delayed</td>"
    assert [row in page for page in pages] == [True, True, False] and [asks in page for page in pages] == [
        False, False, True,
    ]  # fmt: skip
    assert pages[0].replace("/short", "/again") == pages[1]


def test_rows_of_a_capture_are_what_it_determines(tmp_path: Path) -> None:
    """The window of 12 segments limits, and the capture shows it; not so the queue, which holds nothing."""
    links = [link("100Mbps", "1ms", ends=("S", "G")), link("10Mbps", "20ms", ends=("G", "R"))]
    ends: dict[str, Any] = {"sender": {"stack": "linux", "window": 12}, "receiver": {"stack": "linux"}}
    run = acklab.run(dict(stop=DONE, link=links, flow=[flow(1000, **ends)]), record=["packets"])
    found = acklab.fit(run.capture("S->G@S", path=tmp_path / "s.pcap"))
    assert found.bad is None
    for result in (acklab.why(found), acklab.why(tmp_path / "s.pcap")):
        assert [cause.change.key for cause in result.causes] == ["flow.0.sender.window"]
        assert result.named == [result.causes[0].name]
        assert "The capture does not determine, so no row has: rate, queue" in result.text
    short = acklab.fit(ROOT / "examples" / "captures" / "linux-receiver.pcap")
    with pytest.raises(
        acklab.StudyError, match="linux-receiver.pcap: the fit is not accepted: fitted to its first half"
    ):
        acklab.why(short)
