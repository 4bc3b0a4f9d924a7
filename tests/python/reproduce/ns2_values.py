"""What ns-2 itself gets for the claims of a paper, under the paper's own parameter set.

    python tests/python/reproduce/ns2_values.py CACHE.json [WORKERS]    writes python/acklab/papers/allman1998/ns2.toml

Needs `ns` (Debian: apt-get install ns2). ns-2 runs a sample of Figures 2 to 6's cells through tests/oracle/scripts: every
fifth size, and every short one. The claims' own functions then measure what it got. Results are kept in CACHE.json, so that
an interrupted run goes on where it stopped.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from acklab.papers.allman1998 import PAPER
from acklab.papers.allman1998.setting import MECHANISMS, QUEUES, RECOVERIES, SEGMENTS, SHORT, SURFACE
from acklab.reproduce.grid import Grid
from acklab.reproduce.judge import Verdict, judge
from acklab.reproduce.measure import NotTestable

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "tests/oracle/scripts/single.tcl"
SAMPLE = tuple(SEGMENTS[::5])
SHORTS = tuple(n for n in SEGMENTS if n <= SHORT)
COLUMNS = {
    "completion_s": "time",
    "last_data_s": "dtime",
    "segments_sent": "sent",
    "retransmits": "rexmit",
    "timeouts": "rto",
    "window_cuts": "cuts",
    "acks_sent": "nack",
    "drops": "drops",
}


def words(recovery: str, mechanism: str, queue: int, segments: int) -> list[str]:
    """single.tcl's options for a cell."""
    options = [f"q={queue}", f"segs={segments}", "profile=ns1", "window=40", "minrto=1.0", "interval=0.1", "dt=1"]
    options += [
        f"kind={'Reno' if recovery == 'reno' else 'Sack1'}",
        f"ack={'each' if mechanism == 'every' else 'delack'}",
    ]
    if mechanism in ("daass", "ubc", "lbc"):
        options.append(f"mech={mechanism}")
    if recovery == "reno" and mechanism != "daass":  # the script can not combine DAASS with the 1997 rule
        options += ["bugfix98=1", "efr=0"]
    return ["ns", str(SCRIPT), *options]


def run(cell: tuple[str, str, int, int]) -> dict[str, float]:
    """ns-2's results for a cell."""
    said = subprocess.run(words(*cell), capture_output=True, text=True, timeout=120, check=False).stdout
    line = next(one for one in reversed(said.splitlines()) if "status=" in one)
    found = dict(re.findall(r"(\w+)=(\S*)", line))
    return {ours: float(found.get(theirs, "nan")) for ours, theirs in COLUMNS.items()}


def grid(results: dict[str, dict[str, float]], recovery: str, mechanism: str, sizes: tuple[int, ...]) -> Grid:
    """A surface of ns-2's results, in the shape of ours."""
    cells = [[results[f"{recovery} {mechanism} {q} {n}"] for n in sizes] for q in QUEUES]
    return Grid(
        {"queue": QUEUES, "segments": sizes},
        {name: np.array([[cell[name] for cell in row] for row in cells]) for name in COLUMNS},
    )


def measured(results: dict[str, dict[str, float]]) -> dict[str, Verdict]:
    """The value of each claim that needs nothing but surfaces."""
    by_need = {id(experiment): key for key, experiment in SURFACE.items()}
    values = {}
    for id_, judged in PAPER.claims.items():
        if not judged.needs or any(id(need) not in by_need for need in judged.needs):
            continue
        sizes = SHORTS if ".short" in id_ or ".fig7" in id_ else SAMPLE
        try:
            found = judged.measure(*(grid(results, *by_need[id(need)], sizes) for need in judged.needs))
        except (KeyError, ValueError):
            continue  # the claim needs a size that was not sampled
        if not isinstance(found, NotTestable):
            values[id_] = judge(PAPER.ledger.claims[id_], found)
    return values


def main() -> None:
    """Runs what is missing and writes the values."""
    cache = Path(sys.argv[1])
    results = json.loads(cache.read_text()) if cache.exists() else {}
    sizes = sorted({*SAMPLE, *SHORTS})
    cells = [(r, m, q, n) for r in RECOVERIES for m in MECHANISMS for q in QUEUES for n in sizes]
    missing = [c for c in cells if " ".join(map(str, c)) not in results]
    with ThreadPoolExecutor(int(sys.argv[2]) if len(sys.argv) > 2 else 1) as pool:
        for place, (cell, result) in enumerate(zip(missing, pool.map(run, missing), strict=True), 1):
            results[" ".join(map(str, cell))] = result
            if place % 200 == 0 or place == len(missing):
                cache.write_text(json.dumps(results))
                print(f"{place} of {len(missing)}", flush=True)
    lines = [
        "# What ns-2.35 gets under the paper's parameter set, written by tests/python/reproduce/ns2_values.py: every fifth size,",
        "# or every short one. DAASS with Reno has ns-2.35's fast-retransmit rule, which the script can not combine with the 1997 one.",
        "",
        "[value]",
    ]
    found = {id_.partition(".")[2]: verdict for id_, verdict in measured(results).items()}
    lines += [f"{json.dumps(short)} = {json.dumps(verdict.shown)}" for short, verdict in found.items()]
    lines += ["", "[number]"]
    lines += [
        f"{json.dumps(short)} = {v.value:.10g}" for short, v in found.items() if isinstance(v.value, (int, float))
    ]
    (ROOT / "python/acklab/papers/allman1998/ns2.toml").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
