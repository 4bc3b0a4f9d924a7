"""``acklab run``: one scenario, or a stream of them."""

from __future__ import annotations

import argparse
import contextlib
import errno
import os
import re
import threading
from typing import TYPE_CHECKING, Any

from ..text import terminal
from ..text.terminal import complain, file_name, file_names, say, say_bytes, say_json, say_toml
from . import captures, examples, kernels, programs
from .expected import checked
from .options import add_open, add_verb, add_virtual, check_out, directory, open_page, reading, refuse, seed, threads
from .source import read, stdin

if TYPE_CHECKING:
    from .. import _core
    from ..results.directory import Folder

EXAMPLE = """\
example:
  acklab run examples/allman1998.toml                a table of what each flow and link did
  acklab run examples/allman1998.toml --set flow.f.sender.recovery=sack --set link.1.queue.packets=8
  acklab run examples/allman1998.toml --out results  also tables, charts, and results/report.html, which shows every packet
                                                     (of a very long run a reduced view, and says so)
  acklab run examples/allman1998.toml --out results --capture 'G->R@G'    and what tcpdump would have seen there
  acklab run a.toml b.toml --out results --open      several: a directory for each, one page that shows them over each other
  acklab run - --json < examples/allman1998.toml     one JSON object for scripts
  acklab run examples/live.toml --virtual            both ends by Linux in virtual time, the links by acklab
  acklab run examples/live.toml --live --beside      the same in real time (Linux, usually root: acklab doctor), beside the simulator
  acklab run PATH.toml --virtual --server 'iperf3 -s -1' --client 'iperf3 -c {server} -R'    programs over that path; or --live
  acklab run --path cable --set down=100Mbps --set up=5Mbps    an access path, by its own keys
  acklab run --batch - < scenarios.jsonl             a JSON scenario a line in, a result a line out

What is printed of a flow: time from the first data to the last ACK (no handshake), payload a second of that time (Mb/s, the column
goodput_bps; the metric goodput of compare and sweep counts the handshake's time, too), segments sent, of them sent again (retx),
timeouts (RTOs), fast retransmits (fast), ACKs sent, ACKs that did not arrive (lost ACKs), mean round trip. Of each
direction of a link: packets, drops by its queue, packets lost by its loss model, ACKs erased by a filter, packets
waiting (queue), share of the run it was busy.
Between the tables: what flows carried together that send in one manner over one slowest link (without limit, or of a size), also as a
share of that link's rate, and Jain's index of those without limit, if they begin within a tenth of the run of each other; of flows that
write now and then the round trip (with --out also its median, and the range of 90 % of its samples, of fewer than 20 samples of all).
Where a flow comes or goes in the middle, such as an upload: what the others got before, meanwhile and after (with --out also their mean
round trip).

exit status: 0; 1 the run or an output failed, or an expectation ([[expect]]) does not hold; 2 bad scenario; 3 an
expectation could not be checked; 130 interrupted; 143 terminated

"""


def add(verbs: Any) -> None:
    """Adds the verb to the command line."""
    described = "Run a scenario file (TOML or JSON) and print what each flow and link did."
    run = add_verb(verbs, "run", act, described, EXAMPLE + examples.ABOUT, _kept)
    about = "the scenario; - is standard input; the runs of several files share one page"
    run.add_argument("file", metavar="FILE ...", nargs="?", help=about)
    run.add_argument("others", metavar="FILE", nargs="*", help=argparse.SUPPRESS)
    examples.add_path(run)
    run.add_argument(
        "--set",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        help="override a key, such as flow.0.sender.window=20; may be repeated",
    )
    run.add_argument("--seed", type=seed, metavar="N", help="override the seed")
    run.add_argument(
        "--out",
        type=directory,
        metavar="DIR",
        help="also write tables (Parquet), summary and report.html there; records everything unless [record] "
        "or --json is given",
    )
    captures.add(run)
    run.add_argument(
        "--qlog",
        action="store_true",
        help="with --out: also write each flow's log at its two ends, FLOW.sender.sqlog and FLOW.receiver.sqlog",
    )
    run.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    run.add_argument(
        "--python",
        metavar="FILE",
        help="run this Python file first, and take the policies and controls it defines by their classes' names",
    )
    run.add_argument("--show-expanded", action="store_true", help="print the scenario with every default, and stop")
    run.add_argument("--batch", metavar="FILE", help="run each line of FILE, a JSON scenario; - is standard input")
    run.add_argument(
        "--threads", type=threads, metavar="N", help="with --batch: how many run at once (one a processor)"
    )
    between = run.add_argument_group(programs.KERNELS)
    add_virtual(
        between, "in virtual time, by a kernel that `make kernel` builds; the same bytes each time, no privilege"
    )
    between.add_argument(
        "--live", action="store_true", help="in real time, between namespaces of this machine; usually needs root"
    )
    kernels.choices(between)
    kernels.of_clock(between)
    programs.add(between)
    add_open(run)


def _kept(options: argparse.Namespace) -> str:
    several = options.batch is not None or options.others
    return f"{'what was printed holds; ' if several else ''}a run that did not end leaves nothing"


def act(options: argparse.Namespace) -> int:
    """Runs what the options ask for and returns the exit status."""
    examples.take_path(options)
    sets: list[str] = options.set
    captures.check(options)
    batch, real = options.batch is not None, options.kernel or options.live
    apart = batch or options.others or options.kernel or options.json or options.capture
    alone = options.file is not None or options.out or options.show_expanded or options.python
    refuse(
        options,
        (
            options.qlog and (apart or not options.out),
            "--qlog goes with one FILE and --out DIR, in the simulator, without --json and --capture",
        ),
        (batch and alone, "--batch goes with --set, --seed, --threads and --json only"),
        (not batch and options.file is None, "which scenario? give a FILE, or - for standard input"),
        (not batch and options.threads is not None, "--threads goes with --batch; a single run uses one processor"),
    )
    if batch:
        return _batch(options, sets)
    check_out(options)
    if real:
        return _real(options, sets)
    programs_named = options.server or options.client or options.allow_programs or options.linux or options.read
    chosen = (
        options.beside
        or options.control
        or options.sender
        or options.acks != "scenario"
        or getattr(options, kernels.FOR)
    )
    timed = options.dry_run or options.realtime or options.late != kernels.LATE
    single = options.show_expanded or options.capture or options.python
    refuse(
        options,
        (programs_named, "--server, --client, --allow-programs, --read and --linux go with --virtual or --live"),
        (chosen, "--for, --acks, --sender, --control and --beside go with --virtual or --live"),
        (timed, "--dry-run, --late and --realtime go with --live"),
        (options.others and single, "--show-expanded, --capture and --python go with one FILE"),
    )
    status = (_several if options.others else _single)(options, sets)
    if options.out and not options.json:
        _say_written(options.out)
    if options.out and not options.show_expanded:
        open_page(options, os.path.join(options.out, "report.html"))
    return status


def _real(options: argparse.Namespace, sets: list[str]) -> int:
    """A run between kernels, of programs where some are named, else of the scenario's own flows."""
    from . import live

    timed = options.late != kernels.LATE or options.realtime
    refuse(
        options,
        (options.kernel and options.live, "--virtual or --live: choose one"),
        (options.kernel and timed, "--late and --realtime go with --live; in virtual time nothing is late"),
        (options.others, "--virtual and --live go with one FILE"),
        (options.live and options.linux, "--linux goes with --virtual; --live runs on this machine's kernel"),
    )
    programs.choose(options)
    with reading(options, options.file):
        text, file = read(options.file)
    # Queues alone: packets of a long run are many, and its captures have them.
    record = [one for one in _for_report(text) if "queue" in one] if options.out and not options.json else []
    status = programs.act(options, sets, text, file, record)
    if status is not None:
        if options.out:
            open_page(options, os.path.join(options.out, "report.html"))
        return status
    refuse(
        options,
        (
            options.capture or options.show_expanded,
            "--virtual and --live capture at both ends with --out; --capture and --show-expanded are for simulations",
        ),
    )
    options.virtual = options.kernel
    return live.act(options, text, file)


def _single(options: argparse.Namespace, sets: list[str]) -> int:
    from .. import _core
    from ..results.progress import watched

    passed = _of_python(options) if options.python else {}
    with reading(options, options.file):
        text, file = read(options.file)
    if sets:
        from ..scenario.given import refuse_two_names
        from . import meant

        try:
            refuse_two_names(text, sets)
        except ValueError as error:
            options.parser.error(examples.in_short(options, f"--{error}"))
        for note in meant.notes(text, file, sets):
            complain(note)
    if options.show_expanded:
        say_toml(_core.expanded(text, file=file, sets=sets, seed=options.seed))
        return 0
    if options.out and not options.json:
        sets = [*_for_report(text), *sets]
    simulation = _core.Simulation(
        text, file=file, sets=sets, seed=options.seed, captures=bool(options.capture), **passed
    )
    captures.check_ends(options, simulation)
    if options.qlog and simulation.outcome().packets is None:
        options.parser.error(
            "--qlog needs packets, and the scenario's [record] leaves them out: --set record.packets=true"
        )
    with _folder(options.out) if options.out else contextlib.nullcontext() as folder:
        if folder is not None and not options.json and not options.capture:
            return _recorded(options, simulation, folder)
        watched(simulation)
        result = simulation.advance()
        if options.json:
            say_json(result.json())
        else:
            _print_tables(options, result)
        if folder is not None:
            from ..runs import Run

            kind = {"format": options.capture_format, "snap_length": options.capture_bytes or 0}
            Run(result).write_into(folder, ends=options.capture, **kind)
        return checked(result, quiet=options.json)


def _of_python(options: argparse.Namespace) -> dict[str, Any]:
    """The policies and controls of ``--python``."""
    from ..scenario.own import Own

    try:
        own = Own.of_file(options.python)
    except ValueError as error:
        options.parser.error(f"--python {file_name(options.python)}: {error}")
    return {"policies": own.policies, "controls": own.controls}


def _folder(out: str) -> contextlib.AbstractContextManager[Folder]:
    """The directory of the results, held."""
    from ..results.directory import results
    from ..runs import NAMES

    return results(out, "run", NAMES)


def _several(options: argparse.Namespace, sets: list[str]) -> int:
    """Runs scenarios one after the other; each has a directory of its file's name, and all share the page."""
    from .. import _core
    from ..report import pages
    from ..results.directory import results
    from ..results.stored import record
    from ..runs import write_summary

    files = [options.file, *options.others]
    names = file_names(
        "standard-input" if file == "-" else os.path.splitext(os.path.basename(file))[0] for file in files
    )
    simulations = []
    for given in files:
        with reading(options, given):
            text, file = read(given)
        own = [*_for_report(text), *sets] if options.out and not options.json else sets
        simulations.append(_core.Simulation(text, file=file, sets=own, seed=options.seed))
    if not options.out:
        status = 0
        for simulation in simulations:
            result = simulation.advance()
            _say(options, result)
            status |= checked(result, quiet=options.json)
        return status
    with results(options.out, "run", ["report.html"]) as folder, folder.replacing() as scratch:
        recordings = []
        for name, simulation in zip(names, simulations, strict=True):
            (scratch / name).mkdir()
            recordings.append(record(simulation, scratch / name))
            recordings[-1].label, recordings[-1].changed = name, _changed(options)
            _say(options, recordings[-1].result)
            write_summary(recordings[-1], name, report=False)
        pages(recordings, scratch)
    return checked(*(recording.result for recording in recordings), quiet=options.json)


def _say(options: argparse.Namespace, result: Any) -> None:
    say_json(result.json(records=False)) if options.json else _print_tables(options, result)


def _recorded(options: argparse.Namespace, simulation: _core.Simulation, folder: Folder) -> int:
    """Runs to the stop with recorded rows leaving for the disk: a run of any length takes bounded memory."""
    from ..plot.runs import Run
    from ..results.progress import Clock
    from ..results.stored import record
    from ..runs import write_summary
    from ..study.why import beside

    with folder.replacing({"seeds": simulation.outcome().seed}) as scratch:
        shown = Clock()
        recording = record(simulation, scratch, lambda: shown(simulation.now_s))
        shown.close()
        recording.changed, recording.access = _changed(options), bool(options.of_path)
        drawn = Run.of(recording)
        _print_tables(options, recording.result, drawn.samples)
        write_summary(recording, drawn=drawn, causes="" if options.python else beside(recording))
        if options.qlog:
            from ..results.qlog import write_logs

            write_logs(recording, scratch)
    return checked(recording.result)


def _say_written(directory: str) -> None:
    say(f"\nwritten to {file_name(os.path.join(directory, ''))}")


def _for_report(text: bytes) -> list[str]:
    """What a report draws, as overrides; nothing where the scenario itself says what to record."""
    if re.search(rb'^\s*(\[\s*record\b|record\s*[.=])|"record"\s*:', text, re.MULTILINE):
        return []
    return [f"record.{table}=true" for table in ("series", "queue", "packets")]


def _print_tables(options: argparse.Namespace, result: Any, samples: Any = None) -> None:
    """The summary; with the round trips that were recorded of flows that write now and then."""
    import json

    from ..results.summary import as_text, endless, together
    from ..results.together import manners

    if getattr(options, "of_path", None):
        from .paths import say_path

        say_path(options)
    told = json.loads(result.json(records=False))
    alone = len(told["flows"]) == 1 and told["flows"][0]["completed"]
    scenario = "" if alone else result.scenario_toml()
    say(
        as_text(
            told,
            endless(scenario),
            changed=_changed(options),
            together=() if alone else together(told, manners(scenario), samples),
        )
    )


def _changed(options: argparse.Namespace) -> list[str]:
    """What the user set in the scenario's file; the title of a ``--path`` says that already."""
    return [] if options.of_path else list(options.set)


def _batch(options: argparse.Namespace, sets: list[str]) -> int:
    from .._core import Batch
    from ..runs import cpu_count

    batch = Batch(options.threads or cpu_count(), sets=sets, seed=options.seed)
    try:
        source = stdin().fileno() if options.batch == "-" else os.open(options.batch, os.O_RDONLY)
        if os.path.isdir(source):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    except OSError as error:
        options.parser.error(f"{file_name(options.batch)}: {error.strerror}")
    trouble: list[OSError] = []
    feeder = threading.Thread(target=_feed, args=(batch, source, trouble), daemon=True)
    feeder.start()
    unmet = False
    try:
        while lines := batch.take():
            say_bytes(lines)
            unmet |= b'"holds":false' in lines
            if terminal.closed:
                return 1  # lines are all that a batch leaves
    finally:
        batch.stop()  # the feeder may be waiting for room; if it waits for input, it ends with the process
        feeder.join(timeout=0.1)
    if trouble:
        raise trouble[0]
    return 2 if batch.bad else 1 if batch.failed or unmet else 0


def _feed(batch: Any, source: int, trouble: list[OSError]) -> None:
    """Passes input on as soon as it arrives, so that a program may write a line and wait for its answer."""
    try:
        while data := os.read(source, 1 << 16):
            batch.feed(data)
    except OSError as error:
        trouble.append(error)
    finally:
        batch.close()
