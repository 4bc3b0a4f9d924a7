"""Numbers over named axes: what a sweep gives."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
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


_VALUE = rb"([^,}\]]+)"
_WORDS = {b"null": math.nan, b"true": 1.0, b"false": 0.0}


class OneFlow:
    """Numbers of a run's only flow and of one of its link directions."""

    def __init__(self, flow: Sequence[str], link: Sequence[str] = (), where: tuple[str, str] = ("G", "R")) -> None:
        self.flow, self.link, self.where = tuple(flow), tuple(link), where
        self.names = (*self.flow, *self.link)
        self._pattern: re.Pattern[bytes] | None = None
        self._order: list[int] = []

    def __call__(self, line: bytes) -> tuple[float, ...]:
        if self._pattern is None:
            self._learn(line)
        assert self._pattern is not None
        match = self._pattern.search(line)
        if match is None:
            raise ValueError(f"a result without {', '.join(self.names)}: {line[:200]!r}")
        found = [_WORDS[v] if v in _WORDS else float(v) for v in match.groups()]
        return tuple([found[i] for i in self._order])

    def _learn(self, line: bytes) -> None:
        result = json.loads(line)
        flow = result["flows"][0]
        # A path that is not asked about need not have the link.
        link = next(l for l in result["links"] if (l["from"], l["to"]) == self.where) if self.link else {}
        keys = [k for k in flow if k in self.flow], [k for k in link if k in self.link]
        head = rb'"from":"%s","to":"%s"' % (self.where[0].encode(), self.where[1].encode())
        patterns = [b'"flows":'] + [_key(k) for k in keys[0]] + ([b'"links":', head] if keys[1] else [])
        self._pattern = re.compile(b".*?".join(patterns + [_key(k) for k in keys[1]]))
        learnt = [*keys[0], *keys[1]]
        self._order = [learnt.index(name) for name in self.names]
        expected = [_number(flow[k]) for k in self.flow] + [_number(link[k]) for k in self.link]
        _agree(expected, self(line), self.names)


class ManyFlows:
    """Numbers reduced from columns over all flows of a run and from one link direction."""

    def __init__(
        self,
        names: Sequence[str],
        flow: Sequence[str],
        link: Sequence[str],
        reduce: Callable[[dict[str, Array]], Sequence[float]],
        where: tuple[str, str] = ("G", "R"),
    ) -> None:
        self.names, self.flow, self.reduce = tuple(names), tuple(flow), reduce
        self._link = OneFlow((), link, where)
        self._keys: list[bytes] = []
        """A flow's keys as they stand on the line, in order; learnt from the first line."""

    def __call__(self, line: bytes) -> tuple[float, ...]:
        flows, links = line.split(b'"links":', 1)
        if not self._keys:
            parsed = json.loads(line)["flows"]
            self._keys = [b'"%s":' % key.encode() for key in parsed[0]]
            columns = self._columns(flows)
            for name, column in columns.items():
                _agree([_number(flow[name]) for flow in parsed], list(column), (name,) * len(parsed))
            self._link(line)  # learns from a whole line
        else:
            columns = self._columns(flows)
        link = self._link(b'"flows":"links":' + links)
        columns |= {name: np.array([value]) for name, value in zip(self._link.names, link, strict=True)}
        return tuple(float(value) for value in self.reduce(columns))

    def _columns(self, flows: bytes) -> dict[str, Array]:
        """The columns asked for. Every flow has the same keys, and its name is its only text. So it is enough to cut at commas.
        If a name has a comma, the pieces do not match the keys, and a pattern finds the values."""
        fields, each = flows.split(b'"flows":[', 1)[1].split(b","), len(self._keys)
        count = len(fields) // each
        columns = {}
        for name in self.flow:
            key = b'"%s":' % name.encode()
            place = self._keys.index(key)
            found = fields[place : count * each : each]
            texts = [text[len(key) :].rstrip(b"}]") for text in found if text.startswith(key)]
            if len(texts) < count or (len(fields) - 1) % each:
                texts = re.findall(_key(name), flows)
            columns[name] = _column(texts)
        return columns


def _key(name: str) -> bytes:
    return b'"' + name.encode() + b'":' + _VALUE


def _column(texts: list[bytes]) -> Array:
    if b"null" in texts:
        texts = [b"nan" if text == b"null" else text for text in texts]
    return np.array(texts, dtype="S24").astype(np.float64)


def _number(value: Any) -> float:
    return math.nan if value is None else float(value)


def _agree(expected: Sequence[float], found: Sequence[float], names: Sequence[str]) -> None:
    if len(expected) != len(found):
        raise ValueError(f"{names[0] if names else '?'}: {len(found)} values read, {len(expected)} there")
    for want, got, name in zip(expected, found, names, strict=True):
        if want != got and not (math.isnan(want) and math.isnan(got)):
            raise ValueError(f"{name}: read {got}, is {want}")
