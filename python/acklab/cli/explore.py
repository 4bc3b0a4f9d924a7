"""``acklab explore``: the simulator in a page of the browser."""

from __future__ import annotations

import argparse
import subprocess
import webbrowser
from pathlib import Path
from typing import Any

from ..text.terminal import complain, file_name, say
from .options import add_verb
from .source import read

EXAMPLE = """\
example:
  acklab explore                      write acklab-explorer/index.html and open it in the browser
  acklab explore examples/t1.toml     the same, with this scenario
  acklab explore a.toml b.toml        two scenarios beside each other
  acklab explore out/scenario.toml    the scenario of a run's page
  acklab explore --out site --no-open write site/index.html, a folder that can be hosted as it is
"""

ABSENT = "this installation has no explorer; in acklab's repository, make explorer builds it"
BUILDING = "this clone has no explorer yet; make explorer builds it, once, in some minutes"


def add(verbs: Any) -> None:
    """Adds the verb to the command line."""
    about = "Write the explorer, one page that needs no network and no server, and open it in the browser."
    explore = add_verb(verbs, "explore", act, about, EXAMPLE)
    explore.add_argument(
        "files", metavar="FILE", nargs="*", help="one or two scenarios to begin with (TOML); a preset if left out"
    )
    explore.add_argument(
        "--out",
        metavar="DIR",
        type=Path,
        default=Path("acklab-explorer"),
        help="where to write index.html (acklab-explorer)",
    )
    explore.add_argument("--no-open", action="store_true", help="only write the page")


def act(options: argparse.Namespace) -> int:
    """Writes the page, opens it, and returns the exit status."""
    from ..report import explorer

    scenarios = _scenarios(options)
    program = explorer.carried()
    if program is None and (repository := explorer.repository()):
        complain(BUILDING)
        if subprocess.run(["make", "--no-print-directory", "explorer"], cwd=repository, check=False).returncode == 0:
            program = explorer.carried()
    if program is None:
        complain(ABSENT)
        return 1
    path = explorer.write(options.out, program, scenarios)
    say(f"wrote {file_name(path)}")
    if not options.no_open and not webbrowser.open(path.resolve().as_uri()):
        say("no browser could be opened; open the page by hand")
    return 0


def _scenarios(options: argparse.Namespace) -> list[str]:
    """The texts of the scenarios that were given, which the simulator accepts.

    Raises:
        ScenarioError: one of them is no scenario.
    """
    from .. import _core

    if len(options.files) > 2:
        options.parser.error("the explorer shows one scenario or two")
    found = []
    for name in options.files:
        try:
            text, file = read(name)
        except OSError as error:
            options.parser.error(f"{file_name(name)}: {error.strerror}")
        _core.expanded(text, file=file)
        if text.lstrip().startswith(b"{"):
            options.parser.error(
                f"{file_name(name)} is JSON; the explorer takes TOML: acklab run {file_name(name)} --show-expanded > scenario.toml"
            )
        found.append(text.decode())
    return found
