"""Experiments: groups of scenarios and what is read from their runs.

* a :class:`Sweep` runs every combination of its axes and gives a :class:`~acklab.reproduce.grid.Grid`;
* :class:`Replications` are a sweep repeated with several seeds, more of them until the claims on it are settled;
* :class:`Branches` are replications of which many share a warm-up, which is simulated once and cloned;
* :class:`Traces` are few runs recorded packet by packet, each reduced to what a claim needs.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any, Protocol, TypeVar

import numpy as np

from .grid import Grid
from .stopping import ONCE, Look, ladder, spending

Axes = Mapping[str, Sequence[Any]]
QUICK_REPETITIONS = 6
"""The fewest of which all can show that something holds in most."""


class Reader(Protocol):
    """Reads some numbers from a result line."""

    @property
    def names(self) -> Sequence[str]:
        """What the numbers are."""

    def __call__(self, line: bytes) -> tuple[float, ...]:
        """The numbers."""


@dataclass(frozen=True)
class Effort:
    """How much is run: everything, or a quick look."""

    quick: bool = False
    seeds: tuple[int, ...] = ladder(50)
    """With how many seeds a claim is looked at, until a look settles it (:mod:`.stopping`)."""
    sets: tuple[str, ...] = ()
    """``KEY=VALUE`` texts set in every run: what is made then is not the paper."""

    @property
    def repetitions(self) -> tuple[int, ...]:
        """The same of nudged repetitions (:mod:`.nudge`); fewer in a quick look."""
        return (min(self.seeds[0], QUICK_REPETITIONS),) if self.quick else self.seeds

    def at_most(self, seeds: int) -> Effort:
        """The same with another cap; a quick look remains the only one."""
        return replace(self, seeds=(seeds,) if self.quick else ladder(seeds))


@dataclass(frozen=True, eq=False)
class Sweep:
    """Every combination of the axes' values, once."""

    name: str
    about: str
    axes: Axes
    scenario: Callable[..., str]
    read: Reader
    quick: Axes = field(default_factory=dict)
    """Axes with fewer values for a quick look."""

    def chosen(self, effort: Effort) -> Axes:
        """The axes that are run."""
        return {**self.axes, **self.quick} if effort.quick else self.axes

    def scenarios(self, axes: Axes) -> Iterator[str]:
        """One line of JSON a run, the last axis fastest."""
        names = tuple(axes)
        return (self.scenario(**dict(zip(names, cell, strict=True))) for cell in product(*axes.values()))

    def grid(self, axes: Axes, rows: Sequence[tuple[float, ...]]) -> Grid:
        """The results as arrays."""
        shape = [len(values) for values in axes.values()]
        table = np.array(rows, dtype=np.float64).reshape((*shape, len(self.read.names)))
        return Grid(axes, {name: table[..., i] for i, name in enumerate(self.read.names)})


S = TypeVar("S", bound=Sweep)


def only(of: S, **axes: Sequence[Any]) -> S:
    """Some values of some axes of a sweep: what a claim reads of it, so that its seeds or repetitions make no other runs.

    Runs that the whole sweep has, too, are made once. In a quick look an axis has the values that both allow.
    """
    quick = {
        name: tuple(value for value in values if value in axes.get(name, values)) for name, values in of.quick.items()
    }
    return replace(of, axes={**of.axes, **axes}, quick=quick)


@dataclass(frozen=True, eq=False)
class Replications(Sweep):
    """A sweep repeated with seeds 1, 2, ...; the grid's last axis is the seed. ``scenario`` takes ``seed`` too."""

    most_seeds: int | None = None
    """More or fewer than the usual cap of a full run."""
    rounds: tuple[int, ...] = ()
    """Numbers of seeds to look at in a usual full run, in place of :func:`.stopping.ladder`'s."""

    def seeds(self, effort: Effort) -> tuple[int, ...]:
        """The numbers of seeds that are looked at, each larger than the one before."""
        if effort == Effort():
            return self.rounds or ladder(self.most_seeds or effort.seeds[-1])
        return tuple(dict.fromkeys(min(count, self.most_seeds or count) for count in effort.seeds))

    def with_seeds(self, axes: Axes, seeds: int) -> Axes:
        """The axes and the seeds."""
        return {**axes, "seed": range(1, seeds + 1)}


@dataclass(frozen=True)
class Warm:
    """A warm-up that several runs share."""

    key: Hashable
    """Equal for runs whose scenarios differ only in the rules and fixed sizes of flows that begin later."""
    until_s: float


@dataclass(frozen=True, eq=False)
class Branches(Replications):
    """Replications whose warm-up is simulated once and cloned; exactly as if each were run from its beginning.

    The reader is given two lines: what the simulation told at the end of the warm-up, and the result.
    """

    warm: Callable[..., Warm] = field(default=lambda **_: Warm(None, 0.0))
    """The warm-up of a cell."""

    def warmups(self, axes: Axes) -> Iterator[Warm]:
        """The warm-up of each of :meth:`scenarios`."""
        names = tuple(axes)
        return (self.warm(**dict(zip(names, cell, strict=True))) for cell in product(*axes.values()))


@dataclass(frozen=True, eq=False)
class Traces:
    """Recorded runs by key; ``read`` makes of each a small object."""

    name: str
    about: str
    cells: Callable[[Effort], Mapping[Hashable, str]]
    read: Callable[[Any], Any]


Experiment = Sweep | Traces


def looks(experiments: Iterable[Experiment], effort: Effort, nudged: bool = False) -> tuple[Look, ...]:
    """The looks of a claim on these experiments: at each number of seeds of any of them that all of them can have.

    What is ``nudged`` has as many repetitions as a claim has seeds otherwise.
    """
    rounds = [one.seeds(effort) for one in experiments if isinstance(one, Replications)] + [effort.repetitions] * nudged
    if not rounds:
        return (ONCE,)
    most = min(counts[-1] for counts in rounds)
    return spending(sorted({count for counts in rounds for count in counts if count < most} | {most}))


@dataclass(frozen=True)
class Failed:
    """An experiment that could not be run, and what the simulator said."""

    experiment: str
    why: str


def records(scenario: str, *tables: str) -> str:
    """The same scenario with tables recorded."""
    wanted = ",".join(f'"{table}":true' for table in tables)
    return scenario[:-1] + f',"record":{{{wanted}}}}}'
