#!/usr/bin/env python3
"""What limits simulated transfers whose limit is known, from three capture points: prints the headline of each."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import acklab
from acklab.captures.findings import limit
from acklab.text.templates import sentence

#: Name: rate, delay, queue in packets, more of the middle link, more of the flow, what limits it.
CASES = {
    "window 40": (
        "100Mbps",
        "20ms",
        1000,
        "",
        'size = { bytes = "4MB" }, sender = { stack = "rfc", window = 40 }',
        "receiver-window",
    ),
    "window before a queue": (
        "10Mbps",
        "20ms",
        1000,
        "",
        'size = { bytes = "4MB" }, sender = { stack = "rfc", window = 100 }',
        "path-rate",
    ),
    "bottleneck": (
        "10Mbps",
        "20ms",
        100,
        "",
        'size = { bytes = "6MB" }, sender = { stack = "linux" }, receiver = { stack = "linux" }',
        "path-rate",
    ),
    "deep queue": (
        "5Mbps",
        "20ms",
        1000,
        "",
        'size = { bytes = "4MB" }, sender = { stack = "linux" }, receiver = { stack = "linux" }',
        "path-rate",
    ),
    "short queue": (
        "20Mbps",
        "30ms",
        20,
        "",
        'size = { bytes = "8MB" }, sender = { stack = "linux" }, receiver = { stack = "linux" }',
        "path-rate and cwnd",
    ),
    "losses 0.5 %": (
        "100Mbps",
        "20ms",
        1000,
        ", loss = { rate = 0.005 }",
        'size = { bytes = "6MB" }, sender = { stack = "linux" }, receiver = { stack = "linux" }',
        "cwnd and recovery",
    ),
    "losses 3 %": (
        "100Mbps",
        "20ms",
        1000,
        ", loss = { rate = 0.03 }",
        'size = { bytes = "2MB" }, sender = { stack = "linux" }, receiver = { stack = "linux" }',
        "cwnd and recovery",
    ),
    "short transfer": (
        "100Mbps",
        "50ms",
        1000,
        "",
        'size = { bytes = "300kB" }, sender = { stack = "rfc" }',
        "slow-start",
    ),
    "writes of 20 kB": (
        "100Mbps",
        "20ms",
        1000,
        "",
        'source = { kind = "writes", write = "20kB", every = "200ms", times = 40 }',
        "application",
    ),
    "writes of 500 B": (
        "100Mbps",
        "20ms",
        1000,
        "",
        'source = { kind = "writes", write = "500B", every = "150ms", times = 40 }',
        "application",
    ),
}
ENDS = {"sender": "S->G@S", "middle": "G->H@H", "receiver": "H->R@R"}


def main() -> None:
    """Prints a line for each case and capture point."""
    print("| transfer | limit | seen at | named | in words |\n|---|---|---|---|---|")
    for name, (rate, delay, queue, more, flow, truth) in CASES.items():
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        run = acklab.run(f"""
            stop = {{ when = "flows-complete", at_most = "100s" }}
            record = {{ packets = true }}
            link = [
                {{ between = ["S", "G"], rate = "1Gbps", delay = "50us" }},
                {{ between = ["G", "H"], rate = "{rate}", delay = "{delay}", queue = {{ kind = "drop-tail", packets = {queue} }}{more} }},
                {{ between = ["H", "R"], rate = "1Gbps", delay = "50us" }},
            ]
            flow = [{{ from = "S", to = "R", {flow} }}]
        """)
        with tempfile.TemporaryDirectory() as folder:
            for place, end in ENDS.items():
                found = acklab.analyze(run.capture(end, path=Path(folder) / "x.pcapng"), packets=False)
                row = found.summary()["connections"][0]
                print(f"| {name} | {truth} | {place} | {row['limit']} | {sentence(limit(row))} |")


if __name__ == "__main__":
    main()
