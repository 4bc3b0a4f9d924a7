"""The command ``acklab``: one module a verb.

Exit status: 0; 1 when a run or an output failed; 2 for a bad scenario or command line; 130 when interrupted (SIGINT), 143
when told to end (SIGTERM). Either way nothing half-written stays behind.
Results go to standard output; errors, in one or two lines, to standard error.
"""

from __future__ import annotations

import argparse
import io
import os
import signal
import sys
import threading
from collections.abc import Sequence
from types import FrameType
from typing import NoReturn

from . import analyze, compare, doctor, emulate, reproduce, run, schema, sweep

EXAMPLE = """\
example:
  acklab run two-hops.toml                what each flow and link did
  acklab run two-hops.toml --out results  tables, and a page that shows every packet
  acklab VERB --help                      each verb's options, with examples
"""

FAILED, BAD_INPUT, INTERRUPTED, TERMINATED = 1, 2, 130, 143


class Terminated(KeyboardInterrupt):
    """SIGTERM arrived. Like Ctrl-C it passes through every ``finally`` on its way out."""


def _terminate(_signal: int, _frame: FrameType | None) -> NoReturn:
    # Once is enough: a second one must not stop the cleaning up.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise Terminated


class _Parser(argparse.ArgumentParser):
    """Says in one line what is wrong, and where help is."""

    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"{self.prog}: {message} (see {self.prog} --help)\n")


def parser() -> argparse.ArgumentParser:
    """The command line's grammar, with every verb's help."""
    from .. import __version__

    top = _Parser(
        prog="acklab",
        description="A laboratory for TCP acknowledgments.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("-V", "--version", action="version", version=f"acklab {__version__}")
    verbs = top.add_subparsers(dest="verb", metavar="VERB", required=True)
    for verb in (run, analyze, compare, sweep, emulate, reproduce, schema, doctor):
        verb.add(verbs)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit status."""
    if sys.stderr is None:  # print would take standard output in its place
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    if sys.stdout is None:
        print("acklab: standard output is closed", file=sys.stderr)
        return FAILED
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a title may hold what the terminal cannot show
    if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _terminate)
    try:
        given = sys.argv[1:] if arguments is None else arguments
        options = parser().parse_args([_text(argument) for argument in given])
        status: int = options.act(options)
        sys.stdout.flush()
        return status
    except Terminated:
        return TERMINATED
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _abandon_output()  # whoever read it has seen enough
        return FAILED
    except Exception as error:
        return _explain(error)


def _text(argument: str) -> str:
    """The argument with bytes that are no text made visible, unless it names a file that is there."""
    return argument if os.path.exists(argument) else os.fsencode(argument).decode(errors="replace")


def _abandon_output() -> None:
    """Lets what is still to be written go nowhere; Python writes once more on exit and would complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _explain(error: Exception) -> int:
    from .. import RunError, ScenarioError

    if isinstance(error, ScenarioError):
        text, status = str(error), BAD_INPUT
    elif isinstance(error, RunError):
        text, status = f"the run failed: {error}", FAILED
    elif isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        text, status = f"{where}{error.strerror or error}", FAILED
        _abandon_output()
    else:
        text, status = f"internal error: {type(error).__name__}: {error}", FAILED
    print(f"acklab: {text}", file=sys.stderr)
    return status
