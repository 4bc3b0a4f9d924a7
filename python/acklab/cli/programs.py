"""``acklab run --virtual`` with programs: what a scenario or the command line says runs on kernels at the nodes."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..text.escapes import file_name
from ..text.terminal import complain, say, say_json
from .source import read

if TYPE_CHECKING:
    from ..engines.programs import ProgramsResult

#: Lines of a program's output that are printed.
MOST_LINES = 40


def add(group: argparse._ArgumentGroup) -> None:
    """Adds the options."""
    about = "with --virtual: run CMD, a server, on a Linux at the first flow's sender (without flows: the first node)"
    group.add_argument("--server", metavar="CMD", help=about)
    about = "the same at the other end, when the server listens; {server} in it is the server's address"
    group.add_argument("--client", metavar="CMD", help=about)
    about = "with --virtual: run the commands that FILE names ([[program]]), as you, with what you can read"
    group.add_argument("--allow-programs", action="store_true", help=about)
    about = "with --virtual: the Linux of this version (LINUX=7.3 make kernel builds one), at one node or at all; may be repeated"
    group.add_argument("--linux", action="append", type=_linux, metavar="[NODE=]VERSION", default=[], help=about)


def _linux(text: str) -> tuple[str, str]:
    """A node, or none for all, and a kernel's version."""
    from ..engines.kernel import VERSION

    node, _, version = text.rpartition("=")
    if not re.fullmatch(VERSION, version):
        raise argparse.ArgumentTypeError(f"{text!r} names no version; 7.3, 6.12.9 and S=7.3 do")
    return node, version


def choose(options: argparse.Namespace) -> None:
    """Takes the version for all nodes as if the environment named it."""
    from ..engines.kernel import VARIABLE

    for node, version in options.linux:
        if not node:
            os.environ[VARIABLE] = version


def given(options: argparse.Namespace) -> list[str]:
    """The programs of the command line, as an override of the scenario's."""
    said = [("server", options.server), ("client", options.client)]
    programs = [(at, run) for at, run in said if run is not None]
    if not programs:
        return []

    def table(at: str, run: str) -> str:
        # One alone is no server for anybody.
        ready = ', ready = "listens"' if at == "server" and len(programs) > 1 else ""
        return f'{{ at = "@{at}", run = {json.dumps(run)}{ready} }}'

    return [f"program=[{', '.join(table(*program) for program in programs)}]"]


def act(options: argparse.Namespace, sets: list[str]) -> int | None:
    """Runs the programs, if there are some; the exit status, or None where there are none."""
    from .. import _core

    own = given(options)
    try:
        text, file = read(options.file)
    except OSError as error:
        options.parser.error(f"{file_name(options.file)}: {error.strerror}")
    if not own and b"program" not in text:
        if options.allow_programs:
            options.parser.error("--allow-programs: the file names none; --server CMD and --client CMD name some")
        return None
    programs = _core.Programs(text, file=file, sets=[*own, *sets], seed=options.seed)
    plan = json.loads(programs.json())
    if not plan["programs"]:
        return None
    if options.capture or options.show_expanded or options.beside:
        options.parser.error("with programs, --out has captures at the nodes; --capture, --show-expanded and --beside are for others")
    if not own and not options.allow_programs:
        first = plan["programs"][0]["run"]
        complain(
            f"{file_name(options.file)} names {len(plan['programs'])} commands, such as `{first}`. They would run as you, on a kernel "
            "that can read what you can read, and a scenario may come from a stranger: read them, then give --allow-programs"
        )
        return 2
    versions = {node: version for node, version in options.linux if node}
    known = [name for name, _ in plan["nodes"]]
    if unknown := next((node for node in versions if node not in known), None):
        options.parser.error(f"--linux {unknown}=...: there is no node {unknown}; there are {', '.join(known)}")
    with contextlib.ExitStack() as stack:
        told = _run(options, programs, stack, versions)
    if options.json:
        say_json(told.json())
    else:
        _say(told, options)
    return 1 if any(program.failed for program in told.programs) else 0


def _run(options: argparse.Namespace, programs: Any, stack: contextlib.ExitStack, versions: dict[str, str]) -> ProgramsResult:
    from ..engines.programs import run
    from ..results.directory import results
    from ..results.frames import to_polars

    if not options.out:
        return run(programs, versions=versions)
    folder = stack.enter_context(results(options.out, "run", ["summary.json", "scenario.toml", "programs.json"]))
    with folder.replacing({"seeds": json.loads(programs.json())["seed"]}) as scratch:
        told = run(programs, files=scratch / "nodes", captures=scratch, versions=versions)
        (scratch / "summary.json").write_text(told.result.json(records=False) + "\n", encoding="utf-8")
        (scratch / "scenario.toml").write_text(programs.scenario_toml(), encoding="utf-8")
        more = {"programs": [program.told() for program in told.programs], "streams": told.streams}
        (scratch / "programs.json").write_text(json.dumps(more, indent=1) + "\n", encoding="utf-8")
        for name in ("flows", "links", "series", "queue", "packets"):
            table = getattr(told.result, name)
            if table is not None:
                to_polars(table).write_parquet(Path(scratch) / f"{name}.parquet")
    return told


def _span(instant: float | None) -> str:
    return "the end" if instant is None else f"{instant:.6f}"


def _say(told: ProgramsResult, options: argparse.Namespace) -> None:
    from ..results.summary import LINK_COLUMNS, _number
    from ..results.summary import told as columns
    from ..text.columns import align

    summary = json.loads(told.result.json(records=False))
    say(f"{summary['title'] or '(no title)'}\nseed {summary['seed']}, ended at {_number(summary['end_s'])} s")
    for program in told.programs:
        began = "never began" if program.started_s is None else f"{_span(program.started_s)} to {_span(program.ended_s)} s"
        ended = "stopped" if program.stopped else f"exit status {program.status}"
        say(f"\n{program.at}: {program.run}\n{began}, {ended}")
        lines = program.output.decode(errors="replace").splitlines()
        if len(lines) > MOST_LINES:
            say(f"  ... {len(lines) - MOST_LINES} lines before (--json and --out have them)")
        for line in lines[-MOST_LINES:]:
            say(f"  {line}")
    heads = ["stream", "packets", "kB", "arrived", "retx", "dropped", "lost", "marked", "delay ms: p50", "p95", "p99"]

    def cells(row: dict[str, Any]) -> list[str]:
        counts = [row["packets"], f"{row['bytes'] / 1e3:.1f}", row["arrived"], row["retransmits"], row["dropped"], row["lost"], row["marked"]]
        delays = [row[f"delay_p{share}_s"] for share in (50, 95, 99)]
        return [row["name"], *map(str, counts), *("-" if delay is None else f"{1e3 * delay:.3f}" for delay in delays)]

    if told.streams:
        say("\n" + "\n".join(align(heads, [cells(row) for row in told.streams[:MOST_LINES]])))
    if len(told.streams) > MOST_LINES:
        say(f"... and {len(told.streams) - MOST_LINES} more (--json and --out have them all)")
    shown = columns(LINK_COLUMNS, summary["links"])
    rows = [[cell(row) for _, cell in shown] for row in summary["links"][:MOST_LINES]]
    say("\n" + "\n".join(align([head for head, _ in shown], rows)))
    if told.astray or told.overrun:
        say(f"\n{told.astray} packets went to no program's node, {told.overrun} found no buffer in a kernel")
    if options.out:
        say(f"\nwritten to {file_name(str(Path(options.out) / ''))}")
