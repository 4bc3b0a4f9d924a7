"""Captures of a run's links: which file, which format."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from .. import _core

FORMATS = ("pcapng", "pcap")
"""What a capture can be written as, and its files' ending."""


def write_one(
    result: _core.RunResult,
    link: str,
    end: str | None,
    path: str | os.PathLike[str] | None,
    format: str | None,
    snap_length: int,
) -> Path:
    """Writes one capture; see :meth:`acklab.Run.capture`."""
    name = link if end is None else f"{link}@{end}"
    target = Path.cwd() if path is None else Path(path).absolute()
    kind = format or (FORMATS[0] if path is None else _format_of(target))
    folder = target if path is None else target.parent
    folder.mkdir(parents=True, exist_ok=True)
    # Beside the file, so that the last step is one rename.
    scratch = Path(tempfile.mkdtemp(prefix=".acklab-", dir=folder))
    try:
        if path is None:
            made = Path(_core.capture_all(result, [name], scratch, format=kind, snap_length=snap_length)[0])
            target = folder / made.name
        else:
            made = scratch / "capture"
            _core.capture(result, name, made, format=kind, snap_length=snap_length)
        os.replace(made, target)
    except OSError as error:
        error.filename = str(target)
        raise
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return target if path is None else Path(path)


def _format_of(path: Path) -> str:
    ending = path.suffix.removeprefix(".")
    if ending not in FORMATS:
        raise ValueError(f"{path.name} ends in neither .pcapng nor .pcap; say format='pcapng' or 'pcap'")
    return ending
