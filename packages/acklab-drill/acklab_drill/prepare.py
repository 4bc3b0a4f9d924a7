"""A script's text before it is read: definitions of the command line, and the settings of the ``defaults.sh`` that it runs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from .sysctls import with_defaults

#: Longest file of settings that is read.
LONGEST = 64 << 10
_COMMAND = re.compile(r"`(?:\\.|[^`\\])*`", re.DOTALL)
_DEFAULTS = re.compile(r"([^\s;`]*\bdefaults\.sh)\b")


def prepared(text: str, folder: Path, definitions: Mapping[str, str]) -> str:
    """The text with each defined word replaced, as packetdrill's ``-D NAME=VALUE`` does. Lines keep their numbers.

    Args:
        text: a script.
        folder: where it stands: a path to ``defaults.sh`` begins there. Of that file the ``sysctl`` settings are read, nothing is run.
        definitions: words and what stands for them.
    """
    if definitions:
        words = "|".join(map(re.escape, definitions))
        text = re.sub(rf"(?<![A-Za-z0-9_])({words})(?![A-Za-z0-9_])", lambda match: definitions[match[1]], text)

    def command(match: re.Match[str]) -> str:
        named = _DEFAULTS.search(match[0])
        file = folder / named[1] if named else None
        if file is None or not file.is_file() or file.stat().st_size > LONGEST:
            return match[0]
        return with_defaults(match[0], file.read_text(encoding="utf-8", errors="replace"))

    return _COMMAND.sub(command, text)
