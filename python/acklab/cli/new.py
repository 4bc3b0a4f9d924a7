"""``acklab new``: a commented scenario to start from."""

from __future__ import annotations

import argparse
import errno
import os
from pathlib import Path
from typing import Any

from ..text.presets import PATHS
from ..text.terminal import file_name, not_known, say, short
from .examples import TEMPLATES, example
from .options import add_verb

EXAMPLE = """\
templates:
{}
example:
  acklab new mine                      mine.toml, a transfer over a T1; then: acklab run mine.toml
  acklab new home --template cable     home.toml, an access link
"""
#: Columns of a name that is too long.
SHOWN = 60


def add(verbs: Any) -> None:
    """Adds the verb to the command line."""
    about = "Write a commented scenario file, NAME.toml, from a template."
    shown = EXAMPLE.format("".join(f"  {name:<10} {about}\n" for name, (_, about) in TEMPLATES.items()))
    new = add_verb(verbs, "new", act, about, shown)
    new.add_argument("name", metavar="NAME", help="the file; .toml is added")
    new.add_argument(
        "--template",
        metavar="NAME",
        default="t1",
        help="what to begin with (t1); the list is below, and an access path of `acklab run --path` will do, too",
    )


def act(options: argparse.Namespace) -> int:
    """Writes the file and returns the exit status."""
    template = options.template
    if template not in TEMPLATES and template not in PATHS:
        options.parser.error(not_known("template", template, [*TEMPLATES, *PATHS]))
    source = TEMPLATES[template][0] if template in TEMPLATES else f"access/{template}.toml"
    path = Path(options.name if options.name.endswith(".toml") else f"{options.name}.toml")
    # `main` puts replacement characters where an argument is no text: the file would have another name.
    if not os.path.basename(options.name).removesuffix(".toml").strip(". ") or {
        "\0",
        "\N{REPLACEMENT CHARACTER}",
    } & set(options.name):
        options.parser.error(f"{file_name(options.name) or 'an empty text'} is no name of a file; nothing was written")
    try:
        text = example(source).read_bytes()
        with path.open("xb") as file:
            try:
                file.write(text)
                file.flush()
            except OSError:
                path.unlink()
                raise
    except FileNotFoundError:
        options.parser.error(f"{file_name(path.parent)}: no such directory; nothing was written")
    except FileExistsError:
        options.parser.error(f"{file_name(path)} is there already; nothing was written")
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            error.filename = file_name(path)  # a full disk is told without it
            raise
        options.parser.error(
            f"{short(file_name(path), SHOWN)}: the name is too long (most file systems allow 255 bytes); nothing was written"
        )
    say(f"wrote {file_name(path)}; next: acklab run {file_name(path)}")
    return 0
