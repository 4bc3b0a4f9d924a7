"""The documentation is true: it builds without a warning, its links lead somewhere, and what it shows is what happens."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import acklab

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

sys.path.insert(0, str(Path(__file__).parent))

import pages  # noqa: E402

ROOT, DOCS = pages.ROOT, pages.ROOT / "docs"
WRITTEN = sorted(path for path in [*ROOT.glob("*.md"), *DOCS.rglob("*.md")] if "_build" not in path.parts)
#: Pages whose numbers other tests and programs print.
ELSEWHERE = {"oracle", "captures", "mutants"}
TRIED = [path for path in WRITTEN if not ELSEWHERE & {path.parent.name, path.stem} or path.parent.name == "howto"]


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


# ---- what the pages show ---------------------------------------------------------------------------------------------
#: Pages whose commands take minutes: `make test-all` tries them. Their kind of command is on other pages, too.
LONG = ("which-queue", "access-links", "access-network", "cable", "reproduce")


@pytest.mark.parametrize("path", TRIED, ids=name)
def test_what_a_page_shows_is_what_happens(path: Path, tmp_path: Path) -> None:
    if path.stem in LONG and "ACKLAB_LONG" not in os.environ:
        pytest.skip("takes minutes: make test-all")
    pages.prepare(tmp_path)
    pages.try_page(path, tmp_path)


def test_the_pages_that_teach_are_tried() -> None:
    runs = ("console", "python")
    for path in [DOCS / "overview.md", DOCS / "tutorial.md", *(DOCS / "howto").glob("*.md")]:
        # kernel.md and programs.md need a kernel (tests/python/test_kernel_runs.py, test_programs.py), explorer.md a browser (tests/python/report),
        # crates.md cargo (cargo test).
        if path.name not in ("index.md", "kernel.md", "programs.md", "explorer.md", "crates.md"):
            assert any(block.language in runs for block in pages.blocks(path)), f"{name(path)} shows nothing that runs"


@pytest.mark.parametrize("index", sorted(DOCS.glob("*/index.md")), ids=name)
def test_an_index_links_every_page(index: Path) -> None:
    """On a code host, where the list that Sphinx makes is missing."""
    text = index.read_text(encoding="utf-8")
    there = {path.stem for path in index.parent.glob("*.md")} - {"index"}
    assert set(re.findall(r"^- .*?\]\((\w[\w-]*)\.md\)", text, re.MULTILINE)) == there
    assert "\n<!-- site: pages -->\n" in text  # which is the list that Sphinx wants


@pytest.mark.parametrize("path", WRITTEN, ids=name)
def test_a_code_host_shows_no_directive(path: Path) -> None:
    shown = re.sub(r"<!--.*?-->", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert not re.findall(r"^[`:]{3,}\{.*|\{[\w-]+\}`.*", shown, re.MULTILINE)


# ---- the pages and the code ------------------------------------------------------------------------------------------
def documented_columns() -> dict[str, list[tuple[str, str]]]:
    """The tables of the reference: each table's columns and their types."""
    tables: dict[str, list[tuple[str, str]]] = {}
    table = ""
    for line in (DOCS / "reference" / "tables.md").read_text(encoding="utf-8").split("\n"):
        if heading := re.fullmatch(r"## (\w+)", line):
            table = heading[1]
        elif row := re.match(r"\| `(\w+)` \| ([^|]+) \|", line):
            tables.setdefault(table, []).append((row[1], row[2].strip()))
    return tables


def kind(column: pl.Series, nullable: bool) -> str:
    if isinstance(column.dtype, pl.List):
        return "list"
    if column.dtype == pl.Boolean:
        return "bool"
    words = "whole number" if column.dtype.is_integer() else "number" if column.dtype.is_float() else "text"
    return f"{words} or null" if nullable else words


def test_every_column_is_in_the_reference() -> None:
    import pyarrow

    record = {"series": True, "queue": True, "packets": True}
    run = acklab.run(ROOT / "examples" / "allman1998.toml", record=record)
    found = {}
    for table in ("flows", "links", "series", "queue", "packets"):
        schema = pyarrow.table(getattr(run, table)).schema
        frame = pl.DataFrame(getattr(run, table))
        found[table] = [(field.name, kind(frame[field.name], field.nullable)) for field in schema]
    assert documented_columns() == found


def test_the_reference_of_tables_is_the_declarations() -> None:
    done = subprocess.run([sys.executable, ROOT / "tools" / "tables.py", "--check"], check=False)
    assert done.returncode == 0, "run make reference"


ARCHITECTURE = DOCS / "architecture.md"
CONTRIBUTING = ROOT / "CONTRIBUTING.md"
#: What exists only for whoever follows CONTRIBUTING.
TOY = {"crates/tcp/src/receiver/policy/quick.rs", "docs/_build/html"}


@pytest.mark.parametrize("path", [ARCHITECTURE, CONTRIBUTING], ids=name)
def test_every_path_named_exists(path: Path) -> None:
    rooms = r"\b((?:crates|python|tests|docs|tools|examples|fuzz|benches)/[\w./-]*\w)"
    named = set(re.findall(rf"(?<![\w/.]){rooms}", path.read_text(encoding="utf-8"))) - TOY
    assert named and not [it for it in sorted(named) if "NAME" not in it and not (ROOT / it).exists()]


def test_every_room_is_on_the_map() -> None:
    text = ARCHITECTURE.read_text(encoding="utf-8")
    rooms = [path for path in (ROOT / "crates").rglob("*") if path.is_dir() and "src" in path.parts]
    rooms += [path for path in (ROOT / "python" / "acklab").iterdir() if (path / "__init__.py").exists()]
    assert not [name(room) for room in rooms if name(room) not in text]


def test_the_rust_that_is_asked_for_is_the_rust_that_is_needed() -> None:
    needed = re.search(r'^rust-version = "(.*)"', (ROOT / "Cargo.toml").read_text(encoding="utf-8"), re.MULTILINE)
    assert needed
    for path in (ROOT / "README.md", CONTRIBUTING):
        assert set(re.findall(r"Rust (\d[\d.]*\d)", path.read_text(encoding="utf-8"))) == {needed[1]}, name(path)


def test_imports_run_downward() -> None:
    ends = {"packet", "tcp", "path"}
    read = ends | {"scenario"}
    allowed = {
        "packet": set(),
        "table": {"packet", "tcp"},
        "tcp": {"packet"},
        "path": {"packet"},
        "scenario": ends | {"table"},
        "sim": read | {"table"},
        "capture": set(),
        "tap": read | {"sim", "capture"},
        "analyze": {"packet", "tcp", "table", "capture"},
        "live": read | {"table", "sim", "capture"},
        "explorer": {"packet", "scenario", "sim"},
        "python": read | {"table", "sim", "capture", "tap", "analyze", "live"},
    }
    found = {}
    for manifest in (ROOT / "crates").glob("*/Cargo.toml"):
        needs = tomllib.loads(manifest.read_text(encoding="utf-8")).get("dependencies", {})
        found[manifest.parent.name] = {it.removeprefix("acklab-") for it in needs if it.startswith("acklab-")}
    assert found.keys() == allowed.keys()
    assert not {crate: needs - allowed[crate] for crate, needs in found.items() if needs - allowed[crate]}


# ---- links -----------------------------------------------------------------------------------------------------------
def slug(heading: str) -> str:
    """The heading's address, as GitHub and Sphinx make it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


@pytest.mark.parametrize("path", WRITTEN, ids=name)
def test_relative_links_lead_somewhere(path: Path) -> None:
    text = pages.FENCE.sub("", path.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        to = (path.parent / file).resolve() if file else path
        assert to.exists(), f"{name(path)} links to {target}"
        if anchor and to.suffix == ".md":
            headings = re.findall(r"^#+ (.*)$", to.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {slug(it) for it in headings}, f"{name(path)} links to {target}"


def test_pictures_are_small_and_used() -> None:
    texts = "".join(path.read_text(encoding="utf-8") for path in WRITTEN)
    for picture in (DOCS / "img").glob("*.png"):
        assert picture.stat().st_size < 300_000, picture
        assert f"img/{picture.name}" in texts, f"no page shows {picture.name}"
