"""``acklab run --capture``: the options, and the files they lead to."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .. import _core

FORMATS = ("pcapng", "pcap")


def add(run: argparse.ArgumentParser) -> None:
    """Adds the options to ``acklab run``."""
    run.add_argument(
        "--capture",
        metavar="LINK@NODE",
        action="append",
        default=[],
        help="with --out: also write what tcpdump would have seen at a link's end, such as 'G->R@G', or at all; "
        "may be repeated",
    )
    run.add_argument("--capture-format", choices=FORMATS, default=FORMATS[0], help="format of captures (pcapng)")
    run.add_argument(
        "--capture-bytes",
        type=int,
        metavar="N",
        help="bytes to keep of each captured packet (all; 128 with --live), 0 for all; headers take at most 80",
    )


def check(options: argparse.Namespace) -> None:
    """Ends with exit status 2 if the options do not go together."""
    if options.capture and not options.out:
        options.parser.error("--capture needs --out DIR, where its files go")
    if options.capture and options.batch is not None:
        options.parser.error("--capture goes with a single run")
    if options.capture_bytes is not None and not 0 <= options.capture_bytes < 2**31:
        options.parser.error("--capture-bytes is a number of bytes, 0 for all")


def check_ends(options: argparse.Namespace, simulation: _core.Simulation) -> None:
    """Ends with exit status 2 if the scenario has no such link end: before the run, not after it."""
    from .. import _core

    if options.capture:
        with _refusing(options):
            _core.link_ends(simulation.outcome(), options.capture)


@contextmanager
def _refusing(options: argparse.Namespace) -> Iterator[None]:
    """What cannot be captured is the command's fault."""
    try:
        yield
    except ValueError as error:
        options.parser.error(str(error))
