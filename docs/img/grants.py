"""Draws docs/img/grants.png: `python docs/img/grants.py`. When the ACKs of a download reach its sender's network.

Each access path has the same download of 50 Mb/s, and its receiver sends an ACK for every second segment.
"""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path

from matplotlib.figure import Figure

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.append(str(ROOT / "python"))

import acklab  # noqa: E402
from acklab.plot.palette import SLOTS  # noqa: E402

PATHS = {
    "vdsl": "VDSL2 (no grants)",
    "gpon": "GPON",
    "docsis31-ll": "DOCSIS 3.1, low latency",
    "docsis30": "DOCSIS 3.0",
    "nr-tdd": "5G NR, DDDSU",
    "lte-fdd": "LTE, FDD",
}
#: The window that is drawn, in seconds.
BEGIN, END = 2.0, 2.03
UPLINK = "C->A"
#: Milliseconds between two bunches, at least.
APART = 0.3


def arrivals(path: str) -> list[float]:
    """Milliseconds, from the window's begin, at which ACKs leave the uplink."""
    changed: dict[str, object] = {
        "link.1.rate": "50Mbps",
        "link.1.queue": {"kind": "drop-tail", "packets": 100},
        "flow.down.count": 1,
        "flow.down.receiver.ack": {"policy": "delayed", "segments": 2, "timer": "200ms"},
        "flow.ping.start": "1000s",
        "stop.at": "3s",
        "record.packets": True,
    }
    text = (ROOT / "examples" / "access" / f"{path}.toml").read_text()
    run = acklab.run(text, **changed)
    rows = run.packets.to_polars()
    kept = rows.filter((rows["link"] == UPLINK) & (rows["event"] == "deliver"))["time_s"]
    return [1000 * (time - BEGIN) for time in kept if BEGIN <= time < END]


def main() -> None:
    """A row a path, a mark an ACK."""
    figure = Figure(figsize=(10, 4.2), layout="constrained")
    axes = figure.subplots()
    names = []
    for place, (path, name) in enumerate(PATHS.items()):
        times = arrivals(path)
        bunches = 1 + sum(later - time > APART for time, later in pairwise(times))
        names.append(f"{name}\n{len(times) / bunches:.1f} ACKs a bunch")
        axes.eventplot(times, lineoffsets=-place, linelengths=0.7, linewidths=0.9, colors=SLOTS["blue"]["light"])
    axes.set_yticks([-place for place in range(len(PATHS))], names)
    axes.set(
        xlabel="time, ms",
        xlim=(0, 1000 * (END - BEGIN)),
        title="ACKs of one download at 50 Mb/s, as they leave the uplink",
    )
    axes.grid(axis="x", alpha=0.3)
    figure.savefig(HERE / "grants.png", dpi=110)


if __name__ == "__main__":
    main()
