"""Charts as pictures: drawn with :mod:`acklab.figures.draw`, or left out where ``ACKLAB_CHARTS`` is ``none``.

Drawing takes seconds, most of a small command's time. Tests that look at no picture leave it out.
"""

from __future__ import annotations

import html
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..results.files import charts_left_out
from ..text.escapes import visible
from .charts import Chart

if TYPE_CHECKING:
    from .draw import Picture


def save(chart: Chart, *files: Path, **how: Any) -> Picture | None:
    """Draws a chart and writes it to the files, as :func:`acklab.figures.draw.save` does; returns None if charts are left out."""
    if charts_left_out():
        return None
    from . import draw  # matplotlib takes half a second to import

    return draw.save(chart, *files, **how)


def svg(picture: Picture | None) -> str:
    """Returns a picture as a file of its own."""
    return '<svg xmlns="http://www.w3.org/2000/svg"/>' if picture is None else picture.svg


def embedded(chart: Chart, picture: Picture | None, **how: Any) -> str:
    """Returns a chart as a figure of a page, as :func:`acklab.figures.draw.embedded` does; only its caption if it was left out."""
    if picture is None:
        return f"<figure><figcaption>{html.escape(visible(chart.about))}</figcaption></figure>"
    from . import draw

    return draw.embedded(chart, picture, **how)
