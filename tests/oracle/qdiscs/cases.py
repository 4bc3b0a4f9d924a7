"""The cases: a queue as ``tc`` writes it, the same as a scenario does, and the packets that arrive."""

import random


def traffic(
    seed, count, rate, flows, load, *, ecn=0.0, sizes=(1500, 1500, 1500, 576, 64), dscp=(0,), bursts=1, points=()
):
    """Packets of flows that are on and off, some heavy and some sparse; `load` is their share of `rate`.

    ECN's code point of a flow is 0, or 2 for the share `ecn`; with `points` it is one of these.
    """
    draw = random.Random(seed)
    weights = [draw.choice((1, 1, 4, 16)) for _ in range(flows)]
    marks = [draw.random() < ecn for _ in range(flows)]
    class_ = [draw.choice(dscp) for _ in range(flows)]
    point = [draw.choice(points) for _ in range(flows)] if points else [2 * mark for mark in marks]
    packets, now, level = [], 0.0, 1.0
    while len(packets) < count:
        if draw.random() < 0.004:
            level = draw.choice((0.3, 0.7, 1.0, 1.3, 1.6))
        flow = draw.choices(range(flows), weights)[0]
        for _ in range(draw.randint(1, bursts)):
            size = draw.choice(sizes)
            packets.append({"at": int(now * 1e9), "flow": flow, "size": size, "ecn": point[flow], "dscp": class_[flow]})
            now += draw.expovariate(load * level * rate / 8 / size)
    return packets


def acknowledgments(seed, count, rate, flows, load, *, data=0.0):
    """ACKs in bunches: repetitions with SACK blocks, DSACKs, echoes, old timestamps, overtaken numbers; some data between."""
    draw = random.Random(seed)
    number, stamps = [10_000_000] * flows, [1000] * flows
    stamped = [draw.random() < 0.6 for _ in range(flows)]
    echo, gap = [False] * flows, [0] * flows
    packets, now = [], 0.0
    while len(packets) < count:
        flow = draw.randrange(flows)
        for _ in range(draw.randint(1, 12)):
            if draw.random() < data:
                packet = {"flow": flow + flows, "size": 1500}
            else:
                echo[flow] ^= draw.random() < 0.05
                sack = []
                if gap[flow] > 0:  # a hole: the number stands still, what is above it grows
                    gap[flow] -= 1
                    top = number[flow] + 1448 * (20 - gap[flow])
                    sack = [(number[flow] + 1448, top)] if draw.random() < 0.8 else []
                    if sack and draw.random() < 0.3:
                        sack.append((top + 2896, top + 2896 + 1448 * draw.randint(1, 3)))
                else:
                    number[flow] += 1448 * draw.randint(0, 2)
                    gap[flow] = draw.randint(2, 15) if draw.random() < 0.04 else 0
                    if draw.random() < 0.02:
                        sack = [(number[flow] - 2896, number[flow] - 1448)]  # a DSACK
                told = number[flow] - (1448 * draw.randint(1, 4) if draw.random() < 0.02 and not sack else 0)
                packet = {"flow": flow, "pure": True, "ack": told, "ece": echo[flow], "sack": sack}
                stamps[flow] += draw.randint(0, 3)
                if stamped[flow]:
                    packet["ts"] = stamps[flow] - (draw.randint(1, 9) if draw.random() < 0.02 else 0)
                packet["size"] = 40 + (12 if stamped[flow] else 0) + (4 + 8 * len(sack) if sack else 0)
            packet["at"] = int(now * 1e9)
            packets.append(packet)
        now += draw.expovariate(load * rate / 8 / 6.5 / (60 + 1500 * data))
    return packets


def case(name, tc, queue, packets, rate, hashes=True, server=None):
    return {
        "name": name,
        "tc": tc,
        "queue": queue,
        "packets": packets,
        "rate": rate,
        "hashes": hashes,
        "server": server,
    }


def weight(units):
    """A weight of DualPI2's controller as the kernel has it: in 256ths, which it makes whole steps of a probability in 32 bits."""
    return (units * (2**32 - 1) // 4 // 10**9) / 64 * 1e9 / 2**32


def all_cases():
    m = 1_000_000
    for name, aggressive in (("ack-filter", False), ("ack-filter-aggressive", True)):
        for k, (flows, load, data) in enumerate(((1, 2.0, 0.0), (3, 3.0, 0.0), (20, 2.0, 0.0), (4, 1.5, 0.1))):
            packets = acknowledgments(100 + k, 3000, m, flows, load, data=data)
            queue = {
                "kind": "cake",
                "tins": "besteffort",
                "isolation": "flows",
                "ack_filter": "aggressive" if aggressive else "on",
            }
            yield case(f"cake-{name}-{k}", f"cake besteffort flows {name}", queue, packets, m)
    for k, (flows, load, ecn, kind) in enumerate(
        (
            (1, 1.1, 0, {}),
            (3, 1.3, 0.5, {"ecn": True}),
            (2, 1.1, 0, {"target": "15ms", "interval": "60ms"}),
            (3, 1.3, 1.0, {"ecn": True, "ce_threshold": "2ms"}),
        )
    ):
        rate = (10 * m, 4 * m, 10 * m, 20 * m)[k]
        tc = "codel limit 200" + "".join(
            f" {key}" if value is True else f" {key} {value}" for key, value in kind.items()
        )
        yield case(
            f"codel-{k}",
            tc,
            {"kind": "codel", "packets": 201, "law": "linux", **kind},
            traffic(200 + k, 3000, rate, flows, load, ecn=ecn),
            rate,
            False,
        )
    for k, (flows, load, ecn, tc, queue) in enumerate(
        (
            (8, 1.2, 0.0, "noecn", {"ecn": False}),
            (40, 1.3, 0.5, "", {}),
            (8, 1.6, 0.0, "limit 60", {"waiting": 60}),
            (200, 1.4, 0.5, "flows 16 quantum 300", {"flows": 16, "quantum": "300B"}),
            (20, 1.5, 0.3, "memory_limit 100000 drop_batch 8", {"memory": "100kB", "drop_batch": 8}),
            (10, 1.2, 1.0, "ce_threshold 3ms", {"ce_threshold": "3ms"}),
            (10, 1.4, 0.0, "flows 1 limit 100", {"flows": 1, "waiting": 100}),
        )
    ):
        rate = (10 * m, 20 * m, 5 * m, 10 * m, 10 * m, 20 * m, 10 * m)[k]
        yield case(
            f"fq-codel-{k}",
            f"fq_codel {tc}",
            {"kind": "fq-codel", "law": "linux", "quantum": "1500B", **queue},
            traffic(300 + k, 3000, rate, flows, load, ecn=ecn, bursts=3),
            rate,
        )
    for k, (flows, load, ecn, tc, queue) in enumerate(
        (
            (3, 1.2, 0.0, "", {}),
            (3, 1.5, 1.0, "ecn", {"ecn": True}),
            (5, 1.3, 0.0, "bytemode", {"byte_mode": True}),
            (
                2,
                2.0,
                0.0,
                "target 20ms tupdate 16ms alpha 4 beta 30 limit 60",
                {"target": "20ms", "update": "16ms", "alpha": 0.25, "beta": 1.875, "packets": 61},
            ),
        )
    ):
        rate = (10 * m, 10 * m, 4 * m, 20 * m)[k]
        yield case(
            f"pie-{k}",
            f"pie {tc}",
            {"kind": "pie", "max_p": 256, "packets": 1001, **queue},
            traffic(400 + k, 3000, rate, flows, load, ecn=ecn),
            rate,
            False,
        )
    for k, (flows, load, ecn, tc, queue) in enumerate(
        (
            (6, 1.3, 0.0, "", {}),
            (30, 1.5, 0.5, "ecn", {"ecn": True}),
            (60, 1.5, 0.0, "flows 8 quantum 500 limit 100", {"flows": 8, "quantum": "500B", "waiting": 100}),
        )
    ):
        rate = (10 * m, 10 * m, 4 * m)[k]
        yield case(
            f"fq-pie-{k}",
            f"fq_pie {tc}",
            {"kind": "fq-pie", "max_p": 256, "quantum": "1500B", **queue},
            traffic(500 + k, 3000, rate, flows, load, ecn=ecn),
            rate,
        )
    for k, (mean, burst, load) in enumerate(((8, "10000B", 0.9), (2, "3000B", 1.2))):
        queue = {"kind": "drop-tail", "waiting": 5000}
        server = {"kind": "token-bucket", "mean": f"{mean}Mbps", "burst": burst, "peak": "1Gbps"}
        tc = f"tbf rate {mean}mbit burst {burst[:-1]} limit 100000000"
        yield case(f"tbf-{k}", tc, queue, traffic(700 + k, 3000, mean * m, 4, load, bursts=6), 1000 * m, False, server)
    both = {"alpha": weight(41), "beta": weight(819), "max_packet": "1500B"}
    for k, (flows, load, points, tc, queue) in enumerate(
        (
            (6, 1.2, (0, 1, 2), "", {}),
            (12, 1.3, (0, 1, 1, 2), "", {}),
            (4, 1.8, (0, 1, 1, 2), "limit 60", {"waiting": 60}),
            (
                8,
                1.4,
                (0, 1, 2),
                "target 5000 tupdate 8000 alpha 80 beta 1600 step 300 coupling 4 protection 30",
                {
                    "target": "5ms",
                    "update": "8ms",
                    "alpha": weight(80),
                    "beta": weight(1600),
                    "step": "300us",
                    "coupling": 4,
                    "classic_share": 30,
                },
            ),
            (3, 1.2, (1,), "", {}),
            (20, 1.3, (0, 1, 2, 3), "coupling 1 protection 50", {"coupling": 1, "classic_share": 50}),
            (
                40,
                2.0,
                (0, 1, 2),
                "tupdate 1000 alpha 2560 beta 5120",
                {"update": "1ms", "alpha": weight(2560), "beta": weight(5120)},
            ),
        )
    ):
        rate = (10 * m, 40 * m, 5 * m, 40 * m, 10 * m, 20 * m, 10 * m)[k]
        yield case(
            f"dual-pi2-{k}",
            f"dualpi2 {tc}",
            {"kind": "dual-pi2", **both, **queue},
            traffic(800 + k, 3000, rate, flows, load, bursts=3, points=points),
            rate,
            False,
        )
    codes = (0, 0, 8, 46, 34, 10, 48)
    for k, (flows, load, ecn, tc, queue) in enumerate(
        (
            (8, 1.2, 0.0, "besteffort flows", {"tins": "besteffort", "isolation": "flows"}),
            (30, 1.3, 0.5, "besteffort triple-isolate", {"tins": "besteffort"}),
            (12, 1.4, 0.3, "diffserv3", {}),
            (12, 1.4, 0.3, "diffserv4 dual-srchost", {"tins": "diffserv4", "isolation": "dual-srchost"}),
            (
                40,
                1.3,
                0.3,
                "diffserv3 bandwidth 8mbit overhead 18 mpu 64",
                {"bandwidth": "8Mbps", "overhead": 18, "mpu": "64B"},
            ),
            (
                20,
                1.3,
                0.3,
                "besteffort bandwidth 4mbit atm overhead 44 dual-dsthost",
                {
                    "tins": "besteffort",
                    "bandwidth": "4Mbps",
                    "cells": "atm",
                    "overhead": 44,
                    "isolation": "dual-dsthost",
                },
            ),
            (
                20,
                1.3,
                0.3,
                "diffserv4 bandwidth 6mbit ptm rtt 50ms",
                {"tins": "diffserv4", "bandwidth": "6Mbps", "cells": "ptm", "rtt": "50ms"},
            ),
            (300, 1.4, 0.0, "besteffort memlimit 150000", {"tins": "besteffort", "memory": "150kB"}),
            (
                3,
                1.8,
                0.0,
                "besteffort memlimit 100000 flows",
                {"tins": "besteffort", "memory": "100kB", "isolation": "flows"},
            ),
            (900, 1.2, 0.0, "besteffort", {"tins": "besteffort"}),
        )
    ):
        rate = (10 * m, 10 * m, 10 * m, 10 * m, 10 * m, 10 * m, 10 * m, 10 * m, 10 * m, 10 * m)[k]
        offered = {4: 8 * m, 5: 4 * m, 6: 6 * m}.get(k, rate)
        yield case(
            f"cake-{k}",
            f"cake {tc}",
            {"kind": "cake", **queue},
            traffic(600 + k, 3000, offered, flows, load, ecn=ecn, dscp=codes, bursts=3),
            rate,
        )
