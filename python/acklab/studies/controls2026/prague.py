"""Prague with DualPI2, with one default changed: the runs made after the study to find why the pair is good nowhere.

``python -m acklab.studies.controls2026.prague`` prints the table of docs/howto/controls-2026.md. The paths, seeds and numbers are the study's, with
delayed ACKs.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

from ...figures.stats import Sample
from ...runs import run_batch
from ...text.terminal import say
from ..paths2026.told import told
from .pairs import SEEDS, Reader
from .setting import scenario

MOST = {"fibre": 965.0, "wifi": 944.0, "lte": 145.56, "geo": 96.1}
"""The largest mean of each path's cells in the study, in Mb/s."""
NAMES = {"fibre": "Fibre", "wifi": "Wi-Fi 6", "lte": "LTE", "geo": "GEO"}
SENDER: dict[str, dict[str, Any]] = {
    "initial window of 9": {"initial_window": 9},
    "initial window of 4": {"initial_window": 4},
    "`least_rtt` of 1 ms": {"control": {"kind": "prague", "least_rtt": "1ms"}},
}
"""What is changed of both senders."""
QUEUE: dict[str, dict[str, Any]] = {"step of 2 ms": {"step": "2ms"}, "step of 5 ms": {"step": "5ms"}}
"""What is changed of the queue."""
CHANGED = {
    "geo": ("nothing", "initial window of 9", "initial window of 4", "step of 2 ms", "step of 5 ms"),
    "lte": ("nothing", "initial window of 4", "step of 2 ms", "step of 5 ms"),
    "wifi": ("nothing", "initial window of 4", "step of 2 ms", "step of 5 ms", "`least_rtt` of 1 ms"),
    "fibre": ("nothing", "initial window of 4", "step of 2 ms", "step of 5 ms", "`least_rtt` of 1 ms"),
}


def changed(path: str, what: str, seed: int) -> str:
    """A run's text."""
    run = json.loads(scenario(path, "dual-pi2", "prague", "delayed", seed))
    queue = run["wlan"][0]["ap_queue"] if "wlan" in run else run["link"][1]["queue"]
    queue.update(QUEUE.get(what, {}))
    for flow in run["flow"][:2]:
        flow["sender"].update(SENDER.get(what, {}))
    return json.dumps(run)


def lines(paths: list[str]) -> Iterator[str]:
    """The rows of these paths."""
    read = Reader()
    for path in paths:
        for what in CHANGED[path]:
            texts = [changed(path, what, seed) for seed in range(1, SEEDS + 1)]
            found = [read(json.dumps(run).encode()) for run in run_batch(texts, threads=1)]
            runs = [dict(zip(read.names, numbers, strict=True)) for numbers in found]
            rate = Sample.of([100 * run["goodput_mbps"] / MOST[path] for run in runs])
            share = Sample.of([run["weaker_share"] for run in runs])
            yield f"| {NAMES[path]} | {what} | {told(rate)} | {told(share)} |"


def main() -> None:
    """Prints the table."""
    say("| path | changed | throughput (%) | weaker share |\n|---|---|---|---|")
    for line in lines(sys.argv[1:] or list(CHANGED)):
        say(line)


if __name__ == "__main__":
    main()
