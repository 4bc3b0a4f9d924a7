"""The estimate of the bandwidth over the truth."""

from __future__ import annotations

import json
import random

from ...figures.charts import Axis, Line, Lines, Mark, Panel
from ...figures.stats import Sample
from ...reproduce.grid import Grid
from ...reproduce.paper import Drawn
from ..paths2026.runs import Few
from ..paths2026.told import Point, said, sample, spread, told
from .registry import STUDY
from .setting import ACKS, CONTROLS, END, INSTANTS, PAYLOAD, RATE, RTTS, bdp_packets, flow, scenario

UPLINKS = ("slow", "cake")
"""Where ACKs wait for their link."""
COLOURS = {"bbr": "purple", "bbr3": "orange"}


def _one(control: str, rtt: str, acks: str, seed: int) -> str:
    kind = ACKS[acks]
    rtt_s = float(rtt.removesuffix("ms")) / 1e3
    queue = {"kind": "drop-tail", "packets": 2 * bdp_packets(RATE, rtt_s)}
    link = {"between": ["S", "R"], "rate": f"{RATE:g}Mbps", "delay": RTTS[rtt], "queue": queue, "back": kind.back}
    start = random.Random(f"{seed} {rtt} {acks}").random() * rtt_s
    wanted = [{"flow": "down", "at": f"{at}s", "what": "max_bandwidth_bps", "above": 0} for at in INSTANTS]
    return scenario([link], [flow("down", control, kind.ack, {"syn": False}, start=f"{start:.6f}s")], seed, END, wanted)


class Reader:
    """Numbers from a run, in percent of the payload that the link carries."""

    names = ("estimate_percent", "goodput_percent", "queue_ms", "packets_per_ack")

    def __call__(self, line: bytes) -> tuple[float, ...]:
        run = json.loads(line)
        (down,) = run["flows"]
        there = next(link for link in run["links"] if link["from"] == "S")
        truth = 1e6 * RATE * PAYLOAD
        found = [float(check["found"]) for check in run["checks"]]
        queue_ms = 1e3 * there["mean_queue_packets"] * 12_000 / (1e6 * RATE)
        return (
            100 * sum(found) / len(found) / truth,
            100 * down["goodput_bps"] / truth,
            queue_ms,
            down["segments_acked"] / down["acks_received"],
        )


ESTIMATES = Few(
    "estimates",
    "an endless download alone",
    {"control": tuple(CONTROLS), "rtt": tuple(RTTS), "acks": tuple(ACKS)},
    _one,
    Reader(),
)


@STUDY.figure("estimates", "", "The estimate over the link's rate", "1", [ESTIMATES])
def estimates(grid: Grid) -> Drawn:
    listed = [
        [
            "",
            "ACKs",
            *(
                f"{CONTROLS[control]}: {what}"
                for control in grid.axes["control"]
                for what in ("estimate (%)", "goodput (%)", "queue (ms)")
            ),
        ]
    ]
    panels = []
    for rtt in grid.axes["rtt"]:
        lines = []
        for acks in grid.axes["acks"]:
            cells = []
            for control in grid.axes["control"]:
                cells += [
                    told(sample(grid, column, control=control, rtt=rtt, acks=acks))
                    for column in ("estimate_percent", "goodput_percent", "queue_ms")
                ]
            listed.append([rtt, ACKS[acks].name, *cells])
        places = [float(n) for n in range(len(grid.axes["acks"]))]
        for control in grid.axes["control"]:
            found = [
                sample(grid, "estimate_percent", control=control, rtt=rtt, acks=acks) for acks in grid.axes["acks"]
            ]
            halves = [(high - low) / 2 for low, high in map(spread, found)]
            lines.append(
                Line(
                    CONTROLS[control],
                    places,
                    [one.value for one in found],
                    COLOURS[control],
                    "",
                    marker="o",
                    spread=halves,
                )
            )
        x = Axis("what happens to ACKs, in the table's order", ticks=places)
        panels.append(
            Panel(
                f"round trip {rtt}",
                x,
                Axis("estimate (%), true = 100" if not panels else "", low=0, high=110),
                lines,
                [Mark(100, "")],
            )
        )
    chart = Lines(
        "estimates", "The bandwidth by which BBR goes over what the link carries; means and 95 % intervals", panels
    )
    whole = (
        set(grid.axes["acks"]) == set(ACKS) and set(grid.axes["rtt"]) == set(RTTS) and len(grid.axes["control"]) == 2
    )
    return Drawn(
        [chart],
        {"estimates": grid.frame()},
        (),
        said(points(grid)) if whole else "",
        _one("bbr3", "40ms", "thin16", 1),
        listed=listed,
    )


def points(grid: Grid) -> list[Point]:
    """What the numbers say."""

    def one(control: str, rtt: str, acks: str, column: str = "estimate_percent") -> Sample:
        return sample(grid, column, control=control, rtt=rtt, acks=acks)

    def extremes(control: str) -> str:
        means = {(rtt, acks): one(control, rtt, acks).value for rtt in RTTS for acks in ACKS if acks not in UPLINKS}
        (low, _), (high, _) = (
            min((value, key) for key, value in means.items()),
            max((value, key) for key, value in means.items()),
        )
        return f"{low:.1f} to {high:.1f} %"

    def pair(rtt: str, acks: str, column: str = "estimate_percent") -> str:
        return f"{told(one('bbr', rtt, acks, column))} (version 1) and {told(one('bbr3', rtt, acks, column))} % (version 3)"

    return [
        (
            "Without a slow uplink",
            f"The estimate is {extremes('bbr')} of the link's rate in version 1 and {extremes('bbr3')} in version 3, over all round trips.",
        ),
        ("Lost ACKs", f"With half of the ACKs lost and a round trip of 40 ms it is {pair('40ms', 'lost50')}."),
        (
            "One ACK for 40 segments",
            f"It is {pair('10ms', 'stretch40')} at 10 ms and {pair('160ms', 'stretch40')} at 160 ms.",
        ),
        (
            "The counter-example: a slow uplink",
            f"Where ACKs have 0.3 Mb/s and wait for it, the estimate at 40 ms is {pair('40ms', 'slow')}, and the goodput "
            f"{pair('40ms', 'slow', 'goodput_percent')}. With CAKE's filter before it, the estimate is {pair('40ms', 'cake')}.",
        ),
    ]
