"""The settings of the receiver, the paths, and every parameter with its reason."""

from __future__ import annotations

import json
from typing import Any

from acklab.reproduce.paper import Parameter, Study

Table = dict[str, Any]

SETTINGS: dict[str, tuple[str, str, Table]] = {
    "off": ("each at once", "slate", {"sack_delay": "0s"}),
    "old": ("5 %, slack 100 us (to 6.18)", "orange", {"sack_share": 0.05, "sack_slack": "100us"}),
    "5": ("5 %, slack 10 us", "gold", {"sack_share": 0.05, "sack_slack": "10us"}),
    "33": ("33 %, slack 10 us (6.19)", "blue", {"sack_share": 0.33, "sack_slack": "10us"}),
    "100": ("100 %, slack 10 us", "green", {"sack_share": 1.0, "sack_slack": "10us"}),
}
"""Settings of a receiver as in Linux, by short names; the delay is at most 1 ms in all."""
TRIPS = {"50us": 50, "200us": 200, "1ms": 1_000, "3ms": 3_000, "20ms": 20_000}
"""Round trips in microseconds."""
LOSSES = (0.0001, 0.001, 0.01)


def scenario(trip: str, loss: float, setting: str, seed: int) -> str:
    """A run's text: one download of 10 MB at 1 Gb/s between two ends as in Linux."""
    packets = max(50, round(1e9 * TRIPS[trip] * 1e-6 / 12_000))
    link = {
        "between": ["S", "R"],
        "rate": "1Gbps",
        "delay": f"{TRIPS[trip] / 2:g}us",
        "queue": {"kind": "drop-tail", "packets": packets},
        "loss": {"rate": loss, "only": "data"},
    }
    flow = {
        "name": "down",
        "from": "S",
        "to": "R",
        "size": {"bytes": "10MB"},
        "sender": {"stack": "linux"},
        "receiver": {"stack": "linux", "ack": {"policy": "linux", **SETTINGS[setting][2]}},
    }
    return json.dumps(
        {"seed": seed, "stop": {"when": "flows-complete", "at_most": "100s"}, "link": [link], "flow": [flow]}
    )


PARAMETERS = (
    Parameter(
        "link",
        "1 Gb/s; a buffer of a BDP, at least 50 packets",
        "inferred",
        "a data centre's or an access network's last hop",
    ),
    Parameter("round trips", "50 us to 20 ms", "inferred", "from 3 ms (33 %) and 20 ms (5 %) on the cap of 1 ms holds"),
    Parameter("losses", "0.01 to 1 %, each packet by itself", "inferred", "random losses: what opens gaps"),
    Parameter(
        "ends", "stack linux, 10 MB", "inferred", "RACK-TLP, CUBIC, PRR; quick ACKs and window growth as in Linux"
    ),
)

STUDY = Study(
    id="sacks2026",
    title="How long should a receiver hold SACKs?",
    citation="A study of acklab's own; no paper's claims are judged here",
    about="Linux's receiver holds SACKs above a gap for a share of the round trip, at most 1 ms. The share was 5 percent up to 6.18 and is 33 "
    "percent since 6.19. The study compares 5, 33 and 100 percent, and no compression, by losses and round trips from 50 us to 20 ms.",
    sections={"1": "Downloads alone"},
    parameters=PARAMETERS,
)
