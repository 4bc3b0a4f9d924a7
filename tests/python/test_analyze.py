"""`acklab analyze`: what it prints, writes and refuses; and the simulator's eyes on a capture."""

from __future__ import annotations

import fcntl
import gzip
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import acklab
from acklab import _core
from acklab.captures.annotate import annotated, comments
from acklab.captures.charts import _bands, _layers
from acklab.captures.text import as_text, facts, notes, ordered, share_table, shares, trip
from acklab.text.numbers import NB
from front import COMMAND
from front import inside as command


def damaged(packed: bytes) -> bytes:
    """The same with a wrong checksum."""
    return packed[:-8] + bytes([packed[-8] ^ 1]) + packed[-7:]


CAPTURE = Path(__file__).parents[2] / "examples" / "captures" / "linux-receiver.pcap"


def test_json_is_one_object_a_file_with_the_documented_columns() -> None:
    done = command("analyze", CAPTURE, CAPTURE, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert len(lines) == 2 and lines[0] == lines[1]
    told: dict[str, Any] = json.loads(lines[0])
    assert list(told) == ["file", "connections", "length_s", "packets", "start_s", "findings", "faults"]
    assert told["packets"]["tcp"] == told["packets"]["packets"] == 130
    assert list(told["connections"][0]) == [column["name"] for column in _core.columns("connections")]


def test_out_leaves_tables_and_a_page_that_asks_for_nothing(tmp_path: Path) -> None:
    done = command("analyze", CAPTURE, "--out", tmp_path / "found")
    assert done.returncode == 0 and "written to" in done.stdout
    for name in ("connections", "throughput", "acks", "segments"):
        frame = pl.read_parquet(tmp_path / "found" / f"{name}.parquet")
        assert frame.columns == [column["name"] for column in _core.columns(name)]
    page = (tmp_path / "found" / "analysis.html").read_text()
    charts = json.loads(re.search(r'id="manifest">(.*?)</script>', page).group(1))["charts"]
    assert [chart["id"] for chart in charts] == ["limits", "sequence", "throughput", "flight", "delay"]
    assert page.count('<figure class="plot"') == 1
    by = {chart["id"]: chart for chart in charts}
    assert [role["key"] for role in by["throughput"]["roles"]] == ["goodput"], (
        "no bottleneck was found, so none is in the legend"
    )
    assert "edge" in [layer["key"] for layer in by["sequence"]["layers"]]
    rows = pl.read_parquet(tmp_path / "found" / "connections.parquet").rows(named=True)
    assert rows[0]["window_limit_max_bytes"] == 56_320, "the window that stopped the sender, not the largest"
    acks = pl.read_parquet(tmp_path / "found" / "acks.parquet").filter(direction=0)
    segments = pl.read_parquet(tmp_path / "found" / "segments.parquet").filter(direction=0)
    row = acklab.analyze(CAPTURE).rows()[0]
    edge = _layers(row, acks, segments)["sequence edge"]
    assert edge["value"].is_sorted() and edge["value"][-1] == 120_002 + 81_920
    passed = segments.with_columns(end=pl.col("seq_bytes").cast(pl.Int64) + pl.col("payload_bytes")).join_asof(
        edge.with_columns(pl.col("time_s")), on="time_s"
    )
    assert (passed["end"] <= passed["value"]).all(), "no segment passes the edge"
    both = tmp_path / "both"
    other = tmp_path / "other.pcap"
    other.write_bytes(CAPTURE.read_bytes())
    assert command("analyze", CAPTURE, other, "--out", both, "--json").returncode == 0
    assert sorted(path.name for path in both.iterdir()) == ["linux-receiver", "other"]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "empty: not one byte"),
        (b"GIF", "neither pcap, pcapng nor snoop"),
        (b"GIF89a" * 10, "neither pcap, pcapng nor snoop"),
        (b"\xfd7zXZ\x00" + bytes(20), "compressed by xz, which is not read: unpack it first"),
        (gzip.compress(b"", mtime=0), r"empty: not one byte, where .* \(in what gzip unpacks\)"),
        (gzip.compress(b"GIF89a" * 10, mtime=0), r"neither pcap, pcapng nor snoop \(in what gzip unpacks\)"),
        (gzip.compress(CAPTURE.read_bytes(), mtime=0)[:40], r"breaks off at byte \d+ \(in what gzip unpacks\)"),
        (damaged(gzip.compress(CAPTURE.read_bytes()[:24], mtime=0)), "its gzip data are damaged, "),
        (CAPTURE.read_bytes()[:10], "breaks off at byte 10"),
        (CAPTURE.read_bytes()[:32] + b"\xff\xff\xff\x7f" + bytes(8), "no packet or block has"),
    ],
)
def test_what_is_no_capture_is_refused_in_a_line(tmp_path: Path, content: bytes, why: str) -> None:
    file = tmp_path / "file.pcap"
    file.write_bytes(content)
    done = command("analyze", file)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1 and re.search(why, done.stderr) and str(file) in done.stderr
    with pytest.raises(acklab.CaptureError, match=why):
        acklab.analyze(file)


def test_a_missing_file_and_a_directory_are_said(tmp_path: Path) -> None:
    for file, why in ((tmp_path / "none.pcap", "No such file"), (tmp_path, "directory")):
        done = command("analyze", file)
        assert done.returncode == 2 and done.stderr.count("\n") == 1 and why in done.stderr


def test_a_capture_without_tcp_and_one_that_breaks_off_say_so(tmp_path: Path) -> None:
    header = CAPTURE.read_bytes()[:24]
    empty = tmp_path / "empty.pcap"
    empty.write_bytes(header)
    assert "0 packets" in command("analyze", empty, "--out", tmp_path / "out").stdout.replace("\xa0", " ")
    short = tmp_path / "short.pcap"
    short.write_bytes(CAPTURE.read_bytes()[:-5])
    assert "the file breaks off" in command("analyze", short).stdout


PACKERS = {"gz": ["gzip", "-c"], "zst": ["zstd", "-c", "-q"], "lz4": ["lz4", "-c", "-q"]}


@pytest.mark.parametrize("ending", PACKERS)
def test_a_compressed_capture_says_the_same_and_one_cut_short_what_it_can(tmp_path: Path, ending: str) -> None:
    if not shutil.which(PACKERS[ending][0]):
        pytest.skip(f"no {PACKERS[ending][0]}")
    packed = subprocess.run([*PACKERS[ending], CAPTURE], capture_output=True, check=True).stdout
    for name in (f"c.pcap.{ending}", "named-otherwise.pcap"):
        (tmp_path / name).write_bytes(packed)
        found = acklab.analyze(tmp_path / name)
        assert found.summary()["connections"] == acklab.analyze(CAPTURE).summary()["connections"]


def test_a_compressed_capture_that_breaks_off_counts_up_to_there(tmp_path: Path) -> None:
    whole = gzip.compress(CAPTURE.read_bytes())
    cut = tmp_path / "cut.pcap.gz"
    cut.write_bytes(whole[: len(whole) // 2])
    told = command("analyze", cut)
    assert told.returncode == 0 and "the file breaks off" in told.stdout and " 130 packets" not in told.stdout


def test_what_stands_before_damage_counts(tmp_path: Path) -> None:
    file = tmp_path / "file.pcap"
    packed, plain = damaged(gzip.compress(CAPTURE.read_bytes())), CAPTURE.read_bytes() + b"\xff" * 16
    for content, packets, why in ((packed, 130, "its gzip data are damaged"), (plain, 130, "no packet or block has")):
        file.write_bytes(content)
        done = command("analyze", file)
        text = done.stdout.replace(NB, " ")
        assert done.returncode == 0 and f" {packets} packets" in text and "the file is damaged" in text and why in text


def test_standard_input_is_read_to_its_end() -> None:
    with CAPTURE.open("rb") as capture:
        line = [str(COMMAND), "analyze", "-"]
        done = subprocess.run(line, stdin=capture, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == command("analyze", CAPTURE).stdout.replace(str(CAPTURE), "standard input")
    twice = subprocess.run([str(COMMAND), "analyze", "-", "-"], input="", capture_output=True, text=True, check=False)
    assert twice.returncode == 2 and "standard input can be read once" in twice.stderr
    empty = subprocess.run([str(COMMAND), "analyze", "-"], input="", capture_output=True, text=True, check=False)
    assert (empty.returncode, empty.stderr.startswith("acklab: standard input: empty")) == (2, True), empty.stderr


def test_ctrl_c_ends_a_capture_and_not_its_analysis() -> None:
    """In a pipeline the terminal interrupts both programs: what the first has written is still analysed."""
    line = [str(COMMAND), "analyze", "-"]
    for interrupts in (1, 2):
        reader, writer = os.pipe()
        child = subprocess.Popen(line, stdin=reader, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        os.close(reader)
        os.write(writer, CAPTURE.read_bytes())
        while int.from_bytes(fcntl.ioctl(writer, termios.FIONREAD, bytes(4)), sys.byteorder):  # until it has read them
            time.sleep(0.01)
        for _ in range(interrupts):
            child.send_signal(signal.SIGINT)
            time.sleep(0.3)
        if interrupts == 1:
            os.close(writer)
        out, error = child.communicate(timeout=60)
        if interrupts == 1:
            assert (child.returncode, error) == (0, "") and "130 packets" in out
        else:
            os.close(writer)
            assert (child.returncode, out) == (130, ""), error


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_named_pipe_without_a_writer_can_be_left(tmp_path: Path, number: signal.Signals) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    child = subprocess.Popen([str(COMMAND), "analyze", str(pipe)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(2)
    assert child.poll() is None
    child.send_signal(number)
    out, error = child.communicate(timeout=20)
    assert (child.returncode, out) == (128 + number, b""), error


def test_a_named_pipe_is_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    child = subprocess.Popen([str(COMMAND), "analyze", str(pipe)], stdout=subprocess.PIPE, text=True)
    pipe.write_bytes(CAPTURE.read_bytes())
    out, _ = child.communicate(timeout=60)
    assert child.returncode == 0 and "130 packets" in out


def without(summary: dict[str, Any], **changed: Any) -> dict[str, Any]:
    """A row of a connection with less in it."""
    return {**summary["connections"][0], **changed}


def test_many_connections_are_shown_by_their_data() -> None:
    summary = acklab.analyze(CAPTURE, packets=False).summary()
    rows = [without(summary, connection=n, bytes=n * 1000, acked_bytes=n * 1000) for n in range(1, 41)]
    rows.insert(0, without(summary, connection=0, bytes=0, acked_bytes=0, handshake=False, policy="undecided"))
    told = as_text({**summary, "connections": rows})
    assert "\n20: " not in told and 0 < told.index("\n21: ") < told.index("\n40: ")


def test_what_is_odd_about_a_file_is_a_fact_each() -> None:
    summary = acklab.analyze(CAPTURE, packets=False).summary()
    odd = {
        **{"fragments": 7, "reassembled": 2, "overlapping": 1, "options_cut": 3, "unknown_links": [189, 147]},
        **{"udp": 5, "quic": 3, "tunnels": {"vxlan": 4}, "clock_steps": 1, "wild_times": 2},
        **{"backward": 2, "backward_max_ns": 30_000_000, "resolution_ns": 10_000_000},
    }
    found = {
        one.kind.removeprefix("file-"): one.values for one in notes({**summary, "packets": summary["packets"] | odd})
    }
    wanted = {"udp", "tunnels", "fragments", "links", "backward", "clock_steps", "tick_s", "wild_times", "options_cut"}
    assert set(found) == wanted
    assert (found["links"]["links"], found["tunnels"]["kinds"]) == ("189 (USB), 147", "VXLAN 4")
    assert (found["tick_s"]["tick_s"], found["backward"]["backward_s"]) == pytest.approx((0.01, 0.03))
    still = {**summary, "packets": summary["packets"] | {"resolution_ns": 2**64 - 1}}
    assert [one.kind for one in notes(still)] == ["file-still"]


def test_a_receivers_own_delay_is_no_round_trip() -> None:
    """Near the receiver a segment is answered within a microsecond; the path takes 20 ms."""
    row = acklab.analyze(CAPTURE, packets=False).summary()["connections"][0]
    assert row["rtt_min_s"] < 2e-6 and row["path_rtt_min_s"] == pytest.approx(0.0207, rel=0.01)
    shown = as_text(acklab.analyze(CAPTURE, packets=False).summary())
    for words in (
        "of the path, min 20.7 ms",
        "to the receiver, min near it",
        "its median near it",
        "its 95 of 100 near it",
    ):
        assert words in re.sub(" +", " ", shown), shown
    far = {**row, "vantage": "sender", "rtt_min_s": 0.02, "rtt_median_s": 0.021}
    assert [trip(far, name) for name in ("rtt_min_s", "rtt_median_s")] == [f"20{NB}ms", f"21{NB}ms"]


def test_what_a_capture_does_not_show_is_not_drawn(tmp_path: Path) -> None:
    """Four of five data packets are missing: no goodput, neither as a number nor as a chart."""
    packets, kept, dropped = CAPTURE.read_bytes(), bytearray(CAPTURE.read_bytes()[:24]), 0
    at, number = 24, 0
    while at < len(packets):
        size = int.from_bytes(packets[at + 8 : at + 12], "little")
        if int.from_bytes(packets[at + 12 : at + 16], "little") > 1000:
            number += 1
        if int.from_bytes(packets[at + 12 : at + 16], "little") <= 1000 or number % 5 == 0:
            kept += packets[at : at + 16 + size]
        else:
            dropped += 1
        at += 16 + size
    file = tmp_path / "lacks.pcap"
    file.write_bytes(kept)
    found = acklab.analyze(file)
    row = found.summary()["connections"][0]
    assert (row["policy"], row["goodput_bps"], row["lacking_bytes"] > 0.7 * row["acked_bytes"]) == (
        "undecided",
        None,
        True,
    )
    assert dropped > 60 and row["policy_why"] == row["limit_why"] == "lacks-data"
    found.write(tmp_path / "out")
    page = (tmp_path / "out" / "analysis.html").read_text()
    charts = json.loads(re.search(r'id="manifest">(.*?)</script>', page).group(1))["charts"]
    assert "throughput" not in [chart["id"] for chart in charts]


def test_limits_are_a_band_and_round_trips_are_drawn_once() -> None:
    found = acklab.analyze(CAPTURE)
    row, acks, segments = found.rows()[0], pl.DataFrame(found.acks), pl.DataFrame(found.segments)
    bands = _bands(row, found.spans())
    spans = pl.DataFrame(found.limits).filter(pl.col("limit").cast(str) != "network")
    assert sorted(start for band in bands.values() for start in band["time_s"]) == spans["start_s"].to_list()
    assert set(bands) == {"limits slow-start", "limits receiver-window"}
    for place, drawn in (("receiver", "delay one"), ("sender", "trips trip")):
        layers = _layers({**row, "vantage": place}, acks, segments)
        assert [name for name in ("delay one", "trips trip") if layers[name].height] == [drawn]


def test_without_packets_there_are_no_rows_and_the_same_connections() -> None:
    whole, lean = acklab.analyze(CAPTURE), acklab.analyze(CAPTURE, packets=False)
    assert not hasattr(lean, "acks") and not hasattr(lean, "segments") and whole.json() == lean.json()
    assert len(whole.acks) == 129, "the segments acknowledge as well"
    heard: list[int] = []
    acklab.analyze(CAPTURE, tick=heard.append)
    assert heard == [], "a small file is read before anybody listens"


def test_the_estimate_over_a_capture_is_the_receivers_own(tmp_path: Path) -> None:
    """The observer that stands beside a simulated receiver, and the one that watches its interface."""
    run = acklab.run("""
        stop.at = "8s"
        link = [{ between = ["S", "R"], rate = "4Mbps", delay = "20ms", queue = { kind = "drop-tail", packets = 40 } }]
        flow = [{ from = "S", to = "R", size = "unlimited", sender = { recovery = "newreno", packet = 1000 },
                  receiver = { ack = { policy = "every" } } }]
        record = { packets = true, series = true }
    """)
    found = acklab.analyze(run.capture("S->R@R", path=tmp_path / "r.pcap"))
    estimate = pl.DataFrame(found.segments).filter(pl.col("cwnd_segments").is_not_null())
    real = pl.DataFrame(run.series).select("time_s", "cwnd_segments").sort("time_s")
    assert estimate.height > 3000
    both = estimate.select(pl.col("time_s"), seen="cwnd_segments").join_asof(real, on="time_s")
    wrong = (both["seen"] / both["cwnd_segments"] - 1).abs()
    assert wrong.median() < 0.03, wrong.median()


def test_connections_are_chosen_and_sorted() -> None:
    told = command("analyze", CAPTURE, "--only", "10.9.0.1", "--only", ":1").stdout
    assert "10.9.0.2:5001" in told
    assert json.loads(command("analyze", CAPTURE, "--only", "#7", "--json").stdout)["connections"] == []
    wrong = command("analyze", CAPTURE, "--sort", "size")
    assert wrong.returncode == 2 and "no column size; there are connection, direction, " in wrong.stderr
    assert command("analyze", CAPTURE, "--most", "0").returncode == 2
    summary = acklab.analyze(CAPTURE, packets=False).summary()
    rows = [without(summary, connection=n, rtt_max_s=None if n == 2 else n % 5) for n in range(8)]
    many = as_text({**summary, "connections": rows}, sort="rtt_max_s", most=3)
    assert [line.partition(":")[0] for line in many.splitlines() if " -> " in line] == ["4", "3", "7"]


def test_each_row_has_the_number_of_its_packet(tmp_path):
    run = acklab.run(path="dsl", record={"packets": True}, set={"stop.at": "500ms"})
    found = acklab.analyze(run.capture("A->C@C", path=tmp_path / "x.pcapng"))
    acks, segments = (pl.DataFrame(table) for table in (found.acks, found.segments))
    numbers = sorted({*acks["frame"], *segments["frame"]})
    assert numbers == list(range(1, found.summary()["packets"]["packets"] + 1)), (
        "every packet of TCP is in one of the tables"
    )
    both = acks.join(segments, on="frame", how="inner")
    assert (both["time_s"] == both["time_s_right"]).all() and acks["frame"].is_sorted()


def test_the_limits_of_a_direction_are_shares_with_evidence_and_frames() -> None:
    found = acklab.analyze(CAPTURE)
    row, spans = found.rows()[0], found.spans()
    parts = found.findings
    assert [part["kind"] for part in parts] == ["slow-start", "receiver-window", "not-known"]
    assert sum(part["share"] for part in parts) == pytest.approx(1.0)
    assert sum(part["seconds"] for part in parts) == pytest.approx(row["limits_s"])
    assert found.summary()["findings"] == parts and parts[1]["evidence"]["window_limit_max_bytes"] == 56_320
    times = {
        frame: time
        for name in ("acks", "segments")
        for frame, time in pl.DataFrame(getattr(found, name)).select("frame", "time_s").rows()
    }
    for part in parts:
        first, last = part["frames"]
        longest = max(
            span["end_s"] - span["start_s"]
            for span in spans[row["connection"], row["direction"]]
            if span["first_frame"] == first
        )
        assert times[last] - times[first] == pytest.approx(longest, abs=0.001), "its packets are in the file"
    unknown = {**row, "limit": "unknown", "limit_why": "no-acks"}
    assert [(part["kind"], part["share"], part["evidence"]) for part in shares(unknown, spans)] == [
        ("not-known", 1.0, {"why": "no-acks"})
    ]
    assert not share_table({**row, "limit": "short"}, spans).rows


def test_no_window_has_a_rate_above_the_bottleneck() -> None:
    row = acklab.analyze(CAPTURE, packets=False).rows()[0]
    rate = 8 * row["window_limit_max_bytes"] / row["path_rtt_min_s"]
    for bottleneck, known in ((None, True), (1.1 * rate, True), (0.9 * rate, False)):
        (part,) = (one for one in shares({**row, "bottleneck_bps": bottleneck}, {}) if one["kind"] == "receiver-window")
        assert ("window_bps" in part["evidence"], part["frames"]) == (known, None)


def test_directions_that_show_little_come_last_and_facts_are_short() -> None:
    row = acklab.analyze(CAPTURE, packets=False).rows()[0]
    rows = [
        {**row, "connection": n, "direction": m, "new_acks": new, "bytes": new}
        for n, m, new in ((0, 0, 1), (0, 1, 40), (1, 0, 11), (1, 1, 12))
    ]
    assert [(one["connection"], one["direction"]) for one in ordered(rows)] == [(0, 1), (1, 1), (0, 0), (1, 0)]
    assert [one.kind for one in facts(row)] == ["limit", "policy-quick-then-delayed", "place-receiver"]
    marked = {**row, "ece": 3, "ce": 0, "ecn": "none", "copies": 90, "zero_window": 2}
    assert [one.kind for one in facts(marked)[3:]] == ["seen-copies", "seen-echoes", "seen-closed"], "of marks also a 0"


@pytest.mark.parametrize("form", ["pcap", "gzip", "pcapng"])
def test_a_capture_is_written_again_with_comments_at_its_packets(form: str, tmp_path: Path) -> None:
    source = tmp_path / "x.pcap"
    source.write_bytes(gzip.compress(CAPTURE.read_bytes()) if form == "gzip" else CAPTURE.read_bytes())
    target = tmp_path / "told.pcapng"
    if form == "pcapng":
        source.write_bytes(annotated(CAPTURE.read_bytes(), acklab.analyze(CAPTURE)))
    done = command("analyze", source, "--annotate", target)
    assert done.returncode == 0 and "told.pcapng" in done.stdout
    found, again = acklab.analyze(source), acklab.analyze(target)
    assert again.connections.to_polars().equals(found.connections.to_polars()), "the same packets at the same times"
    (held,) = pl.DataFrame(found.acks).filter(pl.col("delay_s") >= 1e-3, direction=0)["frame"]
    assert {number: [one.kind for one in told] for number, told in comments(found).items()} == {
        4: ["note-limit"], 103: ["note-limit"], held: ["note-held"]
    }  # fmt: skip
    if tshark := shutil.which("tshark"):
        words = [
            tshark,
            "-r",
            target,
            "-T",
            "fields",
            "-e",
            "frame.number",
            "-e",
            "frame.comment",
            "-Y",
            "frame.comment",
        ]
        shown = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        assert f"{held}\tACK held 3.23" in shown
    assert command("analyze", source, "--annotate", source).returncode == 2


def test_a_compressed_capture_that_breaks_off_is_annotated_as_far_as_it_goes(tmp_path: Path) -> None:
    whole = gzip.compress(CAPTURE.read_bytes())
    (tmp_path / "cut.pcap.gz").write_bytes(whole[: len(whole) * 2 // 3])
    assert command("analyze", tmp_path / "cut.pcap.gz", "--annotate", tmp_path / "cut.pcapng").returncode == 0
    cut = acklab.analyze(tmp_path / "cut.pcapng").connections[0]["data_packets"]
    assert 0 < cut < acklab.analyze(CAPTURE).connections[0]["data_packets"]
