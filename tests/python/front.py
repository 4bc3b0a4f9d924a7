"""What the front's tests share: the installed command, and small scenarios."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from string import Formatter

import polars
import pytest

from acklab.cli import main
from acklab.text.templates import TEMPLATES

#: Whether bounded tests take their long form.
LONG = bool(os.environ.get("ACKLAB_LONG"))

#: Papers whose quick run takes minutes: only the long form makes it.
SLOW_PAPERS = ("l4s", "smartacking")

COMMAND = Path(sys.executable).with_name("acklab")

TWO_HOPS = """\
title = "two hops"

[[link]]
between = ["S", "G"]
rate = "10Mbps"
delay = "2ms"

[[link]]
between = ["G", "R"]
rate = "1.5Mbps"
delay = "48ms"
queue = { kind = "drop-tail", packets = 8 }

[[flow]]
name = "f"
from = "S"
to = "R"
size = { segments = 60 }
sender = { window = 40 }
"""

RECORDED = TWO_HOPS + "\n[record]\nseries = true\nqueue = true\npackets = true\n"

#: Minutes of work, so that whoever starts it will want to stop it.
ENDLESS = """\
stop = { at = "1000000s" }
link = [{ between = ["S", "R"], rate = "1Gbps", delay = "1ms" }]
flow = [{ from = "S", to = "R" }]
"""


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a directory; ``acklab.json``, pages and Parquet files without the command line, which names places."""
    found = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if not path.is_dir()}
    for name, data in found.items():
        if name.endswith(".html"):
            found[name] = re.sub(rb'<p class="made">.*?</p>', b"", data)
        if name.endswith(".parquet") and data.endswith(b"PAR1"):
            told = polars.read_parquet_metadata(io.BytesIO(data))
            told.pop("acklab.command", None)
            footer = int.from_bytes(data[-8:-4], "little")
            found[name] = data[: -8 - footer] + json.dumps(told, sort_keys=True).encode()
    if "acklab.json" in found:
        marker = json.loads(found["acklab.json"])
        for name in ("command", "checksum"):
            marker.pop(name, None)
        found["acklab.json"] = json.dumps(marker).encode()
    return found


Acklab = Callable[..., "subprocess.CompletedProcess[str]"]


def inside(*arguments: object, stdin: str = "", cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Runs the command in this process, which spares its start; its streams are files."""
    with contextlib.ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        (place / "stdin").write_text(stdin, encoding="utf-8")
        with pytest.MonkeyPatch.context() as patch:
            for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
                patch.setattr(sys, name, stack.enter_context((place / name).open(mode, encoding="utf-8")))
            if cwd is not None:
                patch.chdir(cwd)
            try:
                status = main([*map(str, arguments)])
            except SystemExit as ended:
                status = int(ended.code or 0)
            sys.stdout.flush()
            sys.stderr.flush()
        out, err = ((place / name).read_text(encoding="utf-8") for name in ("stdout", "stderr"))
        return subprocess.CompletedProcess(arguments, status, out, err)


def unexplained(text: str) -> list[str]:
    """The lines of a verb's output that are no title of a block, no row of a table, and no template with its values."""
    lines = []
    for block in text.replace("\N{NO-BREAK SPACE}", " ").split("\n\n"):
        first, *rest = block.strip("\n").splitlines()
        rows = [first, *rest] if "  " in first else rest  # a table has two spaces between its columns
        lines += [
            row for row in rows if "  " not in row and not any(re.fullmatch(pattern, row) for pattern in PATTERNS)
        ]
    return lines


def _pattern(template: str) -> str:
    parts = []
    for text, name, spec, _ in Formatter().parse(template):
        kind, _, noun = (spec or "").partition(" ")
        parts += [
            re.escape(text),
            "" if name is None else rf"[\d,.]+ {noun.partition('/')[0]}\w*" if kind == "count" else ".*",
        ]
    return "".join(parts)


#: Templates that say something beside their values.
PATTERNS = [pattern for pattern in map(_pattern, TEMPLATES.values()) if re.search(r"[a-z]{2}", pattern)]
