"""Mahimahi's traces of delivery opportunities, as rates of a link.

A trace is a text with one whole number a line: a millisecond at which the link can deliver 1,500 bytes. It begins again at the last
of them (Netravali et al., "Mahimahi: Accurate Record-and-Replay for HTTP", 2015).
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from ..results.directory import replacing
from .network import Mahimahi

__all__ = ["read", "write"]

#: Bytes of an opportunity.
OPPORTUNITY = 1500


def read(path: str | os.PathLike[str]) -> Mahimahi:
    """A trace as the ``rate`` of a link.

    Args:
        path: the file.

    Raises:
        OSError: the file cannot be read.
        ValueError: a line is no whole number of milliseconds, or is below the one before; or the trace is empty, or all 0.

    Example:
        >>> import pathlib, tempfile
        >>> file = pathlib.Path(tempfile.mkdtemp(), "up.trace")
        >>> write(file, rate="12Mbps", seconds=1)
        >>> rate = read(file)
        >>> rate.milliseconds[:3], rate.milliseconds[-1]
        ([1, 2, 3], 1000)
    """
    last, milliseconds = 0, []
    for number, line in enumerate(Path(path).read_bytes().splitlines(), 1):
        if not (line.isdigit() and len(line) <= 8):
            raise ValueError(
                f"{path}, line {number}: {line[:40]!r} is no whole number of milliseconds from 0 to 99999999"
            )
        if int(line) < last:
            raise ValueError(f"{path}, line {number}: {int(line)} is below the line before, {last}")
        milliseconds.append(last := int(line))
    if last == 0:
        raise ValueError(f"{path}: a trace needs a line above 0")
    return Mahimahi(milliseconds=milliseconds)


def write(
    path: str | os.PathLike[str],
    trace: Mahimahi | Iterable[int] | None = None,
    *,
    rate: str | None = None,
    seconds: int = 1,
) -> None:
    """Writes a trace.

    Args:
        path: the file.
        trace: what :func:`read` gave, or milliseconds.
        rate: instead of them, a constant rate such as ``"12Mbps"``, for as many seconds; each opportunity is at the
            millisecond in which the rate has delivered its bytes.
        seconds: whole seconds, at least 1.

    Raises:
        OSError: the file cannot be written.
        ValueError: neither ``trace`` nor ``rate`` is given, or the rate has no opportunity in that time.
    """
    if trace is not None:
        milliseconds = list(getattr(trace, "milliseconds", trace))  # type: ignore[arg-type]
    elif rate is not None:
        bits = _bits_per_second(rate)
        count = int(bits * seconds / (8 * OPPORTUNITY) + 1e-9)
        milliseconds = [-int(-(k * 8000 * OPPORTUNITY) // bits) for k in range(1, count + 1)]
    else:
        raise ValueError("give a trace or a rate")
    if not milliseconds or milliseconds[-1] <= 0:
        raise ValueError("a trace needs an opportunity after 0 ms")
    with replacing(path) as scratch:
        scratch.write_text("".join(f"{millisecond}\n" for millisecond in milliseconds))


def _bits_per_second(rate: str) -> float:
    """A rate's number."""
    for unit, factor in (("Gbps", 1e9), ("Mbps", 1e6), ("kbps", 1e3), ("bps", 1.0)):
        if rate.endswith(unit):
            return float(rate[: -len(unit)]) * factor
    raise ValueError(f"{rate!r} is no rate such as 12Mbps")
