"""Progress and an estimate, on standard error, and only where somebody watches."""

from __future__ import annotations

import sys
import time

from ._terminal import status


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
