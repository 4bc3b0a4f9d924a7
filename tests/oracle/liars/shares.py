"""What a receiver that lies gains at a shared bottleneck, without and with a defence: the table of docs/howto/division.md.

``python shares.py [SEEDS]`` prints it. Two flows share 20 Mb/s for 10 s, 20 ms of round trip; the first one's receiver lies. Its gain is
what arrives there, over what arrives at the honest one; ratios are averaged as logarithms, with a Student interval of 95 %.
"""

from __future__ import annotations

import json
import math
import random
import sys
from typing import Any

import acklab
from acklab.figures.stats import Sample

Table = dict[str, Any]

BUFFER: Table = {"kind": "drop-tail", "packets": 66}
"""Two products of rate and round trip."""
DUAL: Table = {"kind": "dual-pi2"}

TCP: Table = {"stack": "rfc", "recovery": {"kind": "rfc6675"}}
QUIC: Table = {"stack": "quic"}
L4S: Table = {"control": "prague", "ecn": True, "pacing": "off"}
COUNTED: Table = {**L4S, "stack": "rfc", "accurate_ecn": True}
ASKS: Table = {**TCP, "ack_request": {"kind": "on", "segments": 8, "slow_start": 2}, "credit": {"kind": "ack-counting"}}

ATTACKS: dict[str, tuple[Table, Table, Table, Table, Table]] = {
    "marks hidden, ACE": (DUAL, COUNTED, {"stack": "rfc"}, {"marks_told": 0.0}, {"test_marks": 100}),
    "marks hidden, QUIC": (DUAL, {**L4S, **QUIC}, {"stack": "quic"}, {"marks_told": 0.0}, {"test_marks": 100}),
    "half of the marks hidden, QUIC": (
        DUAL,
        {**L4S, **QUIC},
        {"stack": "quic"},
        {"marks_told": 0.5},
        {"test_marks": 100},
    ),
    "false DSACKs": (
        BUFFER,
        {**TCP, "recovery": {"kind": "rfc6675", "undo": "dsack"}},
        {"stack": "rfc", "dsack": True},
        {"false_dsacks": True},
        {"recovery": {"kind": "rfc6675", "undo": "timestamps"}},
    ),
    "requests ignored (TARR)": (
        BUFFER,
        ASKS,
        {"stack": "rfc", "ack": {"policy": "requested"}},
        {"ack": {"policy": "every"}},
        {"credit": {"kind": "ubc"}},
    ),
    "optimistic ranges, QUIC": (
        BUFFER,
        QUIC,
        {"stack": "quic"},
        {"ack": {"policy": "quic", "ahead": 20}},
        {"skip": 50},
    ),
}
"""The queue, the sender and the honest receiver of both flows; what the liar changes; what both senders change as a defence."""


def scenario(attack: str, lies: bool, defended: bool, seed: int) -> str:
    """A run's text. The second flow begins within 100 ms of the first, at a time drawn by the seed."""
    queue, sender, receiver, lie, defence = ATTACKS[attack]
    sender = {**sender, **(defence if defended else {})}
    access = {"rate": "1Gbps", "delay": "0.5ms"}
    links: list[Table] = [{"between": ["A", "B"], "rate": "20Mbps", "delay": "9ms", "queue": queue}]
    links += [{"between": list(ends), **access} for ends in ("SA", "TA", "BQ", "BR")]
    late = random.Random(f"{attack} {seed}").uniform(0, 0.1)
    ends = (("liar", "S", "Q", "0s", lie if lies else {}), ("honest", "T", "R", f"{1e3 * late:.3f}ms", {}))
    flows = [
        {
            "name": name,
            "from": source,
            "to": to,
            "start": start,
            "size": "unlimited",
            "sender": sender,
            "receiver": {**receiver, **change},
        }
        for name, source, to, start, change in ends
    ]
    return json.dumps({"seed": seed, "stop": {"at": "10s"}, "link": links, "flow": flows})


def gain(attack: str, lies: bool, defended: bool, seeds: int) -> Sample:
    """Logarithm of the ratio of what arrives at the two receivers, seed by seed."""
    values = []
    for seed in range(1, seeds + 1):
        links = acklab.run(scenario(attack, lies, defended, seed)).summary()["links"]
        came = {link["to"]: link["bytes"] for link in links if link["to"] in ("Q", "R")}
        values.append(math.log(came["Q"] / came["R"]))
    return Sample.of(values)


def told(sample: Sample) -> str:
    """The ratio and its interval."""
    half = sample.interval(0.95).half_width
    return f"{math.exp(sample.value):.2f} ({math.exp(sample.value - half):.2f} to {math.exp(sample.value + half):.2f})"


def row(attack: str, seeds: int) -> list[str]:
    """Honest, lying, lying against the defence, and honest with it."""
    cases = ((False, False), (True, False), (True, True), (False, True))
    return [attack, *(told(gain(attack, lies, defended, seeds)) for lies, defended in cases)]


if __name__ == "__main__":
    for name in ATTACKS:
        print("| " + " | ".join(row(name, int(sys.argv[1]) if len(sys.argv) > 1 else 10)) + " |", flush=True)
