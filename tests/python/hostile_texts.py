"""Texts that break programs, and what must hold of everything made with them."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import os
import re
import sys
import unicodedata
import xml.etree.ElementTree as ET
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

from acklab import cli

#: How many times as many cases a long run tries.
LONG = 15 if os.environ.get("ACKLAB_LONG") else 1

PIECES = [
    "$", "$x^2$", "$\\frac{a$", "\\", "\\n", "{{data}}", "{{title}}", "{0}", "%s", "</script>", "</title>", "<hostile onclick=alert(1)>",
    "<!--", "]]>", "&amp;", '"', "'", "`", "\n", "\r\n", "\t", "\x1b[31m", "\x1b]8;;http://a.example\x07", "\x9b2J", "\x85", "\u202e",
    "\u2066", "\u200b", "\u2028", "\ufeff", "\u3164", "名前", "한글", "e\u0301", "\u0301", "\u0e33", "👩\u200d💻", "❤\ufe0f", "\x00", "\x7f", "\ufffe",
    "..", "/", "../", ".", "CON", "nul.txt", "=1+1", "@SUM(1)", "+1", "-1+1", "-5", "\t=1", "＝1", "_", "  ", "size 1\"", "name", "from",
    "bytes", "point", "seed", "#14181f", "url(#a)", "id=\"a", 300 * "x", 300 * "名", "a" * 40 + "\u0301" * 300,
]  # fmt: skip

#: Any text at all.
texts = st.one_of(
    st.sampled_from(PIECES),
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=4).map("".join),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
)
#: Texts that a scenario takes for a name.
names = texts.filter(lambda text: text.strip() and not any(unicodedata.category(sign) in ("Cc", "Cs") for sign in text))


def cases(count: int) -> Any:
    """Settings for a property that tries so many cases, the same ones each time."""
    return settings(
        max_examples=count * LONG,
        deadline=None,
        derandomize=LONG == 1,
        database=None,
        phases=[Phase.generate],  # a case takes seconds; shrinking one takes minutes
        suppress_health_check=list(HealthCheck),
    )


def file_names(ending: str = "") -> st.SearchStrategy[str]:
    """Names that a file system takes, also those that are no text."""
    bytes_ = st.one_of(texts.map(lambda text: text.encode(errors="replace")), st.sampled_from([b"\xff\xfe", b"a\x80b"]))
    kept = bytes_.map(lambda name: name.replace(b"/", b"_").replace(b"\0", b"")[: 240 - len(ending)])
    return kept.filter(lambda name: name.strip(b".") != b"").map(lambda name: os.fsdecode(name) + ending)


@contextmanager
def terminal() -> Any:
    """Standard output and error as a UTF-8 terminal's program has them; gives a function for what was printed."""
    kept = sys.stdout, sys.stderr
    made = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in kept]
    sys.stdout, sys.stderr = made

    def printed() -> list[str]:
        for stream in made:
            stream.flush()
        return [stream.buffer.getvalue().decode() for stream in made]  # type: ignore[attr-defined]

    try:
        yield printed
    finally:
        sys.stdout, sys.stderr = kept


def run(folder: Path, *arguments: str) -> tuple[int, str, str]:
    """Runs the command in ``folder``; its status and what it printed, of which nothing acts on a terminal."""
    before = os.getcwd()
    os.chdir(folder)
    try:
        with terminal() as printed:
            try:
                status = cli.main(arguments)
            except SystemExit as ended:
                status = int(ended.code or 0)
            out, err = printed()
    finally:
        os.chdir(before)
    for text in (out, err):
        acting = [
            sign for sign in text if sign != "\n" and unicodedata.category(sign) in ("Cc", "Cf", "Cs", "Zl", "Zp")
        ]
        assert not acting, (acting, text)
    assert status in (0, 2), (status, out, err)
    assert (status == 0) == (err == ""), (status, err)
    return status, out, err


def columns(text: str) -> int:
    """Columns of a terminal, by the rule and not by the code: UAX 11, and marks take none."""
    wide = {"W": 2, "F": 2}
    no_width = ("Mn", "Me", "Cf")
    jamo = [range(0x1160, 0x1200), range(0xD7B0, 0xD800)]
    return sum(
        0
        if unicodedata.category(sign) in no_width or any(ord(sign) in part for part in jamo)
        else wide.get(unicodedata.east_asian_width(sign), 1)
        for sign in text
    )


class Page(HTMLParser):
    """What a page consists of."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.parts: dict[str, list[str]] = {"script": [], "style": [], "title": []}
        self.policy = ""
        self.attributes: set[str] = set()
        self.data = False
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        given = dict(attrs)
        self.tags.append(tag)
        self.attributes |= given.keys()
        self.data = tag == "script" and "type" in given
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policy = given["content"]
        if tag in self.parts and not self.data:
            self.parts[tag].append("")
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        tag = self.open[-1] if self.open else ""
        if tag in self.parts and not self.data:
            self.parts[tag][-1] += data
        elif not self.data:
            self.text += data


def check_page(path: Path) -> Page:
    """Nothing of a text became markup, and the policy allows exactly the page's own scripts and styles."""
    text = path.read_text(encoding="utf-8")
    assert not [sign for sign in text if sign != "\n" and unicodedata.category(sign) in ("Cc", "Cf", "Cs")]
    page = Page(text)
    assert "hostile" not in page.tags
    assert not [name for name in page.attributes if name.startswith("on")]
    assert "'unsafe-inline'" not in re.sub(r"style-src-attr 'unsafe-inline'", "", page.policy)
    for kind in ("script", "style"):
        allowed = set(re.findall(r"'sha256-([^']+)'", re.search(rf"{kind}-src(?:-elem)? ([^;]*)", page.policy)[1]))  # type: ignore[index]
        there = {base64.b64encode(hashlib.sha256(part.encode()).digest()).decode() for part in page.parts[kind]}
        assert there == allowed, kind
    return page


def check_cell(text: str) -> None:
    """A spreadsheet takes it for a text or a number."""
    assert not text.startswith(tuple("=+@\t\r\n＝＋＠－")), text
    if text.startswith("-"):
        float(text)


def check_outputs(folder: Path, given: set[str], out: str) -> list[Path]:
    """``folder`` has nothing but the files it was ``given`` and ``out``, in which every file is sound; gives those."""
    assert set(os.listdir(folder)) <= {*given, out}
    found = [Path(place) / name for place, _, files in os.walk(folder / out) for name in files]
    for path in found:
        name = path.name
        assert name.isprintable() and len(name.encode()) <= 255 and not name.startswith("-")
        if path.suffix == ".html":
            check_page(path)
        elif path.suffix == ".svg":
            assert "hostile" not in {element.tag.rpartition("}")[2] for element in ET.parse(path).iter()}
        elif path.suffix == ".png":
            assert path.read_bytes().startswith(b"\x89PNG")
        elif path.suffix == ".json":
            json.loads(path.read_text(encoding="utf-8"))
        elif path.suffix == ".csv":
            with path.open(encoding="utf-8", newline="") as file:
                for row in csv.reader(file):
                    for cell in row:
                        check_cell(cell)
    return found
