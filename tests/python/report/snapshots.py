"""Pinned data: what a chart was given, as text that a reader of the diff can judge.

``ACKLAB_UPDATE=1 pytest`` writes the files anew; look at the difference before keeping it.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

FOLDER = Path(__file__).parent / "pinned"


def check(name: str, frame) -> None:
    """Compare a frame with the pinned one: its columns, and every value to nine digits."""
    path = FOLDER / f"{name}.jsonl"
    lines = [json.dumps(frame.columns), *(json.dumps([_plain(v) for v in row]) for row in frame.iter_rows())]
    text = "\n".join(lines) + "\n"
    if os.environ.get("ACKLAB_UPDATE"):
        FOLDER.mkdir(exist_ok=True)
        path.write_text(text)
    assert path.exists(), f"nothing pinned as {path.name}; ACKLAB_UPDATE=1 writes it"
    wanted = path.read_text().splitlines()
    for number, (mine, theirs) in enumerate(zip(lines, wanted, strict=False)):
        assert mine == theirs, f"{path.name}, line {number + 1}"
    assert len(lines) == len(wanted), f"{path.name}: {len(lines)} lines instead of {len(wanted)}"


def _plain(value):
    return float(f"{value:.9g}") if isinstance(value, float) else value
