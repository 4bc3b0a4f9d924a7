"""What needs no sweep: the estimator's listing, the configurations' arithmetic, and what no run can tell."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...reproduce.experiments import Traces, records
from ...reproduce.measure import Measurement, NotTestable
from .recorded import Recorded
from .registry import PAPER
from .runs import FIG15
from .setting import lossy

LISTING = Traces(
    "Figure 1", "slow start that loses one segment, packet by packet",
    lambda effort: {"smart": records(lossy(), "packets", "series")}, Recorded,
)  # fmt: skip


@PAPER.claim("fig1.unit", LISTING)
def the_listing(runs: Mapping[str, Recorded]) -> Measurement:
    c = runs["smart"]["f1"]
    third = float(c.acks[7 + 2])
    steps = [int(e) for e in c.estimate[c.time > third]]
    ended = next(k for k, e in enumerate(steps) if e < 8)
    return Measurement(
        {
            "slow-start": int(max(c.estimate[c.time < third])),
            "after": steps[ended],
            "capped": next(e for e in steps[ended:] if e > steps[ended]),
        },
        "a slow start in which segment 7 is lost; the state vector itself is stepped through in "
        "crates/tcp/tests/traces/smartacking.rs",
    )


@PAPER.claim("fig1.dup3")
def listing_and_prose() -> NotTestable:
    return NotTestable(
        "a reading, not a run: the listing has no statement that reacts to a third duplicate ACK, the prose says it ends the initial phase. "
        'Both readings run: at the round trip\'s end (`loss = "tick"`, used here) and at once (`loss = "third-duplicate"`)'
    )


@PAPER.claim("sec4.ns2")
def their_simulator() -> NotTestable:
    return NotTestable("their simulator is not public; ours agrees with ns-2 on the NewReno baselines of 1-0 and 2-2 and on TCP-UDP, row for row "
                       "(b_smartacking.csv 46 of 46, u_onoff_udp.csv 38 of 38)")  # fmt: skip


@PAPER.claim("sec2.rtt60")
def round_trip_of_2_2() -> Measurement:
    return Measurement({"rtt": 2 * (5 + 20 + 5)})


@PAPER.claim("sec4.edge")
def edges_of_2_2() -> Measurement:
    return Measurement({"sum": 10 + 10})


@PAPER.claim("fig2")
def asymmetric_numbers() -> Measurement:
    return Measurement(
        {
            "rtt": 1 + 5 + 1 + 1 + 50 + 1,
            "bdp": 10e6 * 0.059 / 8000,
            "least": 5e3 / 320,
            "most": 30e3 / 320,
            "data": 10e6 / 8000,
        }
    )


@PAPER.claim("sec4.udp", FIG15)
def datagrams(runs: Mapping[str, Recorded]) -> Measurement:
    sent = runs["smart-paced"].sends["udp2"]
    inside = sent[(sent >= 0.2) & (sent < 5.2)]
    silent = sent[(sent >= 5.2) & (sent < 10.2)]
    rate = (len(inside) - 1) / float(inside[-1] - inside[0])
    return Measurement(
        {
            "packets": rate,
            "rate": rate * 8000 / 1e6,
            "on": float(np.round(len(inside) / rate, 2)),
            "off": 5.0 if not len(silent) else 0.0,
        }
    )
