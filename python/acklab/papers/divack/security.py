"""What each attack gains against each defence, and what it costs the others (beyond the paper, after Savage et al. 1999)."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from ...report.charts import Axis, Bar, Bars
from ...reproduce.grid import Grid
from ...reproduce.paper import Compared, Drawn
from ...study.intervals import Sample, jackknife, split
from .registry import PAPER
from .runs import downloads
from .setting import Client, Path

ATTACKS: dict[str, dict[str, Any]] = {
    "honest": {"policy": "every"},
    "division": {"policy": "div1", "pieces": 16},
    "spoofed duplicates": {"policy": "spoof", "ack": (("duplicates", 20),)},
    "optimistic": {"policy": "optimistic", "ack": (("ahead", 20),)},
}
"""Division in both phases; 20 copies of each ACK; ACKs of up to 20 segments that have not come."""

DEFENCES: dict[str, dict[str, Any]] = {
    "none": {},
    "ABC, L = 1": {"credit": "abc", "limit": 1.0},
    "ABC, L = 2": {"credit": "abc", "limit": 2.0},
    "full segments": {"credit": "full-segments"},
    "duplicates limited": {"sender": (("recovery", {"inflation_limit": True}),)},
    "segments skipped": {"sender": (("skip", 50), ("unsent_ack", "restart"))},
}


def _defence(name: str, recovery: str) -> dict[str, Any]:
    """The defence, where the recovery has it: those with SACK ignore spoofed duplicates, and inflate nothing."""
    return {} if name == "duplicates limited" and recovery in ("sack", "rfc6675") else DEFENCES[name]


RECOVERIES = ("reno", "newreno", "sack", "rfc6675")
FLOWS = 8

TABLE = downloads(
    "divack attacks",
    "each attack against each defence and recovery",
    {"recovery": RECOVERIES, "defence": tuple(DEFENCES), "attack": tuple(ATTACKS), "flows": (FLOWS,)},
    lambda attack, defence, recovery, **_: Client(**{**ATTACKS[attack], **_defence(defence, recovery)}),
    lambda recovery, **_: Path(recovery=recovery),
    most_seeds=20,
)


def _percent(grid: Grid, column: str, attack: str, sign: int, **cell: Any) -> Sample:
    """Change of a mean against the honest receiver without a defence, in percent."""
    changed = grid.at(flows=FLOWS, attack=attack, **cell)[column]
    honest = grid.at(flows=FLOWS, attack="honest", **{**cell, "defence": "none"})[column]
    return jackknife(len(changed), lambda seeds: sign * 100 * float(changed[seeds].mean() / honest[seeds].mean() - 1))


@PAPER.figure("attacks", "", "Attacks, defences and recoveries", "V", [TABLE], evidence="evidence", slow=True)
def attacks(grid: Grid) -> Drawn:
    rows, charts, compared = [], [], []
    level = split(len(RECOVERIES) * len(DEFENCES) * len(ATTACKS))
    found: dict[tuple[str, str, str], tuple[Sample, Sample]] = {}
    for recovery in RECOVERIES:
        for defence in DEFENCES:
            for attack in ATTACKS:
                cell = {"recovery": recovery, "defence": defence}
                gain = _percent(grid, "time_s", attack, -1, **cell)
                loss = _percent(grid, "background_bps", attack, -1, **cell)
                found[recovery, defence, attack] = gain, loss
                rows.append(
                    {
                        "recovery": recovery,
                        "defence": defence,
                        "attack": attack,
                        "gain_percent": gain.value,
                        "gain_half_width": gain.interval(level).half_width,
                        "victims_loss_percent": loss.value,
                        "victims_loss_half_width": loss.interval(level).half_width,
                        "time_s": float(grid.at(flows=FLOWS, attack=attack, **cell)["time_s"].mean()),
                        "seeds": len(gain.values),
                    }
                )
    liars = [attack for attack in ATTACKS if attack != "honest"]
    for recovery in RECOVERIES:
        groups = [
            Bar(
                defence,
                [max(-100.0, found[recovery, defence, attack][0].value) for attack in ATTACKS],
                [min(100.0, found[recovery, defence, attack][0].interval(0.95).half_width) for attack in ATTACKS],
            )
            for defence in DEFENCES
        ]
        about = f"{recovery}: time saved against an honest receiver of an undefended sender, J = {FLOWS}"
        y = Axis("time saved (%), cut at -100", low=-100, high=100)
        charts.append(
            Bars(f"attacks-{recovery}", about, tuple(ATTACKS), ("slate", "pink", "orange", "purple"), groups, y)
        )
        for attack in liars:
            told = "; ".join(
                f"{defence} {found[recovery, defence, attack][0].value:+.0f} / {found[recovery, defence, attack][1].value:+.0f}"
                for defence in DEFENCES
            )
            compared.append(Compared(f"{recovery}, {attack}: gain / victims' loss (%)", "", told))
    worst = float(np.max([found[r, "none", a][0].value for r in RECOVERIES for a in liars]))
    return Drawn(
        charts,
        {"attacks": pl.DataFrame(rows)},
        compared,
        f"One client among {FLOWS} flows. The largest gain against no defence is {worst:.0f} %. Victims' loss is what the other flows' "
        "goodput falls by while the client downloads; a shorter download takes more of it for a shorter time. An optimistic receiver's time ends "
        "when the sender believes it has everything: what was lost on the way it never gets. Negative: the attack or the defence "
        "makes the download slower than an honest one.",
    )
