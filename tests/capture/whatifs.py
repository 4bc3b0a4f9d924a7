#!/usr/bin/env python3
"""What-ifs of fits beside the truth: `whatifs.py SEED N` draws N transfers, and asks each capture for FQ-CoDel at the bottleneck.

The truth is the same transfer with that queue. Counted: how often it is inside the printed interval of the mean round trip, outside, and
how often the fit is refused. The criterion: inside in 90 % of those that are not refused.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import acklab
from acklab import _core
from acklab.experiments.fit.errors import FitError
from acklab.experiments.fit.fit import fit
from acklab.experiments.fit.predict import what_if

QUEUE = {"kind": "fq-codel"}


def drawn(random_: random.Random) -> tuple[str, dict[str, Any], str]:
    """A path, its keys, and the node where the capture is taken."""
    down = 2.0 * 15 ** random_.random()
    sets = {
        "down": f"{down:.3g}Mbps",
        "up": f"{max(0.5, down / random_.uniform(4, 20)):.3g}Mbps",
        "link.0.delay": f"{2 * 20 ** random_.random():.3g}ms",
        "down_buffer": f"{20 * 20 ** random_.random():.0f}ms",
        "flow.down.size": {"bytes": f"{int(4e6 * down / 8 / 8) * 8}B"},
        "flow.down.sender.control": random_.choice(("cubic", "cubic", "reno")),
        "flow.down.count": 1,
        "flow.ping.start": "1000s",
        "seed": random_.randrange(1000),
        "stop": {"when": "flows-complete", "at_most": "30s"},
    }
    return random_.choice(("vdsl", "dsl", "docsis30")), sets, random_.choice("CS")


def main() -> None:
    """Prints a line for each transfer, then the counts."""
    random_, counts = random.Random(int(sys.argv[1])), {"inside": 0, "outside": 0, "refused": 0}
    for number in range(int(sys.argv[2])):
        path, sets, place = drawn(random_)
        began = time.process_time()
        run = acklab.run(path=path, record={"packets": True}, set=sets)
        less = {key: value for key, value in sets.items() if key != "down_buffer"}
        other = acklab.run(path=path, set={**less, "link.1.queue": QUEUE})
        before, truth = (next(row for row in one.summary()["flows"] if row["name"] == "down")["mean_rtt_s"] for one in (run, other))
        with tempfile.TemporaryDirectory() as folder:
            end = next(end for end in _core.link_ends(run._result) if end.endswith(f"@{place}"))
            try:
                found = fit(run.capture(end, path=Path(folder) / "x.pcapng"))
                said = next(one for one in what_if(found, ['link.0.queue={kind="fq-codel"}']).quantities if one.name == "mean round trip")
                lies = "inside" if said.changed.low <= truth <= said.changed.high else "outside"
                told = f"{1e3 * said.fitted.median:.1f} -> {1e3 * said.changed.low:.1f} to {1e3 * said.changed.high:.1f}"
            except FitError as error:
                lies, told = "refused", str(error)
        counts[lies] += 1
        spent = time.process_time() - began
        print(f"{number} {lies}: {path} {sets['down']} {sets['link.0.delay']} {sets['down_buffer']} {sets['flow.down.sender.control']} at {place}: truth {1e3 * before:.1f} -> {1e3 * truth:.1f} ms; {told} ({spent:.0f} s)", flush=True)
    print(counts)


if __name__ == "__main__":
    main()
