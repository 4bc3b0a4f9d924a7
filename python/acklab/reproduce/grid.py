"""Numbers over named axes: what a sweep gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


class Grid:
    """One array for each measured quantity; each has one dimension for each axis, in the axes' order.

    >>> grid = Grid({"queue": [8, 9]}, {"time_s": np.array([4.0, 3.0])})
    >>> float(grid.at(queue=9)["time_s"])
    3.0
    """

    def __init__(self, axes: Mapping[str, Sequence[Any]], columns: Mapping[str, Array]) -> None:
        self.axes = {name: list(values) for name, values in axes.items()}
        self.columns = dict(columns)

    def __getitem__(self, column: str) -> Array:
        return self.columns[column]

    def at(self, **chosen: Any) -> Grid:
        """A part: a single value drops its axis, a list keeps those values, a slice or predicate those it admits."""
        grid = self
        for name, choice in chosen.items():
            grid = grid._along(name, choice)
        return grid

    def _along(self, name: str, choice: Any) -> Grid:
        if name not in self.axes:
            raise KeyError(f"no axis {name!r}; there are {', '.join(self.axes)}")
        place, values = list(self.axes).index(name), self.axes[name]
        if callable(choice):
            choice = [value for value in values if choice(value)]
        if isinstance(choice, (list, tuple, range)):
            index = [values.index(value) for value in choice]
            axes = {**self.axes, name: list(choice)}
            return Grid(axes, {key: np.take(array, index, axis=place) for key, array in self.columns.items()})
        axes = {key: entry for key, entry in self.axes.items() if key != name}
        one = values.index(choice)
        return Grid(axes, {key: np.take(array, one, axis=place) for key, array in self.columns.items()})

    def frame(self) -> Any:
        """A long polars table: one column an axis, one a quantity."""
        import polars as pl

        mesh = np.meshgrid(*[np.arange(len(values)) for values in self.axes.values()], indexing="ij")
        columns: dict[str, Any] = {
            name: [values[i] for i in index.ravel()]
            for (name, values), index in zip(self.axes.items(), mesh, strict=True)
        }
        columns |= {name: array.ravel() for name, array in self.columns.items()}
        return pl.DataFrame(columns)

    def __repr__(self) -> str:
        axes = ", ".join(f"{name} ({len(values)})" for name, values in self.axes.items())
        return f"<Grid of {', '.join(self.columns)} over {axes}>"
