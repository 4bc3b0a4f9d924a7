"""``acklab run --capture``: the options, and the files they lead to."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from .options import refuse

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
    refuse(
        options,
        (options.capture and not options.out, "--capture needs --out DIR, where its files go"),
        (options.capture and options.batch is not None, "--capture goes with a single run"),
        (not 0 <= (options.capture_bytes or 0) < 2**31, "--capture-bytes is a number of bytes, 0 for all"),
    )


def check_ends(options: argparse.Namespace, simulation: _core.Simulation) -> None:
    """Ends with exit status 2 if the scenario has no such link end: before the run, not after it."""
    from .. import _core

    if options.capture:
        try:
            _core.link_ends(simulation.outcome(), options.capture)
        except ValueError as error:
            options.parser.error(str(error))
