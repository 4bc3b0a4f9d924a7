"""The downloads that several sections share."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from ...reproduce.experiments import Branches, Warm
from ...reproduce.grid import Array, Grid, ManyFlows
from ...study.intervals import Sample, jackknife
from .setting import FLOWS, HIGH, LOW, PAPERS, POLICIES, REFERENCES, Client, Path, download

MOST_SEEDS = 60
"""J = 64 needs about so many."""
QUICK_FLOWS = (2, 32)
NEVER_S = 2000.0
"""The time of a download that was given up."""


class Read:
    """A download's numbers: from the state at the end of the warm-up, and from the result."""

    names = ("time_s", "retransmits", "timeouts", "acks", "background_bps")

    def __init__(self) -> None:
        self._end = ManyFlows(
            ("start_s", *self.names[:-1], "background_bytes"),
            ("start_s", "finished_s", "retransmits", "timeouts", "acks_sent", "bytes"),
            (),
            _download,
        )
        self._start = ManyFlows(("background_bytes",), ("bytes",), (), lambda columns: (columns["bytes"][1:].sum(),))
        self._before = lru_cache(maxsize=8)(self._start)

    def __call__(self, line: bytes) -> tuple[float, ...]:
        warm, result = line.split(b"\n")
        start, *own, after = self._end(result)
        lasted = float(_END.search(result)[1]) - start  # type: ignore[index]
        return (*own, 8 * (after - self._before(warm)[0]) / lasted)


_END = re.compile(rb'"end_s":([^,}]+)')


def _download(columns: dict[str, Array]) -> tuple[float, ...]:
    """The client's start, time and counts, and the bytes of the others."""
    start, end, *counts = (
        columns[name][0] for name in ("start_s", "finished_s", "retransmits", "timeouts", "acks_sent")
    )
    taken = NEVER_S if np.isnan(end) else end - start
    return (start, taken, *counts, columns["bytes"][1:].sum())


READ = Read()


def downloads(
    name: str,
    about: str,
    axes: dict[str, Sequence[Any]],
    client: Callable[..., Client],
    path: Callable[..., Path] = lambda **_: PAPERS,
    quick: dict[str, Sequence[Any]] | None = None,
    most_seeds: int = MOST_SEEDS,
    rounds: tuple[int, ...] = (),
) -> Branches:
    """Downloads over the axes; ``client`` and ``path`` make of a cell who downloads and through what."""

    def scenario(**cell: Any) -> str:
        return download(client(**cell), cell["flows"], cell["seed"], path(**cell))

    def warm(**cell: Any) -> Warm:
        way = path(**cell)
        return Warm((cell["flows"], cell["seed"], replace(way, file_bytes=0)), way.warm_s)

    fewer = {"flows": [j for j in QUICK_FLOWS if j in axes["flows"]] or axes["flows"], **(quick or {})}
    return Branches(name, about, axes, scenario, READ, fewer, most_seeds, rounds, warm)


EVERYONE = (*REFERENCES, *POLICIES)

FIGURE_6 = downloads(
    "divack 10 Mb/s",
    "1.5 MB through 10 Mb/s, each policy",
    {"policy": EVERYONE, "flows": FLOWS},
    lambda policy, **_: Client(policy),
)

HIGH_CONGESTION = downloads(
    "divack high congestion",
    "the same among 64 and 128 flows, where a timeout or two decide how long a download takes: more seeds",
    {"policy": EVERYONE, "flows": HIGH},
    lambda policy, **_: Client(policy),
    rounds=(10, 260),
)
"""Some 200 seeds settle the last of the sixteen ratios; looks in between would only cost error."""


def times(grid: Grid, **cell: Any) -> Sample:
    """A download's time, one for each seed."""
    return Sample.of(grid.at(**cell)["time_s"].tolist())


def ratio(grid: Grid, over: Grid | None = None, **cells: Any) -> Sample:
    """Mean time over mean time, of ``policy`` over ``reference``, averaged over ``flows``: one pseudo-value a seed."""
    return _averaged(lambda ratios: ratios, grid, over, **cells)


def distance(grid: Grid, over: Grid | None = None, **cells: Any) -> Sample:
    """How far that ratio is from 1, averaged over ``flows``: what is longer with some and shorter with others does not cancel."""
    return _averaged(lambda ratios: np.abs(ratios - 1), grid, over, **cells)


def _averaged(read: Callable[[Array], Array], grid: Grid, over: Grid | None, **cells: Any) -> Sample:
    flows = cells["flows"] if isinstance(cells["flows"], (list, tuple)) else [cells["flows"]]
    rest = {key: cell for key, cell in cells.items() if key not in ("flows", "policy", "reference")}
    upper = np.array([grid.at(policy=cells["policy"], flows=j, **rest)["time_s"] for j in flows])
    below = over or grid
    kept = {key: cell for key, cell in rest.items() if key in below.axes}
    lower = np.array([below.at(policy=cells["reference"], flows=j, **kept)["time_s"] for j in flows])

    def statistic(seeds: list[int]) -> float:
        return float(read(upper[:, seeds].mean(axis=1) / lower[:, seeds].mean(axis=1)).mean())

    return jackknife(upper.shape[1], statistic)


def typical(grid: Grid, policy: str, reference: str, flows: int) -> Sample:
    """The ratio of geometric means, seed by seed: what a download usually takes, not what the slowest of them do."""
    logs = [np.log(grid.at(policy=p, flows=flows)["time_s"]) for p in (policy, reference)]
    apart = logs[0] - logs[1]
    return jackknife(len(apart), lambda seeds: float(np.exp(apart[seeds].mean())))


def gain(grid: Grid, over: Grid | None = None, **cells: Any) -> Sample:
    """How much less time than the reference, in percent."""
    return Sample.of([100 * (1 - value) for value in ratio(grid, over, **cells).values])


def low(grid: Grid) -> list[int]:
    """The numbers of background flows up to 32."""
    return [j for j in grid.axes["flows"] if j in LOW]


def high(grid: Grid) -> list[int]:
    """Those from 64 on."""
    return [j for j in grid.axes["flows"] if j not in LOW]
