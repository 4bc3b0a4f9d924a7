"""``acklab plot``: a chart of a sweep's dataset, or of other tables."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Any

from ..text.terminal import complain, file_name, say
from .options import add_verb, open_page

EXAMPLE = """\
PLACE is a dataset of `acklab sweep --dataset`, the --out directory of another command, or a Parquet file.
  band  the mean of Y over X, with the 95 % interval over the seeds, a line for each value of COLOR
  heat  the mean of COLOR over X and Y
  cdf   the share of rows in which X is at most so much, a line for each value of COLOR
Without a column, a dataset is drawn over the key that varied most, and a run over time.

example:
  acklab sweep examples/queue.toml --dataset runs
  acklab plot runs                              a page with a chart of what varied
  acklab plot runs --x queue_packets --y completion_s --color ACKs --out band.svg
  acklab plot runs --kind heat --x queue_packets --y ACKs --color completion_s --out heat.png
  acklab plot runs --kind cdf --x completion_s --color ACKs --out cdf.html

exit status: 0; 1 the picture cannot be written; 2 no dataset, or it cannot be drawn; 130 interrupted; 143 terminated
"""

DEFAULT = "acklab-out/plot.html"


def add(verbs: Any) -> None:
    """Adds the verb to the command line."""
    about = "Draw the flows of a dataset, or a table of other results."
    verb = add_verb(verbs, "plot", act, about, EXAMPLE)
    verb.add_argument(
        "place", metavar="PLACE", help="a dataset's directory or URL, a directory of results, or a Parquet file"
    )
    verb.add_argument("--x", metavar="COLUMN", default="", help="along the chart; with cdf, what is distributed")
    verb.add_argument("--y", metavar="COLUMN", default="", help="up the chart")
    verb.add_argument(
        "--color", metavar="COLUMN", default="", help="a line for each value; with heat, what is measured"
    )
    verb.add_argument("--facet", metavar="COLUMN", default="", help="a panel for each value")
    verb.add_argument("--kind", choices=("band", "heat", "cdf"), default="band", help="which chart (band)")
    verb.add_argument("--table", metavar="NAME", default="flows", help="which table (flows)")
    verb.add_argument("--out", metavar="FILE", default=DEFAULT, help=f"where to: .png, .pdf, .svg or .html ({DEFAULT})")
    verb.add_argument("--width", type=_width, metavar="LENGTH", help="of a picture, such as 88mm or 3.5in (a page's)")
    verb.add_argument(
        "--no-caption", action="store_true", help="leave out what the picture shows, for a paper's own caption"
    )
    verb.add_argument("--open", action="store_true", help="open the file in the browser")


#: Unit of a length -> pixels of a 96th of an inch.
_PIXELS = {"mm": 96 / 25.4, "cm": 96 / 2.54, "in": 96.0, "pt": 96 / 72}


def _width(text: str) -> float:
    """Returns a length in pixels."""
    found = re.fullmatch(r"([0-9]{1,4}(?:\.[0-9]+)?)(mm|cm|in|pt)", text)
    pixels = float(found[1]) * _PIXELS[found[2]] if found else 0.0
    if not 20 <= pixels <= 4000:
        raise argparse.ArgumentTypeError(f"{text} is no length from 6mm to 1000mm, such as 88mm, 8.8cm, 3.5in or 250pt")
    return pixels


def act(options: argparse.Namespace) -> int:
    """Draws and returns the exit status."""
    from ..study.dataset import plot
    from ..study.store import QueryError, StoreError, caveat

    keys = ("x", "y", "color", "facet", "kind", "table", "out", "width")
    chosen = {key: getattr(options, key) for key in keys} | {"caption": not options.no_caption}
    try:
        if options.out == DEFAULT:
            Path(DEFAULT).parent.mkdir(exist_ok=True)
        chart = plot(options.place, **chosen)
        said = caveat(options.place)
    except (QueryError, StoreError) as error:
        options.parser.exit(2, f"acklab: {error}\n")
    if said:
        complain(said)
    say(f"{chart.about}\nwritten to {file_name(options.out)}")
    open_page(options, options.out)
    return 0
