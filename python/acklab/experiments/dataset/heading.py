"""The title of the results at a place: of their plan, their scenario, or the capture that they are from."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from ...text.escapes import one_line, short
from ...text.toml import loads
from .blocks import MARKER, read_marker
from .store import Store, StoreError

#: Columns that a heading takes.
MOST = 100


def heading(place: str | os.PathLike[str]) -> str:
    """The title; empty where nothing tells one, as of a Parquet file alone."""
    store = Store(place)
    try:
        if store.is_url or (Path(store.place) / MARKER).is_file():
            told = read_marker(store)
            found = _title(told.get("plan")) or _title(told.get("scenario"))
        else:
            files = (
                (Path(store.place) / name, key)
                for name, key in (("sweep.json", "title"), ("summary.json", "title"), ("acklab.json", "capture"))
            )
            found = next(
                (text for file, key in files if file.is_file() and (text := json.loads(file.read_bytes()).get(key))), ""
            )
            found = str(found) if isinstance(found, str) else ""
            found = os.path.basename(found) if (Path(store.place) / "analysis.json").is_file() else found
    except (OSError, ValueError, StoreError, AttributeError):
        return ""  # the chart tells what it shows without it
    return short(one_line(found), MOST)


def _title(text: Any) -> str:
    found = loads(text).get("title", "") if isinstance(text, str) else ""
    return found if isinstance(found, str) else ""
