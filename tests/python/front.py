"""What the front's tests share: the installed command, and small scenarios."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import polars

#: Whether bounded tests take their long form.
LONG = bool(os.environ.get("ACKLAB_LONG"))

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
