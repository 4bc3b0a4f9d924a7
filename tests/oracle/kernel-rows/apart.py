#!/usr/bin/env python3
"""Rows and patterns between two kernels under one clock (`rows-apart.csv`, `patterns-apart.csv`), drawn at random.

    apart.py            how many agree; needs no kernel
    apart.py -v         also each that turned
    apart.py --make N   N more of either (needs `make kernel`)

`rows.csv` and `patterns.csv` were recorded with both ends and the path in one kernel, where packets left some microseconds late. Here the
path lies between the kernels, and a packet arrives at the nanosecond that the path says. So the simulator's packets have the kernel's sizes to
the byte, too.
"""

import sys
from types import SimpleNamespace

import patterns
import rows
from engine import run_batch

#: After a boot the kernel's count of ticks is a multiple of its coarsest timers' slots.
CLOCK = rows.CLOCK | {"phase": "0s"}
#: Options of a kernel's ACKs and of its answer to a SYN.
SIZES = {"sack_head_bytes": 4, "syn_options_bytes": 8}


def changed(scenario):
    """A scenario of `rows.py` for two kernels."""
    flows = [
        flow | {"sender": flow["sender"] | {"recovery": CLOCK}, "receiver": flow["receiver"] | SIZES}
        for flow in scenario["flow"]
    ]  # fmt: skip
    return scenario | {"flow": flows}


def of(grid):
    """A grid for two kernels, with rows of its own."""
    path = grid.ROWS.with_stem(grid.ROWS.stem + "-apart")
    return SimpleNamespace(ASKED=grid.ASKED, ROWS=path, grid=grid.grid, scenario=lambda asked: changed(grid.scenario(asked)))


def judged(grid):
    """(row recorded before, row of now, columns that differ from the simulator's before, and now, whether ACKs agree before, and now)."""
    new, key = of(grid), lambda row: tuple(row[name] for name in grid.ASKED)
    now = rows.read(new.ROWS)
    known = {key(row): row for row in rows.read(grid.ROWS)}
    before = [known[key(row)] for row in now]
    answers = run_batch([*map(grid.scenario, before), *map(new.scenario, now)])
    ours = [(rows.alike(row, answer), rows.acks_agree(row, answer), answer) for row, answer in zip([*before, *now], answers)]
    for old, row, (was, was_acks, _), (differ, acks, answer) in zip(before, now, ours, ours[len(now) :]):
        equal = all(theirs == mine for theirs, mine in rows.acks(row, answer))
        yield SimpleNamespace(old=old, row=row, was=was, was_acks=was_acks, differ=differ, acks=acks, equal=equal)


def same(one):
    """Whether the kernel's own counts are those of before, ACKs among them."""
    return all(one.old[name] == one.row[name] for name in [*rows.COUNTS, "acks_sent"])


def lines(verbose=False):
    """The page's table."""
    yield "| runs | recorded again | the kernel's counts as before | agree but for ACKs: before | now | in ACKs: before | now | ACKs equal: now |"
    yield "|---|---|---|---|---|---|---|---|"
    turned = []
    for name, grid in (("rows", rows), ("patterns", patterns)):
        found = list(judged(grid))
        count = lambda test, found=found: sum(map(test, found))
        cells = [
            len(found), count(same), count(lambda one: not one.was), count(lambda one: not one.differ),
            count(lambda one: one.was_acks), count(lambda one: one.acks), count(lambda one: one.equal),
        ]  # fmt: skip
        yield f"| {name} | {' | '.join(map(str, cells))} |"
        turned += [(" ".join(one.row[key] for key in grid.ASKED), one) for one in found if bool(one.was) != bool(one.differ)]
    gained = sum(not one.differ for _, one in turned)
    yield ""
    yield f"{gained} agree now and did not before; {len(turned) - gained} agreed before and do not now."
    if verbose:
        for words, one in turned:
            yield f"{words}: {'agrees now' if not one.differ else 'differs now in ' + ', '.join(one.differ)}"


def main(words):
    if words[:1] == ["--make"]:
        for grid in (rows, patterns):
            rows.make(int(words[1]), False, of(grid))
    else:
        print("\n".join(lines("-v" in words)))


if __name__ == "__main__":
    main(sys.argv[1:])
