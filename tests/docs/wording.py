"""Wording of pages, comments and docstrings: words that only this project uses, and sentences that are too long.

``wording.py [FILE ...]`` prints each finding as ``file:line: finding``; the exit status is 1 if there is one.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

#: Most words of a sentence, of a page and of code; code counts as one word, and tables have no limit.
LONGEST, LONGEST_IN_CODE = 40, 30
#: Expressions that a reader of RFCs would have to guess, with what to write instead.
PRIVATE = {
    r"\bluck\b": "random numbers, chance",
    r"\btold (?:from|apart)\b|\btells?\b[^.;]{0,20}\b(?:apart|from)\b": "distinguish",
    r"\bhears? of\b|\bheard of\b": "process, receive",
    r"\bwhat (?:came|comes|becomes?) of\b|\bcomes? of it\b": "the result",
    r"\bin earnest\b": "nothing, or the condition",
    r"\bhas company\b|\bkeeps? company\b": "shares the link",
    r"\ba hair\b": "slightly, or the number",
    r"\ba row of losses\b": "consecutive losses",
    r"\bbox(?:es)?\b": "middlebox, stage",
    r"\bways? (?:back|there|down|up)\b|\bboth ways\b": "direction, return path",
    r"\bthe house\b|\bthe rooms\b": "the code, a part",
    r"\bhangs? on\b": "depends on",
    r"\bneedless(?:ly)?\b|\bfor nothing\b": "spurious",
    r"\btak(?:es?|en|ing) back\b": "undo",
    r"\b(?:nobody|somebody|whoever)\b": "no one, a user; name the part",
    r"(?<!there )\b(?:was|is|are|were) none\b": "the opposite, as a verb",
    r"\banew\b": "again",
    r"\bnext to nothing\b": "almost nothing",
    r"\bas it comes\b": "with its defaults",
    r"(?:^|[.;:] )(?:Read|Reproduced|Judged|Left out|Undecided|Refused|Counted) (?:is|are)\b": "the subject first",
}


def prose(text: str) -> Iterator[tuple[int, str]]:
    """Paragraphs, list items and table rows, each with the number of its first line."""
    fence, start, lines = "", 0, []
    for number, line in enumerate([*text.split("\n"), ""], 1):
        mark = re.match(r"\s*(`{3,}|:{3,})", line)
        inside = bool(fence or mark)
        if mark and not fence:
            fence = mark[1]
        elif mark and line.strip() == fence:
            fence = ""
        shown = "" if inside else line.strip()
        item = re.match(r"(?:[-*]|\d+\.) ", shown)
        if lines and (item or not shown or shown.startswith(("#", "|"))):
            yield start, plain(" ".join(lines))
            lines = []
        if shown.startswith(("#", "|")):
            yield number, plain(shown)
        elif shown:
            start = start if lines else number
            lines.append(shown[item.end() :] if item else shown)


def plain(text: str) -> str:
    """The text without code, pictures, addresses and emphasis."""
    text = re.sub(r"``.+?``|`[^`]+`", "CODE", text)
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"[*_]{1,2}(?=\S)|(?<=\S)[*_]{1,2}", "", text)


def rust(text: str) -> str:
    """A Rust file's comments in their lines, without everything else."""
    kept = []
    for line in text.split("\n"):
        comment = re.match(r"\s*//[/!]? ?(.*)|(?:[^\"]|\"(?:[^\"\\\\]|\\\\.)*\")*?[;,{})] // (.*)", line)
        kept.append((comment[1] or comment[2] or "") if comment else "")
    return "\n".join(kept)


def python(text: str) -> str:
    """A Python file's comments and docstrings in their lines, without everything else, also without examples (``>>>``)."""
    kept = [""] * (text.count("\n") + 2)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            kept[token.start[0] - 1] = token.string.lstrip("#:! ")
    for node in ast.walk(ast.parse(text)):
        # A string that is a statement is a docstring, also that of an attribute.
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            example = False
            for at, line in enumerate(text.split("\n")[node.lineno - 1 : node.end_lineno], node.lineno - 1):
                shown = re.sub(r'^[rf]?"""|"""$', "", line.strip())
                # An example ends where doctest says so: at an empty line.
                example = shown.startswith(">>>") or example and bool(shown)
                kept[at] = "" if example else shown
    return "\n".join(kept)


def of_file(path: Path) -> Iterator[tuple[int, str]]:
    """What is wrong with the words of a page, or with the comments and docstrings of code."""
    text = path.read_text(encoding="utf-8")
    reader = {".rs": rust, ".py": python}.get(path.suffix)
    return findings(text) if reader is None else findings(reader(text), LONGEST_IN_CODE)


def findings(text: str, longest: int = LONGEST) -> Iterator[tuple[int, str]]:
    """What is wrong with a page's words, each with its line; comments are for Sphinx."""
    text = re.sub(r"<!--.*?-->", lambda comment: "\n" * comment[0].count("\n"), text, flags=re.DOTALL)
    for line, block in prose(text):
        for pattern, instead in PRIVATE.items():
            for found in re.finditer(pattern, block, re.IGNORECASE):
                yield line, f'"{found[0].strip()}": write {instead}'
        for sentence in [] if block.startswith("|") else re.split(r'(?<=[.!?])[)"”]? +', block):
            if (words := len(sentence.split())) > longest:
                yield line, f"a sentence of {words} words: {sentence[:60]}"


def pages() -> list[Path]:
    """Every page that people read."""
    written = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "tests" / "oracle").rglob("README.md")]
    return sorted(path for path in written if "_build" not in path.parts)


def code() -> list[Path]:
    """Every file of code that is written by hand."""
    written = [
        *ROOT.glob("crates/*/src/**/*.rs"),
        *(ROOT / "python" / "acklab").rglob("*.py"),
        *(ROOT / "tools").rglob("*.py"),
    ]
    return sorted(path for path in written if "generated" not in path.stem)


def main(names: list[str]) -> int:
    """Prints the findings of the files of these names, or of all."""
    found = False
    for path in [Path(name) for name in names] or [*pages(), *code()]:
        for line, finding in of_file(path):
            print(f"{path}:{line}: {finding}")
            found = True
    return int(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
