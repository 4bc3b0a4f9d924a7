"""``acklab zoo``: how stacks that people run acknowledge, or your own."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acklab.cli.options import add_open, add_verb, check_out, directory, open_page, seed
from acklab.cli.programs import add_read, show, version
from acklab.text.numbers import counted
from acklab.text.terminal import complain, file_name, say, status

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .run import Pair

BAD_INPUT = 2
EXAMPLE = """\
Each stack is a program, unmodified, at both ends of a path: a server that sends what a client asks for. The path, the kernels and the
clock are acklab's, so a run gives the same bytes each time. `make zoo` builds the members, `make kernel` the kernels.

example:
  acklab zoo --list                                   members and paths, and which members are there
  acklab zoo quic-go quinn                            two members over every path
  acklab zoo --path plain --path thin-16 --out zoo    every member over two paths, with rows and a page
  acklab zoo --matrix --path plain                    every sender with every receiver of the same protocol
  acklab zoo --server 'mine serve 443' --client 'mine get {server} {request}'     your own stack

In --client, {server} is the server's address and {request} what to ask for: BYTES, or BYTES/PIECE/MS, in pieces with a pause after
each. The server listens at port 443 of UDP or TCP. It must write what was asked for.

exit status: 0; 1 a run failed, or boots differ; 2 no such member, path, kernel or rows; 130 interrupted; 143 terminated
"""


def add(verbs: Any) -> None:
    """Adds the verb to the command line."""
    about = "Run stacks that people use over the same paths in virtual time, and measure how each acknowledges."
    verb = add_verb(verbs, "zoo", act, about, EXAMPLE)
    verb.add_argument("members", nargs="*", metavar="MEMBER", help="members; all that are there if none is named")
    verb.add_argument("--list", action="store_true", help="list members and paths")
    verb.add_argument("--path", action="append", default=[], metavar="PATH", help="only this path; may be repeated")
    verb.add_argument("--server", metavar="CMD", help="your own server; goes with --client")
    verb.add_argument("--client", metavar="CMD", help="your own client")
    verb.add_argument("--name", metavar="NAME", default="yours", help="what to call your own stack (yours)")
    verb.add_argument(
        "--matrix", action="store_true", help="also every sender with every other receiver of the same protocol"
    )
    verb.add_argument(
        "--boots", type=_boots, default=1, metavar="N", help="boot each N times, and compare every packet (1)"
    )
    verb.add_argument(
        "--linux",
        type=version,
        metavar="VERSION",
        help="the Linux of the nodes, such as 7.3; members that are a Linux have their own",
    )
    verb.add_argument(
        "--seed", type=seed, default=1, metavar="SEED", help="the kernels' random numbers follow from it (1)"
    )
    add_read(verb)
    verb.add_argument("--rows", metavar="FILE", help="run nothing: show the rows.json of an earlier run")
    verb.add_argument("--json", action="store_true", help="print the rows as JSON and nothing else")
    verb.add_argument("--out", type=directory, metavar="DIR", help="also write the rows and a page there")
    add_open(verb)


def _boots(text: str) -> int:
    if text.isdigit() and 1 <= int(text) <= 100:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is no number of boots, 1 to 100")


def act(options: argparse.Namespace) -> int:
    """Runs the zoo and returns the exit status."""
    from acklab._core import LiveError, ScenarioError
    from acklab.results.directory import results

    from . import output

    check_out(options)
    if options.list:
        _list()
        return 0
    found: list[dict[str, Any]] = []

    def keep() -> None:
        with results(options.out, "zoo", output.NAMES) as folder:
            output.write(found, folder)

    try:
        found.extend(_run(options) if options.rows is None else output.read(Path(options.rows)))
        if options.out:
            keep()
    except KeyboardInterrupt:
        if options.out and found:
            keep()
            complain(f"interrupted; what {counted(len(found), 'run')} gave is in {file_name(options.out)}")
        raise
    except output.ZooError as error:
        complain(f"{file_name(options.rows)}: {error}" if options.rows is not None else str(error))
        return BAD_INPUT
    except (LiveError, ScenarioError) as error:
        complain(str(error))
        return BAD_INPUT
    if options.json:
        say(output.plain(found).rstrip())
    else:
        say(output.text(found))
    if options.out:
        page = Path(options.out) / "zoo.html"
        if not options.json:
            say(f"\nwritten to {file_name(page)}")
        open_page(options, page)
    return 1 if any("error" in row or row.get("same") is False for row in found) else 0


def _list() -> None:
    from acklab.text.terminal import align

    from .members import MEMBERS
    from .paths import PATHS

    there = [[name, one.protocol, one.version, "yes" if one.is_there() else "no"] for name, one in MEMBERS.items()]
    say("\n".join(align(["member", "protocol", "version", "is there"], there, 4)))
    say("\n" + "\n".join(align(["path", "what it is"], [[name, path.about] for name, path in PATHS.items()], 2)))


def _run(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    from acklab.text.terminal import not_known

    from .output import ZooError
    from .paths import PATHS
    from .run import rows

    for path in options.path:
        if path not in PATHS:
            raise ZooError(not_known("path", path, list(PATHS)))
    pairs = _pairs(options)
    show(options)
    try:
        yield from rows(
            pairs,
            options.path or PATHS,
            seed=options.seed,
            boots=options.boots,
            tick=lambda told: status(f"zoo: {told}"),
        )
    finally:
        status()


def _pairs(options: argparse.Namespace) -> list[Pair]:
    from acklab.text.terminal import not_known

    from .members import MEMBERS
    from .output import ZooError
    from .run import Pair, pair

    if (options.server is None) != (options.client is None):
        options.parser.error("--server and --client go together")
    if options.server is not None and (options.members or options.matrix):
        options.parser.error("--server and --client are your own stack; name no members, and no --matrix")
    if options.server is not None:
        return [Pair(options.name, options.name, options.server, options.client, (options.linux, options.linux))]
    for name in options.members:
        if name not in MEMBERS:
            raise ZooError(not_known("member", name, list(MEMBERS)))
        if not MEMBERS[name].is_there():
            raise ZooError(f"{name} is not there; `make {'kernel' if MEMBERS[name].kernel else 'zoo'}` builds it")
    names = options.members or [name for name, one in MEMBERS.items() if one.is_there()]
    if not names:
        raise ZooError("no member is there; `make zoo` builds them, or give --server and --client")
    mixed = [
        (a, b) for a in names for b in names if options.matrix and a != b and MEMBERS[a].protocol == MEMBERS[b].protocol
    ]
    return [pair(a, b, MEMBERS, options.linux) for a, b in [*((name, name) for name in names), *mixed]]
