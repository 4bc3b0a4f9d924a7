"""Where 72 % lives: Veno's gain over round trip, loss, queue, and how often a packet passes the pipe."""

from __future__ import annotations

from math import log10, sqrt

import numpy as np

from ...report.charts import Axis, Heat, Surface
from ...reproduce.experiments import Replications
from ...reproduce.grid import Array, Grid
from ...reproduce.paper import Compared, Drawn
from .dummynet import READ
from .registry import PAPER
from .setting import CONTROLS, PASS_NAMES, PASSES, dummynet

ROUND_TRIPS_MS = (25, 50, 100, 200, 400)
MAP_LOSSES = (1e-3, 3e-3, 1e-2, 3e-2, 1e-1)
QUEUES = (4, 8, 25, 100)


def _map(control: str, passes: str, queue: int, rtt_ms: int, loss: float, seed: int) -> str:
    return dummynet(control, seed, passes, delay=f"{rtt_ms / 2:g}ms", places=queue, loss=loss, seconds=100)


MAP = Replications(
    "map of the gain",
    "Figure 3's connection over other round trips, losses, queues and passes",
    {"control": CONTROLS, "passes": PASSES, "queue": QUEUES, "rtt_ms": ROUND_TRIPS_MS, "loss": MAP_LOSSES},
    _map,
    READ,
    most_seeds=8,
)


def gains(grid: Grid, **at: object) -> Array:
    """Gain of the mean rate in percent, by round trip and loss."""
    veno, sack = (grid.at(control=name, **at)["segments_acked"].mean(axis=-1) for name in ("veno", "sack"))
    found: Array = 100 * (veno / sack - 1)
    return found


@PAPER.figure("gain-map", "", "Where the gain of 72 % lives", "3.2", [MAP], evidence="evidence", slow=True)
def gain_map(grid: Grid) -> Drawn:
    places = list(range(len(ROUND_TRIPS_MS)))
    exponents = [log10(p) for p in MAP_LOSSES]
    charts, compared = [], []
    for passes in PASSES:
        surfaces = []
        for queue in QUEUES:
            found = gains(grid, passes=passes, queue=queue)
            surfaces.append(Surface(f"queue of {queue}", exponents, places, found.T))
            best = np.unravel_index(int(found.argmax()), found.shape)
            compared.append(
                Compared(
                    f"{PASS_NAMES[passes]}, queue of {queue}: largest gain",
                    "72 %",
                    f"{found[best]:.0f} % at {ROUND_TRIPS_MS[best[0]]} ms and {MAP_LOSSES[best[1]]:g}",
                )
            )
        charts.append(
            Heat(
                f"gain-map-{passes}",
                f"Gain of SACK Veno over SACK; {PASS_NAMES[passes]}",
                surfaces,
                Axis("loss each pass (log10)", ticks=(-3, -2, -1)),
                Axis("RTT (ms)", ticks=places, words=[str(ms) for ms in ROUND_TRIPS_MS]),
                Axis("gain (%)", low=-20, high=100),
            )
        )
    return Drawn(
        charts,
        {"rates": grid.frame()},
        compared,
        "Both senders differ in the window's rules only. The delay is that of a pipe passed once each way, and two passes double it and "
        "the loss. Veno gains where losses come so often that the window never fills the pipe, and nothing where timeouts, which it does "
        f"not soften, take over. Between the two it may gain more than the square-root law's {100 * (sqrt(3) - 1):.0f} %, for SACK's "
        "smaller windows time out first.",
        _map("veno", "double", 8, 100, 1e-2, 1),
    )
