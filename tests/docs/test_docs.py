"""The documentation is true: it builds without a warning, its links lead somewhere, and what it shows is what happens."""

from __future__ import annotations

import os
import re
import shutil
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
import wording  # noqa: E402

ROOT, DOCS = pages.ROOT, pages.ROOT / "docs"
ORACLE = ROOT / "tests" / "oracle"
WRITTEN = sorted(path for path in [*ROOT.glob("*.md"), *DOCS.rglob("*.md")] if "_build" not in path.parts)
#: Pages whose numbers other tests and programs print.
ELSEWHERE = {"oracle", "captures", "mutants"}
TRIED = [path for path in WRITTEN if not ELSEWHERE & {path.parent.name, path.stem} or path.parent.name == "howto"]


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


# ---- what the pages show ---------------------------------------------------------------------------------------------
#: Pages whose commands take minutes: `make test-all` tries them. Their kind of command is on other pages, too.
LONG = ("which-queue",)


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


def test_make_demo_is_what_is_tried_in_its_place() -> None:
    if shutil.which("make"):
        # Below `make test` a make says which directory it enters and leaves.
        command = ["make", "--no-print-directory", "-n", "-B", "demo"]
        said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
        assert said.split("\n")[-2] == ".venv/bin/acklab demo"


def test_a_wrong_number_on_a_page_is_noticed(tmp_path: Path) -> None:
    text = "```python\nprint(2 + 2)\n```\n\n```text\n5\n```\n"
    program, answer = pages.FENCE.finditer(text)
    block = pages.Block("wrong.md", 1, program["language"], program["text"])
    with pytest.raises(AssertionError, match=r"wrong\.md:1"):
        pages.check(block, "this program", pages.run_python(block, {}, tmp_path), answer["text"])


# ---- the words -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("path", wording.pages(), ids=name)
def test_a_page_has_the_words_of_the_field(path: Path) -> None:
    assert not list(wording.findings(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", wording.code(), ids=name)
def test_comments_have_the_words_of_the_field(path: Path) -> None:
    assert not list(wording.of_file(path))


def test_only_comments_and_docstrings_of_code_are_read() -> None:
    rust = '//! It is luck.\n\nfn luck() {} // luck\n\nlet a = "luck"; // chance\n'
    assert [line for line, _ in wording.findings(wording.rust(rust))] == [1, 3]
    python = '"""It is luck."""\n\nluck = "luck"  # luck\n\n"""An attribute\'s luck.\n\n>>> print("luck")\nluck\n\nLuck.\n"""\n'
    assert [line for line, _ in wording.findings(wording.python(python))] == [1, 3, 5, 10]


def test_private_words_and_long_sentences_are_found() -> None:
    long = " ".join(["word"] * (wording.LONGEST + 1))
    text = f"It is luck.\n\n```text\nluck\n```\n\n| not told apart |\n\n- `luck` only\n- {long}. Short.\n\nOn the way\nback."
    assert [line for line, _ in wording.findings(text)] == [1, 7, 10, 12]


def test_the_glossary_is_short() -> None:
    rows = re.findall(
        r"^\| ([^|]+) \| [^|]+ \| [^|]+ \|$", (DOCS / "glossary.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    terms = [row for row in rows if row != "term"]
    assert len(set(terms)) == len(terms) <= 70


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


def test_a_code_host_shows_lists_and_tables_on_every_index_and_reference_page() -> None:
    for page in (DOCS / "howto" / "index.md", *sorted((DOCS / "reference").glob("*.md"))):
        shown = re.sub(r"^```\{.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        assert len(re.findall(r"^(?:\| |- )", shown, re.MULTILINE)) >= 5, page.name


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


def test_the_modules_named_beside_a_room_exist() -> None:
    """Where the map names files of a room (`quick.rs`), some room named in the same paragraph has them."""
    for paragraph in re.split(r"\n(?=- |\n)", ARCHITECTURE.read_text(encoding="utf-8").split("## The seams")[0]):
        rooms = [ROOT / it for it in re.findall(r"`((?:crates|python)/[\w./-]+)`", paragraph)]
        files = re.findall(r"`(\w+\.(?:rs|py))`", paragraph)
        folders = [it if it.is_dir() else it.parent for it in rooms]
        missing = [file for file in files if not any(next(folder.rglob(file), None) for folder in folders)]
        assert not missing, f"{missing} in {paragraph!r}"


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
        "table": set(),
        "tcp": {"packet"},
        "path": {"packet"},
        "scenario": ends,
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


def test_each_example_of_an_rfc_has_its_test() -> None:
    named = re.findall(r"`(\w+)::(\w+)`", (DOCS / "papers" / "rfc-examples.md").read_text(encoding="utf-8"))
    traces = ROOT / "crates" / "tcp" / "tests" / "traces"
    assert len(named) >= 10
    assert not [
        name for file, name in named if f"fn {name}()" not in (traces / f"{file}.rs").read_text(encoding="utf-8")
    ]


# ---- validation ------------------------------------------------------------------------------------------------------
VALIDATION = (DOCS / "validation.md").read_text(encoding="utf-8")


def told_of_ns2() -> dict[str, tuple[int, ...]]:
    """The table of docs/validation.md: for each file, rows judged, agreeing, differing, and not judged."""
    row = r"^\| `(\w+\.csv)` \|[^|]+\| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$"
    return {file: tuple(map(int, numbers)) for file, *numbers in re.findall(row, VALIDATION, re.MULTILINE)}


def last_line(*command: str | Path) -> str:
    """What a judge says last of the acklab that is tested here."""
    environment = {**os.environ, "ACKLAB": str(Path(sys.executable).with_name("acklab"))}
    done = subprocess.run(
        [sys.executable, *command], env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.stdout, done.stderr
    return done.stdout.strip().split("\n")[-1]


def test_the_table_of_ns2_has_every_file() -> None:
    files = {path.name for path in (ORACLE / "data").glob("*.csv") if "summary" not in path.name}
    assert told_of_ns2().keys() == files


@pytest.mark.parametrize("file", told_of_ns2())
def test_the_numbers_beside_ns2_are_todays(file: str) -> None:
    path = ORACLE / "data" / file
    said = re.fullmatch(r"(\d+) rows, (\d+) agree, (\d+) differ", last_line(ORACLE / "check.py", path))
    assert said
    rows, agree, differ = map(int, said.groups())
    with path.open(encoding="utf-8") as lines:
        all_rows = sum(1 for _ in lines) - 1
    assert told_of_ns2()[file] == (rows, agree, differ, all_rows - rows)


def test_the_numbers_beside_ns3_are_todays() -> None:
    cases, agree, differ = re.findall(r"\d+", last_line(ORACLE / "ns3" / "compare.py"))
    exceptions = tomllib.loads((ORACLE / "ns3" / "exceptions.toml").read_text(encoding="utf-8"))["exception"]
    assert f"**{agree} of {cases} agree.**" in VALIDATION
    assert int(differ) == sum(not exception.get("lists") for exception in exceptions)
    assert not [it["case"] for it in exceptions if not it.get("lists") and f"`{it['case']}`" not in VALIDATION]


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
