#!/usr/bin/env python3
"""The tables of docs/oracle/kernel-rows.md: what of the rows, the patterns and the logs agrees.

    page.py            print them
    page.py --write    put them into the page
"""

import re
import sys
from collections import Counter
from pathlib import Path

import logs
import patterns
import rows

PAGE = Path(__file__).resolve().parents[3] / "docs" / "oracle" / "kernel-rows.md"


def parts(grid):
    """How many of a grid's rows agree, and by part."""
    found = list(rows.judged(grid=grid))
    agree = [row for row, _, differ in found if not differ]
    lines = [f"{len(agree)} of {len(found)} {'rows' if grid is rows else 'patterns'} agree.", "", "| part | agree |", "|---|---|"]
    for key in [key for key in grid.ASKED if key != "seed"]:
        whole, good = Counter(row[key] for row, _, _ in found), Counter(row[key] for row in agree)
        lines += [f"| {key} `{value}` | {good[value]} of {whole[value]} |" for value in whole]
    return "\n".join(lines)


def packets():
    """How many logs are equal to the last packet, and each."""
    found = list(logs.judged())
    equal = sum(first is None for *_, first in found)
    lines = [f"{equal} of {len(found)} logs are equal to the last packet.", ""]
    lines += ["| transfer | packets | most that times differ, µs | first difference: kernel; simulator |", "|---|---|---|---|"]
    for asked, count, most, first in found:
        lines.append(f"| {logs.name_of(asked)} | {count} | {most} | {'; '.join(first) if first else 'none'} |")
    return "\n".join(lines)


def tables():
    """Each table by its name in the page."""
    return {"rows": parts(rows), "patterns": parts(patterns), "logs": packets()}


def filled(text, made):
    """A page with these tables in it."""
    for name, table in made.items():
        place = re.compile(f"(<!-- begin {name} -->\n).*?(<!-- end {name} -->)", re.DOTALL)
        text = place.sub(lambda match, table=table: f"{match[1]}{table}\n{match[2]}", text)
    return text


if __name__ == "__main__":
    made = tables()
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(filled(PAGE.read_text(), made))
    else:
        print("\n\n".join(made.values()))
