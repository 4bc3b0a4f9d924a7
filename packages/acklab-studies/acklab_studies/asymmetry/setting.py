"""The path and the remedies, each value stated or inferred, and the scenarios."""

from __future__ import annotations

from typing import Any

from acklab.reproduce.explanation import Derived
from acklab.reproduce.paper import Paper, Parameter

from ..later import text

PACKET, ACK = 1000, 40
"""Bytes."""
MODEM, UPSTREAM = "28.8kbps", "50kbps"
"""The return path: of the scripts, and of RFC 3449's example of k."""
WINDOW, LONG, SHORT = 100, 2000, 100
"""Packets."""
BURST = 3
"""Packets that leave at once with sender adaptation."""
RATIO_S = (60, 120)
"""When loads of the example of k are read."""
SMALL, SMALL_S = 10, (10, 20)
"""Packets of the queue that drops ACKs of the example of k, and when they are counted."""
SPAN_S = (20.0, 50.0)
"""When data that go in both directions are counted."""
GAPS = {"few": (1, 2, 4, 6), "enough": (10, 12)}
"""Packets for an ACK."""

PARAMETERS = [
    Parameter(
        "path", "10 Mb/s and 1, 5 and 1 ms there; 28.8 kb/s and 50 ms back", "stated", "ns-2.35, tcl/ex/asym/asym.tcl"
    ),
    Parameter(
        "queue of the return path",
        "10 packets; RED from 1.5 to 6 that marks, with ACK congestion control",
        "stated",
        "asym.tcl and util.tcl",
    ),
    Parameter("sender", "Reno, a window of 100 packets of 1000 bytes", "stated", "asym.tcl; RFC 3449 section 3.1"),
    Parameter(
        "receiver",
        "an ACK of 40 bytes for each packet; at most 25 packets with ACK congestion control",
        "stated",
        "asym.tcl",
    ),
    Parameter(
        "example of k",
        "50 kb/s back, a window of 400 packets",
        "inferred",
        "the rate is stated; the window must not limit",
    ),
    Parameter(
        "ACKs in the example of k",
        "none is lost; loads from 60 to 120 s",
        "inferred",
        "where the queue drops ACKs, the next that passes stands for them, and the forward path is full with any number. Section 3.1 says of "
        "its example that no ACK is dropped; that was read after the first run",
        fitted_to=("saturates", "suffices"),
    ),
    Parameter(
        "small queue of the example of k",
        "10 packets, from 10 to 20 s",
        "inferred",
        "section 3.1 says 'a small buffer'",
    ),
    Parameter(
        "queue of the forward path",
        "no packet is lost there",
        "inferred",
        "the scripts' queues there are not the subject",
    ),
    Parameter(
        "burst", "at most 3 packets with sender adaptation", "inferred", "asym-test-2.tcl has 3, asym.tcl no limit"
    ),
    Parameter("length", "2000 and 100 packets", "inferred", "none is printed"),
]

RED = {
    "kind": "red",
    "packets": 10,
    "min": 1.5,
    "max": 6.0,
    "weight": 0.01,
    "max_p": 0.1,
    "wait": False,
    "mean_packet": "40B",
    "ecn": True,
}
FILTER = {"kind": "static", "threshold": 1, "older": "number", "room_first": True}
COUNTS = {"credit": {"kind": "ubc", "growth": "steps"}}
"""A sender that counts packets."""
ADAPTS = {**COUNTS, "pacing": "bursts", "max_burst": BURST}
STAGES = {"respaced": "ack-respacing", "reconstructed": "ack-reconstruction"}
CONTROLLED = {"policy": "acc-ns2", "d_max": 25, "timer": "100ms"}


def _path(queue: dict[str, Any], rate: str = MODEM, stages: tuple[dict[str, Any], ...] = ()) -> list[dict[str, Any]]:
    def link(ends: str, delay: str, back: dict[str, Any]) -> dict[str, Any]:
        return {
            "between": list(ends),
            "rate": "10Mbps",
            "delay": delay,
            "queue": {"kind": "drop-tail", "packets": 100_000},
            "back": back,
        }

    slow = {"rate": rate, "delay": "50ms", "queue": queue, "stages": list(stages)}
    return [link("SG", "1ms", {}), link("GH", "5ms", slow), link("HR", "1ms", {})]


def _flow(ends: str, size: Any, sender: dict[str, Any], ack: dict[str, Any], start: str = "0s") -> dict[str, Any]:
    sends = {"stack": "ns2-1998", "recovery": "reno", "packet": PACKET, "window": WINDOW, **sender}
    receives = {"stack": "ns2-1998", "ack": ack, "ack_size": ACK}
    return {"from": ends[0], "to": ends[1], "start": start, "size": size, "sender": sends, "receiver": receives}


def remedy(name: str, segments: int) -> str:
    """A transfer of so many packets with a remedy, or with none."""
    queue: dict[str, Any] = {"kind": "drop-tail", "packets": 10}
    if name == "acc":
        queue = RED
    elif name != "none":
        queue = {**queue, "filter": FILTER}
    sender = {"acc": ADAPTS, "counted": COUNTS, "adapted": ADAPTS}.get(name, {})
    stages = ({"kind": STAGES[name]},) if name in STAGES else ()
    ack = CONTROLLED if name == "acc" else {"policy": "every"}
    tree = {
        "stop": {"when": "flows-complete", "at_most": "1000s"},
        "link": _path(queue, stages=stages),
        "flow": [_flow("SR", {"segments": segments}, sender, ack)],
        "record": {"packets": True},
    }
    return text(tree)


def gap(packets: int, seconds: int, room: int = 100_000) -> str:
    """RFC 3449's example: an endless transfer with an ACK for so many packets, until then; ``room`` is for ACKs, in packets."""
    ack = {"policy": "delayed", "segments": packets, "timer": "1s"}
    flow = _flow("SR", "unlimited", {**COUNTS, "window": 400}, ack)
    queue = {"kind": "drop-tail", "packets": room}
    return text({"stop": {"at": f"{seconds}s"}, "link": _path(queue, UPSTREAM), "flow": [flow]})


def both() -> str:
    """Data in both directions, with ACK congestion control and ACKs first."""
    flows = [_flow("SR", "unlimited", ADAPTS, CONTROLLED), _flow("RS", "unlimited", ADAPTS, CONTROLLED, "7.5s")]
    queue = {**RED, "scheduler": "acks-first"}
    return text({"stop": {"at": f"{SPAN_S[1]}s"}, "link": _path(queue), "flow": flows, "record": {"packets": True}})


PAPER = Paper(
    id="asymmetry",
    title="Asymmetric paths (Balakrishnan et al., RFC 3449)",
    citation="H. Balakrishnan, V. Padmanabhan, R. Katz, The Effects of Asymmetry on TCP Performance, Mobicom 1997; RFC 3449, December 2002",
    about="10 Mb/s there and 28.8 kb/s back: what do fewer ACKs, filtered ACKs, made ACKs and a sender that counts packets change?",
    sections={"paths": "The return path and its remedies"},
    parameters=PARAMETERS,
    group="classic",
)

PAPER.explain(
    "ar",
    Derived(
        "ns-2's reconstructor lets ACKs go as far apart as they arrive, 11.1 ms, and each covers two packets: 180 packets a second, so 2000 take "
        "11.1 s. The one of RFC 3449 fills the time between two ACKs"
    ),
)
