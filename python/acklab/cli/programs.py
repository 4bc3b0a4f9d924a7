"""``acklab run --virtual`` or ``--live`` with programs: what a scenario or the command line says runs at the nodes."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
from functools import partial
from typing import TYPE_CHECKING, Any

from ..text.terminal import complain, file_name, one_line, say, say_json
from .expected import checked
from .kernels import seconds
from .options import add_virtual

if TYPE_CHECKING:
    from ..engines.programs import ProgramsResult

#: The group of the options of kernels and programs.
KERNELS = "real ends: the links by acklab, the ends by Linux"
#: Lines of a program's output that are printed.
MAX_LINES = 40


def add(group: argparse._ActionsContainer) -> None:
    """Adds the options."""
    about = "run CMD, a server, at the first flow's sender (without flows: the first node)"
    group.add_argument("--server", metavar="CMD", help=about)
    about = "the same at the other end, when the server listens; {server} in it is the server's address"
    group.add_argument("--client", metavar="CMD", help=about)
    about = (
        "run the commands that FILE names ([[program]]), walled off from the machine; docs/howto/programs.md says how"
    )
    group.add_argument("--allow-programs", action="store_true", help=about)
    add_read(group)
    about = "with --virtual: the Linux of this version (LINUX=7.3 make kernel builds one), at one node or at all; may be repeated"
    group.add_argument("--linux", action="append", type=_linux, metavar="[NODE=]VERSION", default=[], help=about)


def add_kernels(verb: argparse.ArgumentParser) -> None:
    """Adds the options of many runs between kernels, in a group."""
    group = verb.add_argument_group(KERNELS)
    add_virtual(group, "run between the ends of a Linux in virtual time (as acklab run --virtual)")
    add(group)


def add_read(group: argparse._ActionsContainer) -> None:
    """Adds the option that shows programs more folders."""
    about = "show programs this folder, too, read-only; may be repeated"
    group.add_argument("--read", action="append", type=_folder, metavar="DIR", default=[], help=about)


def _folder(text: str) -> str:
    """A folder that programs may be shown."""
    from ..engines.view import can_be_shown

    if not os.path.isdir(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no directory")
    if not can_be_shown(text):
        raise argparse.ArgumentTypeError(f"{text!r}: a node has its own /, /etc, /dev, /proc and /sys")
    return os.path.abspath(text)


def show(options: argparse.Namespace) -> None:
    """Shows programs what --read names and the scenario's folder, unless that is shared, as if the environment named them."""
    from ..engines.view import VARIABLE, is_shared

    folders = [*filter(None, [os.environ.get(VARIABLE)]), *options.read]
    if (file := getattr(options, "file", None)) and os.path.isfile(file):
        folder = os.path.dirname(os.path.abspath(file))
        folders += [] if is_shared(folder) else [folder]
    os.environ[VARIABLE] = os.pathsep.join(folders)


def _linux(text: str) -> tuple[str, str]:
    """A node, or none for all, and a kernel's version."""
    node, _, named = text.rpartition("=")
    return node, version(named)


def version(text: str) -> str:
    """The version of a kernel that is there."""
    from .._core import LiveError
    from ..engines.kernel import VERSION, find

    if not re.fullmatch(VERSION, text):
        raise argparse.ArgumentTypeError(f"{text!r} names no version of Linux; 7.3 and 6.12.9 do")
    try:
        find(text)
    except LiveError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def choose(options: argparse.Namespace) -> None:
    """Takes the version for all nodes as if the environment named it."""
    from ..engines.kernel import VARIABLE

    nodes = [node for node, _ in options.linux]
    if double := next((node for node in nodes if nodes.count(node) > 1), None):
        options.parser.error(f"--linux {double}=...: is given twice; give it once")
    if nodes.count("") > 1:
        options.parser.error("--linux is given twice; give it once, or once for each NODE=")
    for node, version in options.linux:
        if not node:
            os.environ[VARIABLE] = version
    show(options)


def given(options: argparse.Namespace) -> list[str]:
    """The programs of the command line, as an override of the scenario's."""
    if options.server is None and options.client is None:
        return []
    from ..engines.programs import override

    return override(options.server, options.client)


def _refusal(file: str, programs: list[dict[str, Any]]) -> str:
    from ..text.numbers import counted

    return (
        f"{file_name(file)} names {counted(len(programs), 'command')}, such as `{programs[0]['run']}`. They would run, and a scenario may "
        "come from a stranger: read them, then give --allow-programs"
    )


def for_many(options: argparse.Namespace, scenario: str | bytes, file: str, *, plan: bool) -> tuple[list[str], str]:
    """Of many runs: the programs of the command line as an override, and the engine. Ends with status 2 if it may not be.

    With a ``plan`` or a file of cases, these could name commands, too.
    """
    from .. import _core
    from ..engines.journal import KERNEL, PROGRAMS, SIMULATOR

    own = given(options)
    if not options.kernel:
        if own or options.allow_programs or options.linux or options.read:
            options.parser.error("--server, --client, --allow-programs, --read and --linux go with --virtual")
        return [], SIMULATOR
    if any(node for node, _ in options.linux):
        options.parser.error("--linux NODE=VERSION is for one run; in many, the key `kernel` of a program names it")
    choose(options)
    if options.allow_programs:
        return own, PROGRAMS
    try:
        named = json.loads(_core.Programs(scenario, file=file).json())["programs"]
    except _core.ScenarioError as error:
        if not own:  # which may be all that it lacks
            options.parser.exit(2, f"acklab: {error}{_or_programs(error)}\n")
        named = []
    if named:
        options.parser.exit(2, f"acklab: {_refusal(file, named)}\n")
    if own and plan:
        options.parser.error(
            "with --server or --client, a file of cases or a plan could name commands, too: read it, then give --allow-programs"
        )
    return own, PROGRAMS if own else KERNEL


def _or_programs(error: Exception) -> str:
    """A line for a path without flows, which programs may use instead."""
    return "\n  or run programs over it: --server CMD and --client CMD" if "flow: missing" in str(error) else ""


def act(options: argparse.Namespace, sets: list[str], text: bytes, file: str, record: list[str]) -> int | None:
    """Runs the programs, if there are some, with overrides that ``record`` what a page draws; the exit status, or None where there are none."""
    from .. import _core
    from ..engines.view import MEMORY, hidden

    own = given(options)
    if not own and b"program" not in text and not any(one.lstrip().startswith("program") for one in sets):
        if options.allow_programs:
            options.parser.error("--allow-programs: the file names none; --server CMD and --client CMD name some")
        return None
    programs = _core.Programs(text, file=file, sets=[*record, *own, *sets], seed=options.seed)
    plan = json.loads(programs.json())
    if not plan["programs"]:
        return None
    if (
        options.capture
        or options.show_expanded
        or options.beside
        or options.acks != "scenario"
        or options.sender
        or options.control
    ):
        others = "--capture, --show-expanded, --beside, --acks, --sender and --control"
        options.parser.error(f"with programs, --out has captures at the nodes; {others} are for others")
    if options.dry_run:
        say_json(programs.json())
        return 0
    if not own and not options.allow_programs:
        complain(_refusal(options.file, plan["programs"]))
        return 2
    if path := hidden(program["run"] for program in plan["programs"]):
        complain(
            f"note: programs do not see {path}: a node has its own {', '.join(MEMORY)}; --read DIR shows them a folder in one of these"
        )
    versions = {node: version for node, version in options.linux if node}
    known = [name for name, *_ in plan["nodes"]]
    if unknown := next((node for node in versions if node not in known), None):
        options.parser.error(f"--linux {unknown}=...: there is no node {unknown}; there are {', '.join(known)}")
    with contextlib.ExitStack() as stack:
        told = _run(options, programs, stack, versions)
    if options.json:
        say_json(told.json())
    else:
        _say(told, options)
    if not told.valid:
        complain(told.clock["why"][-1])  # type: ignore[index]
    failed = not told.valid or any(program.failed for program in told.programs)
    return max(checked(told.result, quiet=options.json), 1 if failed else 0)


def _run(
    options: argparse.Namespace, programs: Any, stack: contextlib.ExitStack, versions: dict[str, str]
) -> ProgramsResult:
    from ..engines import programs as virtual
    from ..engines import wall
    from ..results.directory import results
    from ..results.frames import to_polars
    from ..results.validity import marked

    late_s = seconds(options.late)
    in_time = partial(wall.run, late_s=late_s, urgent=options.realtime)
    run = in_time if options.live else partial(virtual.run, versions=versions)
    if not options.out:
        return run(programs)
    folder = stack.enter_context(
        results(options.out, "run", ["summary.json", "scenario.toml", "programs.json", "report.html"])
    )
    with folder.replacing({"seeds": json.loads(programs.json())["seed"]}) as scratch:
        told = run(programs, files=scratch / "nodes", captures=scratch)
        summary = {**json.loads(told.result.json(records=False)), **(told.clock or {})}
        (scratch / "summary.json").write_text(json.dumps(summary) + "\n", encoding="utf-8")
        (scratch / "scenario.toml").write_text(programs.scenario_toml(), encoding="utf-8")
        more = {
            "programs": [program.told() for program in told.programs],
            "streams": told.streams,
            **(told.clock or {}),
        }
        (scratch / "programs.json").write_text(json.dumps(more, indent=1) + "\n", encoding="utf-8")
        (scratch / "report.html").write_text(_page(told, summary, programs.scenario_toml()), encoding="utf-8")
        for name in ("flows", "links", "series", "queue", "packets"):
            table = getattr(told.result, name)
            if table is not None:
                rows = marked(to_polars(table), told.clock) if told.clock else to_polars(table)
                rows.write_parquet(os.path.join(scratch, f"{name}.parquet"))
    return told


def _page(told: ProgramsResult, summary: dict[str, Any], scenario: str) -> str:
    """What the run told as one page that needs no network."""
    from ..plot.runs import Run
    from ..report.programs import page
    from ..results.validity import why

    tables = {name: getattr(told.result, name) for name in ("flows", "links", "queue", "packets")}
    run = Run.of(
        {
            "title": summary["title"],
            "seed": summary["seed"],
            "end_s": summary["end_s"],
            "invalid": why(summary),
            "scenario_toml": scenario,
            **tables,
        }
    )
    how = f"in real time on Linux {summary['kernel']}" if told.clock else f"in virtual time, seed {summary['seed']}"
    return page(run, summary, [program.told() for program in told.programs], told.streams, how)


def _span(instant: float | None) -> str:
    return "-" if instant is None else f"{instant:.6f}"


def _say(told: ProgramsResult, options: argparse.Namespace) -> None:
    from ..report.report import Report, Table
    from ..results.summary import STREAM_COLUMNS, link_columns
    from ..text.templates import fact, sentence
    from .live import clock

    summary = json.loads(told.result.json(records=False))
    virtual = [fact("clock-virtual", seed=str(summary["seed"]), end=summary["end_s"])]
    facts = clock({**summary, **told.clock}) if told.clock else virtual
    if told.astray or told.overrun:
        facts.append(fact("astray", astray=told.astray, overrun=told.overrun))
    tables = []
    for several, rows in ((STREAM_COLUMNS, told.streams), (link_columns(summary["links"]), summary["links"])):
        cells = [[cell(row) for _, cell in several] for row in rows[:MAX_LINES]]
        feet = [fact("more-streams", more=len(rows) - MAX_LINES)] if len(rows) > MAX_LINES else []
        tables.append(Table([head for head, _ in several], cells, feet=feet))
    runs = [[program.at, program.run, _span(program.started_s), _span(program.ended_s), "stopped" if program.stopped else f"exit status {program.status}"]
        for program in told.programs]  # fmt: skip
    heads = ["node", "program", "began s", "ended s", "status"]
    say(Report("run", one_line(summary["title"]) or "(no title)", facts, [Table(heads, runs, names=2), *tables]).text())
    for program in told.programs:
        lines = program.output.decode(errors="replace").splitlines()
        if lines:
            say(f"\n{program.at}: {program.run}")
        if len(lines) > MAX_LINES:
            say(sentence(fact("more-lines", more=len(lines) - MAX_LINES)))
        for line in lines[-MAX_LINES:]:
            say(f"  {line}")
    if options.out:
        say(f"\nwritten to {file_name(os.path.join(options.out, ''))}")
