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
import sys
import zlib
from array import array
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import polars as pl

#: Resolution of times in the page: a nanosecond.
NANO = 1e-9
#: Multiples of its resolution that a value may have: differences and signs need two bits more.
LARGEST = 2**46
#: Rows that tell whether values or their differences compress better.
SAMPLE = 20_000


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
        largest = float(frame[name].cast(pl.Float64).fill_nan(None).abs().max() or 0.0)
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
        whole = (_steps(series.cast(pl.Float64).fill_nan(None), resolution) + 1).fill_null(0)
        if (whole.min() or 0) < 0:
            raise ValueError(f"column {series.name} has nulls and negative values")
    else:
        whole = _steps(series, resolution) if series.dtype.is_float() else series.cast(pl.Int64)
    # The cheaper of the two, judged on a sample: differences for what grows, the values
    # themselves for what jumps about.
    delta = whole - whole.shift(1, fill_value=0)
    if _cost(delta) < _cost(whole):
        about["delta"] = True
        whole = delta
    chosen = _planes(whole)
    about["planes"] = chosen.width
    if chosen.signed:
        about["signed"] = True
    return about, chosen.data


def _steps(series: pl.Series, resolution: float) -> pl.Series:
    return (series / resolution).round(mode="half_to_even").cast(pl.Int64)


class _Planes(NamedTuple):
    signed: bool  # negative numbers are folded in
    width: int
    data: bytes


def _planes(values: pl.Series) -> _Planes:
    """Byte planes of integers; negative ones are folded in between (0, -1, 1, -2, ...)."""
    signed = (values.min() or 0) < 0
    if signed:
        values = values.abs() * 2 - (values < 0).cast(pl.Int64)
    top: int = values.max() or 0
    width = max(1, (top.bit_length() + 7) // 8)
    if width > 6:
        raise ValueError("a column needs more than 48 bits: give it a coarser resolution")
    numbers = array("q", values.to_list())
    if sys.byteorder == "big":
        numbers.byteswap()
    raw = numbers.tobytes()
    return _Planes(signed, width, b"".join(raw[plane::8] for plane in range(width)))


def _cost(values: pl.Series) -> int:
    sample = values.head(SAMPLE)
    data = _planes(sample).data
    return sum(len(zlib.compress(data[at : at + len(sample)], 1)) for at in range(0, len(data), len(sample) or 1))


def _gzip(data: bytes) -> bytes:
    # No time stamp in the header: the same run gives the same page.
    packer = zlib.compressobj(6, zlib.DEFLATED, 31)
    return packer.compress(data) + packer.flush()
