#!/usr/bin/env python3
"""What-ifs of fits beside the truth: `whatifs.py SEED N FILE` draws N transfers, and asks each capture for FQ-CoDel at the bottleneck.

The truth is the same transfer, without and with that queue. Each transfer is a line of JSON in FILE: for each quantity the ranges of the
draws, before they are made wider, and the truths. `whatif_shares.py` counts from it.
"""

from __future__ import annotations

import json
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
from acklab.experiments.fit.predict import QUANTITIES, what_if

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


def asked(random_: random.Random) -> dict[str, Any]:
    """A transfer, what the fit of its capture says of another queue, and the truth."""
    path, sets, place = drawn(random_)
    began = time.process_time()
    run = acklab.run(path=path, record={"packets": True}, set=sets)
    less = {key: value for key, value in sets.items() if key != "down_buffer"}
    other = acklab.run(path=path, set={**less, "link.1.queue": QUEUE})
    before, after = (next(row for row in one.summary()["flows"] if row["name"] == "down") for one in (run, other))
    said: dict[str, Any] = {"path": path, "sets": sets, "place": place, "refused": "", "quantities": {}}
    with tempfile.TemporaryDirectory() as folder:
        end = next(end for end in _core.link_ends(run._result) if end.endswith(f"@{place}"))
        try:
            found = fit(run.capture(end, path=Path(folder) / "x.pcapng"))
            several = what_if(found, ['link.0.queue={kind="fq-codel"}'], wider={}).quantities
        except FitError as error:
            return {**said, "refused": str(error), "seconds": time.process_time() - began}
    columns = {name: column for column, name, _ in QUANTITIES}
    for one in several:
        truth = [before[columns[one.name]], after[columns[one.name]]]
        if None in truth:
            continue
        said["quantities"][one.name] = {
            "truth": truth,
            **{
                name: [range_.low, range_.high]
                for name, range_ in (("fitted", one.fitted), ("changed", one.changed), ("change", one.change))
            },
        }
    return {**said, "seconds": time.process_time() - began}


def main() -> None:
    """Draws, and writes a line for each transfer."""
    random_ = random.Random(int(sys.argv[1]))
    with Path(sys.argv[3]).open("w", encoding="utf-8") as file:
        for _ in range(int(sys.argv[2])):
            file.write(json.dumps(asked(random_)) + "\n")
            file.flush()


if __name__ == "__main__":
    main()
