"""What kind of loss the gain depends on: where packets are lost, and whether losses come alone, in bursts, or by the clock."""

from __future__ import annotations

import json
from typing import Any

from ...report.charts import Axis, Bar, Bars
from ...reproduce.experiments import Replications
from ...reproduce.grid import Grid
from ...reproduce.paper import Compared, Drawn
from .dummynet import READ, gain, rate
from .registry import PAPER
from .setting import COLOURS, CONTROLS, NAMES, dummynet, text

LOSS = 0.01
BURST = 3
PATTERNS: dict[str, dict[str, Any]] = {
    "single": {"rate": LOSS},
    "bursts": {"gilbert_elliott": {"good": BURST * (1 - LOSS) / LOSS, "bad": BURST, "loss_good": 0.0, "loss_bad": 1.0}},
    "outages": {"gilbert_elliott": {"good": "2970ms", "bad": "30ms", "loss_good": 0.0, "loss_bad": 1.0}},
}
"""All lose a hundredth: of the packets, or, the last, of the time, whatever is sent."""
PATTERN_NAMES = {"single": "singly", "bursts": f"{BURST} in a row", "outages": "for 30 ms"}
PLACES = ("there", "back", "both")


def _scenario(control: str, pattern: str, place: str, seed: int) -> str:
    """Figure 4's connection, with losses of another kind."""
    scenario = json.loads(dummynet(control, seed, "single", rate="1.6Mbps", delay="100ms", places=12, loss=0.0))
    (pipe,) = scenario["link"]
    del pipe["loss"]
    pipe["back"] = {}
    for side in ("there", "back"):
        if place in (side, "both"):
            (pipe if side == "there" else pipe["back"])["loss"] = PATTERNS[pattern]
    return text(scenario)


RUNS = Replications(
    "kinds of loss",
    "Figure 4's connection with 1 % lost: there, on the way back, or both; alone, in bursts, or by the clock",
    {"control": CONTROLS, "pattern": tuple(PATTERNS), "place": PLACES},
    _scenario,
    READ,
)


@PAPER.figure("kinds", "", "The gain by the kind of loss", "3.2", [RUNS], evidence="evidence")
def kinds(grid: Grid) -> Drawn:
    groups, compared = [], []
    for place in PLACES:
        for pattern, name in PATTERN_NAMES.items():
            at = {"pattern": pattern, "place": place}
            found = [rate(grid, control=n, **at) for n in CONTROLS]
            half = [s.interval(0.95).half_width for s in found]
            groups.append(Bar(f"{place}\n{name}", [s.value for s in found], half))
            sample = gain(grid, **at)
            interval = sample.interval(0.95)
            compared.append(
                Compared(
                    f"gain, lost {'both ways' if place == 'both' else 'on the way ' + place}, {name}",
                    "",
                    f"{sample.value:.0f} % ({interval.low:.0f} to {interval.high:.0f})",
                )
            )
    return Drawn(
        [
            Bars(
                "kinds",
                "1 % of what passes, or of the time, is lost: on the way there, back, or both (95 % intervals)",
                [NAMES[n] for n in CONTROLS],
                [COLOURS[n] for n in CONTROLS],
                groups,
                Axis("rate (packets/s)", low=0),
            )
        ],
        {"kinds": grid.frame()},
        compared,
        "Bursts and outages are Gilbert and Elliott's model with states that lose all or nothing. An outage is of time, whatever is "
        "sent: of four packets of a full link, of fewer else. Several segments lost from one window are one reduction; so of the same "
        "share both senders make more, and Veno's gentler reduction gains less. ACKs lost singly cost nothing but growth; three in a "
        "row cost timeouts, and as a timeout sends one packet, a burst that counts packets may outlast several.",
        _scenario("veno", "bursts", "there", 1),
    )
