#!/usr/bin/env python3
"""Writes docs/oracle/drill.md: the scripts of this directory against the kernel and every stack.

The kernel's column is made anew where a kernel is built (``make kernel``), and kept as it is elsewhere.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import Any

from acklab import _core
from acklab.engines import kernel
from acklab_drill.verb import STACKS, on_kernel, on_stack

HERE = Path(__file__).resolve().parent
PAGE, ROWS = HERE.parents[1] / "docs/oracle/drill.md", HERE / "scoreboard.csv"
#: The stacks, the newest first.
ORDER = tuple(reversed(STACKS))

HEAD = """\
# Drill: scripts against the kernel and the stacks

`tests/drill` has {count} scripts in [packetdrill's language](../howto/drill.md). Each tests one behaviour of Linux, and says
which in its first line. Linux 6.12 in virtual time passes {kernel} of them. A stack of the simulator differs from Linux where it fails.

`tests/drill/scoreboard.py` writes this page and `tests/drill/scoreboard.csv`, with a row a script: `pass`, the line that first
differs, or `-` for "not supported". A test compares the stacks' columns with new runs.

| | {names} |
|---|{rule}|
{sums}

"Not supported" means that a script needs what the stack lacks, such as probes of a closed window.
The columns of `quic` and ns-2 show their rules with bytes for sequence numbers, in TCP's packets.

## Where the stack linux differs

{differences}
"""


def texts() -> list[tuple[str, str]]:
    """Names and texts of the scripts."""
    return [(path.stem, path.read_text(encoding="utf-8")) for path in sorted(HERE.glob("*.pkt"))]


def cell(told: dict[str, Any]) -> str:
    """An outcome in the table."""
    if told["outcome"] == "failed":
        return str(next((line["line"] for line in told["lines"] if line["outcome"] == "failed"), "?"))
    return {"passed": "pass", "unsupported": "-"}[told["outcome"]]


def kept() -> dict[str, str]:
    """Returns the kernel's column of the rows as they are."""
    return {row["script"]: row["kernel"] for row in csv.DictReader(ROWS.read_text(encoding="utf-8").splitlines())}


def page(by_kernel: dict[str, str]) -> tuple[str, str]:
    """Returns the page and the rows, with every stack run anew."""
    scripts = texts()
    told = {stack: list(on_stack(scripts, stack)) for stack in ORDER}
    columns = {
        "kernel": [by_kernel.get(name, "?") for name, _ in scripts],
        **{stack: [cell(one) for one in told[stack]] for stack in ORDER},
    }
    names = [f"`{name}`" if name in STACKS else name for name in columns]
    rows = [
        ["script", *columns],
        *([name, *cells] for (name, _), *cells in zip(scripts, *columns.values(), strict=True)),
    ]
    sums = [
        f"| {what} | {' | '.join(str(sum(map(fits, column))) for column in columns.values())} |"
        for what, fits in (("pass", "pass".__eq__), ("differ", str.isdigit), ("not supported", "-".__eq__))
    ]
    text = HEAD.format(
        count=len(scripts),
        kernel=columns["kernel"].count("pass"),
        names=" | ".join(names),
        rule="|".join("---" for _ in names),
        sums="\n".join(sums),
        differences="\n".join(
            difference(*one) for one in zip(scripts, told["linux"], strict=True) if one[1]["outcome"] != "passed"
        ),
    )
    return text, "".join(f"{','.join(row)}\n" for row in rows)


def difference(script: tuple[str, str], told: dict[str, Any]) -> str:
    """One script that the stack does not pass, as an item of a list."""
    name, text = script
    about = text.splitlines()[0].removeprefix("// ").rstrip(".")
    if told["outcome"] == "unsupported":
        why = f"not supported: {told['unsupported'][0].split(': ', 1)[1]}"
    else:
        line = next(line for line in told["lines"] if line["outcome"] == "failed")
        why = f"line {line['line']}, {line['why']}"
    return f"- **{name}**: {about}. On `linux`: `{why}`"


def main() -> int:
    """Writes the page; with ``--check`` only says whether it is up to date."""
    if "--check" in sys.argv[1:]:
        return page(kept()) != (PAGE.read_text(encoding="utf-8"), ROWS.read_text(encoding="utf-8"))
    try:
        kernel.find()
    except _core.LiveError:
        results = kept()
    else:
        results = {told["script"]: cell(told) for told in on_kernel(texts())}
    for path, text in zip((PAGE, ROWS), page(results), strict=True):
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
