"""Tables 4 and 5: pages on one connection each (HTTP/1.1), beside file transfers."""

from __future__ import annotations

import re
from statistics import median

from ...figures.charts import Lines
from ...figures.stats import Sample
from ...reproduce.experiments import Replications
from ...reproduce.grid import Grid
from ...reproduce.measure import Measurement
from ...reproduce.paper import Compared, Drawn
from ..later import sample
from .curves import by_window, experiments, printed
from .lines import every, flow
from .registry import PAPER
from .setting import DELAY_S, DELAYS, FTPS, POWER, WEBS, WINDOWS, browsing

UNKNOWN = "the sizes of pages, on which the number of round trips depends, are not printed; no other sizes than the inferred ones were tried"


_FLOW = re.compile(rb'"name":"(web|ftp)[^"]*"' + flow("completed", "last_data_s", "bytes"))
"""A flow of a result line."""


class Read:
    """Median delays of pages and of files, and what the file transfers have carried."""

    names = ("page_s", "power")

    def __call__(self, line: bytes) -> tuple[float, ...]:
        """A page's delay includes the time in which its request reaches the server. Power is in Mbytes/s."""
        took: dict[bytes, list[float]] = {b"web": [], b"ftp": []}
        carried = 0
        for kind, completed, last_data_s, count in every(_FLOW, line):
            if completed == b"true":
                took[kind].append(float(last_data_s) + DELAY_S)
            if kind == b"ftp":
                carried += int(count)
        return median(took[b"web"]), 1e-6 * carried / median(took[b"ftp"]) if took[b"ftp"] else 0.0


RUNS = Replications(
    "initial windows",
    "web clients and file transfers by the initial window",
    {"webs": WEBS, "ftps": FTPS, "window": WINDOWS},
    browsing,
    Read(),
    {"webs": (8, 32), "ftps": (0, 2), "window": (1, 3)},
    rounds=(10, 30),
)


def _page(grid: Grid, webs: int, ftps: int, window: int) -> Sample:
    return sample(grid, "page_s", webs=webs, ftps=ftps, window=window)


def _less(grid: Grid, webs: int, ftps: int, window: int) -> Sample:
    """How much shorter a page is than with a window of one, percent: one value a seed."""
    one, many = _page(grid, webs, ftps, 1).values, _page(grid, webs, ftps, window).values
    return Sample(tuple(100 * (1 - after / before) for before, after in zip(one, many, strict=True)))


def _larger(grid: Grid) -> list[int]:
    return [window for window in grid.axes["window"] if window > 1]


@PAPER.claim("table4.one", RUNS)
def delays_with_one(grid: Grid) -> Measurement:
    return Measurement(
        {"ratio": {f"{w}/{f}": _page(grid, w, f, 1).over(DELAYS[w, f][0]) for w, f in experiments(grid)}}, UNKNOWN
    )


@PAPER.claim("table4.decrease", RUNS)
def decreases(grid: Grid) -> Measurement:
    found = {}
    for webs, ftps in experiments(grid):
        for window in _larger(grid):
            printed = DELAYS[webs, ftps][window - 1]
            found[f"{webs}/{ftps}, {window}"] = Sample(
                tuple(value - printed for value in _less(grid, webs, ftps, window).values)
            )
    return Measurement({"decrease": found}, UNKNOWN)


@PAPER.claim("table4.three", RUNS)
def three_is_better(grid: Grid) -> Measurement:
    return Measurement({"decrease": {f"{w}/{f}": _less(grid, w, f, 3) for w, f in experiments(grid)}})


@PAPER.claim("table5.power", RUNS)
def power_of_transfers(grid: Grid) -> Measurement:
    return Measurement(
        {
            "ratio": {
                f"{w}/{f}, {window}": sample(grid, "power", webs=w, ftps=f, window=window).over(POWER[w, f][window - 1])
                for w, f in experiments(grid, 1)
                for window in grid.axes["window"]
            }
        }
    )


@PAPER.figure("pages", "Table 4", "Median page delay by the initial window", "pages", [RUNS])
def pages(grid: Grid) -> Drawn:
    windows = grid.axes["window"]
    panels = by_window(grid, DELAYS, lambda *cell: _page(grid, *cell).value)
    compared = [
        Compared(f"{w}/{f}, {window}: page, s", f"{before:.2f}", f"{_page(grid, w, f, window).value:.2f}")
        for w, f in experiments(grid)
        for window, before in zip(windows, printed(DELAYS[w, f], windows), strict=True)
    ]
    compared += [
        Compared(
            f"{w}/{f}, {window}: power, Mbytes/s",
            f"{POWER[w, f][window - 1]:g}",
            f"{sample(grid, 'power', webs=w, ftps=f, window=window).value:.1f}",
        )
        for w, f in experiments(grid, 1)
        for window in windows
    ]
    return Drawn(
        [Lines("pages", "Pages over HTTP/1.1; printed values dotted", panels)],
        {"pages": grid.frame()},
        compared,
        "The sizes of the files are not printed. They are inferred from Table 2's utilisation of 34 %, before any run.",
        browsing(8, 1, 3, 1),
    )
