#!/usr/bin/env python3
"""Applications and uneven paths between the two ends of a Linux in virtual time (`patterns.csv`): the grid, and how a row is made.

    patterns.py [N]       make the rows that are missing, at most N (needs `make kernel`)
    patterns.py --fresh   make all of them anew

They are transfers of `rows.py` with more about the path, the application or the other flows. With several flows a value of a row has one
part for each.
"""

import itertools
import sys
from pathlib import Path

import rows

ROWS = Path(__file__).parent / "patterns.csv"
ASKED = ["pattern", "path", "control", "acks", "seed"]
#: Segments of a bulk transfer.
SIZE = 300
PATHS = ["dsl", "cable", "far"]


def stages(*there, back=()):
    """Stages of either direction."""
    return lambda link, flow: (link | {"stages": [*there], "back": link["back"] | {"stages": [*back]}}, [flow])


def loses(there, back=()):
    """These packets are lost."""
    return lambda link, flow: (
        link | {"loss": {"list": there}, "back": link["back"] | {"loss": {"list": [*back]}}},
        [flow],
    )


def window(segments):
    """A small window; Linux's receiver has a buffer of 128 KiB then, and a segment takes 2304 bytes of it."""

    def change(link, flow):
        receiver = flow["receiver"]
        if receiver["ack"]["policy"] == "linux":
            receiver = receiver | {"ack": receiver["ack"] | {"window": segments, "buffer": (128 << 10) // 2304}}
        return link, [flow | {"sender": flow["sender"] | {"window": segments}, "receiver": receiver}]

    return change


def marks(queue):
    """ECN, and a queue that marks."""
    return lambda link, flow: (link | {"queue": queue}, [flow | {"sender": flow["sender"] | {"ecn": True}}])


def beside(**other):
    """Another flow, which is the same but for this."""
    return lambda link, flow: (link, [flow, flow | {"name": "g"} | other])


def writes(write, every, times):
    """An application that writes so much so often."""
    return lambda link, flow: (link, [_writer(flow, write, every, times)])


def _writer(flow, write, every, times):
    rest = {key: value for key, value in flow.items() if key != "size"}
    return rest | {"source": {"kind": "writes", "write": write, "every": every, "times": times}}


def requests(link, flow):
    """Answers, and requests in the other direction on a connection of their own: the requests come first by 100 ms."""
    asks = _writer(flow, "300B", "400ms", 12) | {"name": "g", "from": "R", "to": "S"}
    return link, [_writer(flow, "30kB", "400ms", 12) | {"start": "100ms"}, asks]


#: What is done to a bulk transfer's link and flow.
PATTERNS = {
    "reorder": stages({"kind": "reorder", "rate": 0.02, "by": "15ms", "only": "payload"}),
    "reorder-far": stages({"kind": "reorder", "list": [40, 120], "by": "60ms", "only": "payload"}),
    "reorder-acks": stages(back=[{"kind": "reorder", "rate": 0.05, "by": "10ms"}]),
    "jitter": stages({"kind": "jitter", "mean": "2ms", "order": "kept"}),
    "jitter-free": stages({"kind": "jitter", "mean": "3ms", "order": "free"}),
    "jitter-acks": stages(back=[{"kind": "jitter", "mean": "3ms", "order": "kept"}]),
    "duplicate": stages({"kind": "duplicate", "rate": 0.02, "only": "payload"}),
    "duplicate-acks": stages(back=[{"kind": "duplicate", "rate": 0.05}]),
    "pause": stages({"kind": "pause", "at": ["400ms"], "length": "150ms"}),
    "pause-long": stages({"kind": "pause", "at": ["400ms"], "length": "1200ms"}),
    "burst": loses([30, 31, 32, 33, 34, 35, 36, 37, 38, 39]),
    "twice": loses([25, 60, 61, 62, 90, 140]),
    "both-lost": loses([40, 41], [20, 21, 22, 23, 24, 25]),
    "two": beside(start="150ms"),
    "rivals": beside(start="150ms", sender={"stack": "linux", "recovery": rows.CLOCK}),
    "opposite": beside(start="50ms", **{"from": "R", "to": "S"}),
    "window-4": window(4),
    "window-16": window(16),
    "ecn-red": marks({"kind": "red", "packets": 60, "ecn": True}),
    "ecn-codel": marks({"kind": "codel", "packets": 100, "ecn": True}),
    "thin": writes("200B", "30ms", 60),
    "chunks": writes("5kB", "120ms", 20),
    "idle": writes("60kB", "1500ms", 4),
    "requests": requests,
}


def grid():
    """What every row is asked."""
    for values in itertools.product(PATTERNS, PATHS, rows.CONTROLS, rows.ACKS, (1,)):
        yield dict(zip(ASKED, values))


def scenario(asked):
    """A row's scenario, for the simulator and for the kernel."""
    whole = rows.scenario(asked | {"loss": "none", "size": SIZE})
    link, flows = PATTERNS[asked["pattern"]](whole["link"][0], whole["flow"][0])
    return whole | {"title": " ".join(str(asked[key]) for key in ASKED), "link": [link], "flow": flows}


if __name__ == "__main__":
    rows.main(sys.argv[1:], sys.modules[__name__])
