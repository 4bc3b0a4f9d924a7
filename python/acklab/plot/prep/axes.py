"""What the axes of each chart are called and what unit they are in: said once, for every drawing."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Axis:
    """An axis' title, its unit and how its numbers are shortened.

    ``si`` says that large numbers take a prefix (1.5 M); otherwise they are written out.
    """

    title: str
    unit: str
    si: bool = False


TIME = Axis("time", "s")

#: Chart -> its y axis. The sequence axis depends on the run: see ``sequence_unit``.
AXES: dict[str, Axis] = {
    "time": TIME,
    "cwnd": Axis("window", "segments"),
    "rtt": Axis("round-trip time", "ms"),
    "queue": Axis("queue", "packets waiting"),
    "wait": Axis("wait in the queue", "ms"),
    "throughput": Axis("goodput", "b/s", si=True),
    "sequence:segments": Axis("sequence number", "segments"),
    "sequence:bytes": Axis("sequence number", "B", si=True),
}


def label(name: str) -> str:
    """The axis' label as drawn: ``"round-trip time (ms)"``.

    >>> label("rtt")
    'round-trip time (ms)'
    """
    axis = AXES[name]
    return f"{axis.title} ({axis.unit})"
