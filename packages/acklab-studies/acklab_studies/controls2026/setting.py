"""The paths, queues, controls, ACK policies, and every parameter with its reason."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from acklab.reproduce.paper import Parameter, Study
from acklab.scenario.draws import Draws

from ..paths2026.setting import DELAYED, network

Table = dict[str, Any]


@dataclass(frozen=True)
class Place:
    """An access path of :mod:`..paths2026.setting`, and how long two downloads share it."""

    name: str
    rtt_s: float
    """Of a small request without load, on average."""
    alone_s: float
    """How long the first download is alone."""
    both_s: float
    """How long both run."""
    window_s: float
    """In how long a window a share is measured: ten round trips, at least 0.1 s; five on the satellite."""


PATHS = {
    "fibre": Place("Fibre, 1000/500 Mb/s", 0.0117, 2, 6, 0.12),
    "wifi": Place("Wi-Fi 6, 1201 Mb/s on the air", 0.0101, 2, 6, 0.1),
    "lte": Place("LTE, 151/51 Mb/s", 0.0449, 6, 18, 0.45),
    "geo": Place("GEO satellite, 100/5 Mb/s", 0.568, 40, 80, 2.8),
}
QUEUES: dict[str, tuple[str, Table | None]] = {
    "drop-tail": ("drop-tail", None),
    "fq-codel": ("FQ-CoDel", {"kind": "fq-codel", "ecn": True}),
    "dual-pi2": ("DualPI2", {"kind": "dual-pi2"}),
}
"""Before the downlink. The first is the preset's plain buffer: 20 ms (fibre), 1 MB (Wi-Fi), 249 ms (LTE), 600 ms (GEO)."""
_MARKS: Table = {"ecn": True, "accurate_ecn": True, "ace": "linux-thinned"}


@dataclass(frozen=True)
class Control:
    """A congestion control, and whether its segments may be marked."""

    name: str
    colour: str
    rules: Table = field(default_factory=dict)


CONTROLS = {
    "cubic": Control("CUBIC", "blue", _MARKS),
    "bbr": Control("BBRv1", "purple"),
    "bbr3": Control("BBRv3", "orange"),
    "prague": Control("Prague", "green", _MARKS),
    "dctcp": Control("DCTCP", "pink", {**_MARKS, "control": {"kind": "dctcp", "form": "rfc8257"}}),
}
"""BBR has no answer to marks in version 1, nor in the draft of version 3, so its segments cannot be marked. DCTCP is that of RFC 8257, not of Linux."""
ACKS: dict[str, tuple[str, Table]] = {
    "delayed": ("delayed", DELAYED),
    "every": ("each segment", {"policy": "every"}),
    "sixteen": ("1 for 16", {**DELAYED, "segments": 16}),
    "tack": ("4 a round trip", {"policy": "periodic", "rtt": "timestamps", "timer": "200ms"}),
}
USERS = 32


def windows(path: str) -> list[float]:
    """Instants at which both downloads' bytes are read, in seconds: from the second's earliest start in steps of a window."""
    place = PATHS[path]
    begin, count = 1 + place.alone_s, int(place.both_s / place.window_s + 1e-9)
    return [begin + n * place.window_s for n in range(count + 1)]


def _plain(path: str) -> Table:
    """The path with the preset's own buffer before the downlink."""
    tables = network(path, "delayed")
    if path == "fibre":
        tables["link"][1]["queue"] = {"kind": "drop-tail", "bytes": "20ms"}
    elif path == "wifi":
        tables["wlan"][0]["ap_queue"] = {"kind": "drop-tail", "bytes": "1MB"}
    return tables


def scenario(path: str, queue: str, control: str, acks: str, seed: int) -> str:
    """A run's text: one line of JSON."""
    place, draws = PATHS[path], Draws(seed, "starts")
    tables, wanted = _plain(path), QUEUES[queue][1]
    if wanted is not None:
        place_of = (tables["wlan"][0], "ap_queue") if "wlan" in tables else (tables["link"][1], "queue")
        place_of[0][place_of[1]] = wanted
    sender = {"stack": "linux", "control": control, **CONTROLS[control].rules}
    receiver = {"stack": "linux", "accecn_option": "always", "ack": ACKS[acks][1]}
    begin = 1 + place.alone_s
    starts = [draws.uniform(1, 1 + place.rtt_s), draws.uniform(begin, begin + place.rtt_s)]
    flows: list[Table] = [
        {"name": f"down{i}", "from": "S", "to": "C", "start": f"{start:.9f}s", "sender": sender, "receiver": receiver}
        for i, start in enumerate(starts)
    ]
    times = int(place.both_s / (0.15 + 3 * place.rtt_s))
    flows.append({
        "name": "ping", "from": "C", "to": "S", "start": f"{begin:g}s", "size": {"bytes": "64B"}, "count": USERS, "stagger": "3ms",
        "repeat": {"times": times, "think": "50ms", "think_to": "150ms"},
        "sender": {"stack": "linux", "syn": False}, "receiver": {"stack": "linux", "ack": {"policy": "every"}},
    })  # fmt: skip
    read = [
        {"flow": name, "at": f"{at:.6f}s", "what": "bytes", "within": [0, 1e15]}
        for at in windows(path)
        for name in ("down0", "down1")
    ]
    # A state is read only while the run goes on.
    stop = {"at": f"{begin + place.both_s + 0.01:g}s"}
    return json.dumps({"seed": seed, "stop": stop, **tables, "flow": flows, "expect": read}, separators=(",", ":"))


def _chosen(name: str, value: str, reason: str) -> Parameter:
    return Parameter(name, value, "inferred", reason)


PARAMETERS = (
    Parameter(
        "rates, delays, grants",
        "the presets gpon, wifi6, lte-fdd and geo",
        "stated",
        "The presets name a source for each number, or say that it is assumed",
    ),
    _chosen(
        "queues",
        "before the downlink: the preset's plain buffer, FQ-CoDel with ECN, DualPI2; each with its defaults",
        "The uplink keeps its own: FQ-CoDel on fibre and Wi-Fi, a plain buffer elsewhere",
    ),
    _chosen(
        "the senders",
        "stack linux with the control; accurate ECN with the option on each ACK, except for BBR",
        "The feedback is then the same for all that answer marks. CUBIC and DCTCP send ECT(0), Prague ECT(1)",
    ),
    _chosen(
        "ACK policies",
        "each segment; every second, 40 ms; every 16th, 40 ms; four a round trip, at least two segments",
        "What receivers do, and how far thinning may go",
    ),
    _chosen(
        "the second download",
        "begins after 2 s (fibre, Wi-Fi), 6 s and 40 s",
        "The first has filled the path by then; how well, is a result",
    ),
    _chosen(
        "throughput",
        "of both, in percent of the largest over all cells of the path",
        "Rates of Wi-Fi and grants have no simple truth",
    ),
    _chosen(
        "p99",
        "of 32 users' requests of 64 bytes, each about 0.1 s after its last answer",
        "What else on this access feels. It is a queue of "
        "its own with FQ-CoDel, and the classic queue with DualPI2; the downloads' own mean round trip is beside it",
    ),
    _chosen("weaker share", "of the weaker download in the second half of the time that both run", "0.5 is fair"),
    _chosen(
        "time to a fair share",
        "to the end of the first window in which the second download has 40 % of both",
        "Windows of ten round trips (five by "
        "satellite); a run without one counts with its whole time, and is counted apart",
    ),
    _chosen(
        "good",
        "throughput at least 90, p99 at most twice the idle round trip, weaker share at least 0.4, a fair share in every seed; all with "
        "delayed ACKs, and by means",
        "Set before the first run",
    ),
    _chosen(
        "an ACK policy matters",
        "a mean of throughput or p99 that differs from delayed ACKs by more than 10 %, and the 95 % interval of the paired "
        "differences excludes zero",
        "Set before the first run",
    ),
    _chosen(
        "seeds",
        "starts uniform over a round trip; pauses between requests; HARQ, backoffs",
        "Intervals are Student's at 95 % over seeds, without a correction for the number of comparisons",
    ),
)

STUDY = Study(
    id="controls2026",
    title="Which congestion control gets along with which queue and which ACKs?",
    citation="A study of acklab's own; no paper's claims are judged here",
    about="Two downloads of one control share an access link, and the second begins later. The study compares throughput, the 99th percentile "
    "of small requests' times, the share of the weaker download, and the time until the second one has its share. Five controls, four ACK "
    "policies, four access paths, and three queues before the downlink.",
    sections={"1": "Two downloads of one control"},
    parameters=PARAMETERS,
)
