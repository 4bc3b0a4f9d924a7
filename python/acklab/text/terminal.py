"""Texts that are printed: characters that would show nothing or move others as escapes, names that are not known, tables, and the terminal."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import IO

#: The examples that come with the package.
EXAMPLES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "examples")
# Patterns are compiled when they are first used: a command imports this file before it does anything.
#: Categories of Unicode without a shape of their own: control, format (bidirectional overrides, zero widths), surrogate,
#: private use, unassigned, line and paragraph separator.
_SHAPELESS = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
#: Letters and marks of other categories that show nothing (Default_Ignorable_Code_Point), and the empty Braille pattern.
_INVISIBLE = "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
_BEYOND_ASCII = r"[^\n -~]"
#: Bytes of a file's name that are no text, as Python has them.
_BYTES = "[\ud800-\udfff]"
_BREAKS = r"\s*[\r\n]\s*"
#: What a spreadsheet takes for the beginning of a formula (OWASP, "CSV Injection"), the wide forms included.
_FORMULA = r"[=+@\t\r\n＝＋＠]|[-－](?!\s*(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\s*$)"
#: Names that some file systems keep for devices.
#: A name of so many letters is taken for the beginning of another, and so many of those are named.
_LEAST_BEGUN, _MOST_BEGUN = 3, 4


def as_typed(text: str) -> str:
    """A text for people, in which the package's examples are called as :func:`acklab.text.input.located` finds them.

    >>> as_typed(os.path.join(EXAMPLES, 't1.toml: no key'))
    'examples/t1.toml: no key'
    """
    return text.replace(EXAMPLES + os.sep, "examples/")


def _is_shown(sign: str) -> bool:
    return sign == "\n" or (unicodedata.category(sign) not in _SHAPELESS and not re.match(_INVISIBLE, sign))


def _escape(sign: str) -> str:
    number = ord(sign)
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def visible(text: str) -> str:
    r"""The text with an escape for every character that would show nothing or move others; line ends stay.

    >>> print(visible("red \x1b[31m, back\u202ewards, 名前\u200b"))
    red \x1b[31m, back\u202ewards, 名前\u200b
    """
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    if text.isprintable() and not re.search(_INVISIBLE, text):
        return text
    return "".join(sign if _is_shown(sign) else _escape(sign) for sign in text)


class Shown(Exception):
    """An error whose message may hold texts of users: it shows each character of them (:func:`visible`)."""

    def __init__(self, *told: object) -> None:
        super().__init__(*(visible(one) if isinstance(one, str) else one for one in told))


def one_line(text: str) -> str:
    """The same on one line: line breaks and the white space around them are a space."""
    return visible(re.sub(_BREAKS, " ", text.strip()))


def file_name(path: str | os.PathLike[str]) -> str:
    """What messages and pages call a file: on one line, bytes that are no text as question marks."""
    return one_line(replaced(os.fsdecode(path)))


def replaced(text: str) -> str:
    """The text with a replacement character for each byte that is no text, as Python has it, and each half of a surrogate pair."""
    return re.sub(_BYTES, "\N{REPLACEMENT CHARACTER}", text)


def literal(text: str, *, toml: bool = False) -> str:
    r"""JSON, or TOML whose texts stand in double quotes, with escapes for what :func:`visible` would not show as it is.

    It reads back as the same values.

    >>> print(literal('{"name": "\u202e\U000e0001"}'))
    {"name": "\u202e\udb40\udc01"}
    """
    if text.isascii() and "\x7f" not in text:
        return text

    def escape(match: re.Match[str]) -> str:
        sign = match[0]
        if _is_shown(sign):
            return sign
        if toml and ord(sign) >= 0x10000:
            return f"\\U{ord(sign):08x}"
        units = sign.encode("utf-16-be", errors="surrogatepass").hex()
        return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))

    return re.sub(_BEYOND_ASCII, escape, text)


def not_known(what: str, name: str, known: Collection[str]) -> str:
    """What is said of a name that is not among those known: those that begin with it, the nearest, or all.

    >>> not_known("verb", "swep", ["run", "sweep"]), not_known("verb", "x", ["run", "sweep"])
    ('no verb swep; did you mean sweep?', 'no verb x; there are run, sweep')
    >>> not_known("path", "WIFI", ["wifi5", "wifi6"]), not_known("path", "LTE", ["lte", "lte-fdd"])
    ('no path WIFI; did you mean wifi5 or wifi6?', 'no path LTE; did you mean lte?')
    """
    from difflib import get_close_matches  # a command without a slip needs it not

    plain = {one: one.lower() for one in known}
    near = [one for one in plain if plain[one] == name.lower()]
    near = (
        near
        or [one for one in plain if len(name) >= _LEAST_BEGUN and plain[one].startswith(name.lower())][
            : _MOST_BEGUN + 1
        ]
    )
    if not near or len(near) > _MOST_BEGUN:
        close = get_close_matches(name.lower(), plain.values(), n=1)
        near = [one for one in plain if plain[one] in close][:1]
    *others, last = near or [""]
    return f"no {what} {name}; " + (
        f"did you mean {', '.join(others)}{' or ' if others else ''}{last}?"
        if near
        else f"there are {', '.join(known)}"
    )


def width(text: str) -> int:
    """Columns of a terminal that a line takes: two for wide characters, none for combining ones (UAX 11).

    >>> width("名前"), width("e\u0301"), width("size")
    (4, 1, 4)
    """
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(sign: str) -> int:
    # Vowels and final consonants of Hangul join the letter before them.
    if unicodedata.category(sign) in ("Mn", "Me") or "\u1160" <= sign <= "\u11ff" or "\ud7b0" <= sign <= "\ud7ff":
        return 0
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 1


def short(text: str, most: int) -> str:
    """The text in at most so many columns: of a longer one its beginning and its end.

    >>> short("abcdefghij", 6)
    'abc…ij'
    """
    if width(text) <= most:
        return text
    head = _begin(text, (most - 1) * 2 // 3)
    tail = _begin(text[::-1], most - 1 - width(head))[::-1]
    while tail and not _columns(tail[0]):  # a mark without its letter
        tail = tail[1:]
    return f"{head}…{tail}"


def _begin(text: str, most: int) -> str:
    taken = 0
    for place, sign in enumerate(text):
        taken += _columns(sign)
        if taken > most:
            return text[:place]
    return text


def cell(text: str) -> str:
    """A cell of a CSV file, which no spreadsheet takes for a formula: such a text begins with an apostrophe.

    >>> cell("=1+1"), cell("-5"), cell("-5+A1"), cell("sack")
    ("'=1+1", '-5', "'-5+A1", 'sack')
    """
    return visible("'" + text if re.match(_FORMULA, text) else text)


def file_names(names: Iterable[str]) -> list[str]:
    """Files' or directories' names made of texts, no two the same: no way out of their directory, no device, not hidden, not too long.

    >>> file_names(["G-R@G", "..", "a/b", "A_B", "con"])
    ['G-R@G', '_', 'a_b', 'A_B-2', '_con']
    """
    from .. import _core

    return _core.file_names([replaced(name) for name in names])


#: Goes to the line's beginning and clears it: the only control characters that are ever sent.
_CLEAR = "\r\033[K"
#: Whether the reader of what is printed has closed the pipe.
closed = False


@contextlib.contextmanager
def _printing(stream: IO[str] | None = None) -> Iterator[None]:
    """Names the stream in errors of the system. Where its reader has closed the pipe, the rest is printed nowhere, and the run goes on."""
    try:
        yield
    except BrokenPipeError:
        global closed
        closed = True
        abandon(stream or sys.stdout)
    except OSError as error:
        error.filename = "standard output" if stream is None else "standard error"
        raise


def abandon(stream: IO[str]) -> None:
    """Lets what is still to be written go nowhere; Python writes once more on exit and would complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def flush() -> None:
    """Lets standard output have all that was printed."""
    with _printing():
        sys.stdout.flush()


def say(text: str, file: IO[str] | None = None) -> None:
    """Prints text for people, on standard output if no file is named."""
    with _printing(file):
        print(visible(as_typed(text)), file=file)


def complain(text: str) -> None:
    """Prints a line on standard error, headed with the command's name."""
    say(f"acklab: {text}", sys.stderr)


def status(text: str = "") -> None:
    """Replaces the line that shows progress on standard error, if that is a terminal; without a text it is cleared."""
    if sys.stderr.isatty():
        print(_CLEAR + visible(text), end="", file=sys.stderr, flush=True)


def say_json(text: str) -> None:
    """Prints a line of JSON, which is UTF-8 whatever the terminal speaks."""
    say_bytes(text.encode() + b"\n")


def say_bytes(lines: bytes) -> None:
    """Prints whole lines of JSON."""
    if not lines.isascii() or b"\x7f" in lines:
        lines = literal(lines.decode()).encode()
    flush()
    with _printing():
        sys.stdout.buffer.write(lines)
        sys.stdout.buffer.flush()


def say_toml(text: str) -> None:
    """Prints a scenario whose texts stand in double quotes."""
    with _printing():
        sys.stdout.write(literal(text, toml=True))


def align(heads: Sequence[str], rows: Sequence[Sequence[str]], names: int = 1) -> list[str]:
    """Lines of a table whose first ``names`` columns are left-aligned and the others right-aligned."""
    table = [[one_line(as_typed(text)) for text in row] for row in (heads, *rows)]
    widths = [max(map(width, column)) for column in zip(*table, strict=True)]
    lines = []
    for row in table:
        cells = (
            text + room * " " if place < names else room * " " + text
            for place, (text, most) in enumerate(zip(row, widths, strict=True))
            for room in [most - width(text)]
        )
        lines.append("  ".join(cells).rstrip())
    return lines
