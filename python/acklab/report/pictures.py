"""Charts as figures of a page, and as files: SVG, PNG, PDF."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from ..plot.files import write
from ..results.files import static_charts
from ..text.escapes import visible
from .vega import printed, specification

if TYPE_CHECKING:
    from .charts import Chart


def embedded(chart: Chart, *, wide: bool = False) -> str:
    """Returns a chart as a figure of a page. A chart of a single panel takes half of the page, unless it is ``wide``."""
    spec = specification(chart)
    meta = spec["usermeta"]
    kind = "plot small" if meta["small"] and not wide else "plot"
    about = html.escape(visible(chart.about))
    # "<" is escaped so that no text in the data can end the script element.
    text = json.dumps(spec, ensure_ascii=False, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    tall = sum(panel["height"] + 62 for panel in spec["concat"][:: meta["columns"]])
    return (
        f'<figure class="{kind}" id="{html.escape(chart.name)}-chart">{_keys(meta["keys"])}'
        f'<div class="panels" role="img" aria-label="{about}" style="min-height:{tall:.0f}px"></div>'
        f'<figcaption>{about}</figcaption><script type="application/json">{text}</script></figure>'
    )


def save(chart: Chart, *files: Path, note: str = "", width: float | None = None) -> None:
    """Writes a chart to files whose names end in ``.svg``, ``.png`` or ``.pdf``, so many pixels wide, with a note below it.

    Raises:
        ImportError: vl-convert is not installed; names the extra that has it.
    """
    if files:
        write(printed(specification(chart), visible(note), width), *files)


def saved(charts: Iterable[Chart], folder: Path) -> None:
    """Writes charts into a directory, in the formats that the user asked for (:func:`acklab.results.files.static_charts`)."""
    kinds = static_charts()
    for chart in charts if kinds else ():
        folder.mkdir(exist_ok=True, parents=True)
        save(chart, *(folder / f"{chart.name}.{kind}" for kind in kinds))


def _keys(keys: Iterable[dict[str, str]]) -> str:
    """Returns a legend, whose lines break where a narrow screen needs it."""
    entries = "".join(f"<span>{_swatch(key)}{html.escape(key['name'])}</span>" for key in keys)
    return f'<p class="keys">{entries}</p>' if entries else ""


_SHAPES = {
    "circle": '<circle cx="13" cy="5" r="3.5"/>',
    "square": '<path d="M9.5 1.5h7v7h-7z"/>',
    "diamond": '<path d="M13 .5 17.5 5 13 9.5 8.5 5z"/>',
    "triangle-up": '<path d="M13 1 17 9H9z"/>',
    "triangle-down": '<path d="M13 9 17 1H9z"/>',
    "cross": '<path d="M9 1 17 9M17 1 9 9"/>',
    "": "",
}
_DASHES = {"--": "6 3", ":": "2 2", "-.": "6 2 2 2"}


def _swatch(key: dict[str, str]) -> str:
    if "ramp" in key:
        colours = ",".join(key["ramp"])
        return f'<i class="ramp"><b>{key["low"]}</b><i style="background:linear-gradient(90deg,{colours})"></i><b>{key["high"]}</b></i>'
    colour, dash = key["colour"], _DASHES.get(key["dash"], "none")
    line = f'<path d="M0 5h26" stroke-dasharray="{dash}"/>' if key["dash"] else ""
    return f'<svg viewBox="0 0 26 10" stroke="{colour}" fill="{colour}" stroke-width="1.6">{line}{_SHAPES[key["shape"]]}</svg>'
