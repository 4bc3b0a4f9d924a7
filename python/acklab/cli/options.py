"""What options' values may be, where several verbs have them."""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..text.terminal import complain, file_name, say, say_json

if TYPE_CHECKING:
    from ..engines.journal import Workers
    from ..results.result import Result

#: The verbs that the list shows, with their lines; the others are under ``help --all``. :data:`acklab.cli.BROUGHT` has those of other
#: distributions.
SHOWN = {
    "demo": "a first look: a comparison and a paper",
    "run": "run a scenario",
    "compare": "compare alternatives for any key",
    "sweep": "run a scenario over ranges of its keys",
    "why": "find what causes a result: run without each mechanism",
    "analyze": "report how a capture's receivers send ACKs",
    "fit": "fit a scenario to a captured connection",
    "reproduce": "reproduce papers and check their claims",
    "explore": "open the explorer: sliders, and charts that follow them",
    "explain": "print what a key of a scenario means",
}
LINES = {
    **SHOWN,
    "new": "write a scenario to start from",
    "tune": "search for the keys that are best over many paths",
    "infer": "find the readings of open rules that explain measured values",
    "plot": "draw a dataset",
    "doctor": "check the installation",
    "schema": "print the JSON Schema of scenario files",
}
#: Most worker threads; more than any machine has use for.
MOST_THREADS = 1024


class Help(argparse.RawDescriptionHelpFormatter):
    """Help as wide as the terminal, whose width argparse asks of a module that imports what packs archives."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **{"width": _columns() - 2, **named})


def _columns() -> int:
    """The columns that the environment or the terminal names."""
    named = os.environ.get("COLUMNS", "")
    if named.isdecimal() and int(named):
        return int(named)
    with contextlib.suppress(AttributeError, ValueError, OSError):
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or 80  # type: ignore[union-attr]
    return 80


class Once(argparse._StoreAction):
    """An option with a value, which is refused the second time: the first value would be lost."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        given = vars(namespace).setdefault("_given", {})
        if option_string is not None:
            if self.dest in given:
                raise argparse.ArgumentError(self, f"is given twice, {given[self.dest]} and {values}; give it once")
            given[self.dest] = values
        super().__call__(parser, namespace, values, option_string)


def refuse_twice(options: argparse.Namespace, worded: Callable[[str], str] = str) -> None:
    """Refuses keys that ``--set`` or ``--what-if`` sets twice, and a seed that ``--seed`` sets, too."""
    from ..text.keys import key, twice

    for name, flag in (("set", "--set"), ("what_if", "--what-if")):
        if told := twice(getattr(options, name, None) or ()):
            options.parser.error(worded(f"{flag}: {told}"))
    if getattr(options, "seed", None) is not None and "seed" in map(key, getattr(options, "set", None) or ()):
        options.parser.error("--seed and --set seed=... both set the seed; give one of them")


def add_verb(
    verbs: Any,
    name: str,
    act: Callable[[argparse.Namespace], int],
    about: str,
    examples: str,
    kept: Callable[[argparse.Namespace], str] | None = None,
) -> argparse.ArgumentParser:
    """Adds a verb that ``act`` carries out; ``about`` is the first line of its help, ``kept`` says what an interrupt leaves."""
    verb: argparse.ArgumentParser = verbs.add_parser(
        name, help=LINES.get(name, about), description=about, epilog=examples, formatter_class=Help
    )
    verb.set_defaults(act=act, parser=verb, kept=kept)
    return verb


def add_charts(verb: argparse.ArgumentParser) -> None:
    """Adds ``--charts`` to a verb that writes pages."""
    verb.add_argument(
        "--charts", type=_charts, metavar="FORMATS", help="with --out: also write charts as files, such as svg,png,pdf"
    )


def _charts(text: str) -> str:
    """Lets results have charts as files in these formats; they are read where the files are written, also in a worker."""
    from importlib.util import find_spec

    from ..results.directory import CHART_FORMATS

    formats = text.split(",")
    if not set(formats) <= set(CHART_FORMATS):
        raise argparse.ArgumentTypeError(f"{text} is no list of {', '.join(CHART_FORMATS)}")
    if find_spec("vl_convert") is None or find_spec("altair") is None:
        raise argparse.ArgumentTypeError("charts as files need more: pip install 'acklab[charts]'")
    os.environ["ACKLAB_CHARTS"] = text
    return text


def seed(text: str) -> int:
    """A seed: what 64 bits hold."""
    return _whole(text, 0, 2**64 - 1, "2^64 - 1")


def threads(text: str) -> int:
    """How many runs at once."""
    return _whole(text, 1, MOST_THREADS, str(MOST_THREADS))


def directory(text: str) -> str:
    """A directory's name."""
    if not text:
        raise argparse.ArgumentTypeError("give a directory's name, not an empty text")
    if "\0" in text:
        raise argparse.ArgumentTypeError("a directory's name has no NUL characters")
    return text


def add_outputs(verb: argparse.ArgumentParser, out: str, fresh: str = "") -> None:
    """Adds ``--json``, ``--out`` with this help, ``--open``, and for a verb that keeps runs ``--fresh``."""
    verb.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    verb.add_argument("--out", type=directory, metavar="DIR", help=out)
    if fresh:
        verb.add_argument("--fresh", action="store_true", help=f"with --out: {fresh}")
    add_open(verb)


def add_open(verb: argparse.ArgumentParser) -> None:
    """Adds the option that opens the page that was written."""
    verb.add_argument("--open", action="store_true", help="with --out: open the page in the browser")


def refuse(options: argparse.Namespace, *rules: tuple[object, str]) -> None:
    """Ends with exit status 2 and what is said of the first rule that is broken: its first part holds."""
    for broken, said in rules:
        if broken:
            options.parser.error(said)


@contextlib.contextmanager
def reading(options: argparse.Namespace, file: str) -> Iterator[None]:
    """Ends with exit status 2 where a named file cannot be read, and says which may have been meant."""
    try:
        yield
    except OSError as error:
        from .meant import unread

        options.parser.error(unread(file, error))


def check_out(options: argparse.Namespace) -> None:
    """Refuses ``--open`` and ``--fresh`` where nothing is written."""
    fresh = getattr(options, "fresh", False)
    refuse(
        options,
        *(
            (given and not options.out, f"{name} goes with --out DIR")
            for given, name in ((options.open, "--open"), (fresh, "--fresh"))
        ),
    )


def open_page(options: argparse.Namespace, page: str | os.PathLike[str]) -> None:
    """Opens a page in the browser, if that was asked for."""
    if not options.open:
        return
    import webbrowser
    from pathlib import Path

    if not webbrowser.open(Path(page).resolve().as_uri()):
        complain(f"no browser opens {file_name(page)}")


def show(options: argparse.Namespace, result: Result) -> None:
    """Prints results as text or as one JSON object, says where they are, and opens their page if that was asked for."""
    from ..results.result import KINDS
    from ..text.templates import fact, sentence

    page = os.path.join(options.out or "", KINDS[result.verb].page)
    if options.json:
        say_json(result.json())
    else:
        say(result.text)
        if kept := getattr(result, "kept", 0):
            say(sentence(fact("kept", runs=kept)))
        if options.out:
            say(f"\nwritten to {file_name(page)}")
    if options.out:
        open_page(options, page)


def without_place(arguments: Sequence[str]) -> list[str]:
    """A command line without what does not change its results: where they go, by how many threads or shards, files beside them.

    What is left runs as it is: logs and captures are written into a directory only.
    """
    places = (
        "--out",
        "--dataset",
        "--threads",
        "--shard",
        "--engine",
        "--address",
        "--capture",
        "--capture-format",
        "--capture-bytes",
    )
    kept: list[str] = []
    given = iter(arguments)
    for argument in given:
        if argument in places:
            next(given, None)
        elif argument not in ("--fresh", "--open", "--qlog") and argument.partition("=")[0] not in places:
            kept.append(argument)
    return kept


def add_virtual(verb: argparse._ActionsContainer, about: str) -> None:
    """Adds the option for kernels in virtual time."""
    verb.add_argument("--virtual", dest="kernel", action="store_true", help=about)


def add_workers(verb: argparse.ArgumentParser) -> None:
    """Adds the options that choose where runs are executed."""
    verb.add_argument("--threads", type=threads, metavar="N", help="how many runs at once (one a processor)")
    verb.add_argument(
        "--engine",
        choices=("threads", "ray"),
        default="threads",
        help="where runs are executed: threads of this command (default), or a Ray cluster",
    )
    verb.add_argument(
        "--address", metavar="ADDRESS", help="with --engine ray: the cluster, such as auto (one on this machine)"
    )


def on_ray(options: argparse.Namespace) -> bool:
    """Whether Ray is to make the runs; refuses what does not go with that, or that it is not there."""
    from ..engines import cluster

    if options.engine != "ray":
        if options.address is not None:
            options.parser.error("--address goes with --engine ray")
    elif not cluster.is_there():
        options.parser.error("--engine ray needs Ray: pip install ray")
    return bool(options.engine == "ray")


def workers(options: argparse.Namespace) -> Workers | None:
    """What is to make the runs, if it is not threads; refuses options that do not go together."""
    ray, written = options.engine == "ray", options.out or getattr(options, "dataset", None)
    refuse(
        options,
        (ray and options.kernel, "--virtual runs on this machine; leave out --engine ray"),
        (
            ray and (options.threads is not None or not written),
            "--engine ray goes with --out DIR, and without --threads",
        ),
    )
    if not on_ray(options):
        return None
    from ..engines import cluster

    return cluster.recorded(options.address)


def runs_kept(options: argparse.Namespace) -> str:
    """Says what an interrupt leaves of a verb that keeps the runs that are done."""
    out = options.out or getattr(options, "dataset", None)
    return f"what is done is kept in {out}; the same command goes on" if out else "nothing is kept without --out DIR"


def _whole(text: str, least: int, most: int, most_said: str) -> int:
    if not re.fullmatch(r"[0-9]{1,20}", text) or not least <= int(text) <= most:
        raise argparse.ArgumentTypeError(f"{text} is no whole number from {least} to {most_said}")
    return int(text)
