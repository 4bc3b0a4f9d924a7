"""Running planned scenarios: every different one once, in parallel; with a journal, what is read of each is kept on disk."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from hashlib import blake2b
from typing import Any

from .. import _core
from ..engines.journal import Journal, batches
from ..runs import cpu_count
from .experiments import Failed, Reader, Warm

Tick = Callable[[int], None]
Batches = Callable[[Iterable[str]], Iterator[list[bytes]]]
"""Who makes runs: takes scenarios, and gives their results in order."""
Key = bytes
"""What stands for a scenario's text; texts of many flows are long."""


def _key(scenario: str) -> Key:
    return blake2b(scenario.encode(), digest_size=16).digest()


class Lines:
    """Results by scenario and reader. Scenarios with the same text are one run, even if several experiments ask for them."""

    def __init__(
        self, threads: int | None = None, journal: Journal | None = None, name: str = "", by: Batches | None = None
    ) -> None:
        """With a ``journal``, numbers that it has under ``name`` are not measured again."""
        self._threads = threads or cpu_count()
        self._by = by or partial(batches, threads=self._threads)
        self._journal, self._name = journal, name
        self._readers: dict[int, int] = {}
        self._found: dict[tuple[Key, int], tuple[float, ...] | Failed] = {}
        self._wanted: dict[str, list[Reader]] = {}
        self._branches: dict[Warm, dict[str, list[Reader]]] = {}
        self.runs = 0

    def ask(self, scenario: str, reader: Reader, warm: Warm | None = None) -> Key:
        """Plans a run, unless its result is known; ``warm`` is the warm-up it shares with others. Gives what :meth:`found` takes."""
        key = _key(scenario)
        if (key, id(reader)) not in self._found:
            wanted = self._wanted if warm is None else self._branches.setdefault(warm, {})
            readers = wanted.setdefault(scenario, [])
            if not any(one is reader for one in readers):
                readers.append(reader)
        return key

    def found(self, key: Key, reader: Reader) -> tuple[float, ...] | Failed:
        """The numbers of a run."""
        return self._found[key, id(reader)]

    def answer(self, scenario: str, reader: Reader) -> tuple[float, ...] | Failed:
        """The same by the scenario."""
        return self.found(_key(scenario), reader)

    @property
    def planned(self) -> int:
        """Runs asked for and not yet made."""
        return len(self._wanted) + sum(map(len, self._branches.values()))

    def run(self, tick: Tick = lambda done: None) -> None:
        """Makes every planned run."""
        wanted, self._wanted = self._missing(self._wanted, tick), {}
        pairs = iter(wanted.items())
        for lines in self._by(wanted) if wanted else ():
            self._keep(lines, pairs, tick)
        self._branch(tick)

    def _missing(self, wanted: dict[str, list[Reader]], tick: Tick) -> dict[str, list[Reader]]:
        """The runs that the journal does not have; the numbers of the others are taken from there."""
        missing = {}
        for scenario, readers in wanted.items():
            key = _key(scenario)
            numbers = [self._number(key, reader) for reader in readers]
            if self._journal is not None and all(number in self._journal for number in numbers):
                for reader, number in zip(readers, numbers, strict=True):
                    self._found[key, id(reader)] = tuple(json.loads(self._journal.line(number)))
            else:
                missing[scenario] = readers
        self.runs += len(wanted) - len(missing)
        tick(len(wanted) - len(missing))
        return missing

    def _number(self, key: Key, reader: Reader) -> int:
        """What the journal calls a reader's numbers of a scenario; readers are counted as they come, the same every time."""
        place = self._readers.setdefault(id(reader), len(self._readers))
        return int.from_bytes(blake2b(f"{self._name} {place} ".encode() + key, digest_size=7).digest(), "big")

    def _keep(self, lines: list[bytes], pairs: Iterable[tuple[str, list[Reader]]], tick: Tick) -> None:
        """What each of the readers makes of the results; an error is not kept in the journal."""
        records = []
        for line, (scenario, readers) in zip(lines, pairs, strict=False):
            key = _key(scenario)
            for reader in readers:
                found = self._found[key, id(reader)] = _read(line, reader)
                if self._journal is not None and not isinstance(found, Failed):
                    records.append((self._number(key, reader), json.dumps(found).encode()))
        if self._journal is not None:
            self._journal.append(records)
        self.runs += len(lines)
        tick(len(lines))

    def _branch(self, tick: Tick) -> None:
        """Makes the runs that share warm-ups, a warm-up at a time."""
        wanted, self._branches = {warm: self._missing(group, tick) for warm, group in self._branches.items()}, {}
        with ThreadPoolExecutor(self._threads) as pool:
            for group, lines in zip(wanted.values(), pool.map(_warmed, wanted, wanted.values()), strict=True):
                self._keep(lines, group.items(), tick)


def _warmed(warm: Warm, scenarios: Iterable[str]) -> list[bytes]:
    """The state at the end of the warm-up, a line break, and the result, of each branch."""
    simulation: _core.Simulation | None = None
    start, lines = b"", []
    for scenario in scenarios:
        try:
            if simulation is None:
                simulation = _core.Simulation(scenario)
                simulation.run_until(warm.until_s)
                start = simulation.outcome().json(False).encode()
            lines.append(start + b"\n" + simulation.branch(scenario).run().json(False).encode())
        except (_core.ScenarioError, _core.RunError) as error:
            lines.append(json.dumps({"error": str(error)}, separators=(",", ":")).encode())
    return lines


def _read(line: bytes, reader: Reader) -> tuple[float, ...] | Failed:
    if line.startswith(b'{"error"'):
        return Failed("", str(json.loads(line)["error"]))
    return reader(line)


def trace(
    cells: Mapping[Hashable, str],
    read: Callable[[Any], Any],
    tick: Tick = lambda done: None,
    threads: int | None = None,
) -> dict[Hashable, Any] | Failed:
    """Runs recorded scenarios and reduces each as soon as it is there; only the reductions are kept."""

    def one(scenario: str) -> Any:
        try:
            result = _core.Simulation(scenario).run()
        except (_core.ScenarioError, _core.RunError) as error:
            return Failed("", str(error))
        return read(result)

    found: dict[Hashable, Any] = {}
    pool = ThreadPoolExecutor(threads or cpu_count())
    try:
        for key, reduced in zip(cells, pool.map(one, cells.values()), strict=True):
            if isinstance(reduced, Failed):
                return reduced
            found[key] = reduced
            tick(1)
    finally:
        pool.shutdown(cancel_futures=True)  # an interrupt does not wait for the runs that are still planned
    return found
