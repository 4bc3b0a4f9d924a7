"""The packets of a transfer at its sender's host, in a kernel's capture and in a simulation."""

import json
import struct

import apart
import polars

import acklab
from acklab import _core
from acklab.engines import kernel

#: Bytes of a data segment's headers, payload of a full one, and the first flow's port.
HEADERS, PAYLOAD, PORT = 52, 1448, 40000
#: Nothing is asked of the kernel beside the scenario.
NOTHING = {"control": None, "sender": None}


def captured(capture, flow):
    """(microseconds, sent or received, sequence or ACK number, payload) of the flow-th flow in a pcap at its sender, from its SYN."""
    data = capture.read_bytes()
    scale = {0xA1B2C3D4: 1, 0xA1B23C4D: 1000}[struct.unpack_from("<I", data)[0]]
    place, first, bases = 24, None, {}
    while place < len(data):
        seconds, part, kept, _ = struct.unpack_from("<IIII", data, place)
        packet, place = data[place + 16 : place + 16 + kept], place + 16 + kept
        header = 4 * (packet[0] & 15)
        source, to, sequence, ack, offset = struct.unpack_from("!HHIIB", packet, header)
        if PORT + flow not in (source, to):
            continue
        payload = struct.unpack_from("!H", packet, 2)[0] - header - 4 * (offset >> 4)
        first = first or (seconds, part)
        micros = round((seconds - first[0]) * 1e6 + (part - first[1]) / scale)
        sent = to == PORT + flow
        base = bases.setdefault(sent, sequence)
        yield (
            micros,
            "sent" if sent else "received",
            (sequence - base if sent else ack - bases[True]) % (1 << 32),
            payload,
        )


def simulated(packets, flow):
    """The same of a simulation's packets: what the sender offers to its link, and what the other direction delivers."""
    there, back = f"{flow['from']}->{flow['to']}", f"{flow['to']}->{flow['from']}"
    first = None
    for row in packets.filter(polars.col("flow") == flow["name"]).iter_rows(named=True):
        first = row["time_s"] if first is None else first
        micros = round((row["time_s"] - first) * 1e6)
        if (row["link"], row["event"]) == (there, "enqueue"):
            yield micros, "sent", row["seq"], 0 if row["syn"] or row["seq"] is None else row["size_bytes"] - HEADERS
        elif (row["link"], row["event"]) == (back, "deliver"):
            yield micros, "received", row["ack"], 0


def _told(packets, flow):
    """Data and ACKs, up to the ACK of the last byte: without bare ACKs that the sender sends, and without what closes."""
    source = flow.get("source")
    bytes_of = lambda text: int(text[:-2]) * 1000 if text.endswith("kB") else int(text[:-1])
    last = 1 + (bytes_of(source["write"]) * source["times"] if source else flow["size"]["segments"] * PAYLOAD)
    told = []
    for at, way, number, payload in packets:
        if way == "received" or payload > 0:
            told.append((at, way, min(number, last), payload))
        if way == "received" and number >= last:
            break
    return told


def of_kernel(grid, asked, folder):
    """The packets of each flow of a row, by the kernel."""
    scenario = apart.timed(grid.scenario(asked))
    kernel.run(
        _core.LivePlan(json.dumps(scenario)), NOTHING | {"kernel_acks": asked["acks"] == "linux"}, captures=folder
    )
    names = {True: "sender.pcap", False: "receiver.pcap"}
    sides = [names[flow["from"] == scenario["flow"][0]["from"]] for flow in scenario["flow"]]
    return [_told(captured(folder / side, n), flow) for n, (side, flow) in enumerate(zip(sides, scenario["flow"]))]


def of_simulator(grid, asked):
    """The same by the simulator."""
    scenario = apart.timed(grid.scenario(asked))
    packets = polars.DataFrame(acklab.run(scenario | {"record": {"packets": True}}).packets)
    return [_told(simulated(packets, flow), flow) for flow in scenario["flow"]]


def first_difference(theirs, ours, within=None):
    """Index of the first packet that differs, by more than so many microseconds if that is asked; None if there is none."""
    late = lambda pair: within is not None and abs(pair[0][0] - pair[1][0]) > within
    for n, pair in enumerate(zip(theirs, ours)):
        if pair[0][1:] != pair[1][1:] or late(pair):
            return n
    return None if len(theirs) == len(ours) else min(len(theirs), len(ours))
