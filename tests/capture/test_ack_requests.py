"""Requests how often to acknowledge in captures, as tshark reads the experimental option (draft-ietf-tcpm-ack-rate-request, RFC 6994)."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import acklab
from captured import needs

SCENARIO = """
stop.at = "1s"
record = { packets = true }
[[link]]
between = ["S", "R"]
rate = "20Mbps"
delay = "10ms"
[[flow]]
from = "S"
to = "R"
size = { segments = 200 }
sender = { stack = "rfc", ack_request = { kind = "on", segments = 8 }, timestamps = true }
receiver = { stack = "rfc", ack = { policy = "requested" } }
"""
FIELDS = (
    "tcp.srcport",
    "tcp.flags.syn",
    "tcp.options",
    "tcp.options.tarr.rate",
    "tcp.options.tar.reserved",
    "ip.len",
    "tcp.len",
)


@needs("tshark")
@pytest.mark.parametrize("timestamps", [True, False])
def test_tshark_reads_requests(tmp_path: Path, timestamps: bool) -> None:
    run = acklab.run(SCENARIO.replace("timestamps = true", f"timestamps = {str(timestamps).lower()}"))
    file = run.capture("S->R@S", path=tmp_path / "s.pcapng")
    arguments = ["tshark", "-n", "-r", str(file), "-T", "fields"]
    for field in FIELDS:
        arguments += ["-e", field]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=120, check=True)
    lines = [dict(zip(FIELDS, line.split("\t"), strict=True)) for line in done.stdout.splitlines()]
    syns = [line for line in lines if line["tcp.flags.syn"] in ("1", "True")]
    assert len(syns) == 2 and all("fe0400ac" in line["tcp.options"] for line in syns)
    asked = [line for line in lines if line["tcp.options.tarr.rate"]]
    # Half of the window of ten, then eight; the last segment asks for an ACK at once.
    assert [int(line["tcp.options.tarr.rate"]) for line in asked] == [5, 7, 8, 0]
    assert {line["tcp.options.tar.reserved"] for line in asked} <= {"0", "False"}
    # Headers of 20 bytes each, and the option beside timestamps or alone.
    assert {int(line["ip.len"]) - int(line["tcp.len"]) for line in asked} == {56 if timestamps else 48}
