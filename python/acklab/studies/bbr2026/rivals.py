"""Versions 1 and 3 under random loss, with short buffers, and beside CUBIC."""

from __future__ import annotations

import json
import random
from typing import Any

from ...reproduce.grid import Grid
from ...reproduce.paper import Drawn
from ..paths2026.runs import Few
from ..paths2026.told import sample, told
from .registry import STUDY
from .setting import CONTROLS, DELAYED, PAYLOAD, bdp_packets, flow, scenario

MBPS = 20.0
RTT_S = 0.04
SECONDS = 60
CASES: dict[str, tuple[str, float, float, bool]] = {
    "clean": ("alone, buffer of two products", 2.0, 0.0, False),
    "lossy1": ("alone, 1 % lost at random", 2.0, 0.01, False),
    "lossy5": ("alone, 5 % lost at random", 2.0, 0.05, False),
    "shallow": ("alone, buffer of a tenth of a product", 0.1, 0.0, False),
    "cubic-shallow": ("beside CUBIC, half a product", 0.5, 0.0, True),
    "cubic-deep": ("beside CUBIC, eight products", 8.0, 0.0, True),
}
"""Cases: a name, the buffer in products of rate and round trip, the share lost, and whether a CUBIC flow is there."""


def _one(control: str, case: str, seed: int) -> str:
    _, products, lost, rival = CASES[case]
    queue = {"kind": "drop-tail", "packets": max(2, round(products * bdp_packets(MBPS, RTT_S)))}
    link: dict[str, Any] = {
        "between": ["S", "R"],
        "rate": f"{MBPS:g}Mbps",
        "delay": f"{500 * RTT_S:g}ms",
        "queue": queue,
    }
    if lost:
        link["loss"] = {"rate": lost, "only": "data"}
    draws = random.Random(f"{seed} {case}")
    flows = [flow("mine", control, DELAYED, start=f"{draws.random():.6f}s")]
    if rival:
        flows.append(flow("cubic", "cubic", DELAYED, start=f"{draws.random():.6f}s"))
    return scenario([link], flows, seed, SECONDS)


class Reader:
    """Numbers from a run."""

    names = ("goodput_percent", "share_percent", "queue_ms", "resent_percent")

    def __call__(self, line: bytes) -> tuple[float, ...]:
        run = json.loads(line)
        mine, all_of_them = run["flows"][0], sum(flow["bytes"] for flow in run["flows"])
        there = next(link for link in run["links"] if link["from"] == "S")
        goodput = 100 * 8 * mine["bytes"] / (run["end_s"] * 1e6 * MBPS * PAYLOAD)
        queue_ms = 1e3 * there["mean_queue_packets"] * 12_000 / (1e6 * MBPS)
        return goodput, 100 * mine["bytes"] / all_of_them, queue_ms, 100 * mine["retransmits"] / mine["segments_sent"]


RIVALS = Few(
    "rivals",
    "an endless download, alone or beside one with CUBIC",
    {"control": tuple(CONTROLS), "case": tuple(CASES)},
    _one,
    Reader(),
)


@STUDY.figure("rivals", "", "Versions 1 and 3 under loss, with short buffers, beside CUBIC", "2", [RIVALS])
def rivals(grid: Grid) -> Drawn:
    listed = [["case", "", "goodput (% of the link)", "share of the bytes (%)", "queue (ms)", "sent again (%)"]]
    for case in grid.axes["case"]:
        for control in grid.axes["control"]:
            cells = [told(sample(grid, column, control=control, case=case)) for column in Reader.names]
            listed.append([CASES[case][0], CONTROLS[control], *cells])
    return Drawn([], {"rivals": grid.frame()}, (), "", _one("bbr3", "lossy1", 1), listed=listed)
