"""Logs of QUIC endpoints: files of every form, what they say of ACKs, and logs of simulated flows."""

from __future__ import annotations

import gzip
import html
import json
import os
import re
import shlex
import subprocess
from pathlib import Path
from random import Random
from typing import Any

import pytest

import acklab
from acklab.captures.qlog import COLUMNS, QlogError, analyze_qlog, is_qlog
from acklab.captures.qlog.connection import Direction
from acklab.captures.qlog.page import page
from acklab.results.qlog import LogError, write_logs
from front import inside

DATA = Path(__file__).parents[1] / "data" / "qlog"
EXAMPLES = Path(__file__).parents[2] / "examples" / "captures"
#: What `crates/tap/tests/qlog.rs` reads with another's parser: a flow of 12 packets, one of them lost.
SCENARIO = """
title = "twelve packets"
link = [{ between = ["S", "R"], rate = "10Mbps", delay = "10ms", loss = { list = [4] } }]
flow = [{ name = "f", from = "S", to = "R", size = { bytes = "14kB" }, sender = { stack = "quic" }, receiver = { stack = "quic" } }]
record = { packets = true, series = true }
"""


def test_a_cut_compressed_log_is_read_up_to_the_cut(tmp_path: Path) -> None:
    data = gzip.compress((DATA / "f.sender.sqlog").read_bytes())
    counts = []
    for share in (0.9, 1.0):
        (tmp_path / "x.sqlog.gz").write_bytes(data[: int(share * len(data))])
        read = analyze_qlog(tmp_path / "x.sqlog.gz")
        counts.append(sum(row["acks"] for row in read.rows))
        assert any(note.kind == "qlog-broken" for note in read.notes) == (share < 1)
    assert counts == [3, 6]


def packet(time: float, way: str, number: int, *frames: dict[str, Any], prefix: str = "quic:") -> dict[str, Any]:
    header = {"packet_type": "1RTT", "packet_number": number}
    return {
        "time": time,
        "name": f"{prefix}packet_{way}",
        "data": {"header": header, "frames": list(frames), "raw": {"length": 1200}},
    }


def ack(*ranges: list[int], delay: float = 0.0) -> dict[str, Any]:
    return {"frame_type": "ack", "ack_delay": delay, "acked_ranges": list(ranges)}


STREAM = {"frame_type": "stream", "stream_id": 0}
#: Five packets, of which 3 is missing: an ACK for two, a timer's for one after 25 ms, one at the gap.
EVENTS = [
    packet(10, "received", 0, STREAM),
    packet(11, "received", 1, STREAM),
    packet(11, "sent", 0, ack([0, 1])),
    packet(20, "received", 2, STREAM),
    packet(45, "sent", 1, ack([0, 2], delay=25)),
    packet(50, "received", 4, STREAM),
    packet(50, "sent", 2, ack([0, 2], [4])),
]
TRACE = {"vantage_point": {"type": "client"}, "event_schemas": ["urn:ietf:params:qlog:events:quic-14"]}


def whole(events: list[Any], **more: Any) -> bytes:
    return json.dumps(
        {"qlog_version": "0.3", "qlog_format": "JSON", "traces": [{**TRACE, **more, "events": events}]}
    ).encode()


def sequence(events: list[Any], separator: str = "\x1e", **more: Any) -> bytes:
    head = {"file_schema": "urn:ietf:params:qlog:file:sequential", "trace": {**TRACE, **more}}
    return "".join(f"{separator}{json.dumps(record)}\n" for record in (head, *events)).encode()


def steps(events: list[Any]) -> list[Any]:
    """The same events, with each time counted from the one before."""
    times = [0, *(event["time"] for event in events)]
    return [{**event, "time": b - a} for event, a, b in zip(events, times, times[1:], strict=False)]


OLD = [
    {**event, "name": event["name"].replace("quic:", "transport:"), "time": event["time"] + 946684800000.0}
    for event in EVENTS
]
FORMS = {
    "json": whole(EVENTS),
    "json-seq": sequence(EVENTS),
    "lines": sequence(EVENTS, ""),
    "gzip": gzip.compress(sequence(EVENTS)),
    "0.3 of a clock": whole(OLD),
    "steps": sequence(steps(EVENTS), common_fields={"time_format": "relative_to_previous_event"}),
    "deltas in microseconds": whole(
        steps([{**e, "time": e["time"] * 1e3} for e in EVENTS]),
        common_fields={"time_format": "delta"},
        configuration={"time_units": "us"},
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_each_form_says_the_same(form: str, tmp_path: Path) -> None:
    path = tmp_path / "a.qlog"
    path.write_bytes(FORMS[form])
    assert is_qlog(path)
    found = analyze_qlog(path)
    assert found.notes == []
    (row,) = found.rows
    assert (row["data"], row["packets"], row["acks"], row["new_acks"], row["ordered_acks"]) == ("received", 4, 3, 3, 2)
    assert (row["acks_of_one"], row["acks_of_two"], row["acks_of_more"], row["ranges_max"]) == (1, 1, 0, 2)
    assert row["timer_acks"] == 1 and row["timer_s"] == pytest.approx(0.025, abs=1e-6)
    assert found.acks["in_order"].to_list() == [True, True, False]
    assert found.acks["hold_s"].to_list() == pytest.approx([0.001, 0.025, 0.0], abs=1e-6)


@pytest.mark.parametrize(
    "data, why",
    [
        (b"{", "no JSON"),
        (b"{}", 'no "trace"'),
        (b'{"traces": 3}', 'no list "traces"'),
        (b'\x1e{"a": 1}\n', 'no "trace"'),
        (b"\x1e[1]\n", "no JSON object"),
        (whole([]), "no event"),
        (whole([["1", "2"]], event_fields=["a", "b"]), "lists of fields"),
        (b'{"traces": ' + b"[" * 100_000, "no JSON"),
        (gzip.compress(whole(EVENTS))[:-20], "breaks off"),
    ],
)
def test_what_is_no_log_is_refused(data: bytes, why: str, tmp_path: Path) -> None:
    path = tmp_path / "a.qlog"
    path.write_bytes(data)
    with pytest.raises(QlogError, match=why):
        analyze_qlog(path)


def test_odd_values_are_left_out(tmp_path: Path) -> None:
    odd = [
        {"time": "x", "name": "quic:packet_sent"},
        {"time": 1e400, "name": "quic:packet_sent", "data": 3},
        {"time": 5, "name": "quic:packet_sent", "data": {"header": [], "frames": {}}},
        packet(6, "received", 2**70, STREAM),
        {
            "time": 7,
            "name": "quic:recovery_metrics_updated",
            "data": {"congestion_window": "many", "latest_rtt": -(2**80)},
        },
        packet(8, "sent", 9, {"frame_type": "ack", "acked_ranges": [[5, 1], "x", [1, 2, 3], [None]]}),
        {"time": 9, "name": "quic:take", "data": {}},
    ]
    path = tmp_path / "a.sqlog"
    path.write_bytes(sequence([*odd, *EVENTS]) + b'\x1e{"time": 60, "na')
    found = analyze_qlog(path)
    assert found.rows[0]["new_acks"] == 3
    assert any(note.kind == "qlog-broken" for note in found.notes)


@pytest.mark.parametrize("name", ["packet", "phase", "latest", "_init__", "_class__", "take"])
def test_an_event_of_any_name_is_no_method(tmp_path: Path, name: str) -> None:
    path = tmp_path / "a.qlog"
    path.write_bytes(whole([{"time": 5, "name": f"quic:{name}", "data": {}}, *EVENTS]))
    assert analyze_qlog(path).rows[0]["new_acks"] == 3


def test_kinds_that_are_no_texts_are_no_kinds(tmp_path: Path) -> None:
    odd = packet(6, "received", 9, STREAM)
    odd["data"]["header"]["packet_type"] = ["1RTT"]
    lost = {"time": 7, "name": "quic:packet_lost", "data": {"header": {"packet_type": {}}}}
    path = tmp_path / "a.qlog"
    path.write_bytes(
        whole([odd, lost, packet(8, "sent", 9, {"frame_type": ["ack"]}), *EVENTS], common_fields={"group_id": "\ud800"})
    )
    row = next(row for row in analyze_qlog(path).rows if row["data"] == "received")
    assert (row["new_acks"], row["group"]) == (3, "\N{REPLACEMENT CHARACTER}"), (
        "half a surrogate pair is no text of a table"
    )


def test_damage_behind_the_beginning_is_told(tmp_path: Path) -> None:
    random = Random(1)
    more = [packet(60 + n, "received", 10 + n, {**STREAM, "x": random.random()}) for n in range(8_000)]
    packed = gzip.compress(sequence([*EVENTS, *more]), mtime=0)
    middle = len(packed) // 2
    for damaged in (
        packed[:middle] + b"\xff" * 60 + packed[middle + 60 :],
        packed[:12] + b"\xff" * 40 + packed[52:],
    ):
        path = tmp_path / "a.sqlog.gz"
        path.write_bytes(damaged)
        is_qlog(path)
        with pytest.raises(QlogError, match="damaged"):
            analyze_qlog(path)


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="the system names no open files")
def test_a_pipe_is_left_to_who_reads_captures() -> None:
    read, write = os.pipe()
    os.write(write, b"{}")
    os.close(write)
    assert not is_qlog(f"/dev/fd/{read}")
    assert os.read(read, 2) == b"{}"
    os.close(read)


def test_a_file_of_several_connections_is_divided(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlog"
    path.write_bytes(sequence([{**event, "group_id": group} for event in EVENTS for group in ("a", "b")]))
    assert [(row["group"], row["acks"]) for row in analyze_qlog(path).rows] == [("a", 3), ("b", 3)]


@pytest.mark.parametrize("name", ["aioquic.qlog.gz", "quic-go.sqlog.gz", "quinn.sqlog.gz"])
def test_logs_of_stacks_are_read_whole(name: str) -> None:
    found = analyze_qlog((EXAMPLES if name == "quic-go.sqlog.gz" else DATA) / name)
    assert len(found.notes) == 2 * (name == "quinn.sqlog.gz"), "quinn logs no frames, and round trips in seconds"
    expected = json.loads((DATA / "expected.json").read_text())[name]
    assert {
        row["data"]: [row[column] for column in ("packets", "eliciting", "acks", "usual_packets", "lost")]
        for row in found.rows
    } == expected


def test_a_simulated_log_says_what_the_run_did(tmp_path: Path) -> None:
    run = acklab.run(SCENARIO)
    paths = write_logs(run, tmp_path)
    assert [path.name for path in paths] == ["f.sender.sqlog", "f.receiver.sqlog"]
    for path in paths:
        assert path.read_bytes() == (DATA / path.name).read_bytes(), "tests/data/qlog is of another version"
    flow = run.summary()["flows"][0]
    sent = next(row for row in analyze_qlog(paths[0]).rows if row["data"] == "sent")
    received = next(row for row in analyze_qlog(paths[1]).rows if row["data"] == "received")
    assert sent["packets"] == flow["segments_sent"] - flow["syns_sent"] == received["packets"] + 1
    # The answer to the SYN is no ACK frame.
    assert sent["acks"] == received["acks"] == flow["acks_received"] - flow["syns_sent"]
    assert received["ranges_max"] == 2, "the lost packet leaves a gap"
    assert sent["rtt_min_s"] == pytest.approx(flow["min_rtt_s"], rel=1e-3)
    assert flow["retransmits"] > 0 and sent["lost"] is None, (
        "the log has no losses, so it does not say that there were none"
    )


def test_round_trips_are_not_called_holds(tmp_path: Path) -> None:
    sender, receiver = (analyze_qlog(DATA / f"f.{side}.sqlog") for side in ("sender", "receiver"))
    shown = page(sender)
    head = re.search(r"held at most.*?</tr>.*?</tr>", shown, re.S).group()
    cells = dict(re.findall(r'data-head="(.*?)">(.*?)</td>', head))
    assert cells["held at most"] == "–", cells


def test_a_long_log_keeps_some_packets_for_the_chart_and_all_bytes() -> None:
    way = Direction("sent")
    for number in range(20_000):
        way.packet(number * 1e-3, number, True, 100)
    assert 2_000 <= len(way.drawn) <= 4_000
    assert sum(size for *_, size in way.drawn) == pytest.approx(2_000_000, rel=0.01)
    assert {b[1] - a[1] for a, b in zip(way.drawn, way.drawn[1:], strict=False)} == {way.step}


def test_a_run_without_packets_has_no_log(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="packets = true"):
        write_logs(acklab.run(SCENARIO.replace("packets = true, ", "")), tmp_path)


def test_the_command_reads_and_writes(tmp_path: Path) -> None:
    def command(*words: str) -> subprocess.CompletedProcess[str]:
        return inside(*words, cwd=tmp_path)

    (tmp_path / "a.toml").write_text(SCENARIO.replace("record = { packets = true, series = true }\n", ""))
    assert command("run", "a.toml", "--out", "out", "--qlog").returncode == 0
    made = re.search(r'<code id="command">(.*?)</code>', (tmp_path / "out" / "report.html").read_text()).group(1)
    again = command(*shlex.split(html.unescape(made))[1:])
    assert made == "acklab run a.toml" and again.returncode == 0, "the page's command runs as printed"
    shown = command("analyze", "out/f.receiver.sqlog", "--out", "found")
    assert shown.returncode == 0 and "packets an ACK" in shown.stdout
    assert (tmp_path / "found" / "analysis.html").is_file() and (tmp_path / "found" / "acks.parquet").is_file()
    assert json.loads(command("analyze", "out/f.sender.sqlog", "--json").stdout)["connections"]
    (tmp_path / "bad.qlog").write_text("{}")
    assert command("analyze", "bad.qlog").returncode == 2
    assert command("run", "a.toml", "--qlog").returncode == 2
    assert command("analyze", "out/f.sender.sqlog", "--only", ":80").returncode == 2


def test_the_reference_has_each_column() -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "analysis.md").read_text(encoding="utf-8")
    rows = [f"| `{name}` | {meaning} |" for name, meaning in COLUMNS.items()]
    assert "\n".join(rows) in page


def test_one_text_of_json_has_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("acklab.captures.qlog.reading.MOST_TEXT", 1 << 20)
    (tmp_path / "large.qlog").write_text('{"qlog_version": "0.3", "traces": [' + " " * (1 << 20) + "]}")
    with pytest.raises(QlogError, match="more than 1 MiB"):
        analyze_qlog(tmp_path / "large.qlog")


@pytest.mark.skipif(
    "ACKLAB_QLOG_CDDL" not in os.environ, reason="the drafts' CDDL is not in the repository: ACKLAB_QLOG_CDDL=FILE"
)
def test_the_drafts_schema_accepts_simulated_logs() -> None:
    cddl = pytest.importorskip("cddl_verifier")
    # JSON's numbers have no width.
    schema = cddl.Validator(
        Path(os.environ["ACKLAB_QLOG_CDDL"]).read_text().replace("float64", "float").replace("float32", "float")
    )
    kinds = {
        "packet_sent": "QUICPacketSent",
        "packet_received": "QUICPacketReceived",
        "recovery_metrics_updated": "QUICRecoveryMetricsUpdated",
        "congestion_state_updated": "QUICCongestionStateUpdated",
    }
    for name in ("f.sender.sqlog", "f.receiver.sqlog"):
        head, *events = map(json.loads, (DATA / name).read_text().split("\x1e")[1:])
        assert schema.validate(cddl.cbor.encode(head), "QlogFileSeq")
        for event in events:
            assert schema.validate(cddl.cbor.encode(event), "Event"), event
            assert schema.validate(cddl.cbor.encode(event["data"]), kinds[event["name"].removeprefix("quic:")]), event
