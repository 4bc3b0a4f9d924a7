"""Experiments of Tables 1 and 4, and median page delays by the initial window beside the printed ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ...figures.charts import Axis, Line, Panel
from ...reproduce.grid import Grid


def experiments(grid: Grid, least_ftps: int = 0) -> list[tuple[int, int]]:
    """Numbers of web clients and of file transfers, the latter at least so many."""
    return [(webs, ftps) for webs in grid.axes["webs"] for ftps in grid.axes["ftps"] if ftps >= least_ftps]


def printed(row: Sequence[float], windows: Sequence[int]) -> list[float]:
    """Delays in s, of a row with the delay of a window of one and the decreases of two to four in percent."""
    one, *less = row
    return [one * (1 - (0.0, *less)[window - 1] / 100) for window in windows]


def by_window(
    grid: Grid, table: Mapping[tuple[int, int], Sequence[float]], delay: Callable[[int, int, int], float]
) -> list[Panel]:
    """A panel for each number of web clients, with a curve and its printed values for each number of transfers."""
    windows, panels = list(grid.axes["window"]), []
    for webs in grid.axes["webs"]:
        lines = []
        for ftps, colour in zip(grid.axes["ftps"], ("blue", "orange", "sky", "green"), strict=False):
            lines.append(
                Line(
                    f"{ftps} transfers", windows, [delay(webs, ftps, window) for window in windows], colour, marker="o"
                )
            )
            lines.append(
                Line(
                    f"{ftps} transfers, printed",
                    windows,
                    printed(table[webs, ftps], windows),
                    colour,
                    dash=":",
                    marker="s",
                )
            )
        panels.append(
            Panel(
                f"{webs} web clients",
                Axis("initial window", ticks=windows),
                Axis("median page delay (s)", low=0),
                lines,
            )
        )
    return panels
