"""Tables as small text in the page: integers, differences, byte planes, gzip, base64.

A column becomes whole multiples of its resolution, then the differences from row to row
(if that is smaller). Then the bytes of all rows are put side by side. All low bytes come
first, then all second bytes, and so on, as many as the largest number needs. Repetition in
a run (equal spacings, steps of one) becomes long runs of equal bytes, which gzip
compresses. The result is about three bytes a row and column for times to the nanosecond.
``codec.js`` reverses it.
"""

from __future__ import annotations

import base64
import math
import zlib
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import polars as pl

#: Resolution of times in the page: a nanosecond.
NANO = 1e-9
#: Multiples of its resolution that a value may have: differences and signs need two bits more.
LARGEST = 2**46


@dataclass
class Blocks:
    """The page's data blocks, numbered in the order they were added."""

    texts: list[str] = field(default_factory=list)

    def add(self, frame: pl.DataFrame, resolution: dict[str, float] | None = None) -> dict[str, Any]:
        """Store a table; returns what the page needs to read it back.

        ``resolution`` gives the columns that are not whole numbers the size of their
        unit in the page. Nulls are allowed in columns that are never negative.
        """
        columns, planes = [], []
        for name in frame.columns:
            about, data = _column(frame[name], (resolution or {}).get(name, 1))
            columns.append({"name": name, **about})
            planes.append(data)
        packed = _gzip(b"".join(planes))
        self.texts.append(base64.b64encode(packed).decode("ascii"))
        return {"block": len(self.texts) - 1, "rows": frame.height, "columns": columns}


def coarse(frame: pl.DataFrame, resolution: dict[str, float]) -> dict[str, float]:
    """The resolutions for a table of any size: ten times coarser, as often as the largest value needs."""
    found = {}
    for name, one in resolution.items():
        largest = float(np.nanmax(np.abs(frame[name].cast(pl.Float64).to_numpy()), initial=0.0))
        steps = math.ceil(math.log10(max(largest / (one * LARGEST), 1.0)) - 1e-9)
        found[name] = one * 10**steps
    return found


def _column(series: pl.Series, resolution: float) -> tuple[dict[str, Any], bytes]:
    about: dict[str, Any] = {}
    if resolution != 1:
        about["scale"] = resolution
    if series.null_count():
        # 0 stands for "no value", everything else moves up by one.
        about["nullable"] = True
        whole = series.cast(pl.Float64).to_numpy()
        missing = np.isnan(whole)
        whole = np.where(missing, 0, np.rint(np.where(missing, 0, whole) / resolution) + 1).astype(np.int64)
        if whole.min(initial=0) < 0:
            raise ValueError(f"column {series.name} has nulls and negative values")
    elif series.dtype.is_float():
        whole = np.rint(series.to_numpy() / resolution).astype(np.int64)
    else:
        whole = series.cast(pl.Int64).to_numpy()
    steps = np.diff(whole, prepend=0)
    plain, delta = _planes(whole), _planes(steps)
    # The cheaper of the two, judged on a sample: differences for what grows, the values
    # themselves for what jumps about.
    chosen = plain
    if _cost(delta) < _cost(plain):
        about["delta"] = True
        chosen = delta
    about["planes"] = chosen.width
    about.update({flag: True for flag in ("signed", "wide") if getattr(chosen, flag)})
    return about, chosen.data


class _Planes(NamedTuple):
    signed: bool  # negative numbers are folded in
    wide: bool  # some need more than 31 bits
    width: int
    data: bytes


def _planes(values: np.ndarray) -> _Planes:
    """Byte planes of integers; negative ones are folded in between (0, -1, 1, -2, ...)."""
    signed = bool(values.size and values.min() < 0)
    folded = ((values << 1) ^ (values >> 63)) if signed else values
    top = int(folded.max(initial=0))
    width = max(1, (top.bit_length() + 7) // 8)
    if width > 6:
        raise ValueError("a column needs more than 48 bits: give it a coarser resolution")
    raw = np.ascontiguousarray(folded.astype("<i8")).view(np.uint8).reshape(-1, 8)
    return _Planes(signed, top >= 2**31, width, raw[:, :width].T.tobytes())


def _cost(planes: _Planes) -> int:
    rows = len(planes.data) // planes.width
    sample = min(rows, 20_000)
    starts = range(0, rows * planes.width, rows) if rows else ()
    return sum(len(zlib.compress(planes.data[at : at + sample], 1)) for at in starts)


def _gzip(data: bytes) -> bytes:
    # No time stamp in the header: the same run gives the same page.
    packer = zlib.compressobj(6, zlib.DEFLATED, 31)
    return packer.compress(data) + packer.flush()
