"""The flows of a result line, by a pattern. A line has up to 8,000 flows and 6 MB, and parsing all of it took a third of a run's time."""

from __future__ import annotations

import re
from typing import Any

_KEYS = ("from", "to", "completed", "start_s", "first_data_s", "finished_s", "completion_s", "last_data_s", "bytes")
"""What a flow has behind its name, in this order."""

COUNTED = b'"ssthresh_segments":'
"""A key that only flows have. Long texts are counted faster than short ones."""


def flow(*read: str) -> bytes:
    """The pattern of what is behind a flow's name, a group for each key that is read.

    It names each key. One that skips to the keys that are read, character by character, takes several times as long.
    """
    values = (f'"{key}":' + ("([^,]+)" if key in read else "[^,]+") for key in _KEYS)
    return ("," + ",".join(values)).encode()


def every(pattern: re.Pattern[bytes], line: bytes) -> list[Any]:
    """The groups of each flow.

    Raises:
        ValueError: the pattern misses one.
    """
    found, there = pattern.findall(line), line.count(COUNTED)
    if len(found) != there:
        raise ValueError(f"{len(found)} flows read, {there} there")
    return found
