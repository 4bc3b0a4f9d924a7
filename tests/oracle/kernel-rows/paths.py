#!/usr/bin/env python3
"""The twelve paths of `docs/oracle/kernel.md` in virtual time (`paths.csv`): the kernel and the stack `linux`, 8 s each.

    paths.py            the page's table; needs no kernel
    paths.py --make     the kernel's runs anew (needs `make kernel`)

`../kernel.py` has the paths and the runs in real time. Here each is one boot, and exact.
"""

import csv
import sys
from pathlib import Path

import apart

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import kernel
from engine import run_batch

ROWS = Path(__file__).parent / "paths.csv"
TOLD = ["goodput_bps", "segments_sent", "retransmits", "timeouts", "acks_sent"]


def scenario(name, control):
    """A path's scenario, with the clock of `make kernel`."""
    found = kernel.scenario(name, control)
    (flow,) = found["flow"]
    flow["receiver"] = {"stack": "linux", "ack": flow["receiver"]["ack"] | {"autotune": False, "tick": "1ms"}}
    return apart.timed(found)


def make():
    """Writes the kernel's runs."""
    import acklab

    wanted = kernel.experiments()
    answers = acklab.run_batch([scenario(*one) for one in wanted], engine="kernel")
    with ROWS.open("w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["path", "control", *TOLD])
        out.writerows([*one, *(answer["flows"][0][name] for name in TOLD)] for one, answer in zip(wanted, answers))


def judged():
    """(path, control, the kernel's values, the simulator's) of each."""
    with ROWS.open() as file:
        found = list(csv.DictReader(file))
    for row, answer in zip(found, run_batch([scenario(row["path"], row["control"]) for row in found])):
        flow = answer["flows"][0]
        yield row["path"], row["control"], [float(row[name]) for name in TOLD], [float(flow[name]) for name in TOLD]


def lines():
    """The table, and how far throughput is off."""
    off = []
    for path, control, theirs, ours in judged():
        off.append(abs(ours[0] / theirs[0] - 1))
        cells = [
            f"{there / 1e6:.2f} | {here / 1e6:.2f}" if n == 0 else f"{there:.0f} | {here:.0f}"
            for n, (there, here) in enumerate(zip(theirs, ours))
        ]
        yield f"| {path} | {control} | {' | '.join(cells)} |"
    yield f"Throughput is off by {100 * sum(off) / len(off):.1f} % in the mean, and by {100 * max(off):.1f} % at most."


if __name__ == "__main__":
    make() if sys.argv[1:] == ["--make"] else print("\n".join(lines()))
