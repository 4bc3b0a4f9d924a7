"""The report: one offline HTML page that shows what happened in a run, or in several.

    >>> import acklab                                      # doctest: +SKIP
    >>> run = acklab.run("examples/allman1998.toml", record=True)    # doctest: +SKIP
    >>> acklab.report(run).show()                          # doctest: +SKIP
    >>> acklab.report.write(run, "out")                    # doctest: +SKIP
    PosixPath('out/report.html')

``acklab.report(run, ...)`` is the page; a notebook shows it. ``write(runs, out_dir)`` takes one run or a list; what a run is made of is written down
in :mod:`acklab.plot.runs`. Several runs share the page's axes, one colour a run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..plot.runs import read_runs
from ..results.directory import results
from ..results.files import static_charts
from ..results.stored import NOTHING, RECORDED
from ..text.callable import can_be_called
from .contents import CHARTS, manifest
from .made import Page
from .page import render

__all__ = ["Page", "called", "html", "write"]

PAGE = "report.html"


def html(
    runs: Any,
    *,
    title: str | None = None,
    charts: Sequence[str] = CHARTS,
    abouts: Mapping[str, str] | None = None,
    sentence: str = "",
    notes: Sequence[str] = (),
    tables: Mapping[str, Any] | None = None,
) -> str:
    """The page as text, with these charts (:data:`acklab.report.contents.CHARTS`).

    ``abouts`` replace their subtitles, and ``sentence`` the headline, unless a run is invalid; ``notes`` come below it, and
    ``tables`` after those of flows and links.
    """
    return render(
        *manifest(read_runs(runs), title, charts=charts, abouts=abouts, sentence=sentence, notes=notes, tables=tables)
    )


def write(
    runs: Any,
    out_dir: str | Path,
    *,
    title: str | None = None,
    formats: Sequence[str] | None = None,
    sentence: str = "",
    notes: Sequence[str] = (),
) -> Path:
    """Write ``out_dir/report.html`` and ``out_dir/charts/*``; returns the page's path.

    ``formats`` are those of charts as files, any of ``svg``, ``png``, ``pdf``; left out, those that ``ACKLAB_CHARTS`` lists, else
    none. ``sentence`` and ``notes`` are as in :func:`html`.
    """
    runs = read_runs(runs)
    with results(out_dir, "report", [PAGE]) as folder, folder.replacing() as scratch:
        pages(runs, scratch, title=title, formats=formats, sentence=sentence, notes=notes)
    return Path(out_dir) / PAGE


def pages(
    runs: Any,
    directory: Path,
    *,
    title: str | None = None,
    formats: Sequence[str] | None = None,
    sentence: str = "",
    notes: Sequence[str] = (),
) -> None:
    """Writes the page and the charts to a directory of the caller's."""
    runs = read_runs(runs)
    (directory / PAGE).write_text(html(runs, title=title, sentence=sentence, notes=notes), encoding="utf-8")
    formats = static_charts() if formats is None else formats
    if formats:
        from ..plot.charts import save_all  # Altair takes its time to import; the page does not need it

        save_all(runs, directory / "charts", formats)


def called(*runs: Any, title: str | None = None) -> Page:
    """The report of one run, or of several over each other: ``acklab.report(run)``.

    A simulated run that recorded nothing is made once more, with ``record=True``: its scenario and seed give the same packets.

    Raises:
        ValueError: no run recorded anything that the page draws, and one of them cannot be made again.
    """
    listed = list(runs[0]) if len(runs) == 1 and isinstance(runs[0], (list, tuple)) else list(runs)
    if listed and not any(getattr(one, table, None) is not None for one in listed for table in RECORDED):
        listed = [getattr(one, "recorded", _refused)() for one in listed]
    return Page(html(listed, title=title))


def _refused() -> None:
    raise ValueError(NOTHING)


can_be_called(__name__, called)
