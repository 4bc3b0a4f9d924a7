"""A sweep from its plan to what it leaves behind."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from ...engines.batches import Workers, on_threads
from ...engines.journal import KEPT, Journal, packed
from ...results.directory import Folder, FolderError, results
from ...runs import cpu_count
from .design import Design
from .errors import SweepError
from .execute import Work
from .plan import Plan
from .result import Swept

#: Results whose names do not depend on the plan.
NAMES = ("flows.csv", "flows.parquet", "summary.csv", "summary.parquet", "sweep.html", "sweep.json", "plan.toml", KEPT)


class Meter(Protocol):
    """Shows the progress of a sweep."""

    def __call__(self, done: int) -> None:
        """So many more runs are done."""

    def close(self) -> None:
        """The runs are over."""


class Unwatched:
    """A meter that shows nothing."""

    def __call__(self, done: int) -> None:
        """Nothing."""

    def close(self) -> None:
        """Nothing."""


def sweep(
    plan: Plan,
    out: Path | None = None,
    *,
    design: Design | None = None,
    threads: int | None = None,
    workers: Workers | None = None,
    fresh: bool = False,
    meter: Callable[[int], Meter] = lambda total: Unwatched(),
) -> Swept:
    """Makes a plan's runs and, with ``out``, writes the tables, a page with charts, and every run's result.

    A run that an earlier attempt with the same plan, scenario and version left in ``out`` is not made again. The results
    are the same, to the byte, with any number of ``threads`` of this process and with ``workers``.

    Raises:
        SweepError: a point is not a valid scenario, or ``out`` holds another sweep; nothing was run.
        RunError: a run failed.
        OSError: something cannot be written.
    """
    design = Design(plan) if design is None else design
    design.check()
    with contextlib.ExitStack() as stack:
        holder = tempfile.TemporaryDirectory(prefix="acklab-sweep-") if out is None else None
        if holder is not None:
            stack.push(lambda kind, *_: holder.cleanup() if kind else None)
        where = out or Path(holder.name if holder is not None else "")
        identity = design.identity()
        try:
            folder = stack.enter_context(results(where, "sweep", NAMES))
            journal = stack.enter_context(contextlib.closing(Journal(folder, identity, fresh=fresh)))
            work, kept = Work(design, journal), len(journal)
            make(work, workers or on_threads(threads or cpu_count(), plan.engine), meter)
            return told(work, folder, kept, holder)
        except FolderError as error:
            raise SweepError(str(error)) from None


def make(work: Work, workers: Workers, meter: Callable[[int], Meter]) -> None:
    """Makes what is missing, and tells a meter.

    Raises:
        RunError: a run failed; what was done is kept.
        OSError: the journal cannot be written.
    """
    watched = meter(max(0, work.planned - len(work.journal)))
    try:
        work.run(workers, watched)
    finally:
        watched.close()


def told(work: Work, folder: Folder, done: int, holder: Any) -> Swept:
    """Writes what the runs of ``work`` told; ``done`` of them an earlier attempt had made."""
    from . import output, tables

    design = work.design
    page = holder is None
    about = {"seeds": design.plan.seeds.told(), "work": design.identity()}
    with folder.replacing(about) as scratch:
        with packed(scratch / KEPT) if page else contextlib.nullcontext() as kept:
            summary = tables.Teller(work).tell(scratch, kept)
        flows = (folder.path / "flows.parquet").absolute()
        swept = Swept(design.plan, design.title, work.planned, done, summary, flows, holder)
        if page:
            tables.write_summary(summary, design.plan, scratch)
            output.write(swept, design, scratch)
    work.journal.discard()
    return swept
