#!/usr/bin/env python3
"""Event logs of 20 transfers by the kernel (`logs.csv.xz`), and the simulator's compared packet by packet.

    logs.py           which are equal to the last packet, and the first difference of the others; needs no kernel
    logs.py --make    draw the transfers and log them (needs `make kernel`)

A log has the data and the ACKs at the sender's host, up to the ACK of the last byte: direction, relative number, payload, microseconds since
the SYN. Time may differ by `WITHIN`. Each end is a kernel of its own, with the path between them (`apart.py`).
"""

import csv
import io
import lzma
import random
import sys
import tempfile
from pathlib import Path

import events
import patterns
import rows

LOGS = Path(__file__).parent / "logs.csv.xz"
#: Microseconds by which times may differ.
WITHIN = 1000


def drawn():
    """The transfers: twelve of the rows of 200 segments, eight of the patterns, by one fixed draw."""
    rng = random.Random(22)
    some = [asked for asked in rows.grid() if asked["size"] == 200]
    return [*rng.sample(some, 12), *rng.sample(list(patterns.grid()), 8)]


def grid_of(asked):
    """The grid that a transfer is of."""
    return patterns if "pattern" in asked else rows


def name_of(asked):
    """A transfer's words."""
    return " ".join(str(asked[key]) for key in grid_of(asked).ASKED)


def make():
    """Writes the logs."""
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    for number, asked in enumerate(drawn()):
        with tempfile.TemporaryDirectory() as folder:
            for flow, log in enumerate(events.of_kernel(grid_of(asked), asked, Path(folder))):
                out.writerows((number, flow, at, way[0], sequence, payload) for at, way, sequence, payload in log)
    LOGS.write_bytes(lzma.compress(text.getvalue().encode(), preset=9 | lzma.PRESET_EXTREME))


def read():
    """The packets of each flow of each transfer."""
    ways, found = {"s": "sent", "r": "received"}, [{} for _ in drawn()]
    for number, flow, at, way, sequence, payload in csv.reader(
        io.StringIO(lzma.decompress(LOGS.read_bytes()).decode())
    ):
        found[int(number)].setdefault(int(flow), []).append((int(at), ways[way], int(sequence), int(payload)))
    return [list(flows.values()) for flows in found]


def judged():
    """(transfer, packets, most microseconds between equal packets, first difference as (kernel, simulator) or None) of each log."""
    for asked, theirs in zip(drawn(), read()):
        ours = events.of_simulator(grid_of(asked), asked)
        first, most = None, 0
        for log, other in zip(theirs, ours):
            at = events.first_difference(log, other, WITHIN)
            most = max([most, *(abs(one[0] - two[0]) for one, two in zip(log[:at], other[:at]))])
            if at is not None and first is None:
                first = tuple(" ".join(map(str, side[at])) if at < len(side) else "-" for side in (log, other))
        yield asked, sum(map(len, theirs)), most, first


def main():
    """Prints what is equal."""
    found = list(judged())
    for asked, packets, most, first in found:
        told = (
            f"equal within {most} us"
            if first is None
            else f"kernel {first[0]}, simulator {first[1]} (before it within {most} us)"
        )
        print(f"{name_of(asked):36} {packets:5} packets: {told}")
    print(f"{sum(first is None for *_, first in found)} of {len(found)} logs are equal to the last packet")


if __name__ == "__main__":
    if sys.argv[1:] == ["--make"]:
        make()
    main()
