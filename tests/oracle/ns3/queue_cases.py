"""The queues that ns-3 judges: a disc with its attributes, the same as a scenario writes it, and the packets that arrive."""

import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "qdiscs"))
from cases import traffic  # noqa: E402

M = 1_000_000


def steady(seed, count, rate, flows, load, *, ecn=0.0, batch=1):
    """Packets of 1,000 bytes of flows that are always on; with enough load the queue is never empty."""
    draw, now, packets = random.Random(seed), 0.0, []
    for number in range(count):
        packets.append(
            {"at": int(now * 1e9), "flow": draw.randrange(flows), "size": 1000, "ecn": 2 * (draw.random() < ecn)}
        )
        now += 1e-6 if (number + 1) % batch else draw.expovariate(load * rate / 8000 / batch)
    return packets


#: A time that no packet waits.
NEVER = "100s"


def case(name, disc, queue, packets, rate, *, quantum=0, buckets=0, server=None, changes=(), **attributes):
    """`attributes` are ns-3's of `disc`; those of a queue inside it are written ``Disc__Attribute``."""
    settings = {
        key.replace("__", "::") if "__" in key else f"{disc}::{key}": value for key, value in attributes.items()
    }
    return {
        **{"name": name, "disc": disc, "set": settings, "quantum": quantum, "buckets": buckets, "changes": changes},
        **{"queue": queue, "rate": rate, "server": server, "packets": packets},
    }


def codel():
    law = {"kind": "codel", "law": "linux", "packets": 201, "max_packet": "1499B"}
    for k, (flows, load, extra, set_) in enumerate(
        (
            (1, 1.1, {}, {}),
            (3, 1.3, {}, {}),
            (2, 1.1, {"target": "15ms", "interval": "60ms"}, {"Target": "15ms", "Interval": "60ms"}),
            (2, 1.6, {"packets": 41}, {"MaxSize": "40p"}),
        )
    ):
        rate = (10, 4, 10, 20)[k] * M
        yield case(
            f"codel-{k}",
            "CoDelQueueDisc",
            law | extra,
            traffic(1200 + k, 3000, rate, flows, load),
            rate,
            **{"MaxSize": "200p"} | set_,
        )
    packets = traffic(1210, 3000, 4 * M, 3, 1.3)
    yield case(
        "codel-rfc-law",
        "CoDelQueueDisc",
        {"kind": "codel", "packets": 201, "max_packet": "1499B"},
        packets,
        4 * M,
        MaxSize="200p",
    )
    packets = traffic(1211, 3000, M, 3, 1.0, sizes=(1500,))
    yield case("codel-max-packet", "CoDelQueueDisc", law | {"max_packet": "1500B"}, packets, M, MaxSize="200p")
    packets = traffic(1212, 3000, 4 * M, 3, 1.3, ecn=1.0)
    yield case("codel-mark", "CoDelQueueDisc", law | {"ecn": True}, packets, 4 * M, MaxSize="200p", UseEcn="true")
    packets = traffic(1213, 3000, 20 * M, 3, 1.3, ecn=1.0)
    wide = {"target": NEVER, "interval": NEVER}
    yield case(
        "codel-ce-threshold",
        "CoDelQueueDisc",
        law | wide | {"ecn": True, "ce_threshold": "2ms"},
        packets,
        20 * M,
        MaxSize="200p",
        UseEcn="true",
        CeThreshold="2ms",
        Target=NEVER,
        Interval=NEVER,
    )


def fq_codel():
    base = {"kind": "fq-codel", "law": "linux", "ecn": False, "memory": "1GB"}
    idle = {"target": NEVER, "interval": NEVER}
    off = {"Target": NEVER, "Interval": NEVER, "UseEcn": "false"}
    for k, (flows, load, buckets, quantum) in enumerate(
        ((8, 1.2, 1024, 1514), (200, 1.4, 16, 300), (600, 1.3, 1024, 1514))
    ):
        queue = base | idle | {"law": "rfc8289", "flows": buckets, "quantum": f"{quantum}B"}
        packets = traffic(1300 + k, 3000, 10 * M, flows, load, bursts=3)
        yield case(
            f"fq-codel-round-{k}",
            "FqCoDelQueueDisc",
            queue,
            packets,
            10 * M,
            quantum=quantum,
            buckets=buckets,
            Flows=buckets,
            **off,
        )
    packets = traffic(1310, 3000, 10 * M, 2, 1.6, sizes=(1000,))
    one = {"flows": 1, "max_packet": "1499B"}
    yield case(
        "fq-codel-one",
        "FqCoDelQueueDisc",
        base | one,
        packets,
        10 * M,
        quantum=1514,
        buckets=1,
        Flows=1,
        UseEcn="false",
    )
    packets = traffic(1311, 3000, 10 * M, 12, 1.3, bursts=3)
    yield case(
        "fq-codel-backlog",
        "FqCoDelQueueDisc",
        base | {"max_packet": "1499B"},
        packets,
        10 * M,
        quantum=1514,
        buckets=1024,
        UseEcn="false",
    )
    packets = traffic(1311, 3000, 10 * M, 12, 1.3, bursts=3)
    yield case(
        "fq-codel-empty-new", "FqCoDelQueueDisc", base | idle, packets, 10 * M, quantum=1514, buckets=1024, **off
    )
    packets = traffic(1314, 3000, 5 * M, 3, 2.0, bursts=3)
    yield case(
        "fq-codel-full-one",
        "FqCoDelQueueDisc",
        base | {"waiting": 40, "flows": 1, "max_packet": "1499B"},
        packets,
        5 * M,
        quantum=1514,
        buckets=1,
        Flows=1,
        UseEcn="false",
        MaxSize="40p",
    )
    packets = traffic(1312, 3000, 5 * M, 8, 1.6, bursts=3)
    yield case(
        "fq-codel-full",
        "FqCoDelQueueDisc",
        base | idle | {"law": "rfc8289", "waiting": 60},
        packets,
        5 * M,
        quantum=1514,
        buckets=1024,
        MaxSize="60p",
        **off,
    )


def pie():
    base = {"kind": "pie", "burst": "0s", "max_packet": "1001B", "packets": 1001}
    set_ = {"MaxSize": "1000p", "MaxBurstAllowance": "0s", "UseDerandomization": "true"}
    same = {"sizes": (1000,)}
    for k, (flows, load, extra, more) in enumerate(
        (
            (2, 1.3, {"target": "1ms"}, {"QueueDelayReference": "1ms"}),
            (
                5,
                2.0,
                {"target": "4ms", "update": "16ms", "alpha": 0.25, "beta": 1.875},
                {"QueueDelayReference": "4ms", "Tupdate": "16ms", "A": 0.25, "B": 1.875},
            ),
            (2, 2.5, {"target": "1ms", "packets": 31}, {"QueueDelayReference": "1ms", "MaxSize": "30p"}),
        )
    ):
        rate = (10, 40, 4)[k] * M
        yield case(
            f"pie-{k}", "PieQueueDisc", base | extra, steady(1400 + k, 3000, rate, flows, load), rate, **set_ | more
        )
    for name, changes in (("pie-guard", ()), ("pie-guard-present", ("present-delay",))):
        yield case(
            name,
            "PieQueueDisc",
            base | {"alpha": 0.05, "beta": 2.0},
            steady(1410, 4000, 40 * M, 3, 1.1, batch=16),
            40 * M,
            changes=changes,
            A=0.05,
            B=2.0,
            **set_,
        )
    yield case(
        "pie-burst",
        "PieQueueDisc",
        base | {"burst": "150ms"},
        steady(1411, 3000, 10 * M, 3, 1.3),
        10 * M,
        **set_ | {"MaxBurstAllowance": "150ms"},
    )
    yield case(
        "pie-decay",
        "PieQueueDisc",
        base | {"target": "1ms"},
        traffic(1412, 3000, 10 * M, 3, 0.9, bursts=8, **same),
        10 * M,
        **set_ | {"QueueDelayReference": "1ms"},
    )
    yield case(
        "pie-mark",
        "PieQueueDisc",
        base | {"target": "1ms", "ecn": True},
        steady(1413, 3000, 10 * M, 3, 1.3, ecn=1.0),
        10 * M,
        **set_ | {"QueueDelayReference": "1ms", "UseEcn": "true"},
    )
    yield case(
        "pie-late",
        "PieQueueDisc",
        base | {"target": "1ms"},
        steady(1414, 3000, M, 3, 2.5),
        M,
        **set_ | {"QueueDelayReference": "1ms"},
    )
    yield case(
        "pie-random",
        "PieQueueDisc",
        base | {"target": "1ms"},
        steady(1415, 3000, 10 * M, 3, 1.3),
        10 * M,
        **set_ | {"QueueDelayReference": "1ms", "UseDerandomization": "false"},
    )


def fq_pie():
    base = {"kind": "fq-pie", "burst": "0s", "max_packet": "1001B", "quantum": "1514B", "alpha": 1.0, "beta": 20.0}
    set_ = {"MaxBurstAllowance": "0s", "UseDerandomization": "true", "UseEcn": "false", "A": 1.0, "B": 20.0}

    def packets(seed, apart):
        """A packet of each flow first, so that each queue of ns-3 begins then to count its updates."""
        first = [{"at": flow * apart, "flow": flow, "size": 1000, "ecn": 0} for flow in range(6)]
        return first + [packet | {"at": packet["at"] + 6 * apart + 20} for packet in steady(seed, 6000, 50 * M, 6, 3.0)]

    yield case(
        "fq-pie-0",
        "FqPieQueueDisc",
        base,
        packets(1500, 1),
        50 * M,
        quantum=1514,
        buckets=1024,
        changes=("present-delay",),
        **set_,
    )
    yield case(
        "fq-pie-timer",
        "FqPieQueueDisc",
        base,
        packets(1501, 2_500_000),
        50 * M,
        quantum=1514,
        buckets=1024,
        changes=("present-delay",),
        **set_,
    )


def cobalt():
    base = {"kind": "cobalt", "packets": 201}
    set_ = {"MaxSize": "200p", "BlueThreshold": "1000s"}
    for k, (flows, load, ecn, extra, more) in enumerate(
        (
            (1, 1.1, 0, {}, {}),
            (3, 1.3, 0.5, {"ecn": True}, {"UseEcn": "true"}),
            (3, 1.6, 0, {"packets": 31}, {"MaxSize": "30p"}),
            (2, 1.1, 0, {"target": "15ms", "interval": "60ms"}, {"Target": "15ms", "Interval": "60ms"}),
        )
    ):
        rate = 10 * M
        yield case(
            f"cobalt-{k}",
            "CobaltQueueDisc",
            base | extra,
            traffic(1600 + k, 3000, rate, flows, load, ecn=ecn, bursts=4),
            rate,
            changes=("roots",),
            **set_ | more,
        )
    packets = traffic(1602, 3000, 4 * M, 3, 1.6, bursts=4)
    yield case(
        "cobalt-clock",
        "CobaltQueueDisc",
        base | {"packets": 31},
        packets,
        4 * M,
        changes=("roots",),
        **set_ | {"MaxSize": "30p"},
    )
    packets = traffic(1611, 3000, 4 * M, 1, 1.3, bursts=4)
    yield case("cobalt-roots", "CobaltQueueDisc", base, packets, 4 * M, **set_)
    packets = traffic(1610, 3000, M // 2, 3, 6.0)
    yield case(
        "cobalt-blue-threshold",
        "CobaltQueueDisc",
        base | {"packets": 5001},
        packets,
        M // 2,
        changes=("roots",),
        MaxSize="5000p",
    )


def fq_cobalt():
    base = {"kind": "fq-cobalt", "memory": "1GB"}
    set_ = {"BlueThreshold": "1000s"}
    for k, (flows, load, ecn, buckets, extra, more) in enumerate(
        (
            (8, 1.2, 0, 1024, {"ecn": False}, {"UseEcn": "false"}),
            (40, 1.3, 0.5, 1024, {}, {}),
            (200, 1.3, 0.5, 16, {"flows": 16, "quantum": "300B"}, {"Flows": 16}),
        )
    ):
        quantum = 300 if k == 2 else 1514
        yield case(
            f"fq-cobalt-{k}",
            "FqCobaltQueueDisc",
            base | extra,
            traffic(1700 + k, 3000, 10 * M, flows, load, ecn=ecn, bursts=3),
            10 * M,
            quantum=quantum,
            buckets=buckets,
            changes=("roots",),
            **set_ | more,
        )
    packets = traffic(1710, 3000, 5 * M, 8, 1.6, bursts=3)
    yield case(
        "fq-cobalt-full",
        "FqCobaltQueueDisc",
        base | {"waiting": 60, "ecn": False},
        packets,
        5 * M,
        quantum=1514,
        buckets=1024,
        MaxSize="60p",
        UseEcn="false",
        changes=("roots",),
        **set_,
    )


def red():
    for k, (flows, load, ecn, extra, more) in enumerate(
        (
            (3, 1.1, 0, {}, {"Gentle": "false"}),
            (3, 1.3, 0, {"gentle": True}, {"Gentle": "true"}),
            (
                5,
                1.2,
                0.7,
                {"ecn": True, "gentle": True, "wait": False},
                {"UseEcn": "true", "Gentle": "true", "Wait": "false"},
            ),
            (5, 0.9, 0, {"weight": 0.02}, {"QW": 0.02, "Gentle": "false"}),
        )
    ):
        rate = (10, 4, 10, 10)[k] * M
        queue = {"kind": "red", "packets": 201, "min": 5.0, "max": 15.0, "max_p": 0.02, "mean_packet": "1000B"} | extra
        set_ = {
            "MaxSize": "200p",
            "MinTh": 5,
            "MaxTh": 15,
            "LInterm": 50,
            "MeanPktSize": 1000,
            "LinkBandwidth": f"{rate}bps",
            "Ns1Compat": "true",
        }
        yield case(
            f"red-{k}",
            "RedQueueDisc",
            queue,
            traffic(1800 + k, 3000, rate, flows, load, ecn=ecn, bursts=4),
            rate,
            **set_ | more,
        )
    hard = {"kind": "red", "packets": 201, "min": 5.0, "max": 15.0, "max_p": 0.02, "mean_packet": "1000B"}
    packets = traffic(1811, 3000, 10 * M, 3, 1.1, bursts=4)
    yield case(
        "red-forced",
        "RedQueueDisc",
        hard,
        packets,
        10 * M,
        MaxSize="200p",
        MinTh=5,
        MaxTh=15,
        LInterm=50,
        MeanPktSize=1000,
        LinkBandwidth="10Mbps",
        Gentle="false",
    )
    queue = {
        "kind": "red",
        "packets": 21,
        "min": 5.0,
        "max": 15.0,
        "max_p": 0.02,
        "mean_packet": "1000B",
        "gentle": True,
    }
    packets = traffic(1810, 3000, 4 * M, 3, 1.6, bursts=12)
    yield case(
        "red-full",
        "RedQueueDisc",
        queue,
        packets,
        4 * M,
        MaxSize="20p",
        MinTh=5,
        MaxTh=15,
        LInterm=50,
        MeanPktSize=1000,
        LinkBandwidth="4Mbps",
        Gentle="true",
        Ns1Compat="true",
    )


def tbf():
    for k, (mean, burst, load) in enumerate(((8, 10_000, 0.9), (2, 3000, 1.2))):
        server = {"kind": "token-bucket", "mean": f"{mean}Mbps", "burst": f"{burst}B", "peak": "1Gbps"}
        # Times and sizes for which all tokens are whole bytes.
        packets = traffic(1900 + k, 3000, mean * M, 4, load, bursts=6, sizes=(1500, 1500, 1000, 500))
        packets = [packet | {"at": packet["at"] // (8000 // mean) * (8000 // mean)} for packet in packets]
        yield case(
            f"tbf-{k}",
            "TbfQueueDisc",
            {"kind": "drop-tail", "waiting": 5000},
            packets,
            1000 * M,
            server=server,
            Rate=f"{mean}Mbps",
            Burst=burst,
            MaxSize="5000p",
        )
    server = {"kind": "token-bucket", "mean": "8Mbps", "burst": "10000B", "peak": "1Gbps"}
    packets = traffic(1910, 3000, 8 * M, 4, 0.9, bursts=6)
    yield case(
        "tbf-rounding",
        "TbfQueueDisc",
        {"kind": "drop-tail", "waiting": 5000},
        packets,
        1000 * M,
        server=server,
        Rate="8Mbps",
        Burst=10_000,
        MaxSize="5000p",
    )


def all_cases():
    for family in (codel, fq_codel, pie, fq_pie, cobalt, fq_cobalt, red, tbf):
        yield from family()
