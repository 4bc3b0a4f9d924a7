"""What a suite's own validated output plots, from events: times in microseconds, sequence numbers modulo a number, drops.

ns-2 ships such a file with each test. `plots` of a suite's facts says which links and what of them it shows. A file repeats its
first drops and marked packets so that a graph shows single ones; here each counts once. Points are compared without their order.
"""

from __future__ import annotations

import hashlib
import math
import re

from .facts import Test
from .scenario import Event


def traced(seconds: float) -> float:
    """A time as ns-2 writes it into a trace: to the microsecond."""
    return math.floor(seconds * 1e6 + 0.5) / 1e6


def _time(seconds: float) -> str:
    return f"{traced(seconds):.15g}"


def points(test: Test, events: list[Event]) -> list[str]:
    """The test's points, `what time height`, sorted."""
    found: list[str] = []
    drops = set()
    for plot in test.plots:
        link = "->".join(plot["link"])
        for time, word, where, kind, flow, number, _ in events:
            if where != link or word == "r":
                continue
            height = "%.15g" % (test.flows[flow].fid + (max(number, 0) % plot["modulus"]) * plot["scale"])
            if word == "d":
                drops.add(f"drops {_time(time)} {height}")
            elif kind == "data" or plot["acks"]:
                found.append(f"{'acks' if kind == 'ack' else 'packets'} {_time(time)} {height}")
    return sorted([*found, *drops])


def published(text: str) -> list[str]:
    """The points of a validated output, in the same form."""
    sections: dict[str, list[str]] = {"packets": [], "ecn_packets": [], "acks": [], "drops": []}
    section = ""
    for line in text.splitlines():
        if line.startswith('"'):
            section = line[1:]
        elif section in sections and re.fullmatch(r"\S+ \S+", line) and line != "0 1":
            sections[section].append(line)
    marked = sections["ecn_packets"]  # the first four stand there twice
    found = sections["packets"] + marked[min(4, len(marked) // 2) :]
    named = [f"packets {line}" for line in found] + [f"acks {line}" for line in sections["acks"]]
    return sorted([*named, *{f"drops {line}" for line in sections["drops"]}])


def digest(lines: list[str]) -> str:
    """A short fingerprint of lines."""
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]
