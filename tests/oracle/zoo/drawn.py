"""Named stacks on paths drawn at random, and the simulator's stacks of these names: ``drawn.json`` beside this file.

    drawn.py             the table of docs/oracle/zoo-simulated.md; needs no kernel
    drawn.py --make [N]  runs the stacks on the drawn paths that are missing, at most N (make zoo, LINUX=7.3 make kernel)

This script, its criteria and the policies' values were committed before the first run. Of 40 paths, each of five stacks has eight: 2 to 50
Mb/s (even in the logarithm), 10 to 100 ms, 0.3 to 2 MB. Half have a queue that never overflows, half one of 1 to 2 bandwidth-delay
products, but 15 packets at least. Nothing is lost but in the queue. A path counts as the same where ACK counts are within 2 % and completion
within 1 %; both are also told alone, and packets an ACK within 2 %.
"""

from __future__ import annotations

import random
import sys
from math import inf
from pathlib import Path as File
from statistics import median
from typing import Any

sys.path.insert(0, str(File(__file__).parent))

import simulated  # noqa: E402

from acklab_zoo import output
from acklab_zoo.members import MEMBERS
from acklab_zoo.paths import Path
from acklab_zoo.run import pair, row
from acklab_zoo.tables import Table

FILE = File(__file__).parent / "drawn.json"
SEED = 3434
STACKS = ("quic-go", "quinn", "s2n-quic", "x-net", "aioquic")
COUNT = 40
#: Most relative differences.
MOST_ACKS, MOST_TIME = 0.02, 0.01
#: Packets of a queue that never overflows.
DEEP = 20_000


def paths(seed: int = SEED, count: int = COUNT) -> list[tuple[str, Path]]:
    """A stack and a path, so many times."""
    rng, made = random.Random(seed), []
    for number in range(count):
        rate, rtt = round(2 * 25 ** rng.random(), 2), round(rng.uniform(0.01, 0.1), 4)
        size, products = int(300_000 * (20 / 3) ** rng.random()), rng.uniform(1, 2)
        deep = number // len(STACKS) % 2 == 0
        packets = DEEP if deep else max(15, round(products * rate * 1e6 * rtt / 8 / 1250))
        made.append(
            (
                STACKS[number % len(STACKS)],
                Path(f"drawn {number}", request=str(size), rate_mbps=rate, rtt_s=rtt, packets=packets),
            )
        )
    return made


def make(most: int) -> None:
    """Runs what is missing, and writes after each run."""
    rows: list[dict[str, Any]] = output.read(FILE) if FILE.exists() else []
    there = {each["path"] for each in rows}
    for name, path in paths():
        if path.about in there or not most:
            continue
        rows.append(row(pair(name, name, MEMBERS, "7.3"), path.about, 1, path))
        FILE.write_text(output.plain(rows), "utf-8")
        most -= 1


def differences() -> list[tuple[str, bool, float, float, float]]:
    """Of each path: stack, whether its queue is deep, and by how many per cent ACKs, packets an ACK and time differ."""
    rows, found = {each["path"]: each for each in output.read(FILE)}, []
    for name, path in paths():
        if (each := rows.get(path.about)) is None or "error" in each:
            found.append((name, path.packets == DEEP, inf, inf, inf))
            continue
        real, ours = simulated.of(each), simulated.simulated(name, path)
        keys = ("acks", "per_ack", "time_s")
        found.append(
            (name, path.packets == DEEP, *(simulated.differ(getattr(ours, key), getattr(real, key)) for key in keys))
        )
    return found


def table() -> Table:
    """How many paths agree, by stack and by queue."""
    found = differences()
    groups = [(name, [each for each in found if each[0] == name]) for name in STACKS]
    groups += [
        (f"all, {what}", [each for each in found if each[1] == deep])
        for what, deep in (("deep queue", True), ("limited queue", False))
    ]
    cells = []
    for name, group in [*groups, ("all", found)]:
        acks, per_ack, times = ([abs(each[at]) for each in group] for at in (2, 3, 4))
        both = sum(a <= 100 * MOST_ACKS and t <= 100 * MOST_TIME for a, t in zip(acks, times, strict=True))
        within = [
            sum(each <= 100 * most for each in column)
            for column, most in ((acks, MOST_ACKS), (per_ack, MOST_ACKS), (times, MOST_TIME))
        ]
        middle = [f"{median(column):.1f}, {max(column):.1f}" for column in (acks, per_ack, times)]
        cells.append(
            [
                name,
                str(len(group)),
                *(part for both_parts in zip(map(str, within), middle, strict=True) for part in both_parts),
                str(both),
            ]
        )
    heads = [
        "stack",
        "paths",
        "ACKs within 2 %",
        "median, most %",
        "packets an ACK within 2 %",
        "median, most %",
        "time within 1 %",
        "median, most %",
        "ACKs and time",
    ]
    return Table(
        "drawn",
        "Forty drawn paths",
        "Differences of the simulator from the stack on the drawn paths, in per cent; absolute values.",
        heads,
        cells,
    )


if __name__ == "__main__":
    if "--make" in sys.argv:
        make(int(sys.argv[2]) if len(sys.argv) > 2 else COUNT)
    else:
        print(table().markdown())
