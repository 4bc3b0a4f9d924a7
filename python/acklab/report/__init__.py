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

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..results.directory import results, static_charts
from ..results.result import Page, Result
from ..results.stored import NOTHING, RECORDED
from ..text.callable import can_be_called

__all__ = ["Page", "called", "html", "write"]

PAGE = "report.html"


def html(
    runs: Any,
    *,
    title: str | None = None,
    charts: Sequence[str] | None = None,
    abouts: Mapping[str, str] | None = None,
    sentence: str = "",
    notes: Sequence[str] = (),
    tables: Mapping[str, Any] | None = None,
    causes: str = "",
) -> str:
    """The page as text, with these of the charts :data:`acklab.report.contents.CHARTS`; with all if left out.

    ``abouts`` replace their subtitles, and ``sentence`` the headline, unless a run is invalid; ``notes`` come below it, ``causes``, which is
    HTML, above the charts, and ``tables`` after those of flows and links.
    """
    from ..plot.runs import read_runs
    from .contents import CHARTS, manifest
    from .page import render

    charts = CHARTS if charts is None else charts
    told = manifest(read_runs(runs), title, charts=charts, abouts=abouts, sentence=sentence, notes=notes, tables=tables)
    return render(*told, causes)


def write(
    runs: Any,
    out_dir: str | Path,
    *,
    title: str | None = None,
    formats: Sequence[str] | None = None,
    causes: str = "",
) -> Path:
    """Write ``out_dir/report.html`` and ``out_dir/charts/*``; returns the page's path.

    ``formats`` are those of charts as files, any of ``svg``, ``png``, ``pdf``; left out, those that ``ACKLAB_CHARTS`` lists, else
    none. ``causes`` is as in :func:`html`.
    """
    from ..plot.runs import read_runs

    runs = read_runs(runs)
    with results(out_dir, "report", [PAGE]) as folder, folder.replacing() as scratch:
        pages(runs, scratch, title=title, formats=formats, causes=causes)
    return Path(out_dir) / PAGE


def pages(
    runs: Any, directory: Path, *, title: str | None = None, formats: Sequence[str] | None = None, causes: str = ""
) -> None:
    """Writes the page and the charts to a directory of the caller's."""
    from ..plot.runs import read_runs

    runs = read_runs(runs)
    (directory / PAGE).write_text(html(runs, title=title, causes=causes), encoding="utf-8")
    formats = static_charts() if formats is None else formats
    if formats:
        from ..plot.charts import save_all  # Altair takes its time to import; the page does not need it

        save_all(runs, directory / "charts", formats)


def called(*results: Any, path: str | os.PathLike[str] | None = None, title: str | None = None) -> Page:
    """The page of results: ``acklab.report(run)``, ``acklab.report(run, "r.html")``, ``acklab.report(compared)``.

    Several runs, which may be a list, or a dict from the label of each, are drawn over each other. A simulated run that recorded nothing is
    made once more, with ``record=True``: its scenario and seed give the same packets.

    Args:
        results: runs, or what one other verb gave; then perhaps the ``path``.
        path: a file to write the page to.
        title: the page's title, of runs.

    Raises:
        ValueError: no run recorded anything that the page draws, and one of them cannot be made again.
        OSError: the page cannot be written.
    """
    if len(results) > 1 and isinstance(results[-1], (str, os.PathLike)):
        *results, path = results  # type: ignore[assignment]
    given = results[0] if len(results) == 1 else results
    if isinstance(given, Result) and given.verb != "run":
        page = given.page()
    else:
        page = Page(html(_recorded(given), title=title))
    if path is not None:
        page.save(path)
    return page


def _recorded(given: Any) -> list[Any]:
    """The runs that are drawn, as one that was given, several, or a dict of them."""
    from ..plot.runs import Run

    labelled = isinstance(given, Mapping) and "flows" not in given
    runs = list(given.values() if labelled else given if isinstance(given, (list, tuple)) else [given])
    if runs and not any(getattr(run, table, None) is not None for run in runs for table in RECORDED):
        runs = [getattr(run, "recorded", _refused)() for run in runs]
    return [Run.of(run, str(label)) for label, run in zip(given, runs, strict=True)] if labelled else runs


def _refused() -> None:
    raise ValueError(NOTHING)


can_be_called(__name__, called)
