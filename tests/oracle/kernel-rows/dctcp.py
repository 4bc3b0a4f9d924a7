#!/usr/bin/env python3
"""DCTCP at both ends, in two kernels and in the simulator, packet by packet: twelve transfers over queues that mark (`dctcp.csv.xz`).

    dctcp.py                    which are equal to the last packet, and the first difference of the others; needs no kernel
    ACKLAB_KERNEL=7.3 dctcp.py --make    log the transfers (needs `LINUX=7.3 make kernel`)

A log is as in `logs.py`: data and ACKs at the sender's host, up to the ACK of the last byte. ECN is negotiated as RFC 3168 has it, which is
what DCTCP goes by in Linux. Hosts take 5 us for a packet on average, so that no packet meets a queue at the instant at which a service ends.
The transfers, and that the series must be equal to the end with times within `logs.WITHIN`, were fixed before the first run.
"""

import csv
import io
import lzma
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import events
import logs
import rows

LOGS = Path(__file__).parent / "dctcp.csv.xz"
ASKED = ["path", "queue", "acks", "size", "seed"]
#: Rate, one-way delay, and segments of the transfer.
PATHS = {"slow": ("5Mbps", "10ms", 800), "cable": ("20Mbps", "10ms", 3000), "far": ("20Mbps", "40ms", 3000)}
#: RED by the present length, steep as in data centres but below the length at which it drops, and CoDel.
QUEUES = {
    "ramp": {"kind": "red", "packets": 400, "min": 5, "max": 150, "weight": 1.0, "max_p": 1.0, "ecn": True},
    "codel": {"kind": "codel", "packets": 400, "ecn": True},
}

#: The same fixed buffer as in the rows, in bytes, and what a segment takes of a card's pages in a kernel 7.3.
MEMORY = {"memory": 25304090, "most_memory": 25304090, "segment_memory": 2176, "second_memory": 2432}


def grid():
    """The twelve transfers."""
    for path in PATHS:
        for queue in QUEUES:
            for acks in rows.ACKS:
                yield {
                    "path": path,
                    "queue": queue,
                    "acks": acks,
                    "size": PATHS[path][2],
                    "seed": 1,
                    "control": "dctcp",
                    "loss": "none",
                }


def scenario(asked):
    """A transfer's scenario, for the simulator and for the kernels."""
    rate, delay, _ = PATHS[asked["path"]]
    found = rows.between(rate, delay, 400, {}, {}, asked)
    (link,), (flow,) = found["link"], found["flow"]
    sender = flow["sender"] | {"control": "dctcp", "ecn": True}
    receiver = flow["receiver"] | {"echo_each_mark": True}
    if asked["acks"] == "linux":
        receiver["ack"] = receiver["ack"] | MEMORY
    return found | {
        "link": [link | {"queue": QUEUES[asked["queue"]]}],
        "flow": [flow | {"sender": sender, "receiver": receiver}],
        "processing": "5us",
    }


THIS = SimpleNamespace(ASKED=ASKED, scenario=scenario, grid=grid)


def make():
    """Writes the logs."""
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    for number, asked in enumerate(grid()):
        with tempfile.TemporaryDirectory() as folder:
            (log,) = events.of_kernel(THIS, asked, Path(folder))
            out.writerows((number, at, way[0], sequence, payload) for at, way, sequence, payload in log)
        print(number, *(asked[key] for key in ASKED), len(log), "packets", flush=True)
    LOGS.write_bytes(lzma.compress(text.getvalue().encode(), preset=9 | lzma.PRESET_EXTREME))


def read():
    """The packets of each transfer."""
    ways, found = {"s": "sent", "r": "received"}, {}
    for number, at, way, sequence, payload in csv.reader(io.StringIO(lzma.decompress(LOGS.read_bytes()).decode())):
        found.setdefault(int(number), []).append((int(at), ways[way], int(sequence), int(payload)))
    return [found[number] for number in sorted(found)]


def judged():
    """(transfer, the kernel's packets and the simulator's, packets until the first difference, that as (kernel, simulator) or None) of each."""
    for asked, theirs in zip(grid(), read()):
        (ours,) = events.of_simulator(THIS, asked)
        at = events.first_difference(theirs, ours, logs.WITHIN)
        sides = (
            None
            if at is None
            else tuple(" ".join(map(str, side[at])) if at < len(side) else "-" for side in (theirs, ours))
        )
        yield asked, theirs, ours, len(theirs) if at is None else at, sides


def lines():
    """The page's table."""
    found = list(judged())
    yield f"{sum(sides is None for *_, sides in found)} of {len(found)} series are equal to the last packet."
    yield ""
    yield "| path | queue | ACKs | packets: kernel | simulator | last ACK, ms | simulator | equal packets | first difference: kernel; simulator |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for asked, theirs, ours, equal, sides in found:
        ends = " | ".join(f"{log[-1][0] / 1e3:.1f}" for log in (theirs, ours))
        words = f"{asked['path']} | {asked['queue']} | {asked['acks']} | {len(theirs)} | {len(ours)} | {ends} | {equal}"
        yield f"| {words} | {'none' if sides is None else '; '.join(sides)} |"


if __name__ == "__main__":
    if sys.argv[1:] == ["--make"]:
        make()
    print("\n".join(lines()))
