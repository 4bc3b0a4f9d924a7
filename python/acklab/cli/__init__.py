"""The command ``acklab``: one module a verb.

Exit status: 0; 1 when a run or an output failed; 2 for a bad scenario or command line; 3 when an expectation could not be checked; 130 when interrupted (SIGINT), 143
when told to end (SIGTERM). Either way nothing half-written stays behind.
Results go to standard output; errors, in one or two lines, to standard error.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

from ..results import command
from ..results.interrupts import Stop, leave_behind
from ..text.input import located
from ..text.terminal import abandon, as_typed, complain, file_name, flush, replaced, short, visible
from .options import LINES, SHOWN, Help, Once, add_charts, refuse_twice, without_place

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.metadata import EntryPoint

EXAMPLE = """\
which verb?
  One setting, every packet: run. The same settings side by side, with verdicts: compare.
  What causes a result: why. A range of a key, as a curve: sweep. The best values, over many paths: tune.
  Which open rules explain measured values: infer. A paper's figures and claims: reproduce.
  Real kernels or programs over a scenario's links: run --live (real time), run --virtual (virtual time).
  A capture from your network: analyze. A scenario that replays it, and "what if": fit.

example:
  acklab demo                                        a first look: a comparison and a paper, with their pages
  acklab run examples/allman1998.toml                what each flow and link did
  acklab run examples/allman1998.toml --out results  tables, charts, and a page that shows every packet
  acklab new mine                                    a commented scenario to start from
  acklab help VERB                                   each verb's options, with examples
  acklab help --all                                  all verbs
"""

NAMES = tuple(LINES)
#: Known verbs of other distributions: the distribution, and the line in the list of verbs.
BROUGHT = {
    "drill": ("acklab-drill", "run packetdrill scripts against a stack or the kernel"),
    "zoo": ("acklab-zoo", "measure how stacks in use acknowledge, or your own"),
}

FAILED, BAD_INPUT = 1, 2


#: Verbs whose pages have charts that can also be files.
WITH_CHARTS = ("run", "compare", "sweep", "tune", "infer", "analyze", "reproduce")


class _Parser(argparse.ArgumentParser):
    """Says in one line what is wrong, and where help is. An option with a value is taken once."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        for name in (None, "store"):
            self.register("action", name, Once)

    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"{self.prog}: {message} (see {self.prog} --help)\n")

    def _print_message(self, message: str, file: Any = None) -> None:
        super()._print_message(visible(as_typed(message)), file)


class _Version(argparse.Action):
    """Prints the version, which the extension has."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
        from .._core import __version__

        parser.exit(message=f"acklab {__version__}\n")


class _Completion(argparse.Action):
    """Prints a script that completes the command, from every verb's options."""

    def __call__(
        self, _parser: argparse.ArgumentParser, _options: object, shell: Any, _name: str | None = None
    ) -> NoReturn:
        import shtab

        from ..text.terminal import say

        say(shtab.complete(parser((*NAMES, *brought())), shell))
        sys.exit(0)


class _Verb(_Parser):
    """A verb's parser; of a verb that is only listed, an empty one without the work of making it."""

    def __init__(self, listed: bool = False, **given: Any) -> None:
        if not listed:
            super().__init__(**given)


@cache
def brought() -> dict[str, EntryPoint]:
    """Returns the verbs that other distributions bring: modules with an ``add``, as entry points of ``acklab.verbs``."""
    from importlib.metadata import entry_points

    return {entry.name: entry for entry in sorted(entry_points(group="acklab.verbs"))}


def parser(only: Sequence[str], listed: Sequence[str] = ()) -> argparse.ArgumentParser:
    """The command line's grammar, with the options of the verbs in ``only``: a verb's module is imported for them."""
    top = _Parser(
        prog="acklab",
        description="A laboratory for TCP acknowledgments.",
        epilog=EXAMPLE,
        formatter_class=Help,
    )
    top.add_argument("-V", "--version", action=_Version, nargs=0, help="show the version and exit")
    about = "print a script that completes the command in this shell"
    top.add_argument("--print-completion", action=_Completion, choices=("bash", "zsh", "tcsh"), help=about)
    verbs = top.add_subparsers(title="verbs", dest="verb", metavar="VERB", required=True, parser_class=_Verb)
    for name in only:
        (import_module(f".{name}", __name__) if name in NAMES else brought()[name].load()).add(verbs)
        if name in WITH_CHARTS:
            add_charts(verbs.choices[name])
    for name in listed:
        line = LINES.get(name) or (BROUGHT[name][1] if name in BROUGHT else f"brought by {brought()[name].value}")
        verbs.add_parser(name, help=line, listed=True)
    return top


def _no_verb(word: str) -> str:
    """What is said of a first word that is no verb."""
    from .meant import no_verb

    if word in BROUGHT:
        return f"{word} comes with {BROUGHT[word][0]}: pip install {BROUGHT[word][0]}"
    return no_verb(word, (*NAMES, *brought()))


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit status."""
    if sys.stderr is None:  # print would take standard output in its place
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    if sys.stdout is None:
        complain("standard output is closed")
        return FAILED
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a title may hold what the terminal cannot show
    with Stop() as stop:
        try:
            status = _act(sys.argv[1:] if arguments is None else arguments, stop)
        except BaseException:
            if stop.status is None:
                raise
            stop.received()  # whatever became of it on its way
        if stop.status is not None:
            leave_behind(stop.status)
        return status


def _act(arguments: Sequence[str], stop: Stop) -> int:
    options = argparse.Namespace()
    try:
        given = [_text(argument) for argument in arguments]
        command.line = ["acklab", *without_place(given)]
        given = [located(argument) for argument in given]
        listed: Sequence[str] = tuple(SHOWN)
        if given[:2] == ["help", "--all"]:
            given, listed = ["--help"], (*NAMES, *brought())
        elif given[:1] == ["help"]:
            given = [*given[1:], "--help"]
        verb = next((word for word in given[:1] if not word.startswith("-")), "")
        known = [verb] if verb in NAMES or verb and verb in brought() else []
        top = parser(known, [] if known else listed)
        if not given:
            top.print_help(sys.stderr)
            return BAD_INPUT
        if verb and not known:
            top.error(_no_verb(verb))
        options, strange = top.parse_known_args(given)
        if strange:
            options.parser.error(f"unknown: {' '.join(strange)}")
        refuse_twice(options)
        try:
            status: int = options.act(options)
        except BaseException as error:  # a library may have made another error of the interrupt
            if options.kept and (isinstance(error, KeyboardInterrupt) or stop.status is not None):
                stop.received()
                complain(f"stopped; {options.kept(options)}")
            raise
        flush()
        return status
    except BrokenPipeError:
        abandon(sys.stdout)  # argparse's own printing
        return FAILED
    except Exception as error:
        if stop.status is not None:
            raise  # a library may have made another error of the interrupt
        return _explain(error, options)
    finally:
        command.line = []


def _text(argument: str) -> str:
    """The argument with bytes that are no text made visible, unless it names a file that is there."""
    return argument if os.path.exists(argument) else replaced(argument)


def _explain(error: Exception, options: argparse.Namespace) -> int:
    from .._core import LiveError, RunError, ScenarioError
    from ..results.directory import FolderError
    from .examples import in_short
    from .meant import explained

    if isinstance(error, ScenarioError):
        text, status = in_short(options, explained(error, options)), BAD_INPUT
    elif isinstance(error, FolderError):
        text, status = str(error), BAD_INPUT
    elif isinstance(error, LiveError):
        text, status = str(error), FAILED
    elif isinstance(error, RunError):
        text, status = f"the run failed: {error}", FAILED
    elif isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        text, status = f"{where}{error.strerror or error}".partition(" (os error")[0], FAILED
        abandon(sys.stdout)
    elif isinstance(error, UnicodeEncodeError) and replaced(str(error.object)) != error.object:
        text, status = (
            f"{short(file_name(str(error.object)), 60)}: a name that is no text; give the file another",
            BAD_INPUT,
        )
    else:
        text, status = f"internal error: {type(error).__name__}: {error}", FAILED
    complain(text)
    return status
