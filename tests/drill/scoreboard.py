#!/usr/bin/env python3
"""Writes docs/oracle/drill.md: the scripts of this directory against the kernel and every stack.

The kernel's column is made anew where a kernel is built (``make kernel``), and kept as it is elsewhere.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from acklab import _core
from acklab.cli.drill import STACKS, on_kernel, on_stack
from acklab.engines import kernel

HERE = Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs/oracle/drill.md"
#: The stacks, the newest first.
ORDER = tuple(reversed(STACKS))

HEAD = """\
# Drill: scripts against the kernel and the stacks

`tests/drill` has {count} scripts in [packetdrill's language](../howto/drill.md). Each tests one behaviour of Linux, and says
which in its first line. Linux 6.12 in virtual time passes {kernel} of them. A stack of the simulator differs from Linux where it fails.

`tests/drill/scoreboard.py` writes this page. A test compares the stacks' columns with new runs.

| | {names} |
|---|{rule}|
{sums}

"Not supported" means that a script needs what the stack lacks, such as probes of a closed window.
The columns of `quic` and ns-2 show their rules with bytes for sequence numbers, in TCP's packets.

## Scripts

A number is the line of the script that first differs; `-` is "not supported".

| script | {names} |
|---|{rule}|
{rows}

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
    """The kernel's column of the page as it is."""
    rows = re.findall(r"^\| \[([\w-]+)\]\([^)]*\) \| ([^|]+) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    return {name: result.strip() for name, result in rows}


def page(by_kernel: dict[str, str]) -> str:
    """The page, with every stack run anew."""
    scripts = texts()
    told = {stack: list(on_stack(scripts, stack)) for stack in ORDER}
    columns = {
        "kernel": [by_kernel.get(name, "?") for name, _ in scripts],
        **{stack: [cell(one) for one in told[stack]] for stack in ORDER},
    }
    names = [f"`{name}`" if name in STACKS else name for name in columns]
    rows = [
        f"| [{name}](../../tests/drill/{name}.pkt) | {' | '.join(column[index] for column in columns.values())} |"
        for index, (name, _) in enumerate(scripts)
    ]
    sums = [
        f"| {what} | {' | '.join(str(sum(map(fits, column))) for column in columns.values())} |"
        for what, fits in (("pass", "pass".__eq__), ("differ", str.isdigit), ("not supported", "-".__eq__))
    ]
    return HEAD.format(
        count=len(scripts),
        kernel=columns["kernel"].count("pass"),
        names=" | ".join(names),
        rule="|".join("---" for _ in names),
        sums="\n".join(sums),
        rows="\n".join(rows),
        differences="\n".join(
            difference(*one) for one in zip(scripts, told["linux"], strict=True) if one[1]["outcome"] != "passed"
        ),
    )


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
        return page(kept()) != PAGE.read_text(encoding="utf-8")
    try:
        kernel.find()
    except _core.LiveError:
        results = kept()
    else:
        results = {told["script"]: cell(told) for told in on_kernel(texts())}
    PAGE.write_text(page(results), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
