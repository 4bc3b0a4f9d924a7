"""``acklab analyze``: how the receivers in captures acknowledge."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from ..text.terminal import file_name, file_names, not_known, say, say_json, status
from .options import add_open, add_verb, check_out, directory, open_page, refuse

if TYPE_CHECKING:
    from ..captures import Analysis
    from ..captures.qlog import QlogAnalysis
    from ..results.directory import Folder
    from ..results.progress import Clock

EXAMPLE = """\
example:
  acklab analyze examples/captures/linux-receiver.pcap                  how each connection's receiver acknowledges
  acklab analyze examples/captures/linux-receiver.pcap --out results    also tables, and a page with charts
  acklab analyze server.pcap --annotate told.pcapng                     the same packets with comments, for Wireshark
  acklab analyze *.pcap.gz --json                                       one JSON object a file and line
  acklab analyze server.sqlog --out results                             the log of a QUIC endpoint (qlog)
  acklab analyze captures --dataset found --sort application_limited_s  all captures below a directory, as one table
  tcpdump -i eth0 -w - tcp | acklab analyze -                           until Ctrl-C

acklab reads pcap, pcapng and snoop, as they are or compressed by gzip, zstd or lz4, of Ethernet (with VLAN, MPLS,
PPPoE), Wi-Fi, Token Ring, FDDI, ATM, InfiniBand, PPP, C-HDLC, raw IP, Linux cooked, NFLOG and loopback interfaces.
It opens tunnels: GRE, ERSPAN, IP in IP, VXLAN, Geneve and GTP. It reads qlog as JSON and JSON-SEQ, from draft-02 (0.3) on.

exit status: 0; 1 an output failed; 2 no such file, or no capture; 130 interrupted; 143 terminated
"""

#: What stands for standard input.
STANDARD_INPUT = "-"


def add(verbs: Any) -> None:
    """Adds the verb to the command line."""
    about = "Report how the receivers in a capture acknowledge, when, and what the path does to their ACKs."
    verb = add_verb(verbs, "analyze", act, about, EXAMPLE)
    verb.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        help="a capture or a qlog file, compressed or not; - is standard input (captures)",
    )
    verb.add_argument(
        "--only",
        metavar="END",
        action="append",
        default=[],
        help="show the connections of this end: an address, :port, address:port, or #number; may be repeated",
    )
    verb.add_argument("--sort", metavar="COLUMN", help="sort by this column, largest first (bytes, rtt_min_s ...)")
    verb.add_argument("--most", metavar="N", type=at_least_one, help="show at most N directions (20)")
    verb.add_argument("--json", action="store_true", help="print one JSON object a file and nothing else")
    verb.add_argument(
        "--out",
        type=directory,
        metavar="DIR",
        help="also write tables and a page there; for several files, a directory for each",
    )
    told = "write the connections of all files, and of the files below directories, as one table there, and print how often each limit is met"
    verb.add_argument("--dataset", type=directory, metavar="DIR", help=told)
    told = "also write the capture there as pcapng, with comments at its packets: ACKs held, retransmissions, limits"
    verb.add_argument("--annotate", type=directory, metavar="OUT.pcapng", help=told)
    add_open(verb)


def at_least_one(text: str) -> int:
    """A number of directions."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 on")
    return int(text)


def act(options: argparse.Namespace) -> int:
    """Analyses and returns the exit status."""
    from ..captures import NAMES as CAPTURES
    from ..captures.qlog import NAMES as LOGS
    from ..captures.text import sortable
    from ..results.directory import results

    check_out(options)
    several = len(options.files) > 1 or options.files[0] == STANDARD_INPUT or options.dataset
    strange = options.sort is not None and options.sort not in sortable()
    refuse(
        options,
        (options.files.count(STANDARD_INPUT) > 1, "standard input can be read once"),
        (strange, f"argument --sort: {not_known('column', options.sort or '', sortable())}"),
        (options.annotate and several, "--annotate goes with one capture file"),
    )
    if options.dataset:
        return _dataset(options)
    places = _places(options)
    with contextlib.ExitStack() as stack:
        folders = [stack.enter_context(results(place, "analyze", sorted({*CAPTURES, *LOGS}))) for place in places]
        return _analyze(options, folders)


def _analyze(options: argparse.Namespace, folders: list[Folder]) -> int:
    from .._core import CaptureError
    from ..captures import of_capture
    from ..captures.qlog import QlogError, analyze_qlog, is_qlog
    from ..captures.text import MAX_SHOWN, as_text
    from ..captures.text import title_of_file as title

    for number, file in enumerate(options.files):
        try:
            with contextlib.closing(_progress(file)) as clock, _spared(options, file):
                log = analyze_qlog(file) if file != STANDARD_INPUT and is_qlog(file) else None
                if log is None:
                    found = of_capture(
                        file, packets=bool(options.out or options.annotate), tick=clock if clock.watched else None
                    )
        except QlogError as error:
            options.parser.exit(2, f"acklab: {title(file)}: {error}\n")
        except CaptureError as error:
            from .meant import explained

            options.parser.exit(2, f"acklab: {explained(error, options, file)}\n")
        except OSError as error:
            options.parser.error(f"{title(file)}: {(error.strerror or str(error)).partition(' (os error')[0]}")
        if log is not None:
            _say_log(options, log, number, folders)
            continue
        if options.json:
            say_json(found.json(options.only, options.sort))
        else:
            shown = as_text(found.summary(), found.spans(), options.only, options.sort, options.most or MAX_SHOWN)
            say(("\n" if number else "") + shown)
        if options.out:
            found.write_into(folders[number])
            if not options.json:
                say(f"\nwritten to {file_name(folders[number].path / 'analysis.html')}")
            open_page(options, folders[number].path / "analysis.html")
        if options.annotate:
            _annotate(options, found)
    return 0


def _annotate(options: argparse.Namespace, found: Analysis) -> None:
    """Writes the capture with comments."""
    from ..captures.annotate import AnnotateError, annotated
    from ..results.directory import replacing

    source, target = Path(found.file), Path(options.annotate)
    if target.exists() and target.samefile(source):
        options.parser.error(f"--annotate {file_name(target)}: that is the capture itself")
    try:
        content = annotated(source.read_bytes(), found)
        with replacing(target) as scratch:
            scratch.write_bytes(content)
    except AnnotateError as error:
        options.parser.error(f"--annotate: {file_name(source)}: {error}")
    except OSError as error:
        options.parser.error(f"--annotate {file_name(target)}: {error.strerror or error}")
    if not options.json:
        say(f"\nwritten to {file_name(target)}")


def _dataset(options: argparse.Namespace) -> int:
    """Many captures as one table."""
    from ..captures.dataset import MAX_SHOWN, plain, report, write

    if options.out or options.only or STANDARD_INPUT in options.files:
        options.parser.error("--dataset goes without --out and --only, and reads files and directories")
    try:
        found = write(options.files, options.dataset, lambda file: status(f"analyze: {file_name(file)}"))
    except FileNotFoundError as error:
        if error.filename not in options.files:
            raise
        options.parser.error(f"{file_name(str(error.filename))}: {error.strerror}")
    finally:
        status()
    if options.json:
        say_json(json.dumps(plain(found)))
    else:
        say(report(found, options.sort, options.most or MAX_SHOWN).text())
        say(f"\nwritten to {file_name(found.path / 'connections.parquet')}")
    return 0


def _say_log(options: argparse.Namespace, found: QlogAnalysis, number: int, folders: list[Folder]) -> None:
    """The same for a log of QUIC endpoints."""
    from ..captures.qlog.page import MAX_SHOWN, as_text

    if options.only or options.sort or options.annotate:
        options.parser.error("--only, --sort and --annotate are for captures; this is a qlog file")
    say_json(json.dumps(found.summary())) if options.json else say(
        ("\n" if number else "") + as_text(found, options.most or MAX_SHOWN)
    )
    if options.out:
        found.write_into(folders[number])
        if not options.json:
            say(f"\nwritten to {file_name(folders[number].path / 'analysis.html')}")
        open_page(options, folders[number].path / "analysis.html")


@contextlib.contextmanager
def _spared(options: argparse.Namespace, file: str) -> Iterator[None]:
    """While standard input is read, the first Ctrl-C is for who writes it: what that has left is read to its end."""
    if file != STANDARD_INPUT:
        yield
        return
    if sys.stdin is None or sys.stdin.isatty():
        options.parser.error("standard input is a terminal: pipe a capture into it")
    before = signal.getsignal(signal.SIGINT)
    if not callable(before):
        yield
        return

    def heard(_signal: int, _frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, heard)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _places(options: argparse.Namespace) -> list[Path]:
    """Where each file's results go."""
    if not options.out:
        return []
    if len(options.files) == 1:
        return [Path(options.out)]
    names = ("standard-input" if file == STANDARD_INPUT else Path(file).stem for file in options.files)
    return [Path(options.out) / name for name in file_names(names)]


def _progress(file: str) -> Clock:
    """What shows how far a file is, on a terminal, after a second; and what clears it."""
    from ..results.progress import Clock

    size = os.path.getsize(file) if os.path.isfile(file) else 0
    return Clock(lambda done, _: f"{done / 1e6:,.0f}{f' of {size / 1e6:,.0f}' if size >= done else ''} MB")
