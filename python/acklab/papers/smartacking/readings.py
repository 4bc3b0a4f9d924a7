"""What NewReno's unprinted details are worth: Figures 3 and 4 under other senders."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import polars as pl

from ...figures.charts import Axis, Line, Lines, Mark, Panel
from ...reproduce.experiments import Effort, Traces, records
from ...reproduce.paper import Compared, Drawn
from .dynamics import FITTED
from .recorded import Recorded
from .registry import PAPER
from .setting import SEGMENTS, one_zero

READINGS: Mapping[str, dict[str, Any]] = {
    "as here": {},
    "least RTO 0.2 s": {"min_rto": "200ms"},
    "each partial ACK restarts the timer": {"recovery": {"kind": "newreno", "partial_ack_timer": "each"}},
    "halving FlightSize": {"halving": "flight-size"},
    "fast retransmit may repeat": {"second_fast_retransmit": "always"},
    "RFC 6582's exit": {"recovery_exit": "rfc6582"},
    "no deflation": {"recovery": {"kind": "newreno", "partial_deflation": False}},
    "Limited Transmit": {"limited_transmit": True},
    "four of these": {
        "min_rto": "200ms", "halving": "flight-size", "limited_transmit": True,
        "recovery": {"kind": "newreno", "partial_deflation": False},
    },
    "SACK": {"recovery": "sack"},
}
PANELS = {"3": (9, 29.0), "4": (5, 23.0)}


def _scenario(mbps: int, scheme: str, rules: Mapping[str, Any]) -> str:
    tree = json.loads(one_zero(mbps, scheme))
    for flow in tree["flow"]:
        flow["sender"] |= rules
    return records(json.dumps(tree, separators=(",", ":")), "packets", "series")


def _cells(effort: Effort) -> Mapping[tuple[str, str, str], str]:
    chosen = ("as here", "SACK") if effort.quick else tuple(READINGS)
    return {
        (r, figure, s): _scenario(PANELS[figure][0], s, READINGS[r])
        for r in chosen
        for figure in PANELS
        for s in ("newreno", "smart")
    }


EXPERIMENT = Traces("readings", "Figures 3 and 4 under other readings of NewReno, packet by packet", _cells, Recorded)


def shares(runs: Mapping[tuple[str, str, str], Recorded], reading: str, figure: str) -> float:
    """NewReno's share when smartacking, under the same reading, has the paper's."""
    until = runs[reading, figure, "smart"]["f1"].reaches(FITTED[figure], SEGMENTS)
    return runs[reading, figure, "newreno"]["f1"].share(until, SEGMENTS)


@PAPER.figure("readings", "", "What unprinted details of NewReno are worth", "5.1", [EXPERIMENT], evidence="evidence")
def readings(runs: Mapping[tuple[str, str, str], Recorded]) -> Drawn:
    names = [r for r in READINGS if (r, "3", "smart") in runs]
    found = {figure: [shares(runs, r, figure) for r in names] for figure in PANELS}
    panels = [
        Panel(f"Figure {figure}(a), {mbps} Mb/s", Axis("reading, in the table's order"), Axis("share of the file (%)", low=0),
              [Line("NewReno here", list(range(len(names))), found[figure], "delayed", "", "o")], [Mark(paper, "the paper's NewReno")])
        for figure, (mbps, paper) in PANELS.items()
    ]  # fmt: skip
    compared = [
        Compared(f"{r}, {PANELS[f][0]} Mb/s", f"{PANELS[f][1]:.0f} %", f"{found[f][k]:.1f} %")
        for k, r in enumerate(names)
        for f in PANELS
    ]
    rows = [
        {"reading": r, "capacity_mbps": PANELS[f][0], "share_percent": found[f][k]}
        for k, r in enumerate(names)
        for f in PANELS
    ]
    remark = (
        "The shares that the paper prints for NewReno at both capacities lie between what a cumulative ACK can repair, one loss a round "
        "trip or a timeout, and what SACK repairs. No rule by itself gives both. Four together come near in single runs, which is chance (figure joint)."
    )
    return Drawn(
        [Lines("readings", "NewReno's share under other readings of its rules", panels)],
        {"readings": pl.DataFrame(rows)},
        compared,
        remark,
    )


def said(runs: Mapping[tuple[str, str, str], Recorded], figure: str) -> str:
    """The range of the readings, for a claim's note."""
    values = {r: shares(runs, r, figure) for r in READINGS if (r, figure, "smart") in runs}
    plain = [v for r, v in values.items() if r != "SACK"]
    return (
        f". Under other readings of NewReno's rules its share is {min(plain):.0f} to {max(plain):.0f} %, with SACK {values['SACK']:.0f} %: what "
        "it does after the burst of losses, and so every ratio to it, hangs on rules that are not printed (figure readings)"
    )
