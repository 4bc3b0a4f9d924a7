"""What `acklab analyze` counts of altered captures, beside the numbers that tshark prints of each packet."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from confusion import Frames, is_data, payload, read, write

import acklab
from captured import Captured, needs

pytestmark = needs("tshark")
Get = Callable[[str], Captured]
SCENARIOS = ("rfc-defaults", "rfc-sack-both-ways", "marked", "near-newreno")


def printed(file: Path, *fields: str, only: str = "tcp") -> list[list[str]]:
    """These fields of every packet, numbers as they stand."""
    arguments = [
        "tshark",
        "-n",
        "-r",
        str(file),
        "-Y",
        only,
        "-o",
        "tcp.relative_sequence_numbers:FALSE",
        "-T",
        "fields",
    ]
    for field in fields:
        arguments += ["-e", field]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=120, check=True)
    return [line.split("\t") for line in done.stdout.splitlines()]


def lacking(file: Path) -> int:
    """Acknowledged numbers of the data from 10.0.0.1 that no packet has: those below the highest number acknowledged."""
    passed: set[int] = set()
    highest = 0
    for source, seq, length, ack, flags in printed(file, "ip.src", "tcp.seq", "tcp.len", "tcp.ack", "tcp.flags"):
        if source == "10.0.0.1":
            control = bin(int(flags, 16) & 3).count("1")
            passed.update(range(int(seq), int(seq) + int(length) + control))
        else:
            highest = max(highest, int(ack or 0))
    return highest - min(passed) - sum(number < highest for number in passed)


def altered(frames: Frames, share: float, draw: random.Random) -> Frames:
    """Without this share of the data packets."""
    return [it for it in frames if not (is_data(it[1]) and payload(it[1])) or draw.random() >= share]


@pytest.mark.parametrize("share", [0.0, 0.02, 0.3, 0.8])
@pytest.mark.parametrize("name", SCENARIOS)
def test_bytes_that_a_capture_lacks_are_those_that_no_packet_has(
    captured: Get, name: str, share: float, tmp_path: Path
) -> None:
    run = captured(name)
    (flow,) = run.flows
    file = tmp_path / "altered.pcap"
    write(altered(read(run.file(run.end_of(flow), "pcap").read_bytes()), share, random.Random(5)), file)
    row = acklab.analyze(file, packets=False).summary()["connections"][0]
    assert row["lacking_bytes"] == pytest.approx(lacking(file), abs=1), row
    if row["lacking_bytes"] > 0.05 * row["acked_bytes"]:
        assert (row["policy"], row["goodput_bps"], row["bottleneck_bps"]) == ("undecided", None, None), row


def test_windows_of_0_are_counted_as_tshark_counts(captured: Get, tmp_path: Path) -> None:
    """On data, on ACKs, on a FIN and on a SYN."""
    run = captured("rfc-sack-both-ways")
    (flow,) = run.flows
    draw = random.Random(1)

    def closed(data: bytes) -> bytes:
        return data[:34] + b"\0\0" + data[36:]

    frames = [
        (at, closed(data) if draw.random() < 0.3 else data)
        for at, data in read(run.file(run.end_of(flow), "pcap").read_bytes())
    ]
    file = tmp_path / "closed.pcap"
    write(frames, file)
    marked = printed(file, "ip.src", only="tcp.analysis.zero_window")
    rows = acklab.analyze(file, packets=False).summary()["connections"]
    for row in rows:
        assert row["zero_window"] == sum(source == row["to"].partition(":")[0] for (source,) in marked), row["to"]
    assert sum(row["zero_window"] for row in rows) > 20
