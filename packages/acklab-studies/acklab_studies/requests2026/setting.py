"""The paths, how ACKs become fewer, what an ACK is worth, and every parameter with its reason."""

from __future__ import annotations

import json
from typing import Any

from acklab.reproduce.paper import Parameter, Study
from acklab.scenario.draws import Draws

Table = dict[str, Any]

ACKERS: dict[str, tuple[str, float, Table, tuple[Table, ...]]] = {
    **{
        str(segments): (
            f"{segments} requested" if segments > 2 else "2, delayed ACKs",
            segments,
            {"ack_request": {"kind": "on", "segments": segments}} if segments > 2 else {},
            (),
        )
        for segments in (2, 4, 8, 16, 32)
    },
    "phase": (
        "2 requested in slow start, then 16",
        64,
        {"ack_request": {"kind": "on", "segments": 16, "slow_start": 2}},
        (),
    ),
    "quarter": (
        "a quarter of cwnd requested",
        128,
        {"ack_request": {"kind": "on", "segments": 127, "window_share": 0.25}},
        (),
    ),
    "thin": ("one ACK of 8 passes", 256, {}, ({"kind": "thin", "every": 8, "hold": "10ms"},)),
}
"""How ACKs become few: a name, its place on a chart's axis (for the requests: their number), rules of the sender, stages on the ACKs' way."""

PACED: Table = {"pacing": {"kind": "spread", "share": 0.5, "burst": 2}}
CREDITS: dict[str, tuple[str, str, Table]] = {
    "none": ("an ACK is a segment", "orange", {"credit": {"kind": "ack-counting"}}),
    "capped": ("bytes, at most 2 segments (ABC, L = 2)", "blue", {"credit": {"kind": "abc", "limit": 2}}),
    "all": ("all bytes", "green", {"credit": {"kind": "ubc"}}),
    "paced": ("all bytes, paced", "purple", {"credit": {"kind": "ubc"}, **PACED}),
}
"""What an ACK is worth: a name, a colour, rules of the sender."""
TRIPS = {"20ms": 0.02, "100ms": 0.1, "600ms": 0.6}
"""Round trips in seconds."""
BUFFERS = {"bdp": "1 BDP", "shallow": "30 packets"}
CONTROLS: dict[str, tuple[str, Table]] = {
    "reno": ("Reno", {"control": "reno"}),
    "cubic": ("CUBIC", {"control": "cubic"}),
    "hystart": ("CUBIC, HyStart++", {"control": {"kind": "cubic", "slow_start": "hystart++"}}),
}
SIZES = ("1MB", "10MB")
RATE = 50e6


def scenario(trip: str, buffer: str, acker: str, credit: str, control: str, size: str, seed: int) -> str:
    """A run's text: one download. The seed makes the round trip and the buffer up to a tenth longer or shorter."""
    draws = Draws(seed, "path")
    rtt, share = TRIPS[trip] * draws.uniform(0.9, 1.1), draws.uniform(0.9, 1.1)
    packets = round(share * (RATE * TRIPS[trip] / 12_000 if buffer == "bdp" else 30))
    _, _, rules, stages = ACKERS[acker]
    link = {
        "between": ["S", "R"],
        "rate": f"{RATE / 1e6:g}Mbps",
        "delay": f"{rtt / 2:.9f}s",
        "queue": {"kind": "drop-tail", "packets": packets},
        "back": {"queue": {"kind": "drop-tail", "packets": 10_000}, "stages": list(stages)},
    }
    sender = {
        "stack": "rfc",
        "min_rto": "200ms",
        "window": 20_000,
        **CONTROLS[control][1],
        **CREDITS[credit][2],
        **rules,
    }
    ack = {"policy": "delayed" if acker == "thin" else "requested", "timer": "40ms", "segments": 2}
    flow = {
        "name": "down",
        "from": "S",
        "to": "R",
        "size": {"bytes": size},
        "sender": sender,
        "receiver": {"stack": "rfc", "ack": ack},
    }
    return json.dumps(
        {"seed": seed, "stop": {"when": "flows-complete", "at_most": "300s"}, "link": [link], "flow": [flow]}
    )


PARAMETERS = (
    Parameter(
        "link",
        "50 Mb/s; round trips of 20, 100 and 600 ms",
        "inferred",
        "an access link to a near, a far and a satellite server",
    ),
    Parameter(
        "buffer",
        "1 BDP, or 30 packets",
        "inferred",
        "30 packets hold no burst of an ACK for 32 segments that counts twice",
    ),
    Parameter(
        "sender",
        "RFC 6675 and 6928; Reno, CUBIC, and CUBIC with HyStart++",
        "inferred",
        "without HyStart++ slow start ends with losses only",
    ),
    Parameter(
        "request",
        "at most half of cwnd; the last segment asks for an ACK at once",
        "inferred",
        "so that the sender waits for no timer",
    ),
    Parameter("receiver's timer", "40 ms", "inferred", "as in Linux"),
    Parameter("pacing", "twice the window a round trip, bursts of two", "inferred", "as Linux paces in slow start"),
    Parameter("thinning", "one ACK of 8, none held longer than 10 ms", "inferred", "about 16 segments an ACK"),
    Parameter("seeds", "round trip and buffer within a tenth", "inferred", "so that no number depends on one run"),
)

STUDY = Study(
    id="requests2026",
    title="What should an ACK be worth when a sender requests few?",
    citation="A study of acklab's own; no paper's claims are judged here",
    about="TCP ACK Rate Request lets a sender ask for an ACK every R segments. The study compares what an ACK may be worth to the sender's "
    "window: a segment, all bytes with a cap of two segments (RFC 3465), all bytes, and all bytes with pacing.",
    sections={"1": "Downloads alone"},
    parameters=PARAMETERS,
)
