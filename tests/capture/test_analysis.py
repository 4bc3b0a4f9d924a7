"""`acklab analyze` beside tshark and tcptrace: captures of real kernels, and of simulations."""

from __future__ import annotations

import subprocess
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import acklab
from captured import REPEATED, Captured, needs, tcptrace
from scenarios import SCENARIOS

KERNEL = sorted((Path(__file__).parent / "kernel").glob("*.pcap"))
Get = Callable[[str], Captured]
Row = dict[str, Any]

#: What tshark marks, and how the counts are called here.
ANALYSIS = ("duplicate_ack", "window_update", "keep_alive", "keep_alive_ack", "ack_lost_segment", "zero_window")
FIELDS = (
    *("tcp.stream", "ip.src", "ipv6.src", "tcp.srcport", "tcp.len", "tcp.flags", "tcp.analysis.ack_rtt"),
    *("tcp.analysis.bytes_in_flight", "tcp.options.sack.count", "tcp.options.sack.dsack_le", "ip.dsfield.ecn"),
    *(f"tcp.analysis.{name}" for name in ANALYSIS),
    *REPEATED,
)
FIN, SYN, RESET, ACK, ECE = 1, 2, 4, 16, 64


def judged(file: Path) -> dict[tuple[int, str], Counter[str]]:
    """tshark's counts for each connection and sender of packets."""
    arguments = ["tshark", "-n", "-r", str(file), "-Y", "tcp", "-T", "fields"]
    for field in FIELDS:
        arguments += ["-e", field]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=120, check=True)
    found: dict[tuple[int, str], Counter[str]] = defaultdict(Counter)
    for line in done.stdout.splitlines():
        packet = dict(zip(FIELDS, line.split("\t"), strict=True))
        address = packet["ip.src"] or f"[{packet['ipv6.src']}]"
        count = found[int(packet["tcp.stream"]), f"{address}:{packet['tcp.srcport']}"]
        flags = int(packet["tcp.flags"], 16)
        count["repeated"] += any(packet[field] for field in REPEATED)
        for name in ANALYSIS:
            count[name] += bool(packet[f"tcp.analysis.{name}"])
        count["sack"] += bool(packet["tcp.options.sack.count"])
        count["dsack"] += bool(packet["tcp.options.sack.dsack_le"])
        length = int(packet["tcp.len"])
        count["bytes"] += length
        count["ce"] += packet["ip.dsfield.ecn"] == "3" and (length > 0 or bool(flags & (SYN | FIN)))
        count["ece"] += bool(flags & ECE and not flags & SYN)
        count["acks"] += bool(flags & ACK and not flags & RESET)
        count["flight"] = max(count["flight"], int(packet["tcp.analysis.bytes_in_flight"] or 0))
        count["rtt"] += bool(packet["tcp.analysis.ack_rtt"])
    return found


def agree(file: Path) -> list[Row]:
    """Compares every way of a capture; returns our rows."""
    rows: list[Row] = acklab.analyze(file, packets=False).summary()["connections"]
    told = judged(file)
    for row in rows:
        data, acks = told[row["connection"], row["from"]], told[row["connection"], row["to"]]
        mine = {
            "repeated": row["resent"] + row["late"],
            "bytes": row["bytes"],
            "keep_alive": row["keep_alives"],
            "ce": row["ce"],
        }
        assert mine == {name: data[name] for name in mine}, (file.name, row["from"])
        mine = {
            "acks": row["acks"],
            "duplicate_ack": row["duplicate_acks"],
            "window_update": row["window_updates"],
            "sack": row["sack_acks"],
            "dsack": row["dsack_acks"],
            "zero_window": row["zero_window"],
            "ack_lost_segment": row["acks_of_unseen"],
            "ece": row["ece"],
        }
        assert mine == {name: acks[name] for name in mine}, (file.name, row["to"])
        assert row["probes"] == acks["keep_alive"] + acks["keep_alive_ack"], file.name
        if not row["sack_acks"]:
            assert abs(row["max_flight_bytes"] - data["flight"]) <= 1, "tshark leaves a FIN out"
        if not row["resent"] + row["late"] and row["rtt_min_s"]:
            assert abs(row["rtt_samples"] - acks["rtt"]) <= 1, "tshark times the SYN or not, by the kernel's SYN-ACK"
    return rows


@needs("tshark")
@pytest.mark.parametrize("file", KERNEL, ids=lambda file: file.stem)
def test_a_kernels_captures_are_counted_as_tshark_counts(file: Path) -> None:
    assert agree(file)


@needs("tshark")
@pytest.mark.parametrize("name", SCENARIOS)
def test_simulated_captures_are_counted_as_tshark_counts(captured: Get, name: str) -> None:
    run = captured(name)
    for end in sorted({run.end_of(flow) for flow in run.flows}):
        rows = agree(run.file(end))
        resent = {row["from"].rpartition(":")[2]: row["resent"] for row in rows}
        for flow in run.flows:
            if run.end_of(flow) == end:
                assert resent[str(run.port(flow["name"]))] == flow["retransmits"], "as the simulator counts"


@needs("tcptrace")
@pytest.mark.parametrize("name", SCENARIOS)
def test_round_trips_are_those_of_tcptrace(captured: Get, name: str) -> None:
    run = captured(name)
    for end in sorted({run.end_of(flow) for flow in run.flows}):
        told = tcptrace(run.file(end, "pcap"))
        for row in acklab.analyze(run.file(end, "pcap"), packets=False).summary()["connections"]:
            judge = told[int(row["from"].rpartition(":")[2])]
            assert row["rtt_samples"] - row["rtt_stamped"] == int(judge["RTT_samples_a2b"]), row["from"]
            if row["rtt_samples"] and not row["rtt_stamped"]:
                for mine, theirs in (
                    ("rtt_min_s", "RTT_min_a2b"),
                    ("rtt_mean_s", "RTT_avg_a2b"),
                    ("rtt_max_s", "RTT_max_a2b"),
                ):
                    assert abs(1e3 * row[mine] - float(judge[theirs])) <= 0.06, (row["from"], mine)


#: What a kernel did, by the name of its capture: the policy, and what else its row has.
LINUX: dict[str, tuple[str, dict[str, Any]]] = {
    "asleep-receiver": ("quick-then-delayed", {"ack_every": 2}),
    "asleep-sender": ("quick-then-delayed", {"ack_every": 2}),
    "reading-receiver": ("every", {"ack_every": 1}),
    "quickack-receiver": ("every", {"ack_every": 1}),
    "lone-receiver": ("quick-then-delayed", {"timer_low_s": pytest.approx(0.041, abs=0.001)}),
    "lone-sender": ("by-phase", {"timer_low_s": pytest.approx(0.041, abs=0.001)}),
    "losses-receiver": ("undecided", {"policy_why": "few-outside-quick", "policy_evidence": 6, "quick_segments": 19}),
    "losses-sender": ("undecided", {"policy_why": "few-outside-quick", "policy_evidence": 6, "quick_segments": 19}),
    "repeats-receiver": ("by-phase", {"quick_again": 1}),
    "thinned-sender": ("thinned", {"policy_why": "identifications"}),
    "offload-sender": ("delayed", {"ack_every": 2}),
    "six-receiver": ("quick-then-delayed", {"ack_every": 2}),
    "fragments-receiver": (
        "undecided",
        {"policy_why": "few-outside-quick", "policy_evidence": 4, "quick_segments": 18},
    ),
}


def test_what_kernels_did_is_named() -> None:
    assert {file.stem for file in KERNEL} == set(LINUX)
    for file in KERNEL:
        policy, more = LINUX[file.stem]
        row = acklab.analyze(file).summary()["connections"][0]
        assert (row["policy"], row["vantage"]) == (policy, file.stem.partition("-")[2]), row
        assert {name: row[name] for name in more} == more, file.stem
