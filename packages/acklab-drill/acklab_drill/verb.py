"""``acklab drill``: scripts in packetdrill's language, against a simulated stack or the kernel in virtual time."""

from __future__ import annotations

import argparse
import json
import os
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from acklab import _core
from acklab.cli.meant import explained
from acklab.cli.options import add_verb, add_virtual
from acklab.cli.programs import version
from acklab.engines import kernel
from acklab.text.input import read_file, too_long
from acklab.text.terminal import complain, say

from . import boot
from .parser import parse
from .prepare import prepared
from .runner import judged
from .words import ScriptError

EXAMPLE = """\
example:
  acklab drill tests/drill/*.pkt                     against the stack linux
  acklab drill mine.pkt --stack rfc --verbose        another stack, and what became of each line
  acklab drill mine.pkt --virtual                    a real Linux in virtual time (`make kernel`)

exit status: 0 all passed; 1 a line failed; 2 a script is none, or needs what cannot be done
"""

STACKS = tuple(name for name, _ in json.loads(_core.stacks())[0]["values"])
#: Bytes of scripts that one kernel gets.
BATCH_BYTES = 100_000
PASSED, FAILED, CANNOT = 0, 1, 2


def add(verbs: Any) -> None:
    """Adds the verb to the command line."""
    about = "Run scripts in packetdrill's language, and tell which lines came true (docs/howto/drill.md)."
    drill = add_verb(verbs, "drill", act, about, EXAMPLE)
    drill.add_argument("scripts", nargs="+", metavar="SCRIPT.pkt", help="packetdrill scripts")
    drill.add_argument("--stack", choices=STACKS, default=None, help="the simulated stack (linux)")
    add_virtual(drill, "a real Linux in virtual time instead")
    drill.add_argument(
        "--linux", type=version, metavar="VERSION", help="with --virtual: the Linux of this version, such as 7.3"
    )
    about = "put VALUE for the word NAME in scripts, as packetdrill's -D; may be repeated"
    drill.add_argument(
        "-D", "--define", action="append", type=_definition, metavar="NAME=VALUE", default=[], help=about
    )
    drill.add_argument("--verbose", action="store_true", help="say what became of each line")
    drill.add_argument("--json", action="store_true", help="print one JSON object a script and nothing else")


def _definition(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    if not re.fullmatch("[A-Za-z0-9_]+", name) or not value:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE, with a name of letters, digits and _")
    return name, value


def act(options: argparse.Namespace) -> int:
    """Runs, prints, and returns the exit status."""
    if options.kernel and options.stack:
        options.parser.error("--stack is a simulated one; leave it out with --virtual")
    if options.linux and not options.kernel:
        options.parser.error("--linux goes with --virtual")
    if os.name != "posix":
        complain("acklab drill needs the socket calls of a Unix system")
        return CANNOT
    scripts, status = [], PASSED
    for name in options.scripts:
        try:
            data = read_file(name)
            text = prepared(
                data.decode(errors="replace").replace("\r\n", "\n"), Path(name).parent, dict(options.define)
            )
            if wrong := too_long(data, name):
                complain(wrong)
                status = CANNOT
                continue
            parse(text, name)
        except OSError as error:
            complain(f"{name}: {error.strerror}")
            status = CANNOT
        except ScriptError as error:
            complain(explained(f"{name}:{error}", options, name))
            status = CANNOT
        else:
            scripts.append((name, text))
    try:
        for told in (
            on_kernel(scripts, options.linux) if options.kernel else on_stack(scripts, options.stack or "linux")
        ):
            say(json.dumps(told) if options.json else as_text(told, options.verbose))
            status = max(status, {"passed": PASSED, "failed": FAILED}.get(told["outcome"], CANNOT))
    except _core.LiveError as error:
        complain(str(error))
        return CANNOT
    return status


def on_stack(scripts: list[tuple[str, str]], stack: str) -> Iterator[dict[str, Any]]:
    """Outcomes on a simulated stack, in order."""
    from .simulated import SimulatedHost  # which needs the sockets of a Unix system

    for name, text in scripts:
        script = parse(text, name)
        yield judged(script, SimulatedHost(script, stack, _core.Endpoints)).told()


def on_kernel(scripts: list[tuple[str, str]], linux: str | None = None) -> Iterator[dict[str, Any]]:
    """Outcomes on the kernel, in order; several kernels run at once.

    Raises:
        LiveError: there is no kernel, or one broke off.
    """
    kernel.find(linux)
    batches: list[list[tuple[str, str]]] = [[]]
    processors = os.cpu_count() or 1
    share = min(BATCH_BYTES, sum(len(text) for _, text in scripts) // processors)
    for script in scripts:
        if batches[-1] and sum(len(text) for _, text in batches[-1]) + len(script[1]) > share:
            batches.append([])
        batches[-1].append(script)
    pool = ThreadPoolExecutor(processors)
    try:
        for outcomes in pool.map(partial(boot.outcomes, version=linux), [batch for batch in batches if batch]):
            yield from outcomes
    finally:
        pool.shutdown(cancel_futures=True)


def as_text(told: dict[str, Any], verbose: bool) -> str:
    """An outcome as one line, and more where it is not a pass."""
    lines = told["lines"]
    passed = sum(line["outcome"] == "passed" for line in lines)
    text = [f"{told['outcome']:<11} {told['script']}  {passed} of {len(lines)} lines"]
    text += [f"  {told['script']}:{what}: unsupported" for what in told["unsupported"]]
    for line in lines:
        if verbose or line["outcome"] == "failed":
            at = "" if line["at"] is None else f" at {line['at']:.6f}"
            text.append(f"  {told['script']}:{line['line']}: {line['outcome']}{at}")
            text.append(f"    script: {line['text']}")
            text += [f"    actual: {line['actual']}"] if line["actual"] else []
            text += [f"    {line['why']}"] if line["why"] else []
    return "\n".join([*text, *(f"  note: {note}" for note in told["notes"])])
