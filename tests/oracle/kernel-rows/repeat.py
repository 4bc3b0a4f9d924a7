#!/usr/bin/env python3
"""Whether a kernel in virtual time repeats itself: ten of the logged transfers, each booted N times (needs `make kernel`).

repeat.py [N]    N is 10; a line for each transfer, how many runs a second, and virtual seconds a second
"""

import hashlib
import json
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import events
import logs

from acklab import _core
from acklab.engines import kernel
from acklab.runs import cpu_count


def once(asked):
    """A checksum of a run's tables, summary and captures, and its virtual seconds."""
    plan = _core.LivePlan(json.dumps(logs.grid_of(asked).scenario(asked)))
    with tempfile.TemporaryDirectory() as folder:
        result = kernel.run(plan, events.NOTHING | {"kernel_acks": asked["acks"] == "linux"}, captures=folder)
        whole = hashlib.sha256(result.packed().encode())
        for name in ("sender.pcap", "receiver.pcap"):
            whole.update((Path(folder) / name).read_bytes())
    return whole.hexdigest(), json.loads(result.json())["end_s"]


def main(times):
    """Runs and tells."""
    some = logs.drawn()[::2]
    began = time.monotonic()
    with ThreadPoolExecutor(cpu_count()) as pool:
        found = list(pool.map(once, [asked for asked in some for _ in range(times)]))
    took = time.monotonic() - began
    repeats = 0
    for n, asked in enumerate(some):
        kinds = len({told for told, _ in found[n * times : (n + 1) * times]})
        repeats += kinds == 1
        print(f"{logs.name_of(asked):36} {times} boots, {kinds} different")
    virtual = sum(end for _, end in found)
    print(
        f"{repeats} of {len(some)} repeat; {took:.0f} s: {len(found) / took:.2f} runs a second, {virtual / took:.1f} virtual seconds a second"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 10)
