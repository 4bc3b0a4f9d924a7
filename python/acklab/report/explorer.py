"""The explorer: the simulator as WebAssembly in one offline page, behind the charts of a run's report.

``make explorer`` compiles the program (``crates/explorer``) and writes the page. A package may carry the program, packed;
then ``acklab explore`` writes the page without a compiler.
"""

from __future__ import annotations

import base64
import gzip
import re
import shutil
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from ..plot import palette
from ..results.directory import replacing
from ..text.input import loads
from ..text.templates import TEMPLATES
from .contents import constants
from .page import STYLES, VIEWER, assembled, asset, json_block, script

#: Where a package has the program, among the parts of pages.
PROGRAM = "explorer.wasm.gz"

#: The kinds of facts above the charts.
FACTS = ("runs-completion", "runs-carried", "finished", "still-sending", "losses", "no-loss")
#: The charts, from the top: those that a slider changes most are in sight first.
CHARTS = ("window", "sequence", "queue", "rtt", "throughput", "timeline")


def contents() -> dict[str, list[dict[str, Any]]]:
    """``preset`` and ``step``: the presets, and the steps of the tour."""
    tree = loads(asset("explorer.toml"))
    for entry in (*tree["preset"], *tree["step"]):
        for key in ("text", "scenario"):
            if key in entry:
                entry[key] = entry[key].lstrip("\n")
    return tree


def packed(program: bytes) -> bytes:
    """The program as a package carries it; the same bytes each time."""
    return gzip.compress(program, mtime=0)


def carried() -> bytes | None:
    """The packed program of this package, if it has one."""
    file = resources.files(__package__).joinpath("assets", PROGRAM)
    return file.read_bytes() if file.is_file() else None


def repository() -> Path | None:
    """The clone that this package is installed from, where it and ``make`` can build the program."""
    root = Path(__file__).resolve().parents[3]
    return root if (root / "crates" / "explorer").is_dir() and shutil.which("make") and shutil.which("cargo") else None


def page(program: bytes, opened: Sequence[str] = ()) -> str:
    """The page with this packed program, which begins with the scenarios in ``opened``, one or two; with a preset if there are none."""
    tree = contents()
    kit = {
        "constants": constants(),
        "charts": [{"id": name, **({"unit": "packets"} if name == "queue" else {})} for name in CHARTS],
        "order": palette.ORDER,
        "runs": palette.RUNS,
        "presets": tree["preset"],
        "steps": tree["step"],
        "opened": list(opened),
        "templates": {kind: TEMPLATES[kind] for kind in FACTS},
    }
    worker = script("explorer_worker.js")
    if re.search("</script", worker, re.IGNORECASE):
        raise ValueError("a script cannot hold the end of one")
    data = (
        json_block("kit", kit)
        + f'<script type="text/plain" id="worker">{worker}</script>\n'
        + f'<script type="application/octet-stream" id="program">{base64.b64encode(program).decode("ascii")}</script>\n'
    )
    styles = [*(name for name in STYLES if name != "paper.css"), "explorer.css"]
    body = asset("explorer.html").replace("{{viewer}}", VIEWER)
    return assembled("acklab explorer", body, styles, data, [script("explorer.js")], worker=True)


def write(folder: Path, program: bytes, opened: Sequence[str] = ()) -> Path:
    """Writes ``index.html`` to a folder, which can be opened as a file or hosted as it is; returns its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "index.html"
    with replacing(path) as scratch:
        scratch.write_text(page(program, opened), encoding="utf-8")
    return path
