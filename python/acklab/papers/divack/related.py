"""Section II: uses of division that help (our rules; the paper names them without an algorithm, and nothing is judged)."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import polars as pl

from ...report.charts import Axis, Line, Lines, Mark, Panel
from ...reproduce.experiments import Effort, Replications, Traces, records
from ...reproduce.grid import Array, Grid
from ...reproduce.paper import Drawn
from ...reproduce.readers import OneFlow
from ...study.intervals import Sample, split
from .registry import PAPER
from .setting import PAYLOAD

LOSSES = (0.0003, 0.001, 0.003, 0.01)
PIECES = 8
RECEIVERS: dict[str, dict[str, Any]] = {
    "one ACK a segment": {"policy": "every"},
    "restore": {"policy": "restore", "pieces": PIECES},
    "divide always": {"policy": "divide", "pieces": PIECES},
}
HANDOVER_S, TARGET = 10.0, 160
AFTER: dict[str, dict[str, Any]] = {
    "one ACK a segment": {"policy": "every"},
    "restore": {"policy": "restore", "pieces": PIECES, "target": TARGET, "start": f"{HANDOVER_S:g}s"},
}


def _transfer(ack: dict[str, Any], seconds: float, rate: str, loss: float, seed: int, ssthresh: int = 0) -> str:
    """An endless transfer over one hop, NewReno counting ACKs."""
    link = {
        "between": ["S", "R"],
        "rate": rate,
        "delay": "50ms",
        "queue": {"kind": "drop-tail", "packets": 83},
        **({"loss": {"rate": loss, "where": "after-queue", "only": "data"}} if loss else {}),
    }
    rules = {
        "stack": "ns2-2.35",
        "recovery": "newreno",
        "sequence": "bytes",
        "packet": PAYLOAD,
        "window": 100000,
        "initial_ssthresh": ssthresh or 60,
    }
    flow = {
        "name": "f",
        "from": "S",
        "to": "R",
        "sender": rules,
        "receiver": {"stack": "ns2-2.35", "ack": ack},
    }
    tree = {"seed": seed, "stop": {"at": f"{seconds:g}s"}, "link": [link], "flow": [flow]}
    return json.dumps(tree, separators=(",", ":"))


READ = OneFlow(["goodput_bps", "timeouts", "retransmits"], where=("S", "R"))

WIRELESS = Replications(
    "divack wireless losses",
    "an endless transfer that loses segments at random",
    {"receiver": tuple(RECEIVERS), "loss": LOSSES},
    lambda receiver, loss, seed: _transfer(RECEIVERS[receiver], 100, "5Mbps", loss, seed),
    READ,
    most_seeds=20,
)


def _cells(effort: Effort) -> Mapping[Hashable, str]:
    del effort
    return {name: records(_transfer(ack, 30, "20Mbps", 0, 1, ssthresh=10), "series") for name, ack in AFTER.items()}


def _window(result: Any) -> tuple[Array, Array]:
    series = pl.DataFrame(result.series).select("time_s", "cwnd_segments")
    return series["time_s"].to_numpy(), series["cwnd_segments"].to_numpy()


HANDOVERS = Traces("divack handovers", "a window that is too small for a new network", _cells, _window)
COLOURS = {"one ACK a segment": "every", "restore": "green", "divide always": "pink"}


@PAPER.figure("related", "", "Division that helps", "II", [WIRELESS, HANDOVERS], evidence="evidence")
def related(grid: Grid, handovers: Mapping[str, tuple[Array, Array]]) -> Drawn:
    level = split(len(RECEIVERS) * len(LOSSES))
    lines, rows = [], []
    for name in RECEIVERS:
        samples = [Sample.of((grid.at(receiver=name, loss=loss)["goodput_bps"] / 1e6).tolist()) for loss in LOSSES]
        spread = [s.interval(level).half_width for s in samples]
        shares = [100 * loss for loss in LOSSES]
        lines.append(Line(name, shares, [s.value for s in samples], COLOURS[name], marker="o", spread=spread))
        rows += [
            {"receiver": name, "loss": loss, "goodput_Mbps": s.value, "half_width": w, "seeds": len(s.values)}
            for loss, s, w in zip(LOSSES, samples, spread, strict=True)
        ]
    x = Axis("segments lost at random (%)", log=True, ticks=[100 * loss for loss in LOSSES])
    panels = [Panel("after wireless losses, 5 Mb/s", x, Axis("goodput (Mb/s)", low=0), lines)]
    windows = [Line(name, times, values, COLOURS[name], step=True) for name, (times, values) in handovers.items()]
    marks = [Mark(HANDOVER_S, "handover", vertical=True), Mark(TARGET, "target")]
    panels.append(
        Panel(
            "after a handover, 20 Mb/s",
            Axis("time (s)", low=0, high=30),
            Axis("cwnd (segments)", low=0),
            windows,
            marks,
        )
    )
    reached = {
        name: next((t for t, w in zip(times, values, strict=True) if t >= HANDOVER_S and w >= TARGET), np.inf)
        for name, (times, values) in handovers.items()
    }
    told = ", ".join(
        f"{name} {'not within 30 s' if np.isinf(t) else f'after {t - HANDOVER_S:.1f} s'}" for name, t in reached.items()
    )
    return Drawn(
        [
            Lines(
                "related",
                "Windows restored after losses that are no congestion, and raised after a handover",
                panels,
                3.2,
            )
        ],
        {"wireless": pl.DataFrame(rows)},
        (),
        f"The receiver divides each ACK into {PIECES} until the window, told by the segments, is back where it was before a loss that "
        f"came with a short round trip; after a handover until it is {TARGET} segments. Target reached: {told}.",
    )
