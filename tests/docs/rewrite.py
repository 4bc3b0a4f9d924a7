"""Pages with what their commands and programs print today.

    .venv/bin/python tests/docs/rewrite.py docs/howto/which-queue.md ...

Only what differs is written again. A block with a line "..." is named and left. Sentences that quote a number are left, too.
"""

import sys
import tempfile
from pathlib import Path

import pages


def rewrite(path: Path) -> tuple[int, list[str]]:
    """Writes one page again; how many blocks changed, and which are left to a person."""
    text, left, changed = path.read_text("utf-8"), [], 0

    def note(block: pages.Block, what: str, printed: str, expected: str) -> None:
        nonlocal text, changed
        if pages.agrees(printed, expected):
            return
        old = expected.strip("\n")
        if not old or "..." in old.split("\n") or text.count(old) != 1:
            left.append(f"{block.place}: {what}")
            return
        text = text.replace(old, "\n".join(line.rstrip() for line in printed.strip("\n").split("\n")))
        changed += 1

    pages.check = note
    with tempfile.TemporaryDirectory() as directory:
        pages.prepare(Path(directory))
        pages.try_page(path, Path(directory))
    path.write_text(text, "utf-8")
    return changed, left


if __name__ == "__main__":
    for name in sys.argv[1:]:
        count, rest = rewrite(Path(name).resolve())
        print(f"{name}: {count} written again", *rest, sep="\n  left: ")
