#!/usr/bin/env python3
"""Fresh experiments, never seen before: draw them at random, let ns-2 run them, then judge acklab on them.

    random_ns2.py --count 40 --seed 7 [--formats abcdefghs] [--out DIR] [--draw-only]

Writes one CSV a format, with ns-2's results, and calls check.py on them. The same seed draws the same experiments. Needs `ns`.
Letters: a single transfers, b smartacking dumbbells, c random loss, d slow way back, e endless background, f many flows to a
fixed end, g competing short transfers, h the 1997 fast-retransmit rule, s the sweep's topology.
"""

import argparse
import csv
import os
import random
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import check
import formats
import ns2

KINDS = ("Tahoe", "Reno", "Newreno", "Sack1")


def maybe(r, chance, value):
    """A blank (the script's default) or, with this chance, the value."""
    return value if r.random() < chance else ""


def agents(r, chance=0.4):
    """Sender and receiver rules; each is left to its default more often than not."""
    kind = r.choice(KINDS)
    newreno = chance if kind == "Newreno" else 0
    return {
        "profile": r.choice(("ns1", "std")),
        "kind": kind,
        "ack": r.choice(("each", "delack")),
        "window": r.choice((2, 4, 8, 20, 40, 64, 200, 1000, 100000)),
        "psize": r.choice((100, 500, 536, 960, 1000, 1460)),
        "acksize": maybe(r, chance / 2, r.choice((40, 52, 100))),
        "interval": maybe(r, 2 * chance, r.choice((0.01, 0.04, 0.1, 0.2, 0.5))),
        "tick": maybe(r, chance, r.choice((0.001, 0.01, 0.1, 0.5))),
        "minrto": maybe(r, chance, r.choice((0, 0.05, 0.2, 1.0))),
        "irto": maybe(r, chance / 2, r.choice((1, 3, 6))),
        "maxrto": maybe(r, chance / 4, r.choice((4, 60))),
        "iw": maybe(r, chance, r.choice((1, 2, 3, 4, 10))),
        "maxburst": maybe(r, chance / 2, r.choice((0, 2, 4))),
        "lt": maybe(r, chance, r.choice((0, 1))),
        "imm": maybe(r, chance, r.choice((0, 1))),
        "synimm": maybe(r, chance, r.choice((0, 1))),
        "rfc2988": maybe(r, chance, r.choice((0, 1))),
        "timerfix": maybe(r, chance, r.choice((0, 1))),
        "preduce": maybe(r, chance, r.choice((0, 1))),
        "bugfix": maybe(r, chance / 2, r.choice((0, 1))),
        "ssr": maybe(r, chance / 4, r.choice((0, 1))),
        "impatient": maybe(r, newreno, r.choice((0, 1))),
        "pwd": maybe(r, newreno, r.choice((0, 1))),
        "exitfix": maybe(r, newreno, r.choice((0, 1))),
        "pack": maybe(r, chance if kind == "Sack1" else 0, r.choice((0, 1))),
    }


def few(r, below, most=6):
    """A loss list: some bursts, some single packets."""
    first = int(below ** r.random())
    return ";".join(map(str, sorted({first + int(r.expovariate(1 / 4)) for _ in range(r.randint(1, most))})))


def single(r):
    slow = int(10 ** r.uniform(5, 7.5)) // 1000 * 1000
    segments = int(3 * 300 ** r.random())
    return {
        **agents(r),
        "bw1": slow * r.choice((1, 2, 5, 10)),
        "bw2": slow,
        "rbw": maybe(r, 0.5, slow // r.choice((1, 2, 10, 50, 100))),
        "d1": round(10 ** r.uniform(-4, -1.5), 5),
        "d2": round(10 ** r.uniform(-3, -0.7), 5),
        "q": r.choice((2, 3, 5, 8, 13, 20, 30, 60, 100000, r.randint(3, 100))),
        "rq": maybe(r, 0.15, r.choice((3, 5, 10, 30))),
        "segs": segments,
        "start": maybe(r, 0.2, round(r.uniform(0, 3), 3)),
        "dt": maybe(r, 0.5, 1),
        "dl": maybe(r, 0.5, few(r, segments)),
        "adl": maybe(r, 0.35, few(r, segments)),
    }


def smartacking(r):
    forward = r.randint(1, 4)
    return {
        **agents(r, 0.2),
        "n": forward,
        "nr": r.randint(0, 3),
        "bw": r.choice((1, 2, 3, 5, 8, 10, 24)) * 1000000,
        "delay": r.choice((0.001, 0.02, 0.04, 0.1)),
        "abw": r.choice(("1e7", "1e8", "20Mb")),
        "ad": r.choice((0.005, 0.001)),
        "q": r.randint(4, 80),
        "rbw": maybe(r, 0.2, 500000),
        "segs": r.choice((100, 500, 1500)),
        "stagger": maybe(r, 0.7, r.choice((0, 0.01, 0.1, 0.2))),
        "rstart": maybe(r, 0.5, r.choice((0, 0.1))),
    }


def veno(r):
    return {
        "kind": r.choice(KINDS + ("Sack1",) * 3),
        "n": r.choice((1, 1, 1, 2, 4)),
        "plr": r.choice(("1e-3", "3e-3", "1e-2", "3e-2", "1e-1")),
        "lseed": r.randint(1, 5000),
        "ack": r.choice(("each", "delack")),
        "bw": r.choice((800000, 1600000, 5000000)),
        "delay": r.choice((0.01, 0.04, 0.09)),
        "abw": "10000000.0",
        "ad": 0.005,
        "q": r.choice((6, 13, 30)),
        "psize": r.choice((960, 1460)),
        "T": r.choice((10, 20, 50)),
    }


def ackfilter(r):
    return {
        "filter": r.choice(("none", "all")),
        "segs": int(10 * 300 ** r.random()),
        "rbw": r.choice((28800, 64000, 100000, 128000, 300000)),
        "ack": r.choice(("each", "delack")),
        "interval": r.choice((0.05, 0.1, 0.2)),
        "kind": r.choice(KINDS),
        "rq": maybe(r, 0.3, r.choice((5, 20, 50))),
        "fq": maybe(r, 0.2, r.choice((20, 100))),
    }


def divack(r):
    return {
        "J": r.choice((1, 2, 5)),
        "cack": r.choice(("each", "delack")),
        "jseed": r.randint(1, 1000),
        "kind": r.choice(KINDS),
        "warm": r.choice((5, 20)),
        "file": r.choice((150000, 600000)),
    }


def many(r):
    rate = r.choice((5, 20, 50))
    return {
        "n": r.choice((2, 3, 4, 16, 17, 20, 30)),
        "kind": r.choice(KINDS),
        "ack": r.choice(("each", "delack")),
        "bw": f"{rate}e6",
        "delay": 0.02,
        "abw": f"{rate}e6",
        "ad": 0.005,
        "q": r.choice((20, 75, 150)),
        "psize": 960,
        "T": r.choice((2, 3, 5)),
        "stagger": r.choice((0, 0.01, 0.1)),
        "window": r.choice((20, 100000)),
    }


def compete(r):
    return {
        "qtype": "DropTail",
        "ack": r.choice(("each", "delack")),
        "n": r.randint(10, 150),
        "scseed": r.randint(1, 5000),
        "redseed": r.randint(1, 5000),
        "kind": r.choice(KINDS),
        "interval": r.choice((0.1, 0.2)),
        "q": r.choice((8, 40)),
    }


def mechanisms(r):
    return {
        "mech": "none",
        "bugfix98": 1,
        "efr": maybe(r, 0.5, 0),
        "kind": "Reno",
        "ack": r.choice(("each", "delack")),
        "q": r.randint(3, 22),
        "segs": r.randint(5, 1000),
        "interval": 0.1,
    }


def sweep(r):
    ack = r.choice(("each", "delack"))
    return {
        "kind": r.choice(KINDS),
        "ack": ack,
        "interval": maybe(r, 1 if ack == "delack" else 0, r.choice((0.1, 0.2))),
        "queue": r.randint(2, 24),
        "segments": r.randint(1, 1000),
    }


DUMBBELL = "status end times acked sum rexmit rto sent drops rdrops meanq rmeanq"
DRAW = {  # letter: (how to draw a row, the result columns of such a file)
    "a": (single, "status time acked sent rexmit rto cuts nack drops dtime meanq cwnd ssthresh"),
    "b": (smartacking, DUMBBELL),
    "c": (veno, "sum acked sent rexmit rto drops meanq"),
    "d": (ackfilter, "status end acked acks_received sent rexmit rto cwnd"),
    "e": (divack, "status ctime rexmit rto bgacked_warm bgacked_during drops_warm drops_during"),
    "f": (many, DUMBBELL),
    "g": (compete, "status end done thr meantime goodput meanq drops rto"),
    "h": (mechanisms, "status time dtime acked sent rexmit rto cuts nack drops"),
    "s": (sweep, "completion_time_s rexmits rtos drops status last_data_time_s"),
}


def draw(seed, letters, count):
    """{letter: rows} of `count` experiments shared out over the formats, with empty result columns."""
    r = random.Random(seed)
    rows = {letter: [] for letter in letters}
    for i in range(count):
        letter = letters[i % len(letters)]
        make, results = DRAW[letter]
        row = {"id": f"{letter}{i}", **{k: str(v) for k, v in make(r).items()}}
        rows[letter].append({**row, **dict.fromkeys(results.split(), "")})
    return rows


def write(directory, letter, rows):
    """Let ns-2 fill the rows in and write them; returns the path."""
    path = Path(directory) / f"{letter}.csv"
    fmt = formats.detect(rows[0])
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(lambda row: ns2.results(fmt, row), rows))
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        for row, results in zip(rows, found):
            if results is None:
                print(f"{path}: ns-2 gave no result for {row['id']}: {' '.join(ns2.arguments(fmt, row))}")
            else:
                writer.writerow({**row, **results})
    return path


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=40, help="how many experiments in all")
    parser.add_argument("--seed", type=int, help="of the draw; a new one each time if not given")
    parser.add_argument("--formats", default="abcdfs", help="letters of the formats to draw from")
    parser.add_argument("--out", help="where to write the files; a new temporary directory if not given")
    parser.add_argument("--draw-only", action="store_true", help="write the files and stop")
    options = parser.parse_args(arguments)
    if not ns2.installed():
        print("random_ns2.py: no ns here (Debian: apt-get install ns2)", file=sys.stderr)
        return 2
    seed = random.SystemRandom().randrange(10**6) if options.seed is None else options.seed
    directory = Path(options.out or tempfile.mkdtemp(prefix="acklab-oracle-"))
    directory.mkdir(parents=True, exist_ok=True)
    print(f"seed {seed}, {options.count} experiments in {directory}", flush=True)
    drawn = draw(seed, options.formats, options.count)
    files = [str(write(directory, letter, rows)) for letter, rows in drawn.items() if rows]
    return 0 if options.draw_only else check.main(files)


if __name__ == "__main__":
    sys.exit(main())
