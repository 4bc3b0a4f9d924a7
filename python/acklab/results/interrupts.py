"""SIGINT and SIGTERM as requests to stop: no request is lost, and the second one does not wait.

The handler of a signal raises an exception wherever the main thread is. That may be where exceptions are swallowed (a
finalizer, a library that catches everything), so the command raises it again until :class:`Stop` has received it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType, TracebackType
from typing import Any, NoReturn, TypeVar

from .starting import STOPPING, is_default, leave

T = TypeVar("T")
#: Time after which a request to stop without an answer is made again, in seconds.
AGAIN_S = 0.5
_ALARM = getattr(signal, "SIGALRM", None)
#: A library that panics aloud when an exception comes while it is imported, and the time after which the request is made then.
FRAGILE, SOON_S = "polars", 0.02
#: How long a thread of :func:`in_thread` is waited for once it is to end, in seconds.
GRACE_S = 1.0


class Stopped(KeyboardInterrupt):
    """The command has been asked to stop."""


class Stop:
    """Raises :class:`Stopped` in its block when a signal asks for it; ``status`` is then the exit status, else None."""

    def __init__(self) -> None:
        self.status: int | None = None
        self._before: dict[int, Any] = {}
        self._hook = sys.unraisablehook

    def __enter__(self) -> Stop:
        if threading.current_thread() is threading.main_thread():
            for number in filter(is_default, STOPPING):
                self._before[number] = signal.getsignal(number)
                signal.signal(number, self._asked)
            if self._before and _ALARM is not None:
                self._before[_ALARM] = signal.signal(_ALARM, self._ask)
            sys.unraisablehook = self._unraisable
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.received()
        sys.unraisablehook = self._hook
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def received(self) -> None:
        """The request need not be made again."""
        if _ALARM in self._before:
            signal.signal(_ALARM, signal.SIG_IGN)
            signal.setitimer(signal.ITIMER_REAL, 0)

    def _asked(self, number: int, frame: FrameType | None) -> None:
        if self.status is not None:
            leave(number, frame)
        self.status = 128 + number
        self._ask()

    def _ask(self, *_: object) -> None:
        if _ALARM in self._before:
            wait = _is_loading(FRAGILE)
            signal.setitimer(signal.ITIMER_REAL, SOON_S if wait else AGAIN_S)
            if wait:
                return
        raise Stopped

    def _unraisable(self, found: Any) -> None:
        if not issubclass(found.exc_type, Stopped):  # which comes again
            self._hook(found)


def _is_loading(name: str) -> bool:
    """True while the module is imported."""
    return bool(getattr(getattr(sys.modules.get(name), "__spec__", None), "_initializing", False))


@contextlib.contextmanager
def deferred() -> Iterator[None]:
    """Lets signals wait until the block is done, which is to take milliseconds."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before: dict[int, Any] = {}
    try:
        for number in (*STOPPING, *([_ALARM] if _ALARM is not None else [])):
            handler = signal.getsignal(number)
            if callable(handler) or (number != _ALARM and handler == signal.SIG_DFL):
                before[number] = handler
                signal.signal(number, lambda number, _frame: came.append(number))
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in came:
            signal.raise_signal(number)


def in_thread(work: Callable[[], T], end: Callable[[], object] = lambda: None) -> T:
    """What ``work`` returns, done in a thread, so that an interrupt need not wait: it calls ``end``, which asks the work to end.

    Work that does not end then is left behind (:func:`leave_behind`).
    """
    done: list[T] = []
    failed: list[BaseException] = []

    def attempt() -> None:
        try:
            done.append(work())
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=attempt, daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(timeout=0.1)
    except BaseException:
        end()
        thread.join(timeout=GRACE_S)
        raise
    if failed:
        raise failed[0]
    return done[0]


def leave_behind(status: int) -> NoReturn:
    """Ends the process of an interrupted command at once.

    Threads may still work, and no one will read the result. Python's end would wait for them, or take the interpreter from under them.
    """
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(status)
