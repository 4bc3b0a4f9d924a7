"""The paths, the mechanisms, and every parameter with its reason."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass
from typing import Any

from ...draws import Draws
from ...reproduce.paper import Parameter

Table = dict[str, Any]


def _wired(core_ms: float, access_ms: float, down: str, up: str, buffer: str, buffer_up: str) -> Table:
    core = {"between": ["S", "A"], "rate": "10Gbps", "delay": f"{core_ms:g}ms"}
    back = {"rate": up, "queue": {"kind": "drop-tail", "bytes": buffer_up}}
    access = {"between": ["A", "C"], "rate": down, "delay": f"{access_ms:g}ms", "back": back}
    access["queue"] = {"kind": "drop-tail", "bytes": buffer}
    return {"link": [{**core, "queue": {"kind": "drop-tail", "packets": 10000}}, access]}


def _wifi() -> Table:
    core = {"between": ["S", "A"], "rate": "10Gbps", "delay": "10ms", "queue": {"kind": "drop-tail", "packets": 10000}}
    waiting = {"kind": "drop-tail", "waiting": 500}
    mac = {"phy": "802.11n", "rate": "270Mbps", "frame_loss": 0.01}
    wlan = {"ap": "A", "stations": ["C"], "queue": dict(waiting), "ap_queue": dict(waiting), "mac": mac}
    return {"link": [core], "wlan": [wlan]}


@dataclass(frozen=True)
class Path:
    """A path from server S over A to the client C."""

    name: str
    tables: Table
    rtt_s: float
    """Without load."""
    seconds: float
    """How long flows share it."""
    red: tuple[int, int] = (5, 15)
    """Thresholds of ACC's queue, in packets."""


PATHS = {
    "fibre": Path("Fibre, 1 Gb/s, 10 ms", _wired(2, 3, "1Gbps", "1Gbps", "1.25MB", "1.25MB"), 0.010, 4),
    "wifi": Path("Wi-Fi, about 200 Mb/s, 20 ms", _wifi(), 0.020, 10, red=(64, 192)),
    "lte": Path("LTE, 50/10 Mb/s, 50 ms", _wired(10, 15, "50Mbps", "10Mbps", "1MB", "250kB"), 0.050, 20),
    "geo": Path("GEO satellite, 50/3 Mb/s, 600 ms", _wired(20, 280, "50Mbps", "3Mbps", "3.75MB", "250kB"), 0.600, 60),
}


@dataclass(frozen=True)
class Mechanism:
    """What differs: the receiver's policy, what an ACK is worth, the queue of the way up."""

    name: str
    colour: str
    ack: Table
    credit: Table | None = None
    uplink: Table | None = None


DELAYED: Table = {"policy": "delayed", "timer": "40ms"}
_CAKE: Table = {"filter": {"kind": "cake"}, "drop": "longest-front", "scheduler": "round-robin"}
_RED: Table = {"kind": "red", "packets": 500, "weight": 0.002, "max_p": 0.1, "ecn": True}
MECHANISMS = {
    "every": Mechanism("every", "every", {"policy": "every"}),
    "delayed": Mechanism("delayed", "delayed", DELAYED),
    "abc": Mechanism("ABC (L = 2)", "abc", DELAYED, credit={"kind": "abc"}),
    "smart": Mechanism("smart", "smart", {"policy": "smart", "rtt": "timestamps", "initial": 10, "timer": "200ms"}),
    "acc": Mechanism("ACC", "acc", {"policy": "acc", "timer": "100ms"}, uplink=_RED),
    "cake": Mechanism("CAKE filter", "cake", DELAYED, uplink=_CAKE),
    "tack": Mechanism("TACK-like", "tack", {"policy": "periodic", "rtt": "timestamps", "timer": "200ms"}),
}
CONTROLS = {"cubic": "CUBIC", "reno": "Reno"}
COUNTINGS = {
    "segment": ("at most one segment an ACK (RFC 5681)", None),
    "bytes": ("all that an ACK covers (as Linux)", {"kind": "ubc"}),
}
"""What an ACK is worth in slow start, where the mechanism does not say it."""
SIZES = {"1 MB": 1_000_000, "20 MB": 20_000_000}
FLOWS = 4
PING: Table = {"kind": "telnet", "mean": "20ms", "write": "64B"}
_STACK: Table = {"base": "rfc", "min_rto": "200ms", "ack_size": 52}


def download(
    mechanism: str, control: str | Table, counting: str = "segment", ack: Table | None = None, **sender: Any
) -> tuple[Table, Table]:
    """Sender and receiver of a download; ``ack`` and ``sender`` replace rules of theirs."""
    one = MECHANISMS[mechanism]
    credit = one.credit or COUNTINGS[counting][1]
    rules = {"stack": "host", "control": control, **({"credit": credit} if credit else {}), **sender}
    return rules, {"stack": "host", "ack": ack or one.ack}


def scenario(path: str, uplink: str, flows: list[tuple[Table, Table]], seed: int, size: int | None = None) -> str:
    """Downloads of ``size`` bytes, or for the path's time, beside the requests: one line of JSON.

    ``uplink`` names the mechanism whose queue the way up has.
    """
    place, tables, draws = PATHS[path], copy.deepcopy(PATHS[path].tables), Draws(seed, "starts")
    queue = MECHANISMS[uplink].uplink
    if queue is not None:
        where = tables["wlan"][0] if "wlan" in tables else tables["link"][1]["back"]
        red = dict(zip(("min", "max"), place.red, strict=True))
        where["queue"] = {**queue, **red} if queue.get("kind") == "red" else {**where["queue"], **queue}
    asking = {"name": "ping", "from": "C", "to": "S", "source": PING, "sender": {"stack": "host"}}
    rows: list[Table] = [{**asking, "receiver": {"stack": "host", "ack": {"policy": "every"}}}]
    for i, (sender, receiver) in enumerate(flows):
        start = draws.uniform(1, 1 + 5 * place.rtt_s)
        row = {
            "name": f"down{i}",
            "from": "S",
            "to": "C",
            "start": f"{start:.9f}s",
            "sender": sender,
            "receiver": receiver,
        }
        rows.append({**row, "size": {"bytes": f"{size}B"}} if size else row)
    stop = {"when": "flows-complete", "at_most": "200s"} if size else {"at": f"{1 + place.seconds:g}s"}
    whole = {"seed": seed, "stop": stop, "stack": {"host": _STACK}, **tables, "flow": rows}
    return json.dumps(whole, separators=(",", ":"))


def _chosen(name: str, value: str, reason: str) -> Parameter:
    return Parameter(name, value, "inferred", reason)


PARAMETERS = (
    Parameter("rates and round trips", "the four paths' names", "stated", "The question: what a transport engineer meets in 2026"),
    _chosen("split of the round trip", "2+3, 10+0, 10+15, 20+280 ms one way", "From the server to the access network, and over the access; "
            "only the sum matters here, as the core never queues"),
    _chosen("buffers towards the client", "1.25 MB, 500 packets, 1 MB, 3.75 MB", "One bandwidth-delay product by fibre and satellite; "
            "about one of a driver's queue for Wi-Fi; three for LTE, whose base stations buffer deeply"),
    _chosen("buffers towards the server", "1.25 MB, 500 packets, 250 kB, 250 kB", "As down by fibre and Wi-Fi; 0.2 s of LTE's and 0.7 s of the satellite's way up"),
    _chosen("Wi-Fi", "802.11n, 270 Mb/s, aggregates of 64 frames and 64 KiB", "The rate at which one endless download gets about 200 Mb/s"),
    _chosen("Wi-Fi's frame loss", "1 %", "Usual where rate control works; the MAC repeats them, so that TCP sees jitter, not losses"),
    _chosen("random losses elsewhere", "none", "Fibre has none, LTE and satellites repair theirs below IP; what is lost here is lost in buffers"),
    _chosen("segments", "1460 bytes, 12 of them timestamps", "Ethernet's 1500; every system sends timestamps"),
    _chosen("initial window", "10 segments", "RFC 6928"),
    _chosen("advertised window", "6 MiB", "Linux's usual limit; enough for each path and most of its buffer"),
    _chosen("an ACK", "52 bytes, 8 more for each SACK block", "IPv4, TCP and timestamps; at most three blocks"),
    _chosen("delayed ACKs", "every second segment, 40 ms", "Linux's timer; no quick ACKs at the start, which would blur what is compared"),
    _chosen("least RTO", "200 ms", "All deployed systems; RFC 6298's second would make each timeout on fibre a hundred round trips"),
    _chosen("slow start", "until the first loss; HyStart++ in the third part only", "What is compared is acknowledging; with HyStart++, as CUBIC is deployed, slow start overshoots less"),
    _chosen("recovery", "RFC 6675, RACK-TLP in the third part only, no PRR", "Without RACK a retransmission that is lost costs a timeout; ssthresh is then a share of all that is "
            "not acknowledged in order (RFC 5681), which may exceed the window before it, and slow start overshoots again"),
    _chosen("what an ACK is worth", "at most a segment in slow start (RFC 5681); in a second round all it covers", "ABC is one of the mechanisms "
            "compared, so the others are without; the second round is what Linux does"),
    _chosen("smartacking", "round trip by timestamps, initial window 10, at most 200 ms", "Timestamps are there anyway and cost no probes; the rest as its paper"),
    _chosen("ACC", "d up to 16, at most 100 ms; RED on the way up: 5, 15, 0.002, 0.1, marking", "As the smartacking paper sets RED. "
            "On Wi-Fi 64 and 192: an aggregate's ACKs come at once, and a queue that drops them ends transfers with a timeout"),
    _chosen("CAKE-style filter", "conservative erasing, a queue for each flow", "Delayed ACKs at the receiver: the filter is the path's, not the host's"),
    _chosen("TACK-like", "4 ACKs a round trip, of 2 segments at least", "The values of its paper; its rate-based sender, loss reports and "
            "pacing are not modelled, so this is TACK's ACK clock under an ordinary sender"),
    _chosen("sharing", "4, 10, 20, 60 s", "100 to 500 round trips; counted from the first second, slow start included"),
    _chosen("seeds", "starts uniform over five round trips; pauses between requests; backoffs and broken frames", "The randomness there is; "
            "intervals are Student's at 95 % over seeds"),
)  # fmt: skip
