#!/usr/bin/env python3
"""Fresh random transfers on the kernel and in the simulator (needs `make kernel`).

random_kernel.py [--count N] [--seed S] [--processing 5us]    a line for each that differs, and how many agree
"""

import argparse
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import apart
import rows

import acklab


def drawn(rng, seed):
    """A scenario."""
    asked = {
        "path": "random", "loss": rng.choice(list(rows.LOSSES)), "control": rng.choice(rows.CONTROLS),
        "acks": rng.choice(list(rows.ACKS)), "size": rng.randint(10, 600), "seed": seed,
    }  # fmt: skip
    rate, delay = rng.choice([1, 2, 5, 10, 20]), rng.choice([5, 10, 20, 40, 80])
    there, back = rows.LOSSES[asked["loss"]]
    return asked, rows.between(f"{rate}Mbps", f"{delay}ms", rng.randint(5, 100), there, back, asked)


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--count", type=int, default=20)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--processing", default="0s", help="mean time that hosts take for a packet")
    given = options.parse_args()
    rng = random.Random(given.seed)
    cases = [drawn(rng, seed) for seed in range(1, given.count + 1)]
    scenarios = [apart.changed(scenario) | {"processing": given.processing} for _, scenario in cases]
    agree = acks = 0
    for (asked, scenario), ours, theirs in zip(
        cases, acklab.run_batch(scenarios), acklab.run_batch(scenarios, engine="kernel")
    ):
        if "error" in theirs:
            raise SystemExit(f"{scenario['title']}: {theirs['error']}")
        row = {key: str(value) for key, value in rows.told(theirs).items()}
        differ = rows.alike(row, ours)
        agree += not differ
        acks += not differ and rows.acks_agree(row, ours)
        if differ:
            link = scenario["link"][0]
            where = f"{link['rate']} {link['delay']} {link['queue']['packets']}"
            pairs = ", ".join(f"{name} {row[name]} {rows.told(ours)[name]}" for name in differ)
            print(where, *(asked[key] for key in rows.ASKED[1:]), "|", pairs)
    print(f"{agree} of {len(cases)} agree (kernel, simulator), {acks} in ACKs, too")


if __name__ == "__main__":
    main()
