"""Accurate ECN in captures, as tshark reads it: three flags, and the option beside SACK blocks (RFC 9768)."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

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
FIELDS = (
    "tcp.srcport",
    "tcp.flags.ace",
    "tcp.options.acc_ecn.ee0b",
    "tcp.options.acc_ecn.eceb",
    "tcp.options.sack.count",
)


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


HANDSHAKE = SCENARIO.replace("initial_window = 40.0", "initial_window = 40.0, syn = true")
#: What is asked of each packet for the counts.
COUNTED = (
    "tcp.srcport",
    "tcp.dstport",
    "tcp.flags.syn",
    "tcp.flags.ace",
    "ip.dsfield.ecn",
    "tcp.len",
    "tcp.options.acc_ecn.eceb",
)


def counted(file: Path) -> tuple[int, int, int]:
    """By tshark's fields: marked data packets, the steps of the ACKs' counter from 5, and the bytes of the last option."""
    arguments = ["tshark", "-n", "-r", str(file), "-T", "fields"]
    for field in COUNTED:
        arguments += ["-e", field]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=120, check=True)
    lines = [dict(zip(COUNTED, line.split("\t"), strict=True)) for line in done.stdout.splitlines()]
    is_set = lambda line, flag: line[f"tcp.flags.{flag}"] in ("1", "True")
    lines = [line for line in lines if not is_set(line, "syn")]
    marked = sum(line["ip.dsfield.ecn"] == "3" and line["tcp.len"] != "0" for line in lines)
    steps, last, told = 0, 5, 0
    for line in lines:
        if line["tcp.srcport"] != "40000":
            continue
        ace = int(line["tcp.flags.ace"] or last)
        steps, last = steps + (ace - last) % 8, ace
        told = int(line["tcp.options.acc_ecn.eceb"] or told)
    return marked, steps, told


@needs("tshark")
@pytest.mark.parametrize("end", ["S->R@S", "S->R@R"])
def test_analyze_counts_as_tshark_does(end: str, tmp_path: Path) -> None:
    run = acklab.run(HANDSHAKE)
    file = run.capture(end, path=tmp_path / "c.pcapng")
    marked, steps, told = counted(file)
    row = acklab.analyze(file).summary()["connections"][0]
    assert (row["ecn"], row["ce"], row["ace_marks"], row["ace_bytes"]) == ("accurate", marked, steps, told)
    flow = run.summary()["flows"][0]
    # The marks are made on the link: the sender's end shows none, and tells of as many as the sender counts.
    at_receiver = end.endswith("@R")
    assert marked == (flow["marks_received"] if at_receiver else 0)
    assert steps == (flow["marks_received"] if at_receiver else flow["marks_counted"]) > 20


@pytest.mark.parametrize("feedback", ["classic", "none"])
def test_analyze_tells_what_was_agreed_on(feedback: str, tmp_path: Path) -> None:
    run = acklab.run(
        HANDSHAKE.replace('receiver = { stack = "rfc" }', f'receiver = {{ stack = "rfc", feedback = "{feedback}" }}')
    )
    row = acklab.analyze(run.capture("S->R@S", path=tmp_path / "c.pcapng")).summary()["connections"][0]
    assert (row["ecn"], row["ace_marks"], row["ace_bytes"], row["ecn_fell_back"]) == (feedback, None, None, True)


def test_analyze_says_where_counts_and_marks_differ(tmp_path: Path) -> None:
    liar = HANDSHAKE.replace('receiver = { stack = "rfc" }', 'receiver = { stack = "rfc", marks_told = 0.0 }')
    row = acklab.analyze(acklab.run(liar).capture("S->R@R", path=tmp_path / "c.pcapng")).summary()["connections"][0]
    assert row["ce"] > 20 and row["ace_marks"] == 0
