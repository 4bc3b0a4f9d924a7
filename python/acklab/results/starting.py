"""The command while it imports its modules: SIGINT and SIGTERM end it without a traceback.

Nothing is imported here that takes time, and nothing of acklab is imported before: until then Python's own handler shows a traceback.
"""

import os
import signal
import sys

STOPPING = (signal.SIGINT, signal.SIGTERM)


def leave(number: int, _frame: object) -> None:
    """Ends the process at once: the handler while the command starts and ends, when nothing is under way."""
    os._exit(128 + number)


def is_default(number: int) -> bool:
    """Whether no other code has set a handler for the signal."""
    return signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler, leave)


def leave_while_starting() -> None:
    """Ends the command without a traceback when it is interrupted while it imports its modules."""
    name = os.path.basename(sys.argv[0]) if getattr(sys, "argv", None) else ""
    if name.removesuffix(".exe") == "acklab" or (name == "-m" and "acklab" in sys.orig_argv):
        for number in STOPPING:
            if is_default(number):
                signal.signal(number, leave)


leave_while_starting()
