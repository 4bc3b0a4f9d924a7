"""What the paper cites: related uses of divided ACKs, and attacks."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import polars as pl

from ...report.charts import Axis, Bar, Bars, Line, Lines, Mark, Panel
from ...reproduce.experiments import Effort, Replications, Traces, records
from ...reproduce.grid import Array, Grid, OneFlow
from ...reproduce.paper import Compared, Drawn
from ...study.intervals import Sample, jackknife, split
from .runs import downloads
from .setting import PAPER, PAYLOAD, Client, Path

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


# --- What each attack gains against each defence, and what it costs the others (beyond the paper, after Savage et al. 1999)


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
