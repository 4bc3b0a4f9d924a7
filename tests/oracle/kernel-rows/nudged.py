#!/usr/bin/env python3
"""Long runs by their means: ten experiments of 8 s, six each with delays up to 1 % longer (`nudged.csv`).

    nudged.py            the page's table; needs no kernel
    nudged.py --make     the kernel's runs that are missing (needs `make kernel`); --fresh makes all of them anew

A long run with losses is chaotic: a delay longer by a microsecond turns it into another run, in a kernel and in the simulator. So one
run of each says little. The experiments are ten of the twenty-four of `../kernel.py`, drawn once, with Linux's default receiver. Their
delays are those of the path, and longer by 0.2, 0.4, 0.6, 0.8 and 1 %.
"""

import csv
import math
import random
import statistics
import sys
from pathlib import Path

import defaults
from apart import timed

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import kernel
from engine import run_batch

ROWS = Path(__file__).parent / "nudged.csv"
NUDGES = range(6)
#: Longer by so many parts in a thousand, a nudge.
STEP = 2
TOLD = ["goodput_bps", "segments_sent", "retransmits", "timeouts", "acks_sent"]
#: Student's t for 95 %, with twice the nudges less two degrees of freedom.
T = 2.228
#: Column, its name on the page, its scale, and decimals.
SHOWN = [("goodput_bps", "Mb/s", 1e-6, 2), ("retransmits", "resent", 1, 0), ("acks_sent", "ACKs", 1, 0)]


def grid():
    """(path, control, nudge) of every run."""
    chosen = sorted(random.Random(1).sample(range(24), 10))
    every = kernel.experiments()
    return [(*every[n], nudge) for n in chosen for nudge in NUDGES]


def scenario(path, control, nudge):
    """A run's scenario, for the simulator and for the kernel."""
    found = kernel.scenario(path, control)
    (link,), (flow,) = found["link"], found["flow"]
    delay_ms = float(link["delay"].removesuffix("ms"))
    link["delay"] = f"{delay_ms * (1000 + STEP * int(nudge)) / 1000:g}ms"
    flow["receiver"] = {"stack": "linux", "ack": defaults.ACKS}
    return timed(found)


def read():
    """{(path, control, nudge): the kernel's values}."""
    if not ROWS.exists():
        return {}
    with ROWS.open() as file:
        return {(row["path"], row["control"], int(row["nudge"])): row for row in csv.DictReader(file)}


def make(fresh):
    """Makes the kernel's runs, and keeps them as they come."""
    import acklab

    have = {} if fresh else read()
    missing = [one for one in grid() if one not in have]
    for one, answer in zip(missing, acklab.run_batch([scenario(*each) for each in missing], engine="kernel")):
        if "error" in answer:
            raise SystemExit(f"{one}: {answer['error']}")
        have[one] = dict(zip(("path", "control", "nudge"), one)) | {name: answer["flows"][0][name] for name in TOLD}
        with ROWS.open("w", newline="") as file:
            out = csv.DictWriter(file, ["path", "control", "nudge", *TOLD], lineterminator="\n")
            out.writeheader()
            out.writerows(have[known] for known in grid() if known in have)
        print(f"{len(have)} of {len(grid())} runs", flush=True)


def judged():
    """(path, control, {column: (the kernel's values, the simulator's)}) of each experiment."""
    theirs = read()
    chosen = list(theirs)
    answers = run_batch([scenario(*one) for one in chosen])
    ours = {one: answer["flows"][0] for one, answer in zip(chosen, answers)}
    for path, control in dict.fromkeys(one[:2] for one in chosen):
        runs = [one for one in chosen if one[:2] == (path, control)]
        yield (
            path,
            control,
            {
                name: ([float(theirs[one][name]) for one in runs], [float(ours[one][name]) for one in runs])
                for name in TOLD
            },
        )


def half(values):
    """Half of the 95 % interval of a mean."""
    return 2.571 * statistics.stdev(values) / math.sqrt(len(values))


def apart(theirs, ours):
    """Whether the 95 % interval of the difference of the means is on one side of zero."""
    spread = math.sqrt((statistics.variance(theirs) + statistics.variance(ours)) / len(ours))
    return abs(statistics.mean(ours) - statistics.mean(theirs)) > T * spread


def lines():
    """The table, and how many means are apart."""
    heads = [f"{name}: kernel | `linux`" for _, name, _, _ in SHOWN]
    yield f"| path | control | {' | '.join(heads)} | apart |"
    yield "|" + "---|" * (2 + 2 * len(SHOWN) + 1)
    off, single, differ = {name: [] for name, *_ in SHOWN}, {name: [] for name, *_ in SHOWN}, []
    for path, control, values in judged():
        cells, names = [], []
        for column, name, scale, places in SHOWN:
            pair = values[column]
            cells += [f"{scale * statistics.mean(side):.{places}f} ± {scale * half(side):.{places}f}" for side in pair]
            theirs, ours = (statistics.mean(side) for side in pair)
            off[column].append(abs(ours / theirs - 1) if theirs else 0)
            single[column] += [abs(one / other - 1) if other else 0 for other, one in zip(*pair)]
            names += [name] if apart(*pair) else []
        differ += names
        yield f"| {path} | {control} | {' | '.join(cells)} | {', '.join(names) or '-'} |"
    yield ""
    for column, name, *_ in SHOWN:
        whole, alone = off[column], single[column]
        yield (
            f"{name}: the means differ by {100 * statistics.mean(whole):.1f} % on average, {100 * max(whole):.1f} % at most; "
            f"single runs by {100 * statistics.mean(alone):.1f} %, {100 * max(alone):.1f} % at most."
        )
    yield f"{len(differ)} of {len(SHOWN) * len(off['acks_sent'])} pairs of means are apart at 95 %; one or two would be by chance."


if __name__ == "__main__":
    words = sys.argv[1:]
    make("--fresh" in words) if words else print("\n".join(lines()))
