#!/usr/bin/env python3
"""The tables of docs/oracle/kernel-rows.md and kernel.md: what of the rows, patterns, logs and long runs agrees, and by which rules.

page.py            print them
page.py --write    put them into the page
"""

import re
import sys
from collections import Counter
from pathlib import Path

import apart
import dctcp
import defaults
import logs
import long_runs
import nudged
import patterns
import presets
import rows
import rules

ORACLE = Path(__file__).resolve().parents[3] / "docs" / "oracle"
PAGES = [ORACLE / "kernel-rows.md", ORACLE / "kernel.md"]


def parts(grid):
    """How many of a grid's rows agree, and by part."""
    found = list(rows.judged(grid=grid))
    agree = [row for row, _, differ in found if not differ]
    acks = [row for row, answer, differ in found if not differ and rows.acks_agree(row, answer)]
    lines = [
        f"{len(agree)} of {len(found)} {'patterns' if grid is patterns else 'rows'} agree in all but ACKs, and {len(acks)} in ACKs, too."
    ]
    if grid is defaults:
        off = [ours / theirs - 1 for row, answer, _ in found for theirs, ours in rows.acks(row, answer)]
        several = [
            ours / theirs - 1
            for row, answer, _ in found
            for theirs, ours in rows.acks(row, answer)
            if row["size"] != "30"
        ]
        few, more, mean = 100 * min(several), 100 * max(several), 100 * sum(map(abs, off)) / len(off)
        told = f"{-few:.0f} % fewer to {more:.0f} % more in transfers of 200 and 1000 segments; over all rows the mean difference is {mean:.1f} %."
        counted = "With the buffer counted in bytes {} agree in all but ACKs, and {} in ACKs, too.".format(
            *defaults.in_bytes()
        )
        return "\n".join([*lines, f"The simulator sends from {told}", counted])
    more = sum(all(1 <= ours - theirs <= 2 for theirs, ours in rows.acks(row, answer)) for row, answer, _ in found)
    lines += [
        f"In {more} the simulator counts one or two ACKs more.",
        "",
        "| part | agree but for ACKs | and in ACKs |",
        "|---|---|---|",
    ]
    for key in [key for key in grid.ASKED if key != "seed"]:
        whole, good, best = (Counter(row[key] for row in part) for part in ([row for row, _, _ in found], agree, acks))
        lines += [f"| {key} `{value}` | {good[value]} of {whole[value]} | {best[value]} |" for value in whole]
    return "\n".join(lines)


def packets():
    """How many logs are equal to the last packet, and each."""
    found = list(logs.judged())
    equal = sum(first is None for *_, first in found)
    lines = [f"{equal} of {len(found)} logs are equal to the last packet.", ""]
    lines += [
        "| transfer | packets | most that times differ, µs | first difference: kernel; simulator |",
        "|---|---|---|---|",
    ]
    for asked, count, most, first in found:
        lines.append(f"| {logs.name_of(asked)} | {count} | {most} | {'; '.join(first) if first else 'none'} |")
    return "\n".join(lines)


def tables():
    """Each table by its name in the pages."""
    told = {
        name: "\n".join(grid.lines())
        for name, grid in (
            ("nudged", nudged),
            ("long", long_runs),
            ("presets", presets),
            ("apart", apart),
            ("dctcp", dctcp),
        )
    }
    return {
        "rows": parts(rows),
        "patterns": parts(patterns),
        "defaults": parts(defaults),
        "logs": packets(),
        "rules": rules.table(),
        **told,
    }


def filled(text, made):
    """A page with these tables in it."""
    for name, table in made.items():
        place = re.compile(f"(<!-- begin {name} -->\n).*?(<!-- end {name} -->)", re.DOTALL)
        text = place.sub(lambda match, table=table: f"{match[1]}{table}\n{match[2]}", text)
    return text


if __name__ == "__main__":
    made = tables()
    if sys.argv[1:] == ["--write"]:
        for page in PAGES:
            page.write_text(filled(page.read_text(), made))
    else:
        print("\n\n".join(made.values()))
