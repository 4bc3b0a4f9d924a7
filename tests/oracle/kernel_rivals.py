#!/usr/bin/env python3
"""BBR and CUBIC in one queue, on the kernel (`data/kernel/rivals.csv`) and in acklab.

    kernel_rivals.py                 a table: what each gets, on the kernel and in acklab with eight seeds
    kernel_rivals.py --make          the data anew (needs root and five minutes)

`test_kernel_bbr.py` states how near the simulator must be.
"""

import csv
import sys

import kernel
from engine import run_batch

DATA = kernel.DATA.with_name("rivals.csv")
# Packets in the queue; the path carries 33 without one.
QUEUES = [40, 130]
RUNS = 2
SEEDS = 8
FLOWS = ["bbr", "cubic"]
COLUMNS = [
    "queue",
    "run",
    "kernel",
    "late_p99_s",
    *(f"{flow}_bps" for flow in FLOWS),
    *(f"{flow}_retransmits" for flow in FLOWS),
]
COLUMNS += ["mean_queue_packets"]


def scenario(packets, seed=1):
    """Both on a path of 10 Mb/s and 40 ms, for 40 seconds, CUBIC from the first second on."""
    base = kernel.scenario("dsl", "bbr")
    bbr = base["flow"][0] | {"name": "bbr"}
    cubic = bbr | {"name": "cubic", "start": "1s", "sender": {"stack": "linux"}}
    link = base["link"][0] | {"queue": {"kind": "drop-tail", "packets": packets}}
    return base | {
        "title": f"rivals, {packets}",
        "seed": seed,
        "stop": {"at": "40s"},
        "link": [link],
        "flow": [bbr, cubic],
    }


def row(answer):
    """What of a run is compared."""
    found = {}
    for name, flow in zip(FLOWS, answer["flows"]):
        found |= {f"{name}_bps": flow["goodput_bps"], f"{name}_retransmits": flow["retransmits"]}
    return found | {"mean_queue_packets": answer["links"][0]["mean_queue_packets"]}


def read():
    """{queue: its runs}."""
    runs = {}
    with DATA.open() as file:
        for found in csv.DictReader(file):
            runs.setdefault(int(found["queue"]), []).append(found)
    return runs


def compare():
    """{queue: {measure: (the kernel's least and most, the simulator's least and most)}}."""
    runs, found = read(), {}
    answers = run_batch([scenario(queue, seed) for queue in runs for seed in range(1, SEEDS + 1)])
    for queue, live in runs.items():
        ours = [row(next(answers)) for _ in range(SEEDS)]
        found[queue] = {}
        for measure in ours[0]:
            values, simulated = [float(it[measure]) for it in live], [it[measure] for it in ours]
            found[queue][measure] = (min(values), max(values), min(simulated), max(simulated))
    return found


def make():
    """Run the kernel and write the data."""
    rows = []
    for queue in QUEUES:
        for run in range(RUNS):
            answer = kernel.answered(scenario(queue))
            rows.append({"queue": queue, "run": run} | kernel.lived(answer) | row(answer))
            print(rows[-1], flush=True)
    with DATA.open("w", newline="") as file:
        out = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        out.writeheader()
        out.writerows(rows)


SHOWN = [(f"{flow}_bps", lambda value: f"{value / 1e6:.1f}") for flow in FLOWS]
SHOWN += [(f"{flow}_retransmits", lambda value: f"{value:.0f}") for flow in FLOWS]
SHOWN += [("mean_queue_packets", lambda value: f"{value:.0f}")]


def lines():
    """The rows of the page's table."""
    for queue, measures in compare().items():
        cells = [str(queue)]
        for measure, shown in SHOWN:
            values = [shown(value) for value in measures[measure]]
            cells += [kernel.span(*values[:2]), kernel.span(*values[2:])]
        yield kernel.row(cells)


HEADS = ["BBR, Mb/s", "CUBIC, Mb/s", "BBR, resent", "CUBIC, resent", "queue"]


if __name__ == "__main__":
    if sys.argv[1:] == ["--make"]:
        make()
    else:
        kernel.show(["packets"], HEADS, ["kernel", "`linux`"], lines())
