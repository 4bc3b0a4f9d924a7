#!/usr/bin/env python3
"""Thirty-six random runs of 8 s (`long_runs.csv`), with default and with fixed receivers, each as drawn and with a delay longer by 1 µs.

    long_runs.py            how many agree; needs no kernel
    long_runs.py --make     the kernel's runs that are missing (needs `make kernel`)

The pair of the kernel's own runs says how much of a difference so small a nudge makes.
"""

import csv
import random
import sys
from pathlib import Path

import apart
import defaults
import rows

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from engine import run_batch

ROWS = Path(__file__).parent / "long_runs.csv"
COUNT = 36
COUNTS = ["segments_sent", "retransmits", "timeouts"]
TOLD = [*COUNTS, "acks_sent", "goodput_bps"]
NUDGES_US = (0, 1)
#: A buffer that grows from 128 KiB, and one of 15.8 MB of payload.
RECEIVERS = {"default": defaults.ACKS, "fixed": rows.ACKS["linux"]}
#: The first in bytes, as the kernel counts it: the same for a kernel.
IN_BYTES = "default, in bytes"
#: As `docs/oracle/kernel.md` has them, and losses of a few in a hundred.
LOSSES = {
    "none": ({}, {}),
    "rate": ({"loss": {"rate": 0.01}}, {}),
    "heavy": ({"loss": {"rate": 0.03}}, {}),
    "acks": ({}, {"loss": {"rate": 0.2}}),
}


def drawn():
    """What each run is."""
    rng = random.Random(8)
    for number in range(1, COUNT + 1):
        yield {
            "number": number, "rate": rng.choice([1, 2, 5, 10, 20]), "delay": rng.choice([5, 10, 20, 40, 80]), "packets": rng.randint(5, 150),
            "loss": rng.choice(list(LOSSES)), "control": rng.choice(rows.CONTROLS),
        }  # fmt: skip


def scenario(asked, receiver, nudge_us):
    """A run's scenario, for the simulator and for the kernel."""
    there, back = LOSSES[asked["loss"]]
    about = asked | {"path": "long", "acks": "linux", "size": 1, "seed": asked["number"]}
    found = rows.between(
        f"{asked['rate']}Mbps", f"{1000 * asked['delay'] + nudge_us}us", asked["packets"], there, back, about
    )
    found["stop"] = {"at": "8s"}
    flow = found["flow"][0]
    return apart.timed(
        found
        | {
            "flow": [
                flow
                | {
                    "size": "unlimited",
                    "receiver": {
                        "stack": "linux",
                        "ack": defaults.BYTES if receiver == IN_BYTES else RECEIVERS[receiver],
                    },
                }
            ]
        }
    )


def read():
    """{(number, receiver, nudge): the kernel's values}."""
    if not ROWS.exists():
        return {}
    with ROWS.open() as file:
        key = lambda row: (int(row["number"]), row["receiver"], int(row["nudge_us"]))
        return {key(row): {name: float(row[name]) for name in TOLD} for row in csv.DictReader(file)}


def make():
    """Makes the kernel's runs that are missing, and keeps them as they come."""
    import acklab

    have, wanted = read(), [(asked, receiver, us) for receiver in RECEIVERS for asked in drawn() for us in NUDGES_US]
    missing = [one for one in wanted if (one[0]["number"], *one[1:]) not in have]
    for (asked, *which), answer in zip(missing, acklab.run_batch([scenario(*one) for one in missing], engine="kernel")):
        if "error" in answer:
            raise SystemExit(f"{asked}: {answer['error']}")
        have[(asked["number"], *which)] = {name: answer["flows"][0][name] for name in TOLD}
        with ROWS.open("w", newline="") as file:
            out = csv.DictWriter(file, ["number", "receiver", "nudge_us", *TOLD], lineterminator="\n")
            out.writeheader()
            out.writerows(
                dict(zip(("number", "receiver", "nudge_us"), key)) | have[key]
                for key in sorted(have, key=lambda key: (key[1], *key))
            )
        print(f"{len(have)} of {len(wanted)} runs", flush=True)


def lines():
    """How many pairs of runs agree."""
    theirs = read()
    keys = [
        (asked, receiver, us)
        for receiver in RECEIVERS
        for asked in drawn()
        for us in NUDGES_US
        if (asked["number"], receiver, us) in theirs
    ]
    keys += [(asked, IN_BYTES, 0) for asked, receiver, us in keys if (receiver, us) == ("default", 0)]
    ours = {
        (asked["number"], *which): {name: float(answer["flows"][0][name]) for name in TOLD}
        for (asked, *which), answer in zip(keys, run_batch([scenario(*key) for key in keys]))
    }
    yield "| receiver | pair of runs | all counts equal | and ACKs | throughput within 1 % | ACKs within 2 % |"
    yield "|---|---|---|---|---|---|"
    for receiver in RECEIVERS:
        numbers = [number for number, its, us in theirs if its == receiver and us == 1]
        of = lambda runs, us, its=receiver: [runs[number, its, us] for number in numbers]
        pairs = {
            "kernel, simulator": (of(theirs, 0), of(ours, 0)),
            "kernel, kernel with 1 µs more": (of(theirs, 0), of(theirs, 1)),
            "simulator, simulator with 1 µs more": (of(ours, 0), of(ours, 1)),
        }
        if receiver == "default":
            pairs["kernel, simulator that counts bytes"] = of(theirs, 0), of(ours, 0, IN_BYTES)
        for name, sides in pairs.items():
            found = list(zip(*sides))
            counts = [all(one[key] == other[key] for key in COUNTS) for one, other in found]
            acks = [same and one["acks_sent"] == other["acks_sent"] for same, (one, other) in zip(counts, found)]
            near = [
                sum(abs(other[key] / one[key] - 1) <= most for one, other in found)
                for key, most in (("goodput_bps", 0.01), ("acks_sent", 0.02))
            ]
            yield f"| {receiver} | {name} | {sum(counts)} of {len(found)} | {sum(acks)} | {near[0]} | {near[1]} |"


if __name__ == "__main__":
    make() if sys.argv[1:] == ["--make"] else print("\n".join(lines()))
