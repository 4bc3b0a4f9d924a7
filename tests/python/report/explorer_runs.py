"""The explorer's program from Python: run in node as its page runs it, and what it wrote read back."""

from __future__ import annotations

import json
import shutil
import struct
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from acklab.report import explorer

ROOT = Path(__file__).parents[3]
ASSETS = Path(explorer.__file__).with_name("assets")
PROGRAM = ASSETS / explorer.PROGRAM
WHY = (
    "no explorer (make explorer)"
    if not PROGRAM.exists()
    else "no node (apt-get install nodejs)"
    if not shutil.which("node")
    else ""
)


class Answer(NamedTuple):
    """What the program said of a text."""

    status: int
    summary: str
    """The summary's line, or why there is none."""
    charts: dict[str, Any]
    """The tables of the charts, with columns by name."""


def answers(texts: list[str]) -> list[Answer]:
    """Runs each text."""
    command = ["node", ROOT / "crates/explorer/tests/run.mjs", PROGRAM, ASSETS / "wasi.js"]
    done = subprocess.run(command, input=json.dumps(texts).encode(), capture_output=True, timeout=600, check=True)
    out, rest = [], done.stdout
    while rest:
        status, length = struct.unpack("<II", rest[:8])
        out.append(read(status, rest[8 : 8 + length]))
        rest = rest[8 + length :]
    return out


def read(status: int, data: bytes) -> Answer:
    """What one run wrote."""
    if status:
        return Answer(status, data.decode(), {})
    summary, charts, _ = data.split(b"\n", 2)
    at = -(-(len(summary) + len(charts) + 2) // 8) * 8
    numbers = np.frombuffer(data, "<f8", offset=at)

    def table(place: dict[str, Any]) -> dict[str, np.ndarray]:
        first, rows = place["at"], place["rows"]
        return {name: numbers[first + i * rows : first + (i + 1) * rows] for i, name in enumerate(place["columns"])}

    tree = json.loads(charts)
    for item in tree["items"]:
        item["tables"] = {name: table(place) for name, place in item["tables"].items()}
    for queue in tree["queues"]:
        queue["table"], queue["drops"] = table(queue["table"]), table(queue["drops"])
    return Answer(0, summary.decode(), tree)
