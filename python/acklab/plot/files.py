"""Vega-Lite specifications as files: SVG, PNG, PDF."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from ..results.directory import replacing

NEEDS = "charts as files need vl-convert: pip install 'acklab[charts]'"


def write(spec: dict[str, Any], *files: Path) -> None:
    """Writes a specification to files whose names end in ``.svg``, ``.png`` or ``.pdf``; the same one gives the same bytes.

    Raises:
        ImportError: vl-convert is not installed; names the extra that has it.
    """
    try:
        import vl_convert
    except ImportError:
        raise ImportError(NEEDS) from None
    for file in files:
        kind = file.suffix[1:]
        if kind == "svg":
            made = _renumbered(vl_convert.vegalite_to_svg(spec)).encode()
        else:
            made = vl_convert.vegalite_to_pdf(spec) if kind == "pdf" else vl_convert.vegalite_to_png(spec, scale=2)
        with replacing(file) as scratch:
            scratch.write_bytes(made)


def _renumbered(svg: str) -> str:
    """Returns an SVG whose clip paths are numbered from 1: the library counts on from chart to chart."""
    names = {name: f"clip{number}" for number, name in enumerate(dict.fromkeys(re.findall(r"\bclip\d+\b", svg)), 1)}
    return re.sub(r"\bclip\d+\b", lambda name: names[name[0]], svg)
