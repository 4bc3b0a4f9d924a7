#!/usr/bin/env python3
"""Uploads as in `uploads.py`, with losses, shallow queues and slow readers: `uploads_hard.json.xz`.

    uploads_hard.py          the page's table; needs no kernel
    uploads_hard.py --write  puts it into the page
    uploads_hard.py --make   the kernels' runs that are missing (`make kernel`, `LINUX=7.3 make kernel`)

Twelve paths are drawn by the seed 36, once, for each of two versions. This script and its criteria were committed before the first run: ACK counts
within 1 %, equal series, the last byte within 1 %.
"""

import random
import sys
from pathlib import Path

import uploads

HERE = Path(__file__).parent
FILE = HERE / "uploads_hard.json.xz"
BEGIN, END = "<!-- begin hard -->", "<!-- end hard -->"
SEED = 36
KINDS = {"lost": "one to three packets lost", "queue": "a queue of half to one product", "slow": "a slow reader"}


def drawn():
    """Four paths of each kind: 5 to 100 Mb/s, 5 to 50 ms, 1 to 8 MB."""
    rng, paths = random.Random(SEED), []
    for number in range(12):
        kind = list(KINDS)[number % 3]
        rate, delay = round(5 * 20 ** rng.random(), 1), round(rng.uniform(5, 50), 1)
        size = min(8_000_000, max(1_000_000, int(rate * 125_000 * rng.uniform(1, 3))))
        lost = sorted(rng.sample(range(20, size // uploads.MSS), rng.randint(1, 3)))
        packets = max(10, round(rng.uniform(0.5, 1) * rate * delay / 6))
        more = {"lost": "lost " + " ".join(map(str, lost)), "queue": f"queue {packets}", "slow": "queue 20000"}[kind]
        paths.append((rate, delay, size, "slow" if kind == "slow" else "fast", more))
    return paths


def grid():
    """(version, path) of every upload."""
    return [(version, path) for version in uploads.MOST for path in drawn()]


def lines():
    """The page's table."""
    found = uploads.judged(file=FILE)
    told = [
        "| uploads | Linux | ACK counts within 1 % | most | series equal to the end | last byte within 1 % | most |",
        "|---|---|---|---|---|---|---|",
    ]
    for kind, words in KINDS.items():
        for version in uploads.MOST:
            some = [
                row
                for (of, path), row in found.items()
                if of == version and (path[3] if path[3] == "slow" else path[4].split()[0]) == kind
            ]
            if not some:
                continue
            counts = [len(ours) / len(theirs) - 1 for theirs, ours, _ in some]
            ends = [ours[-1][0] / theirs[-1][0] - 1 for theirs, ours, _ in some]
            equal = sum(same == len(theirs) == len(ours) for theirs, ours, same in some)
            within = [f"{sum(abs(each) <= 0.01 for each in column)} of {len(some)}" for column in (counts, ends)]
            most = [f"{100 * max(column, key=abs):+.1f} %" for column in (counts, ends)]
            told.append(f"| {words} | {version} | {within[0]} | {most[0]} | {equal} | {within[1]} | {most[1]} |")
    return told


def main():
    if "--make" in sys.argv:
        uploads.make(grid(), FILE)
        return
    if "-v" in sys.argv:
        for (version, path), (theirs, ours, same) in uploads.judged(file=FILE).items():
            print(
                version,
                *path,
                len(theirs),
                len(ours),
                "same",
                same,
                [(acks[same : same + 2]) for acks in (theirs, ours)],
                theirs[-1][0],
                ours[-1][0],
            )
    table = "\n".join(lines())
    print(table)
    if "--write" in sys.argv:
        text = uploads.PAGE.read_text()
        start, end = text.index(BEGIN) + len(BEGIN), text.index(END)
        uploads.PAGE.write_text(f"{text[:start]}\n{table}\n{text[end:]}")


if __name__ == "__main__":
    main()
