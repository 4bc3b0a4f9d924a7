"""The paths, the mechanisms, and every parameter with its reason."""

from __future__ import annotations

import copy
import json
import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path as File
from typing import Any

from acklab.reproduce.paper import Parameter, Study
from acklab.scenario.draws import Draws
from acklab.text.input import example, loads

Table = dict[str, Any]
FQ: Table = {"kind": "fq-codel"}


@dataclass(frozen=True)
class Path:
    """A path from server S over A to the client C: a preset, and the queues that replace its own."""

    name: str
    preset: str
    rtt_s: float
    """Of a small request without load, on average."""
    seconds: float
    """How long flows share it."""
    loaded_s: float
    """Such a round trip behind full buffers, about."""
    red: tuple[int, int]
    """Thresholds of ACC's queue, in packets: ACKs for 10 and 30 ms of the uplink."""
    down: Table | None = None
    up: Table | None = None
    grants_ms: float = 0.0
    """How long a lone packet waits for its grant, on average; 0 is an uplink without grants."""

    @property
    def short(self) -> str:
        """The name without rates."""
        return self.name.split(",")[0]


PATHS = {
    "fibre": Path(
        "Fibre, GPON, 1000/500 Mb/s", "gpon", 0.0117, 2.5, 0.05, (12000, 36000), down=FQ, up=FQ, grants_ms=1.5
    ),
    "cable": Path("Cable, DOCSIS 3.1, 1000/35 Mb/s", "docsis31", 0.017, 2.5, 0.05, (840, 2520), grants_ms=5.0),
    "wifi": Path("Wi-Fi 6, 1201 Mb/s on the air", "wifi6", 0.0101, 2.5, 0.05, (64, 192), down=FQ, up=FQ),
    "lte": Path("LTE, 151/51 Mb/s", "lte-fdd", 0.0449, 6, 0.35, (1230, 3680), grants_ms=18.9),
    "nr": Path("5G NR, 868/94 Mb/s", "nr-tdd", 0.0298, 3, 0.1, (2250, 6760), grants_ms=6.8),
    "leo": Path("LEO satellite, 178/17 Mb/s", "leo", 0.0341, 15, 0.25, (410, 1230)),
    "geo": Path("GEO satellite, 100/5 Mb/s", "geo", 0.568, 25, 1.2, (120, 360)),
}


@cache
def _preset(name: str) -> Table:
    """Links and media of a preset, without its flows."""
    file = File(example(f"access/{name}.toml"))
    return {key: table for key, table in loads(file.read_text(encoding="utf-8")).items() if key in ("link", "wlan")}


@dataclass(frozen=True)
class Mechanism:
    """What differs: the receiver's policy, the credit for an ACK, the uplink's queue."""

    name: str
    colour: str
    ack: Table
    credit: Table | None = None
    uplink: Table | None = None


DELAYED: Table = {"policy": "delayed", "timer": "40ms"}
_CAKE: Table = {"kind": "cake", "ack_filter": "on", "rtt": "400ms"}
_RED: Table = {"kind": "red", "weight": 0.002, "max_p": 0.1, "ecn": True}
MECHANISMS = {
    "every": Mechanism("every", "every", {"policy": "every"}),
    "delayed": Mechanism("delayed", "delayed", DELAYED),
    "abc": Mechanism("ABC (L = 2)", "abc", DELAYED, credit={"kind": "abc"}),
    "smart": Mechanism("smart", "smart", {"policy": "smart", "rtt": "timestamps", "initial": 10, "timer": "200ms"}),
    "acc": Mechanism("ACC", "acc", {"policy": "acc", "timer": "100ms"}, uplink=_RED),
    "cake": Mechanism("CAKE filter", "cake", DELAYED, uplink=_CAKE),
    "tack": Mechanism("TACK-like", "tack", {"policy": "periodic", "rtt": "timestamps", "timer": "200ms"}),
}


@dataclass(frozen=True)
class Sender:
    """A sender of downloads."""

    name: str
    colour: str
    rules: Table


SENDERS = {
    "linux": Sender("Linux", "blue", {"stack": "linux"}),
    "no-hystart": Sender(
        "− HyStart", "orange", {"stack": "linux", "control": {"kind": "cubic", "slow_start": "standard"}}
    ),
    "hystart++": Sender(
        "HyStart++", "green", {"stack": "linux", "control": {"kind": "cubic", "slow_start": "hystart++"}}
    ),
    "no-rack": Sender("− RACK-TLP", "pink", {"stack": "linux", "recovery": "rfc6675"}),
    "bbr": Sender("BBR", "purple", {"stack": "linux", "control": "bbr"}),
    "rfc": Sender("RFC 5681", "gold", {"stack": "rfc", "control": "cubic", "min_rto": "200ms"}),
}
"""Linux is CUBIC, HyStart, RACK-TLP, proportional rate reduction, and credit for all bytes of an ACK. The last sender has CUBIC and RFC
6675. Its slow start lasts up to the first loss, with a credit of at most one segment an ACK."""
SIZES = {"1 MB": 1_000_000, "20 MB": 20_000_000}
FLOWS = 4
USERS = 32
UPLINKS = ("as it is", "plain")
"""With its grants, or at the same rate without any and as much later as the mean grant: what the grants alone change."""


def download(mechanism: str, sender: str = "linux", ack: Table | None = None) -> tuple[Table, Table]:
    """Sender and receiver of a download; ``ack`` replaces the mechanism's policy."""
    one = MECHANISMS[mechanism]
    rules = {**SENDERS[sender].rules, **({"credit": one.credit} if one.credit else {})}
    return rules, {"stack": "linux", "ack": ack or one.ack}


def network(path: str, uplink: str, kind: str = UPLINKS[0]) -> Table:
    """Links and media, with the queue that the mechanism ``uplink`` has on the uplink."""
    place = PATHS[path]
    tables = copy.deepcopy(_preset(place.preset))
    queue = MECHANISMS[uplink].uplink or place.up
    if queue is not None and queue["kind"] == "red":
        least, most = place.red
        queue = {**queue, "min": least, "max": most, "packets": 3 * most}
    down, up = (
        (tables["wlan"][0], tables["wlan"][0]) if "wlan" in tables else (tables["link"][1], tables["link"][1]["back"])
    )
    if place.down is not None:
        down["ap_queue" if "wlan" in tables else "queue"] = place.down
    if queue is not None:
        up["queue"] = queue
    if kind == "plain" and place.grants_ms:
        delay = float(up.get("delay", down["delay"]).removesuffix("ms"))
        up |= {"rate": up["rate"]["rate"], "delay": f"{delay + place.grants_ms:g}ms"}
    return tables


def _requests(place: Path) -> Table:
    """Users of the same access, each with a small request about every 100 ms, while the downloads run."""
    begin = 1 + 10 * place.rtt_s
    # All are to be answered before the run ends.
    times = math.floor((1 + place.seconds - begin - place.loaded_s) / (0.15 + place.loaded_s))
    source = {"repeat": {"times": times, "think": "50ms", "think_to": "150ms"}, "count": USERS, "stagger": "3ms"}
    ends = {"sender": {"stack": "linux", "syn": False}, "receiver": {"stack": "linux", "ack": {"policy": "every"}}}
    return {"name": "ping", "from": "C", "to": "S", "start": f"{begin:g}s", "size": {"bytes": "64B"}, **source, **ends}


def scenario(
    path: str, uplink: str, flows: list[tuple[Table, Table]], seed: int, size: int | None = None,
    kind: str = UPLINKS[0], requests: bool = False, starts: tuple[int, bool] | None = None,
) -> str:  # fmt: skip
    """Downloads of ``size`` bytes, or for the path's time: one line of JSON.

    ``uplink`` names the mechanism whose queue the uplink has. ``requests`` adds small requests. ``starts`` is another seed
    for the times at which downloads begin, and whether their order is reversed.
    """
    place = PATHS[path]
    of, turned = starts or (seed, False)
    draws = Draws(of, "starts")
    begin = [draws.uniform(1, 1 + 5 * place.rtt_s) for _ in flows]
    rows: list[Table] = [_requests(place)] if requests else []
    for i, (start, (sender, receiver)) in enumerate(zip(reversed(begin) if turned else begin, flows, strict=True)):
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
    return json.dumps({"seed": seed, "stop": stop, **network(path, uplink, kind), "flow": rows}, separators=(",", ":"))


def _chosen(name: str, value: str, reason: str) -> Parameter:
    return Parameter(name, value, "inferred", reason)


PARAMETERS = (
    Parameter("rates, delays, grants", "the presets gpon, docsis31, wifi6, lte-fdd, nr-tdd, leo, geo", "stated",
              "The presets name a source for each number, or say that it is assumed"),
    _chosen("queues", "FQ-CoDel both ways on fibre and Wi-Fi; DOCSIS-PIE up and 2 MB down on cable; the presets' plain buffers elsewhere",
            "A home router with Linux's default on fibre; Linux's access points have FQ-CoDel; RFC 8034; cells and satellites buffer plainly"),
    _chosen("the sender", "stack linux: CUBIC, HyStart, RACK-TLP, proportional rate reduction", "What most servers run; hollow marks are a "
            "sender by the RFCs (5681, 6675, 9438) without HyStart"),
    _chosen("the receiver", "stack linux with the mechanism's policy; segments are not merged", "What is compared is the policy; GRO would make one "
            "arrival of several segments"),
    _chosen("an ACK", "52 bytes, 8 more for each SACK block", "IPv4, TCP and timestamps; at most three blocks"),
    _chosen("delayed ACKs", "every second segment, 40 ms", "Linux's timer; no quick ACKs at the start, which would blur what is compared"),
    _chosen("what an ACK is worth", "all it covers (Linux); at most a segment in slow start (RFC 5681); ABC two", "The three that are deployed"),
    _chosen("smartacking", "round trip by timestamps, initial window 10, at most 200 ms", "Timestamps are there anyway and cost no probes; the rest as its paper"),
    _chosen("ACC", "d up to 16, at most 100 ms; RED on the way up marks at 10 to 30 ms of ACKs", "RED's 5 and 15 packets would mark whatever waits "
            "for a grant. On Wi-Fi 64 and 192: an aggregate's ACKs come at once"),
    _chosen("CAKE filter", "CAKE whole on the way up, ack-filter, rtt 400 ms", "Its target is then 20 ms, more than a grant takes; with the default it drops "
            "what waits for grants"),
    _chosen("TACK-like", "4 ACKs a round trip, of 2 segments at least", "The values of its paper; its rate-based sender, loss reports and "
            "pacing are not modelled, so this is TACK's ACK clock under an ordinary sender"),
    _chosen("latency", "32 users, each with a request of 64 bytes about 0.1 s after its last answer, beside four downloads",
            "About 300 requests a run, so that the p99 is not the slowest of all; too few to load the path"),
    _chosen("sharing", "2.5 s (fibre, cable, Wi-Fi), 6, 3, 15, 25 s", "45 to 250 round trips; counted from the first second, slow start included"),
    _chosen("a plain uplink", "grants replaced by the same rate and their mean delay", "What remains is that ACKs do not bunch"),
    _chosen("seeds", "starts uniform over five round trips; pauses between requests; HARQ, backoffs", "The randomness there is; "
            "intervals are Student's at 95 % over seeds"),
)  # fmt: skip

STUDY = Study(
    id="paths2026",
    title="Which ACK strategy on the paths of 2026?",
    citation="A study of acklab's own; no paper's claims are judged here",
    about="Downloads over fibre, cable, Wi-Fi 6, LTE, 5G NR and two satellites, with the queues and the grants that these networks have, from "
    "Linux's sender, and seven ways to acknowledge them. 32 users of the same access send small requests: their "
    "completion is the latency under load.",
    sections={
        "1": "Seven mechanisms side by side",
        "2": "An ACK for every k segments",
        "3": "The sender's parts, and what grants change",
    },
    parameters=PARAMETERS,
)
