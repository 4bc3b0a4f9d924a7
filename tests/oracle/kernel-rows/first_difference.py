#!/usr/bin/env python3
"""The first packet in which the kernel and the simulator differ, of one row (needs `make kernel`).

    first_difference.py PATH LOSS CONTROL ACKS SIZE [SEED]    the row's words, as `check.py -v` prints them

It compares the data and the ACKs at the sender's host: direction, relative number, payload; bare ACKs that it sends are left out. It says when, in microseconds, on both sides.
"""

import json
import struct
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import polars
import rows

import acklab
from acklab import _core, kernel

#: Bytes of a data segment's headers; and nothing asked of the kernel beside the scenario.
HEADERS, PAYLOAD = 52, 1448
NOTHING = {"control": None, "sender": None}
#: Packets shown before the difference.
BEFORE = 8


def packets(capture):
    """(microseconds, sent or received, sequence or ACK number, payload) of a sender's capture in pcap, from its SYN."""
    data = capture.read_bytes()
    scale = {0xA1B2C3D4: 1, 0xA1B23C4D: 1000}[struct.unpack_from("<I", data)[0]]
    place, port, first, bases = 24, None, None, {}
    while place < len(data):
        seconds, part, kept, _ = struct.unpack_from("<IIII", data, place)
        packet, place = data[place + 16 : place + 16 + kept], place + 16 + kept
        header = 4 * (packet[0] & 15)
        source, _, sequence, ack, offset = struct.unpack_from("!HHIIB", packet, header)
        payload = struct.unpack_from("!H", packet, 2)[0] - header - 4 * (offset >> 4)
        if first is None:
            first, port = (seconds, part), source
        micros = round((seconds - first[0]) * 1e6 + (part - first[1]) / scale)
        sent, base = source == port, bases.setdefault(source, sequence)
        number = sequence - base if sent else ack - bases[port]
        yield micros, "sent" if sent else "received", number % (1 << 32), payload


def simulated(run):
    """The same of a simulation: what the sender offers to its link, and what the other direction delivers."""
    for row in polars.DataFrame(run.packets).iter_rows(named=True):
        micros = round(row["time_s"] * 1e6)
        if (row["link"], row["event"]) == ("S->R", "enqueue"):
            yield micros, "sent", row["seq"], 0 if row["syn"] or row["seq"] is None else row["size_bytes"] - HEADERS
        elif (row["link"], row["event"]) == ("R->S", "deliver"):
            yield micros, "received", row["ack"], 0


def both(asked, folder):
    """The packets of the kernel's sender, and of the simulator's."""
    scenario = rows.scenario(asked)
    kernel.run(_core.LivePlan(json.dumps(scenario)), NOTHING | {"kernel_acks": asked["acks"] == "linux"}, captures=folder)
    run = acklab.run(scenario | {"record": {"packets": True}})
    # The kernel's FIN has a number, the simulator's has none.
    most = 1 + int(asked["size"]) * PAYLOAD
    shown = lambda packet: packet[1] == "received" or packet[3] > 0
    sides = (filter(shown, packets(folder / "sender.pcap")), filter(shown, simulated(run)))
    return [[(at, way, min(number, most), payload) for at, way, number, payload in side] for side in sides]


def main(words):
    asked = dict(zip(rows.ASKED, [*words, "1"][: len(rows.ASKED)]))
    with tempfile.TemporaryDirectory() as folder:
        theirs, ours = both(asked, Path(folder))
    differ = (n for n, pair in enumerate(zip(theirs, ours)) if pair[0][1:] != pair[1][1:])
    first = next(differ, min(len(theirs), len(ours)))
    print(f"{first} packets are the same, of {len(theirs)} in the kernel and {len(ours)} in the simulator")
    for n in range(max(0, first - BEFORE), first + 2):
        told = [" ".join(map(str, side[n])) if n < len(side) else "-" for side in (theirs, ours)]
        print(f"{n:6}  {told[0]:36}  {told[1]}")


if __name__ == "__main__":
    if len(sys.argv) < 6:
        raise SystemExit(__doc__)
    main(sys.argv[1:])
