"""Captures of a run's links: which file, which format."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from . import _core
from ._frames import all_or_nothing

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
    if path is None:
        return write_all(result, [name], Path.cwd(), format or FORMATS[0], snap_length)[0]
    target = Path(path)
    with all_or_nothing(target.absolute().parent) as scratch:
        _core.capture(result, name, scratch / target.name, format=format or _format_of(target), snap_length=snap_length)
    return target


def write_all(
    result: _core.RunResult, ends: Sequence[str], directory: Path, format: str = FORMATS[0], snap_length: int = 0
) -> list[Path]:
    """Writes a file for each of the link ends, ``G-R@G.pcapng`` and the like; ``all`` stands for every end."""
    with all_or_nothing(directory) as scratch:
        paths = _core.capture_all(result, ends, scratch, format=format, snap_length=snap_length)
        return [directory / Path(path).name for path in paths]


def _format_of(path: Path) -> str:
    ending = path.suffix.removeprefix(".")
    if ending not in FORMATS:
        raise ValueError(f"{path.name} ends in neither .pcapng nor .pcap; say format='pcapng' or 'pcap'")
    return ending
