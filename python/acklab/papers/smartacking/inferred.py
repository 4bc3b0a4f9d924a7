"""The plan that infers the paper's unprinted rules from what it prints of Figures 3 to 5 (``acklab infer smartacking``).

A timeline's span is not printed. Under each reading and nudge it ends when smartacking has delivered the printed share, so that share
tells nothing, and the others are read at its end. The numbers of timeouts are section 5.1's stalls. One setting holds for all figures.
The initial window is one segment, because NewReno's first ACK waits.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from .setting import SEGMENTS, one_zero, two_two

SENDER = "flow.*.sender"
SPANS: dict[str, tuple[str, Callable[..., str], int, int, int | None]] = {
    "3": ("3(b) smartacking", one_zero, 9, 61, 0),
    "4": ("4(b) smartacking", one_zero, 5, 27, None),
    "5": ("5(b) smartacking", two_two, 20, 68, 0),
}
"""Per figure the panel that ends it: configuration, capacity in Mb/s, percent of the file, and stalls by timeouts where they are told."""
PANELS: dict[str, tuple[str, int, int | None]] = {"3(a) NewReno": ("newreno", 29, 1), "4(a) NewReno": ("newreno", 23, None), "4(c) NewReno, paced": ("paced", 22, None),
          "4(d) smartacking, paced": ("smart-paced", 25, None), "5(a) NewReno": ("newreno", 49, 1)}  # fmt: skip
"""The other panels: scheme, percent of the file, and stalls by timeouts."""
END = "1 * first_data_s@f1 + 1 * last_data_s@f1 + 0.5 * min_rtt_s@f1"
"""When the sender could know of the last segment."""
TOLERANCE, TIMEOUTS = 4.0, 0.5
"""Points, as in the ledger; and less than one timeout."""
HELD_OUT = ("5",)
"""The figure that is predicted: of another configuration than those that are fitted."""

FREE: dict[str, list[Any]] = {
    f"{SENDER}.min_rto": ["1s", "200ms"],
    f"{SENDER}.tick": ["10ms", "100ms"],
    f"{SENDER}.halving": ["integer", "flight-size"],
    f"{SENDER}.timeout_ssthresh": ["each", "first-of-window"],
    f"{SENDER}.recovery.partial_deflation": [True, False],
    f"{SENDER}.limited_transmit": [False, True],
    f"{SENDER}.recovery_exit": ["keep", "rfc6582"],
    f"{SENDER}.second_fast_retransmit": ["never", "always", "unless-timeout"],
    "flow.*.receiver.immediate_on_gap": [True, False],
}
"""Section 2 prints one more: in slow start an ACK is worth a segment. It says that a loss halves the window, and not which number."""
PACED, SMART = f"{SENDER}.pacing.round_trip", "flow.*.receiver.ack"
OF_SCHEMES: dict[str, list[Any]] = {
    PACED: ["smoothed", "last", "least"],
    f"{SMART}.first_probe": ["0s", "1s"],
    f"{SMART}.replies": ["counted", "subtracted"],
}
"""Rules of paced senders, and of smartacking receivers."""
EDGES = (1000, 100, 20, 12.5, 10)
"""Rates of the edges of 1-0, in Mb/s. Other configurations have 10 Mb/s, and 2-2 has bottlenecks wider than its edges."""


PLAIN: dict[str, Any] = {
    f"{SENDER}.min_rto": "1s",
    f"{SENDER}.limited_transmit": False,
    "link.0.rate": "1000Mbps",
    "link.2.rate": "1000Mbps",
}
"""What one would take without these figures: the least RTO of RFC 2988, and edges that never limit."""


def _run(name: str, tree: dict[str, Any], blind: Sequence[str], **more: Any) -> dict[str, Any]:
    for flow in tree["flow"]:
        flow["sender"] |= {"recovery": {"kind": "newreno"}}
    scheme = tree["flow"][0]
    paced, smart = scheme["sender"]["pacing"] != "off", scheme["receiver"]["ack"]["policy"] == "smart"
    unread = [rule for rule in OF_SCHEMES if not (paced if rule == PACED else smart)]
    return {"name": name, "scenario": tree, "without": [*blind, *unread], **more}


def plan() -> dict[str, Any]:
    """The plan's tree."""
    runs, values = [], []

    def value(name: str, metric: str, printed: float, tolerance: float, run: str) -> None:
        use = "held-out" if run[0] in HELD_OUT else "fit"
        values.append(
            {
                "name": name,
                "metric": metric,
                "printed": printed,
                "tolerance": tolerance,
                "run": run,
                "group": run[0],
                "use": use,
            }
        )

    for figure, (name, configuration, mbps, percent, timeouts) in SPANS.items():
        blind = ["edge"] if configuration is two_two else []
        tree = json.loads(configuration(mbps, "smart"))
        tree["flow"][0]["size"] = {"segments": percent * SEGMENTS // 100}
        tree["stop"] = {"at": "9s" if configuration is two_two else "30s"}
        runs.append(_run(name, tree, blind))
        if timeouts is not None:
            value(f"{name}: timeouts", "timeouts@f1", timeouts, TIMEOUTS, name)
        for panel, (scheme, share, stalls) in PANELS.items():
            if panel[0] == figure:
                other = json.loads(configuration(mbps, scheme))
                runs.append(_run(panel, other, blind, until={"run": name, "metric": END}))
                value(panel, f"{100 / SEGMENTS:g} * segments_acked@f1", share, TOLERANCE, panel)
                if stalls is not None:
                    value(f"{panel}: timeouts", "timeouts@f1", stalls, TIMEOUTS, panel)
    return {
        "title": "Smartacking: the sender that Figures 3 to 5 were made with",
        "readings": 100_000,
        "free": FREE | OF_SCHEMES,
        "baseline": PLAIN,
        "alternatives": {
            "edge": {
                f"{rate:g} Mb/s": {"link.0.rate": f"{rate:g}Mbps", "link.2.rate": f"{rate:g}Mbps"} for rate in EDGES
            }
        },
        "run": runs,
        "value": values,
    }
