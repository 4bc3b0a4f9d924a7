"""The plan that infers the paper's unprinted rules from the shares it prints in Figures 3 to 5 (``acklab infer smartacking``).

A timeline's span is not printed. Section 5.1 calls a band's period fixed, so all figures have one span here, and smartacking's
shares are data as NewReno's are. One setting holds for all figures.
"""

from __future__ import annotations

import json
from typing import Any

from .setting import SEGMENTS, one_zero, two_two

SENDER = "flow.*.sender"
PANELS = {
    "3(a) NewReno": (one_zero, 9, "newreno", 29), "3(b) smartacking": (one_zero, 9, "smart", 61),
    "4(a) NewReno": (one_zero, 5, "newreno", 23), "4(b) smartacking": (one_zero, 5, "smart", 27),
    "4(c) NewReno, paced": (one_zero, 5, "paced", 22), "4(d) smartacking, paced": (one_zero, 5, "smart-paced", 25),
    "5(a) NewReno": (two_two, 20, "newreno", 49), "5(b) smartacking": (two_two, 20, "smart", 68),
}  # fmt: skip
"""Configuration, capacity in Mb/s, scheme, and percent of the file at the timeline's end."""
TOLERANCE = 4.0
"""Points, as in the ledger."""
HELD_OUT = ("5",)
"""Figures that are predicted: of another configuration than those that are fitted."""
SPANS = ["5.5s", "5.75s", "6s", "6.25s", "6.5s", "6.75s", "7s"]

FREE: dict[str, list[Any]] = {
    f"{SENDER}.min_rto": ["1s", "200ms"],
    f"{SENDER}.halving": ["integer", "flight-size"],
    f"{SENDER}.limited_transmit": [False, True],
    f"{SENDER}.recovery_exit": ["keep", "rfc6582"],
    f"{SENDER}.second_fast_retransmit": ["never", "always"],
    f"{SENDER}.initial_window": [1, 2],
    "stop.at": SPANS,
}


def _newreno(**rules: Any) -> dict[str, Any]:
    return {f"{SENDER}.recovery": {"kind": "newreno", **rules}}


PARTIAL_ACKS = {
    "deflate": _newreno(),
    "do not deflate": _newreno(partial_deflation=False),
    "deflate, restart timer": _newreno(partial_ack_timer="each"),
    "restart timer": _newreno(partial_deflation=False, partial_ack_timer="each"),
}


def plan() -> dict[str, Any]:
    """The plan's tree."""
    runs, values = [], []
    for name, (configuration, mbps, scheme, percent) in PANELS.items():
        tree = json.loads(configuration(mbps, scheme))
        tree["stop"] = {"at": "6s"}
        runs.append({"name": name, "scenario": tree})
        figure = name[0]
        values.append({"name": name, "run": name, "metric": f"{100 / SEGMENTS:g} * segments_acked@f1", "printed": percent,
                       "tolerance": TOLERANCE, "group": figure, "use": "held-out" if figure in HELD_OUT else "fit"})  # fmt: skip
    return {
        "title": "Smartacking: the sender that Figures 3 to 5 were made with",
        "free": FREE,
        "alternatives": {"partial_acks": PARTIAL_ACKS},
        "run": runs,
        "value": values,
        "readings": 20_000,
    }
