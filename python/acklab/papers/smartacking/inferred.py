"""The plan that infers the paper's unprinted rules from what it prints of Figures 3 to 5 (``acklab infer smartacking``).

A timeline's span is not printed; it is fitted to smartacking's share in each figure, as for the claims. The numbers of timeouts are
section 5.1's stalls. One setting holds for all figures. The initial window is one segment, because NewReno's first ACK waits.
"""

from __future__ import annotations

import json
from typing import Any

from .setting import SEGMENTS, one_zero, two_two

SENDER = "flow.*.sender"
PANELS = {
    "3(a) NewReno": (one_zero, 9, "newreno", 29, 1), "3(b) smartacking": (one_zero, 9, "smart", 61, 0),
    "4(a) NewReno": (one_zero, 5, "newreno", 23, None), "4(b) smartacking": (one_zero, 5, "smart", 27, None),
    "4(c) NewReno, paced": (one_zero, 5, "paced", 22, None), "4(d) smartacking, paced": (one_zero, 5, "smart-paced", 25, None),
    "5(a) NewReno": (two_two, 20, "newreno", 49, 1), "5(b) smartacking": (two_two, 20, "smart", 68, 0),
}  # fmt: skip
"""Configuration, capacity in Mb/s, scheme, percent of the file at the timeline's end, and stalls by timeouts where they are told."""
SPANS = {"3": "6.54s", "4": "5.57s", "5": "5.83s"}
"""When smartacking has delivered what the paper prints, with the rules that are used here."""
TOLERANCE, TIMEOUTS = 4.0, 0.5
"""Points, as in the ledger; and less than one timeout."""
HELD_OUT = ("5",)
"""The figure that is predicted: of another configuration than those that are fitted."""

FREE: dict[str, list[Any]] = {
    f"{SENDER}.min_rto": ["1s", "200ms"],
    f"{SENDER}.tick": ["10ms", "100ms"],
    f"{SENDER}.halving": ["integer", "flight-size"],
    f"{SENDER}.recovery.partial_deflation": [True, False],
    f"{SENDER}.limited_transmit": [False, True],
    f"{SENDER}.recovery_exit": ["keep", "rfc6582"],
    f"{SENDER}.second_fast_retransmit": ["never", "always", "unless-timeout"],
    f"{SENDER}.credit.kind": ["ack-counting", "abc"],
    "flow.*.receiver.immediate_on_gap": [True, False],
}
"""Appropriate byte counting doubles the window in slow start although ACKs are delayed, as section 5.1 says of NewReno's."""


def plan() -> dict[str, Any]:
    """The plan's tree."""
    runs, values = [], []
    for name, (configuration, mbps, scheme, percent, timeouts) in PANELS.items():
        figure = name[0]
        tree = json.loads(configuration(mbps, scheme))
        tree["stop"] = {"at": SPANS[figure]}
        for flow in tree["flow"]:
            flow["sender"] |= {"recovery": {"kind": "newreno"}, "credit": {"kind": "ack-counting"}}
        runs.append({"name": name, "scenario": tree})
        shared = {"run": name, "group": figure, "use": "held-out" if figure in HELD_OUT else "fit"}
        values.append({"name": name, "metric": f"{100 / SEGMENTS:g} * segments_acked@f1", "printed": percent, "tolerance": TOLERANCE, **shared})
        if timeouts is not None:
            values.append({"name": f"{name}: timeouts", "metric": "timeouts@f1", "printed": timeouts, "tolerance": TIMEOUTS, **shared})
    return {
        "title": "Smartacking: the sender that Figures 3 to 5 were made with",
        "free": FREE,
        "run": runs,
        "value": values,
    }
