"""A suite's own run of a test: ns-2 runs the suite, and its trace is compared with ns-2's events under the facts."""

from __future__ import annotations

import subprocess
from pathlib import Path

from . import ns2
from .facts import Test
from .points import traced

Seen = tuple[float, str, str, str, int, int]
"""Seconds as traced; `+`, `-`, `r` or `d`; the link; `data` or `ack`; number; bytes."""
TRACES = ("all.tr", "out.tr")


def run(test: Test, sources: Path, timeout: float = 300) -> list[Seen]:
    """What the suite traces of the test; `sources` is ns-2.35's tcl/test, in which it writes its traces."""
    for name in TRACES:
        (sources / name).unlink(missing_ok=True)
    # Some suites end with a picture, for which programs may be missing here; their traces are complete by then.
    subprocess.run(
        ["ns", f"test-suite-{test.suite}.tcl", test.name, "QUIET"], cwd=sources, capture_output=True, timeout=timeout
    )
    found = []
    for line in next((sources / name).read_text() for name in TRACES if (sources / name).exists()).splitlines():
        words = line.split()
        if len(words) >= 12 and words[0] in "+-rd" and float(words[1]) < test.until:
            link = f"{test.nodes[int(words[2])]}->{test.nodes[int(words[3])]}"
            kind = "ack" if words[4] == "ack" else "data"
            found.append((traced(float(words[1])), words[0], link, kind, int(words[10]), int(words[5])))
    return sorted(found)


def difference(test: Test, sources: Path) -> str:
    """How ns-2 under the facts differs from the suite, on the links and until the time that it traces; empty if it does not."""
    seen = run(test, sources)
    links, last = {one[2] for one in seen}, max((one[0] for one in seen), default=0.0)
    found = (
        (traced(time), word, link, kind, number, size)
        for time, word, link, kind, _, number, size in ns2.run(test)
        if link in links
    )
    wanted = sorted(one for one in found if one[0] <= last)
    for ours, theirs in zip(wanted, seen):
        # A trace has six digits, and rounds by its own rule.
        if abs(ours[0] - theirs[0]) > 1.5e-6 or ours[1:] != theirs[1:]:
            return f"the suite has {theirs}; with the facts {ours}"
    return (
        "" if len(wanted) == len(seen) else f"the suite has {len(seen)} events, with the facts there are {len(wanted)}"
    )
