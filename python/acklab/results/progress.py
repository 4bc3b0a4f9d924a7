"""Progress and an estimate, on standard error, and only where that is a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..text.terminal import status

if TYPE_CHECKING:
    from .._core import Simulation

#: A run is shown once it has taken so many seconds, and then as often.
PATIENCE_S = 1.0


class Progress:
    """Counts what is done of what is planned."""

    def __init__(self, what: str, total: int, stream: object = None) -> None:
        self._what, self._total, self._done = what, total, 0
        self._start = time.monotonic()
        self._shown = 0.0
        self._watched = sys.stderr.isatty()

    def __call__(self, done: int) -> None:
        """So many more are done."""
        self._done += done
        now = time.monotonic()
        if self._watched and (now - self._shown > 0.1 or self._done >= self._total):
            self._shown = now
            self._show(now - self._start)

    def _show(self, spent: float) -> None:
        left = ""
        if self._done and self._done < self._total:
            left = f", {spent / self._done * (self._total - self._done):.0f} s left"
        status(f"{self._what}: {self._done:,} of {self._total:,} runs{left}")

    def close(self) -> None:
        """Clears the line."""
        if self._watched:
            status()


class Clock:
    """Shows how far one long piece of work is: what is ``told`` of its place and of the seconds that it took."""

    def __init__(self, told: Callable[[float, float], str] = "run: {:.4g} s simulated in {:.0f} s".format) -> None:
        self._start = self._shown = time.monotonic()
        self.watched, self._told = sys.stderr.isatty(), told

    def __call__(self, place: float) -> None:
        """The work has come to this place; of a run, to this instant."""
        now = time.monotonic()
        if self.watched and now - self._shown > PATIENCE_S:
            self._shown = now
            status(self._told(place, now - self._start))

    def close(self) -> None:
        """Clears the line."""
        if self.watched and self._shown > self._start:
            status()


def watched(simulation: Simulation) -> None:
    """Runs to the stop and shows how far it is, if progress is shown; else does nothing."""
    clock, step, until = Clock(), 1e-3, 0.0
    while clock.watched and not simulation.finished:
        began, until = time.monotonic(), until + step
        simulation.run_until(until)
        took = time.monotonic() - began
        step *= 2 if took < 0.1 else 0.5 if took > 0.5 else 1
        clock(simulation.now_s)
    clock.close()
