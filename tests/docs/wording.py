"""Wording of the pages: words that only this project understood, and sentences that are too long.

``wording.py [PAGE ...]`` prints each finding as ``page:line: finding``; the exit status is 1 if there is one.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

#: Words a sentence may have; code, tables and headings do not count.
LONGEST = 40
#: What a reader of RFCs would have to guess, and what to write.
PRIVATE = {
    r"\bluck\b": "random numbers, chance",
    r"\btold from\b|\btells?\b[^.;]{0,20}\b(?:apart|from)\b|\btold apart\b": "distinguish",
    r"\bhears? of\b|\bheard of\b": "process, receive",
    r"\bwhat (?:came|comes|becomes?) of\b|\bcomes? of it\b": "result, outcome",
    r"\bin earnest\b": "(leave it out)",
    r"\bhas company\b|\bkeeps? company\b": "shares the link",
    r"\ba hair\b": "slightly, or the number",
    r"\ba row of losses\b": "consecutive losses",
    r"\bboxe?s?\b(?! plot)": "middlebox, stage",
    r"\bways? (?:back|there|down|up)\b|\b(?:both|either) ways\b": "direction, return path",
    r"\bthe house\b": "the code, the project",
    r"\bawake\b|\bstands? still\b|\bgoes to sleep\b": "(name what is idle)",
    r"\bnone (?:has|have) (?:seen|measured)\b|\bnobody\b": "no one, or say who",
    r"\bat ease\b|\bat leisure\b|\bby itself from\b": "(say it plainly)",
    r"\bhangs? on\b": "depends on",
    r"(?:^|[.;:] )(?:Read|Reproduced|Judged|Left out|Undecided|Refused|Counted|Not \w+ed) (?:is|are)\b": "subject first",
}


def prose(path: Path) -> Iterator[tuple[int, str]]:
    """The page's paragraphs and list items, each with its first line's number; code is one word."""
    fence, start, lines = "", 0, []
    for number, line in enumerate([*path.read_text(encoding="utf-8").split("\n"), ""], 1):
        mark = re.match(r"\s*(`{3,}|:{3,})", line)
        if fence:
            fence = "" if mark and mark[1] == fence and line.strip() == fence else fence
            text = ""
        elif mark:
            fence, text = mark[1], ""
        else:
            text = line
        item = re.match(r"\s*(?:[-*]|\d+\.) ", text)
        if (item or not text.strip() or text.startswith(("#", "|"))) and lines:
            yield start, plain(" ".join(lines))
            lines = []
        if text.startswith("|"):
            yield number, "| " + plain(text)
        elif text.strip() and not text.startswith("#"):
            start = start if lines else number
            lines.append(text[item.end() :] if item else text.strip())


def plain(text: str) -> str:
    """The text without what is not read as words: code, addresses, emphasis."""
    text = re.sub(r"``.+?``|`[^`]+`", "CODE", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"[*_]{1,2}(?=\S)|(?<=\S)[*_]{1,2}", "", text)


def findings(path: Path) -> Iterator[str]:
    """What is wrong with a page's words."""
    page = path.resolve().relative_to(ROOT).as_posix()
    for line, text in prose(path):
        for pattern, instead in PRIVATE.items():
            for found in re.finditer(pattern, text, re.IGNORECASE):
                yield f"{page}:{line}: “{found[0].strip()}”; write: {instead}"
        if not text.startswith("|"):
            for sentence in re.split(r"(?<=[.!?])[)\"”]? +(?=[A-Z0-9“\"(])", text):
                words = len(sentence.split())
                if words > LONGEST:
                    yield f"{page}:{line}: a sentence of {words} words: {sentence[:60]}…"


def pages() -> list[Path]:
    """Every page that people read."""
    written = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "tests" / "oracle").rglob("README.md")]
    return sorted(path for path in written if "_build" not in path.parts)


if __name__ == "__main__":
    chosen = [Path(name) for name in sys.argv[1:]] or pages()
    told = [finding for page in chosen for finding in findings(page)]
    print("\n".join(told))
    sys.exit(bool(told))
