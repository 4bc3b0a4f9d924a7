"""Accurate ECN in captures, as tshark reads it: three flags, and the option beside SACK blocks (RFC 9768)."""

from __future__ import annotations

import subprocess
from pathlib import Path

import acklab
from captured import needs

SCENARIO = """
stop.at = "0.3s"
record = { packets = true }
[[link]]
between = ["S", "R"]
rate = "20Mbps"
delay = "10ms"
loss = { list = [8, 12, 16], only = "data" }
stages = [{ kind = "mark", rate = 0.3, only = "data" }]
[[flow]]
from = "S"
to = "R"
sender = { stack = "rfc", control = "fixed", accurate_ecn = true, initial_window = 40.0 }
receiver = { stack = "rfc" }
"""
FIELDS = ("tcp.srcport", "tcp.flags.ace", "tcp.options.acc_ecn.ee0b", "tcp.options.acc_ecn.eceb", "tcp.options.sack.count")


@needs("tshark")
def test_tshark_reads_the_counter_and_the_option(tmp_path: Path) -> None:
    run = acklab.run(SCENARIO)
    file = run.capture("S->R@S", path=tmp_path / "s.pcapng")
    arguments = ["tshark", "-n", "-r", str(file), "-T", "fields"]
    for field in FIELDS:
        arguments += ["-e", field]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=120, check=True)
    lines = [dict(zip(FIELDS, line.split("\t"), strict=True)) for line in done.stdout.splitlines()]
    acks = [line for line in lines if line["tcp.srcport"] == "40000" and line["tcp.options.acc_ecn.eceb"]]
    marked = int(acks[-1]["tcp.options.acc_ecn.eceb"]) // 1448
    assert marked == run.summary()["flows"][0]["marks_counted"] > 20
    # ACE counts from 5, modulo 8.
    assert int(acks[-1]["tcp.flags.ace"]) == (5 + marked) % 8
    assert max(int(line["tcp.options.sack.count"] or 0) for line in acks) == 2
