"""SIGINT and SIGTERM as requests to stop: none is lost, the second one does not wait.

The handler of a signal raises an exception wherever the main thread is. That may be where exceptions are swallowed (a
finalizer, a library that catches everything), so the command raises it again until :class:`Stop` has received it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType, TracebackType
from typing import Any, NoReturn

STOPPING = (signal.SIGINT, signal.SIGTERM)
#: Time after which a request that nobody has answered is made again, in seconds.
AGAIN_S = 0.5
_ALARM = getattr(signal, "SIGALRM", None)


class Stopped(KeyboardInterrupt):
    """The command has been asked to stop."""


def leave(number: int, _frame: FrameType | None) -> NoReturn:
    """Ends the process at once: the handler while the command starts and ends, when nothing is under way."""
    os._exit(128 + number)


def leave_while_starting() -> None:
    """Ends the command without a traceback when it is interrupted while it imports its modules."""
    name = os.path.basename(sys.argv[0]) if getattr(sys, "argv", None) else ""
    if name.removesuffix(".exe") == "acklab" or (name == "-m" and "acklab" in sys.orig_argv):
        for number in STOPPING:
            if _is_default(number):
                signal.signal(number, leave)


def _is_default(number: int) -> bool:
    return signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler, leave)


class Stop:
    """Raises :class:`Stopped` in its block when a signal asks for it; ``status`` is then the exit status, else None."""

    def __init__(self) -> None:
        self.status: int | None = None
        self._before: dict[int, Any] = {}
        self._hook = sys.unraisablehook

    def __enter__(self) -> Stop:
        if threading.current_thread() is threading.main_thread():
            for number in filter(_is_default, STOPPING):
                self._before[number] = signal.getsignal(number)
                signal.signal(number, self._asked)
            if self._before and _ALARM is not None:
                self._before[_ALARM] = signal.signal(_ALARM, self._ask)
            sys.unraisablehook = self._unraisable
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.received()
        sys.unraisablehook = self._hook
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def received(self) -> None:
        """The request need not be made again."""
        if _ALARM in self._before:
            signal.signal(_ALARM, signal.SIG_IGN)  # type: ignore[arg-type]
            signal.setitimer(signal.ITIMER_REAL, 0)

    def _asked(self, number: int, frame: FrameType | None) -> None:
        if self.status is not None:
            leave(number, frame)
        self.status = 128 + number
        self._ask()

    def _ask(self, *_: object) -> NoReturn:
        if _ALARM in self._before:
            signal.setitimer(signal.ITIMER_REAL, AGAIN_S)
        raise Stopped

    def _unraisable(self, found: Any) -> None:
        if not issubclass(found.exc_type, Stopped):  # which comes again
            self._hook(found)


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


leave_while_starting()
