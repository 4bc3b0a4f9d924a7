#!/usr/bin/env python3
"""What limits transfers over the access paths, from captures at either end, beside the truth of the run's own tables.

`limit_matrix.py` prints the matrix: seven paths, five situations, both ends. `limit_matrix.py SEED N` draws N other scenarios with rates,
delays, buffers and queues at random. `limit_matrix.py SEED N lossy` draws transfers over paths that lose packets at random, whose queues are
empty most of the time.

There are two truths. One comes from the means of the run: a queue that stood in slow start alone makes a link full. The other counts the
time in which the link was full.
"""

from __future__ import annotations

import collections
import random
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import acklab
from acklab import _core
from acklab.captures.findings import limit
from acklab.text.templates import sentence

PATHS = ("vdsl", "dsl", "docsis30", "docsis31", "lte-fdd", "wifi5", "geo")
NEVER = "1000s"
#: Situation: the flow that is judged, the keys that make it, and its truth where that is the same on every path.
SITUATIONS: dict[str, tuple[str, dict[str, Any], str | None]] = {
    "download": ("down", {}, None),
    "upload": ("up", {"flow.down.start": NEVER, "flow.up.start": "0s"}, None),
    "download, full uplink": ("down", {"flow.up.start": "0s"}, None),
    "idle application": (
        "down",
        {"flow.down.source": {"kind": "writes", "write": "20kB", "every": "400ms", "times": 100}},
        "application",
    ),
    "receiver's window": ("down", {"flow.down.sender.window": 8}, "receiver-window"),
}
#: Port of the first flow's sender in a run's capture; the others follow.
PORT = 35_000
#: Verdicts that name no cause.
SILENT = ("unknown", "mixed", "network", "short")
#: Share of the time from which a link is full, seconds that data wait in a queue that stands, and ACKs in one that no grant explains.
FULL, STANDS_S, LATE_S = 0.9, 0.005, 0.02
#: Share of the time in which the link is full from which the path's rate is the only truth over time. Below one less this share it is not true. Between, both are true.
MOSTLY = 0.65


def truth(run: acklab.Run, flow: str, known: str | None) -> tuple[str, ...]:
    """The causes that are right, by the tables of the run.

    A full link in the direction of the data is the path's rate. A link that is not full leaves the congestion window, its growth and
    its losses. If the queue of the ACKs stands then, they are late, and that is the cause.
    """
    if known:
        return (known,)
    there, back = access(run, flow)
    waits = [link["sent_wait_s"] / max(1, link["packets"]) for link in (there, back)]
    # A link of grants or of shared air has a rate that its utilisation does not tell: a queue that stands does.
    full = there["utilisation"] >= FULL or there["mean_queue_packets"] >= 2 and waits[0] >= STANDS_S
    late = waits[1] >= max(LATE_S, waits[0]) and back["mean_queue_packets"] >= 2
    if full and late:
        return ("path-rate", "ack-path")
    if full:
        return ("path-rate",)
    return ("ack-path",) if late else ("cwnd", "recovery", "slow-start")


def access(run: acklab.Run, flow: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The rows of the access link, in the direction of the flow's data and in that of its ACKs."""
    summary = run.summary()
    links = {(link["from"], link["to"]): link for link in summary["links"] if "C" in (link["from"], link["to"])}
    row = next(row for row in summary["flows"] if row["name"] == flow)
    there = next(link for ends, link in links.items() if ends[1 if row["to"] == "C" else 0] == "C")
    return there, next(link for link in links.values() if link is not there)


def over_time(run: acklab.Run, flow: str, known: str | None, trip_s: float) -> tuple[str, ...]:
    """The causes that are right, by the time in which the access link was full: it sent at its rate, or its queue was never empty.

    ``trip_s`` is the length of a span that is judged as a whole: the least round trip.
    """
    means = truth(run, flow, known)
    if known:
        return means
    there, _ = access(run, flow)
    packets = pl.DataFrame(run.packets).with_columns(pl.col(pl.Categorical).cast(pl.String))
    mine = packets.filter(
        pl.col("link") == f"{there['from']}->{there['to']}", pl.col("event").is_in(["enqueue", "dequeue", "drop"])
    )
    data = packets.filter(pl.col("flow").str.starts_with(flow), pl.col("kind") == "data")
    begin, end = float(data["time_s"][0]), float(data["time_s"][-1])
    span = packets["time_s"][-1]
    sent = mine.filter(pl.col("event") == "dequeue")
    rate = sent["size_bytes"].sum() / (there["utilisation"] * span)
    number = max(int((end - begin) / trip_s), 1)
    edges = np.linspace(begin, end, number + 1)
    busy = (
        np.histogram(sent["time_s"].to_numpy(), edges, weights=sent["size_bytes"].to_numpy())[0]
        / rate
        / (edges[1] - edges[0])
    )
    times = mine["time_s"].to_numpy()
    waiting = mine.select(pl.when(pl.col("event") == "enqueue").then(1).otherwise(-1))["literal"].cum_sum().to_numpy()
    least = np.array(
        [
            waiting[a:b].min() if b > a else 0
            for a, b in zip(np.searchsorted(times, edges[:-1]), np.searchsorted(times, edges[1:]), strict=True)
        ]
    )
    full = float(np.mean((busy >= FULL) | (least >= 1)))
    late = tuple(cause for cause in means if cause == "ack-path")
    free = ("cwnd", "recovery", "slow-start")
    return (("path-rate",) if full > 1 - MOSTLY else ()) + late + (free if full < MOSTLY else ())


def verdicts(scenario: str, flow: str, known: str | None, sets: dict[str, Any]) -> list[dict[str, Any]]:
    """A run over a path, analysed from both ends of it."""
    run = acklab.run(path=scenario, record={"packets": True}, set=sets)
    right = truth(run, flow, known)
    rows = []
    ends = _core.link_ends(run._result)
    port = PORT + [one["name"] for one in run.summary()["flows"]].index(flow)
    for place in "SC":
        end = next(end for end in ends if end.endswith(f"@{place}"))
        with tempfile.TemporaryDirectory() as folder:
            found = acklab.analyze(run.capture(end, path=Path(folder) / "x.pcapng"), packets=False)
        row = next(row for row in found.summary()["connections"] if row["from"].endswith(f":{port}"))
        trip = row["path_rtt_min_s"] or row["rtt_min_s"] or 0.05
        timed = over_time(run, flow, known, trip)
        judged = {
            name: "right" if row["limit"] in of else "not known" if row["limit"] in SILENT else "wrong"
            for name, of in (("verdict", right), ("in time", timed))
        }
        rows.append({"place": place, "truth": right, "timed": timed, **judged, **row})
    return rows


def fixed(paths: tuple[str, ...] = PATHS) -> list[dict[str, Any]]:
    """The matrix."""
    rows = []
    for path in paths:
        for name, (flow, keys, known) in SITUATIONS.items():
            sets = {"flow.down.count": 1, "flow.ping.start": NEVER, "stop.at": "15s" if path == "geo" else "4s", **keys}
            rows += [{"case": f"{path}, {name}", **row} for row in verdicts(path, flow, known, sets)]
    return rows


def drawn(seed: int, count: int) -> list[dict[str, Any]]:
    """Scenarios at random: rates, delay, buffers, queues, control, how much the application writes, the window."""
    random_ = random.Random(seed)
    rows = []
    while len(rows) < 2 * count:
        path = random_.choice(("vdsl", "dsl", "docsis30", "docsis31"))
        name = random_.choice(tuple(SITUATIONS))
        flow, keys, known = SITUATIONS[name]
        down = 2.0 * 50 ** random_.random()
        up = max(0.5, down / 40 ** random_.random())
        delay = 0.002 * 20 ** random_.random()
        kind = random_.choice(("drop-tail", "drop-tail", "fq-codel", "codel", "pie"))
        sets: dict[str, Any] = {
            "down": f"{down:.3g}Mbps",
            "up": f"{up:.3g}Mbps",
            "link.0.delay": f"{1e3 * delay:.3g}ms",
            "flow.down.sender.control": random_.choice(("cubic", "cubic", "reno")),
            "flow.down.count": 1,
            "flow.ping.start": NEVER,
            "stop.at": f"{random_.choice((4, 8))}s",
            "seed": random_.randrange(1000),
            **keys,
        }
        if kind == "drop-tail":
            sets["down_buffer"] = sets["up_buffer"] = f"{20 * 20 ** random_.random():.0f}ms"
        else:
            sets["link.1.queue"] = sets["link.1.back.queue"] = {"kind": kind}
        trip, rate = 2 * (delay + 0.01), 1e6 * down
        if known == "application":  # at most a quarter of what the link carries
            write = int(0.25 * rate / 8 * 0.4 * random_.random()) + 2000
            sets["flow.down.source"] = {
                "kind": "writes",
                "write": f"{write}B",
                "every": f"{400 + int(1e3 * trip)}ms",
                "times": 100,
            }
        elif known:  # less than half of what fills the path, without the wait for grants
            sets["flow.down.sender.window"] = max(2, int(random_.uniform(0.1, 0.4) * rate * 2 * delay / 8 / 1500))
        rows += [
            {"case": f"{path} {sets['down']}/{sets['up']} {sets['link.0.delay']} {kind}, {name}", "sets": sets, **row}
            for row in verdicts(path, flow, known, sets)
        ]
    return rows


def lossy(seed: int, count: int) -> list[dict[str, Any]]:
    """Downloads over long paths that lose packets at random: the congestion window is the limit where the link is not full."""
    random_ = random.Random(f"lossy {seed}")
    rows = []
    for _ in range(count):
        down, trip = 20.0 * 20 ** random_.random(), 0.02 * 6 ** random_.random()
        loss = 10 ** random_.uniform(-3.3, -1.7)
        sets = {
            "down": f"{down:.3g}Mbps", "up": f"{down / 4:.3g}Mbps", "link.0.delay": f"{1e3 * trip / 2:.3g}ms", "link.0.loss.rate": loss,
            "flow.down.sender.control": random_.choice(("cubic", "reno")), "flow.down.count": 1, "flow.ping.start": NEVER,
            "stop.at": "8s", "seed": random_.randrange(1000),
        }  # fmt: skip
        rows += [
            {"case": f"vdsl {sets['down']} {1e3 * trip:.3g}ms loss {loss:.2g}", **row}
            for row in verdicts("vdsl", "down", None, sets)
        ]
    return rows


def main() -> None:
    """Prints a line for each verdict that is not right, then the counts."""
    seeded = sys.argv[1:2] and sys.argv[1].isdigit()
    if seeded:
        rows = (lossy if sys.argv[3:4] == ["lossy"] else drawn)(int(sys.argv[1]), int(sys.argv[2]))
    else:
        rows = fixed(tuple(sys.argv[1:]) or PATHS)
    for row in rows:
        marks = "".join({"right": " ", "not known": "?", "wrong": "X"}[row[name]] for name in ("verdict", "in time"))
        print(
            f"{marks} {row['case']} at {row['place']}: {' or '.join(row['truth'])} ({' or '.join(row['timed'])} over time): {sentence(limit(row))}"
        )
    for name, words in (("verdict", "by the means"), ("in time", "over time")):
        print(words, dict(collections.Counter(row[name] for row in rows)))


if __name__ == "__main__":
    main()
