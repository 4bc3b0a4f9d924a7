#!/usr/bin/env python3
"""Rows and patterns between two kernels under one clock, whose hosts take no time (`*-apart.csv`), or 5 us (`*-processing.csv`).

    apart.py            how many agree; needs no kernel
    apart.py -v         also each that turned, and each that differs where hosts take time
    apart.py --make N   N more of each, drawn at random (needs `make kernel`)

`rows.csv` and `patterns.csv` were recorded with both ends and the path in one kernel, where packets left some microseconds late. Here the
path lies between the kernels, and a packet arrives at the nanosecond that the path says. So the simulator's packets have the kernel's sizes to
the byte, too.
"""

import sys
from collections import Counter
from types import SimpleNamespace

import patterns
import rows
from engine import run_batch

#: After a boot the kernel's count of ticks is a multiple of its coarsest timers' slots.
CLOCK = rows.CLOCK | {"phase": "0s"}
#: Options of a kernel's ACKs and of its answer to a SYN, and the clock by which it repeats this answer.
SIZES = {"sack_head_bytes": 4, "syn_options_bytes": 8, "syn_answer": {"tick": "1ms"}}
#: How a host's time is called in names of files, and that time.
HOSTS = {"apart": {}, "processing": {"processing": "5us"}}


def changed(scenario):
    """A scenario of `rows.py` for two kernels."""
    flows = [
        flow | {"sender": flow["sender"] | {"recovery": CLOCK}, "receiver": flow["receiver"] | SIZES}
        for flow in scenario["flow"]
    ]  # fmt: skip
    return scenario | {"flow": flows}


def timed(scenario):
    """The same whose hosts take time."""
    return changed(scenario) | HOSTS["processing"]


def of(grid, hosts):
    """A grid for two kernels with such hosts, with rows of its own."""
    path = grid.ROWS.with_stem(f"{grid.ROWS.stem}-{hosts}")
    scenario = lambda asked: changed(grid.scenario(asked)) | HOSTS[hosts]
    return SimpleNamespace(ASKED=grid.ASKED, ROWS=path, grid=grid.grid, scenario=scenario)


def judged(grid):
    """For each row of a grid its name and, for "together" in one kernel and for each kind of `HOSTS`, what :func:`one` says of it."""
    found = {}
    for name, kind in (("together", grid), *((hosts, of(grid, hosts)) for hosts in HOSTS)):
        kept = rows.read(kind.ROWS)
        for row, answer in zip(kept, run_batch(map(kind.scenario, kept))):
            found.setdefault(tuple(row[key] for key in grid.ASKED), {})[name] = one(row, answer)
    return {words: kinds for words, kinds in found.items() if len(kinds) == 1 + len(HOSTS)}


def one(row, answer):
    """A row, in what the simulator differs, whether the ACKs agree, and whether they are the same numbers."""
    equal = all(theirs == ours for theirs, ours in rows.acks(row, answer))
    return SimpleNamespace(row=row, differ=rows.alike(row, answer), acks=rows.acks_agree(row, answer), equal=equal)


def lines(verbose=False):
    """The page's table."""
    kinds = ["together", *HOSTS]
    yield "| runs | recorded | agree in one kernel | between two | and hosts take 5 µs | in ACKs, too: one | two | 5 µs |"
    yield "|---|---|---|---|---|---|---|---|"
    told = []
    for name, grid in (("rows", rows), ("patterns", patterns)):
        found = judged(grid)
        place = grid.ASKED.index("path")
        parts = [(name, found)]
        parts += [
            (f"{name}, path `{path}`", {words: of_it for words, of_it in found.items() if words[place] == path})
            for path in grid.PATHS
        ]
        for part, some in parts:
            agree = Counter(kind for of_it in some.values() for kind in kinds if not of_it[kind].differ)
            acks = Counter(
                kind for of_it in some.values() for kind in kinds if not of_it[kind].differ and of_it[kind].acks
            )
            cells = [len(some), *(agree[kind] for kind in kinds), *(acks[kind] for kind in kinds)]
            yield f"| {part} | {' | '.join(map(str, cells))} |"
        told += found.items()
    yield ""
    for kind, words in (("apart", "Between two kernels"), ("processing", "Where hosts take 5 µs")):
        lost = sum(bool(of_it[kind].differ) and not of_it["together"].differ for _, of_it in told)
        gained = sum(bool(of_it["together"].differ) and not of_it[kind].differ for _, of_it in told)
        equal = sum(of_it[kind].equal for _, of_it in told)
        yield f"{words} {gained} agree that did not in one kernel, and {lost} do not that did. {equal} have the same number of ACKs."
    if verbose:
        for words, of_it in told:
            for kind in HOSTS:
                differ = of_it[kind].differ
                if bool(differ) != bool(of_it["together"].differ) or (differ and kind == "processing"):
                    yield f"{' '.join(words)}: {kind} {'differs in ' + ', '.join(differ) if differ else 'agrees now'}"


def main(words):
    if words[:1] == ["--make"]:
        for hosts in HOSTS:
            for grid in (rows, patterns):
                rows.make(int(words[1]), False, of(grid, hosts))
    else:
        print("\n".join(lines("-v" in words)))


if __name__ == "__main__":
    main(sys.argv[1:])
