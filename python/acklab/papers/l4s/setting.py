"""The paths, each value stated or inferred, and their scenarios."""

from __future__ import annotations

from typing import Any

from ...reproduce.paper import Parameter
from ...scenario.draws import Draws
from ..later import text

RATES_MBPS = (50, 10)
PAIRS_MS = ((10, 10), (20, 10), (20, 20), (80, 20), (80, 80), (160, 10))
"""Round trips of the first flow and the second."""
QUEUES: dict[str, dict[int, dict[str, Any]]] = {
    "pfifo": {50: {"kind": "drop-tail", "packets": 1000}, 10: {"kind": "drop-tail", "packets": 200}},
    "fqcodel": {rate: {"kind": "fq-codel"} for rate in RATES_MBPS},
    "dualpi2": {rate: {"kind": "dual-pi2"} for rate in RATES_MBPS},
}
END_S, FROM_S, SECONDS = 178, 118, 60
"""Rates are those of 60 s that end 2 s before a test of 180 s does."""

PARAMETERS = [
    Parameter("rates", "50 and 10 Mb/s by htb", "stated", "scenario 1"),
    Parameter("round trips", "half of a flow's delay each way, behind the queue", "stated", "the scripts' netem"),
    Parameter("queues", "pfifo of 1000 and 200 packets; fq_codel and dualpi2 with defaults", "stated", "l4s.batch"),
    Parameter("defaults", "those of Linux 6.12 and 6.17", "inferred", "the kernel is of August 2020; no arguments are given"),
    Parameter("time", "60 s that end 2 s before the end of 180 s", "stated", "the table"),
    Parameter("sender", "Linux's CUBIC with ECN", "stated", "cc_algos, tcp_ecn = 3; its form is that of stack linux here"),
    Parameter("starts", "uniform in the first 0.1 s", "inferred", "together, by the text; then nothing would differ between runs"),
]


def pair(rate: int, queue: str, first_ms: int, second_ms: int, seed: int) -> str:
    """Two CUBIC flows through one queue."""
    draw = Draws(seed, "starts")
    waiting = QUEUES[queue][rate]
    links: list[dict[str, Any]] = [{"between": ["G", "R"], "rate": f"{rate}Mbps", "delay": "0s", "queue": waiting, "back": {"rate": "1Gbps"}}]
    flows = []
    for name, rtt_ms in (("1", first_ms), ("2", second_ms)):
        links += [
            {"between": [f"S{name}", "G"], "rate": "1Gbps", "delay": "0s"},
            {"between": ["R", f"C{name}"], "rate": "1Gbps", "delay": f"{rtt_ms / 2:g}ms"},
        ]
        flows.append(
            {
                "from": f"S{name}",
                "to": f"C{name}",
                "start": f"{draw.uniform(0, 0.1):.9f}s",
                "sender": {"stack": "linux", "ecn": True},
                "receiver": {"stack": "linux"},
            }
        )
    return text({"seed": seed, "stop": {"at": f"{END_S}s"}, "link": links, "flow": flows})
