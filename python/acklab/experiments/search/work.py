"""A search's runs from its plan to its directory; an interrupted search continues from the runs that are kept there."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from ...engines.batches import Workers, on_threads
from ...engines.journal import KEPT, Journal, packed
from ...engines.line import record
from ...results.directory import results
from ...runs import cpu_count
from ..sweep.run import Meter, Unwatched
from .trials import Bench, Runs

T = TypeVar("T")


@dataclass(frozen=True)
class Work:
    """The work of a command: its output files, its identity, its number of runs."""

    verb: str
    names: Sequence[str]
    """Its results, beside the kept runs."""
    identity: Mapping[str, str]
    """Runs that are kept there for other work are an error."""
    most: int
    """Runs at most, for the progress."""
    stamp: Mapping[str, Any]
    """The entry about the work in the directory's marker."""


@dataclass(frozen=True)
class Means:
    """How runs are executed: in parallel, by which workers, with or without kept runs."""

    threads: int | None = None
    """How many at once; one a processor if None."""
    workers: Workers | None = None
    """The workers of the runs; threads of this process if None."""
    fresh: bool = False
    """Whether kept runs are discarded."""
    meter: Callable[[int], Meter] = lambda total: Unwatched()


def carry_out(
    work: Work,
    bench: Bench,
    out: Path | None,
    means: Means,
    judge: Callable[[Runs], T],
    write: Callable[[T, Path], None],
) -> T:
    """The result of ``judge``; with ``out`` written there, with all the runs.

    Raises:
        FolderError: ``out`` holds other work.
        RunError: a run failed.
        OSError: something cannot be written.
    """
    with contextlib.ExitStack() as stack:
        where = out or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix=f"acklab-{work.verb}-")))
        folder = stack.enter_context(results(where, work.verb, (*work.names, KEPT)))
        journal = stack.enter_context(contextlib.closing(Journal(folder, work.identity, fresh=means.fresh)))
        watched = stack.enter_context(contextlib.closing(means.meter(work.most)))
        runs = Runs(bench, journal, means.workers or on_threads(means.threads or cpu_count()), watched)
        told = judge(runs)
        watched.close()
        if out is not None:
            with folder.replacing({**work.stamp, "work": work.identity}) as scratch:
                with packed(scratch / KEPT) as kept:
                    kept.writelines(record(number, result) for number, result in runs.records())
                write(told, scratch)
            journal.discard()
        return told
