"""``acklab new``: a commented scenario to start from."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from .._terminal import say
from .._texts import file_name
from .examples import TEMPLATES, example

EXAMPLE = """\
templates:
{}
example:
  acklab new mine                      mine.toml, a transfer over a T1; then: acklab run mine.toml
  acklab new home --template cable     home.toml, an access link
"""


def add(verbs: Any) -> None:
    """Adds the verb to the command line."""
    new = verbs.add_parser(
        "new",
        help="write a scenario to start from",
        description="Write a commented scenario file, NAME.toml, from a template.",
        epilog=EXAMPLE.format("".join(f"  {name:<10} {about}\n" for name, (_, about) in TEMPLATES.items())),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    new.add_argument("name", metavar="NAME", help="the file; .toml is added")
    new.add_argument("--template", choices=list(TEMPLATES), default="t1", help="what to begin with (t1)")
    new.set_defaults(act=act, parser=new)


def act(options: argparse.Namespace) -> int:
    """Writes the file and returns the exit status."""
    path = Path(options.name if options.name.endswith(".toml") else f"{options.name}.toml")
    try:
        text = example(TEMPLATES[options.template][0]).read_text(encoding="utf-8")
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileNotFoundError:
        options.parser.error(f"{file_name(path.parent)}: no such directory; nothing was written")
    except FileExistsError:
        options.parser.error(f"{file_name(path)} is there already; nothing was written")
    say(f"wrote {file_name(path)}; next: acklab run {file_name(path)}")
    return 0
