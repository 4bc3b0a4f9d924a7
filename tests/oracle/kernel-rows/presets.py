#!/usr/bin/env python3
"""Presets of access paths, a download alone (`presets.csv`): the kernel in virtual time and the simulator, both with default receivers.

    presets.py            the page's tables; needs no kernel
    presets.py --make     the kernel's runs that are missing (needs `make kernel`)

A row is what `acklab run --path NAME --virtual --set downloads=1 --set flow.ping.source.times=1 --set flow.down.size.bytes=20MB
--set stop.at=30s --set processing=5us --seed N` tells of the flow `down`.
"""

import csv
import statistics
import sys
from pathlib import Path

import apart

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from engine import run_batch

HERE = Path(__file__).parent
ROWS = HERE / "presets.csv"
ACCESS = HERE.parents[2] / "python" / "acklab" / "examples" / "access"
ONCE = ["docsis30", "docsis31", "vdsl", "gpon", "leo", "geo"]
#: HyStart and grants make these differ from seed to seed.
SEEDED = ["lte-fdd", "nr-tdd"]
SIZES = ["1MB", "20MB"]
TOLD = ["completion_s", "segments_sent", "retransmits", "acks_sent"]


def grid():
    """(preset, size, seed) of every run."""
    wanted = [(name, size, 1) for name in ONCE for size in SIZES]
    return wanted + [(name, "20MB", seed) for name in SEEDED for seed in range(1, 6)]


def scenario(name, size, seed):
    """A preset with a download alone, for the simulator and for the kernel."""
    import tomllib

    tree = tomllib.loads((ACCESS / f"{name}.toml").read_text())
    down, _, ping = tree["flow"]
    down |= {"count": 1, "size": {"bytes": size}}
    ping["source"]["times"] = 1
    return tree | {"seed": seed, "stop": {"at": "30s"}} | apart.HOSTS["processing"]


def read():
    """{(preset, size, seed): the kernel's values}."""
    if not ROWS.exists():
        return {}
    with ROWS.open() as file:
        return {
            (row["preset"], row["size"], int(row["seed"])): {name: float(row[name]) for name in TOLD}
            for row in csv.DictReader(file)
        }


def make():
    """Makes the kernel's runs that are missing, and keeps them as they come."""
    import acklab

    have = read()
    missing = [one for one in grid() if one not in have]
    for one, answer in zip(missing, acklab.run_batch([scenario(*each) for each in missing], engine="kernel")):
        if "error" in answer:
            raise SystemExit(f"{one}: {answer['error']}")
        have[one] = {name: answer["flows"][0][name] for name in TOLD}
        with ROWS.open("w", newline="") as file:
            out = csv.DictWriter(file, ["preset", "size", "seed", *TOLD], lineterminator="\n")
            out.writeheader()
            out.writerows(
                dict(zip(("preset", "size", "seed"), known)) | have[known] for known in grid() if known in have
            )
        print(f"{len(have)} of {len(grid())} runs", flush=True)


def judged():
    """{(preset, size, seed): (the kernel's values, the simulator's)}."""
    theirs = read()
    answers = run_batch([scenario(*one) for one in theirs])
    return {one: (row, answer["flows"][0]) for (one, row), answer in zip(theirs.items(), answers)}


def lines():
    """The two tables."""
    found = judged()
    yield "| preset | size | seconds: kernel | simulator | off | resent: kernel | simulator | ACKs: kernel | simulator | off |"
    yield "|---|---|---|---|---|---|---|---|---|---|"
    for (name, size, _), (theirs, ours) in found.items():
        if name in ONCE:
            off = {key: f"{100 * (ours[key] / theirs[key] - 1):+.1f} %" for key in ("completion_s", "acks_sent")}
            counts = " | ".join(f"{theirs[key]:.0f} | {ours[key]}" for key in ("retransmits", "acks_sent"))
            yield f"| {name} | {size} | {theirs['completion_s']:.3f} | {ours['completion_s']:.3f} | {off['completion_s']} | {counts} | {off['acks_sent']} |"
    yield ""
    yield "| preset | 20 MB in seconds, seeds 1 to 5: kernel | simulator | mean: kernel | simulator | ACKs, mean: kernel | simulator |"
    yield "|---|---|---|---|---|---|---|"
    for name in SEEDED:
        sides = list(zip(*(pair for (other, *_), pair in found.items() if other == name)))
        if sides:
            times = [[row["completion_s"] for row in side] for side in sides]
            acks = [statistics.mean(row["acks_sent"] for row in side) for side in sides]
            cells = [", ".join(f"{time:.2f}" for time in side) for side in times] + [
                f"{statistics.mean(side):.2f}" for side in times
            ]
            yield f"| {name} | {' | '.join(cells)} | {acks[0]:.0f} | {acks[1]:.0f} |"


if __name__ == "__main__":
    make() if sys.argv[1:] == ["--make"] else print("\n".join(lines()))
