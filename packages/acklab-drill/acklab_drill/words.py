"""The words of packetdrill's language, each with its place (packetdrill's lexer)."""

from __future__ import annotations

import re
from dataclasses import dataclass


class ScriptError(Exception):
    """What is no script, or cannot be run, at a line and a column."""

    def __init__(self, line: int, column: int, what: str) -> None:
        super().__init__(f"{line}:{column}: {what}")
        self.line, self.column, self.what = line, column, what


@dataclass(frozen=True)
class Word:
    """A word and its place. Its kind is one of KINDS, or the character itself, or ``end``."""

    kind: str
    text: str
    line: int
    column: int


#: Kinds of words; of several that fit, the longest counts, then the first.
KINDS = {
    "ellipsis": r"\.\.\.",
    "option": r"--[a-zA-Z0-9_]+",
    "float": r"-?[0-9]*\.[0-9]+",
    "integer": r"-?[0-9]+",
    "hex": r"0x[0-9a-fA-F]+",
    "address": r"[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+",
    "word": r"[a-zA-Z0-9_]+",
    "string": r'"(?:\\.|[^"\\])*"',
    "command": r"`(?:\\.|[^`\\])*`",
    "code": r"%\{.*?\}%",
}
_PATTERNS = [(kind, re.compile(pattern, re.DOTALL)) for kind, pattern in KINDS.items()]
_SKIPPED = re.compile(r"\s+|//[^\n]*|/\*.*?\*/|#[^\n]*", re.DOTALL)
_OPEN = {'"': "string", "`": "command", "%{": "code block", "/*": "comment"}


def words(text: str) -> list[Word]:
    """The words of a script, the last of kind ``end``.

    Raises:
        ScriptError: a string, a command, a code block or a comment does not end.
    """
    found: list[Word] = []
    at, line, start = 0, 1, 0
    while at < len(text):
        skipped = _SKIPPED.match(text, at)
        if skipped:
            kind, end = "", skipped.end()
        else:
            fits = [(match.end(), kind) for kind, pattern in _PATTERNS if (match := pattern.match(text, at))]
            end, kind = max(fits, key=lambda fit: fit[0]) if fits else (at + 1, text[at])
            opened = next((what for mark, what in _OPEN.items() if not fits and text.startswith(mark, at)), None)
            if opened:
                raise ScriptError(line, at - start + 1, f"this {opened} does not end")
            found.append(Word(kind, text[at:end], line, at - start + 1))
        lines = text.count("\n", at, end)
        if lines:
            line, start = line + lines, text.rindex("\n", at, end) + 1
        at = end
    return [*found, Word("end", "end of the script", line, at - start + 1)]
