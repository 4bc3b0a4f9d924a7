"""Many scenarios through the extension's threads, results in order."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from .. import _core

CHUNK = 128 * 1024
"""Scenarios are fed in pieces of about so many bytes."""


SIMULATOR, KERNEL, PROGRAMS = "simulator", "kernel", "programs"
"""What makes runs: the simulator, a kernel in virtual time, or kernels that run the scenarios' programs, which the user has allowed."""
ENGINES = (SIMULATOR, KERNEL, PROGRAMS)


def beginning(line: str, engine: str) -> dict[str, Any]:
    """What a scenario's summary has before it runs; of one with programs, whose streams are not known yet, its title alone."""
    if engine == PROGRAMS:
        return {"title": json.loads(_core.Programs(line).json())["title"]}
    summary: dict[str, Any] = json.loads(_core.Simulation(line).outcome().json(False))
    return summary


@dataclass(frozen=True)
class Runs:
    """Runs by their numbers."""

    numbers: Iterable[int]
    lines: Callable[[Sequence[int]], Iterable[str]]
    """The scenarios of some of them, a line each. It can be pickled: workers elsewhere make the scenarios themselves."""

    def numbered(self) -> Iterator[str]:
        """Each scenario behind its number."""
        numbers = iter(self.numbers)
        while some := list(islice(numbers, 512)):
            yield from (f"{number} {line}" for number, line in zip(some, self.lines(some), strict=True))


Workers = Callable[[Runs, Path], Iterator[list[bytes]]]
"""Who makes runs, with a journal: in the runs' order, for each its result, or its error and nothing else, once the journal has it."""


def on_threads(threads: int, engine: str = SIMULATOR) -> Workers:
    """The threads of this process."""
    return lambda runs, journal: batches(runs.numbered(), threads, journal, engine)


def batches(
    scenarios: Iterable[str], threads: int, journal: str | os.PathLike[str] | None = None, engine: str = SIMULATOR
) -> Iterator[list[bytes]]:
    """Result lines as they come, in order. Feeding waits for room, so it has its own thread.

    With a ``journal``, scenarios begin with a number, and each result is in that file before anybody sees it.
    """
    if engine != SIMULATOR:
        from .boots import batches as boots

        yield from boots(scenarios, threads, journal, programs=engine == PROGRAMS)
        return
    batch = _core.Batch(threads, journal=journal)
    trouble: list[BaseException] = []
    ended = threading.Event()

    def feed() -> None:
        try:
            piece: list[str] = []
            size = 0
            for scenario in scenarios:
                if ended.is_set():
                    return
                piece.append(scenario)
                size += len(scenario)
                if size >= CHUNK:
                    batch.feed(("\n".join(piece) + "\n").encode())
                    piece, size = [], 0
            if piece:
                batch.feed(("\n".join(piece) + "\n").encode())
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits for results
            trouble.append(error)
        finally:
            batch.close()

    feeder = threading.Thread(target=feed, daemon=True)
    try:
        feeder.start()
        while lines := batch.take():
            yield lines.splitlines()
    finally:
        ended.set()
        batch.stop()
        if feeder.ident is not None:
            feeder.join()
    if trouble:
        raise trouble[0]
