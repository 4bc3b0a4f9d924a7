"""``acklab fit``: a scenario that replays a captured connection."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..text.numbers import counted
from ..text.terminal import complain, file_name, say, say_json
from .options import add_outputs, add_verb, check_out, open_page

if TYPE_CHECKING:
    from ..results.directory import Folder
    from ..study.fit.fit import Fit

BAD_INPUT = 2
EXAMPLE = """\
FILE is a capture, as `acklab analyze` reads it. The direction with most acknowledged data is fitted.

First estimates: rate and base delay of the path, the queue, losses, the receiver's ACK policy, windows, the application's pauses. Then
every combination of what they leave open is simulated, captured at the same place, and compared. A parameter that the capture does not show
is not determined: the table says so. The fit of the first half alone then predicts the second half, and the difference is printed.

example:
  acklab fit download.pcap                                   each parameter, its interval, how well it is determined
  acklab fit sender.pcap receiver.pcap                       from both captures at once: delays, losses and ACKs as they are
  acklab fit download.pcap --out fitted                      also a scenario, and a page with capture and simulation in one picture
  acklab run fitted/fitted.toml                              the fitted scenario
  acklab fit download.pcap --what-if 'link.0.queue={kind="fq-codel"}'    what another queue at the bottleneck would do
  acklab fit download.pcap --what-if flow.0.receiver.ack.segments=4      another ACK policy

The fitted path has the bottleneck as link.0 (A->B, its ACKs return as link.0.back), and the connection as flow.0.

exit status: 0; 1 an output failed; 2 no such file, no capture, nothing to fit, or no prediction; 130 interrupted; 143 terminated
"""


def add(verbs: Any) -> None:
    """Adds the verb to the command line."""
    about = "Fit a scenario to a captured connection, and ask it what another queue or ACK policy would do."
    verb = add_verb(verbs, "fit", act, about, EXAMPLE, lambda _: "a fit is kept when it is done, and this one was not")
    verb.add_argument("file", metavar="FILE", help="a capture, compressed or not")
    verb.add_argument(
        "receiver",
        metavar="RECEIVER",
        nargs="?",
        help="a capture of the same connection at its receiver; FILE is then the sender's",
    )
    verb.add_argument(
        "--only", metavar="END", help="fit a connection of this end: an address, :port, address:port, or #number"
    )
    told = "run the fitted scenario with this change, over the fit's uncertainty; may be repeated, all changes together"
    verb.add_argument("--what-if", metavar="KEY=VALUE", action="append", default=[], help=told)
    add_outputs(verb, "also write the scenario and a page there")


def act(options: argparse.Namespace) -> int:
    """Fits and returns the exit status."""
    from .._core import CaptureError, ScenarioError
    from ..captures.qlog import is_qlog
    from ..captures.text import title_of_file
    from ..results.directory import results
    from ..study.fit.page import NAMES
    from ..study.fit.place import FitError

    check_out(options)
    name = title_of_file(options.file)
    if "-" in (options.file, options.receiver):
        options.parser.error("a fit reads its capture several times; give a file, not standard input")
    try:
        for one in filter(None, (options.file, options.receiver)):
            if is_qlog(one):
                options.parser.exit(
                    2, f"acklab: {title_of_file(one)}: a qlog file has no packets of TCP; a fit needs a capture\n"
                )
        if not options.out:
            return _fitted(options, None)
        with results(options.out, "fit", NAMES) as folder:
            return _fitted(options, folder)
    except FitError as error:
        refused = f"{name}: {error}"
    except ScenarioError as error:
        refused = f"--what-if: {error}"
    except CaptureError as error:
        from .meant import explained

        refused = explained(error, options)
    except OSError as error:
        if (where := os.fspath(error.filename or "")) in (options.file, options.receiver):
            options.parser.error(f"{title_of_file(where)}: {(error.strerror or str(error)).partition(' (os error')[0]}")
        raise
    complain(refused)
    return BAD_INPUT


def _fitted(options: argparse.Namespace, folder: Folder | None) -> int:
    from ..study.fit.fit import fit
    from ..study.fit.page import plain, report, write
    from ..study.fit.predict import Prediction, what_if

    tick, close = _progress()
    prediction: Prediction | None = None
    try:
        found: Fit = fit(options.file, options.only, tick, options.receiver, options.what_if)
        if options.what_if:
            prediction = what_if(found, options.what_if, lambda made: tick(found.simulations + made))
    finally:
        close()
    if folder is not None:
        write(found, prediction, folder)
    if options.json:
        say_json(json.dumps(plain(found, prediction), allow_nan=False))
        return 0
    say(report(found, prediction).text())
    if folder is not None:
        page = folder.path / "fit.html"
        say(f"\nwritten to {file_name(page)}")
        open_page(options, page)
    return 0


def _progress() -> tuple[Callable[[int], None], Callable[[], None]]:
    """What shows the number of simulations on a terminal, and what clears it."""
    from ..text.terminal import status

    return lambda made: status(f"fit: {counted(made, 'simulation')}"), status
