"""The paths, each value stated or inferred, and their scenarios."""

from __future__ import annotations

from typing import Any

from acklab.reproduce.paper import Paper, Parameter
from acklab.scenario.draws import Draws

from ..later import text

RATES_MBPS = (50, 10)
PAIRS_MS = ((10, 10), (20, 10), (20, 20), (80, 20), (80, 80), (160, 10))
"""Round trips of the first flow and the second."""
QUEUES: dict[str, dict[int, dict[str, Any]]] = {
    "pfifo": {50: {"kind": "drop-tail", "packets": 1000}, 10: {"kind": "drop-tail", "packets": 200}},
    "fqcodel": {rate: {"kind": "fq-codel"} for rate in RATES_MBPS},
    "dualpi2": {rate: {"kind": "dual-pi2"} for rate in RATES_MBPS},
}
PRAGUE: dict[str, Any] = {
    "stack": "linux",
    "control": {"kind": "prague", "least_rtt": "1us"},
    "accurate_ecn": True,
    "ace": "linux",
}
"""The draft's version 03 without RTT independence, which the kernel of August 2020 does not turn on by default. Losses and marks reduce the
window at once, as is stack linux's default for Prague."""
FLOWS: dict[str, dict[str, Any]] = {
    "cubic": {"sender": {"stack": "linux", "ecn": True}, "receiver": {"stack": "linux"}},
    "prague": {"sender": PRAGUE, "receiver": {"stack": "linux", "accecn_option": "always"}},
}
BESIDE_PRAGUE: dict[str, dict[int, dict[str, Any]]] = {
    **QUEUES,
    "dualpi2": {50: {"kind": "dual-pi2"}, 10: {"kind": "dual-pi2", "step": "2.4ms"}},
}
"""At 10 Mb/s a packet waits 2.4 ms that found two in the low latency queue, as it must have for the dualpi2 of 2020 to apply its step."""
END_S, FROM_S, SECONDS = 178, 118, 60
"""Rates are those of 60 s that end 2 s before a test of 180 s does."""

FIFO = (*(f"{kind}.pfifo.{rate}" for kind in ("prague", "mixed") for rate in RATES_MBPS), "prague.fifo")
"""Claims that depend on how Prague answers a loss: that, too, was read after their first runs."""
MARKED = (
    *(
        f"{kind}.{queue}.{rate}"
        for kind in ("prague", "mixed")
        for queue in ("fqcodel", "dualpi2")
        for rate in RATES_MBPS
    ),
    "prague.bias",
    "prague.rtt",
)
"""Claims that depend on how Prague answers a mark: that was read again after their first run, so they are calibration."""

PARAMETERS = [
    Parameter("rates", "50 and 10 Mb/s by htb", "stated", "scenario 1"),
    Parameter("round trips", "half of a flow's delay each way, behind the queue", "stated", "the scripts' netem"),
    Parameter("queues", "pfifo of 1000 and 200 packets; fq_codel and dualpi2 with defaults", "stated", "l4s.batch"),
    Parameter(
        "defaults", "those of Linux 6.12 and 6.17", "inferred", "the kernel is of August 2020; no arguments are given"
    ),
    Parameter("time", "60 s that end 2 s before the end of 180 s", "stated", "the table"),
    Parameter(
        "sender", "Linux's CUBIC with ECN", "stated", "cc_algos, tcp_ecn = 3; its form is that of stack linux here"
    ),
    Parameter(
        "Prague",
        "version 03 of the draft",
        "inferred",
        "the kernel is of August 2020, and its version of the draft is not modelled",
    ),
    Parameter("RTT independence", "off", "stated", "tcp_prague.c of that kernel: prague_rtt_scaling = 0"),
    Parameter(
        "marks",
        "reduce the window at once, and it grows on",
        "stated",
        "tcp_prague.c; in the first run marks were spread by PRR, as in stack linux",
        fitted_to=MARKED,
    ),
    Parameter(
        "losses",
        "reduce the window at once",
        "stated",
        "tcp_prague.c has a cong_control; in the first two runs losses were spread by PRR, as in stack linux",
        fitted_to=FIFO,
    ),
    Parameter(
        "step",
        "1 ms, and 2.4 ms at 10 Mb/s, in rows of Prague",
        "inferred",
        "sch_dualpi2.c: only where two packets wait already",
    ),
    Parameter(
        "starts",
        "uniform in the first 0.1 s",
        "inferred",
        "together, by the text; then nothing would differ between runs",
    ),
]


def pair(
    rate: int, queue: str, first_ms: int, second_ms: int, seed: int, controls: tuple[str, str] = ("cubic", "cubic")
) -> str:
    """Two flows through one queue."""
    draw = Draws(seed, "starts")
    waiting = (BESIDE_PRAGUE if "prague" in controls else QUEUES)[queue][rate]
    links: list[dict[str, Any]] = [
        {"between": ["G", "R"], "rate": f"{rate}Mbps", "delay": "0s", "queue": waiting, "back": {"rate": "1Gbps"}}
    ]
    flows = []
    for name, rtt_ms, control in (("1", first_ms, controls[0]), ("2", second_ms, controls[1])):
        links += [
            {"between": [f"S{name}", "G"], "rate": "1Gbps", "delay": "0s"},
            {"between": ["R", f"C{name}"], "rate": "1Gbps", "delay": f"{rtt_ms / 2:g}ms"},
        ]
        flows.append({"from": f"S{name}", "to": f"C{name}", "start": f"{draw.uniform(0, 0.1):.9f}s", **FLOWS[control]})
    return text({"seed": seed, "stop": {"at": f"{END_S}s"}, "link": links, "flow": flows})


PAPER = Paper(
    id="l4s",
    title="The public L4S tests: rows of CUBIC and Prague",
    citation="P. Heist, J. Morton, L4S Tests, README of heistp/l4s-tests, 2020 to 2021",
    about="Two flows share 50 or 10 Mb/s through a FIFO, FQ-CoDel or DualPI2. How much does the one with the longer round trip get?",
    sections={"fairness": "Scenario 1: two CUBIC flows", "prague": "Scenario 1: rows of Prague"},
    parameters=PARAMETERS,
    group="classic",
)
