"""Whatever texts users, scenarios and captures bring, every verb ends well and what it leaves behind is sound."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hostile_texts import (
    cases,
    check_cell,
    check_outputs,
    columns,
    file_names,
    names,
    run,
    texts,
)
from hypothesis import given
from hypothesis import strategies as st

from acklab.results.summary import align
from acklab.scenario._toml import inline
from acklab.text import terminal as escapes
from acklab.text.input import loads

ROOT = Path(__file__).parents[2]
CAPTURE = ROOT / "examples" / "captures" / "linux-receiver.pcap"


@contextmanager
def folder() -> Any:
    """An empty directory whose own name is harmless."""
    with tempfile.TemporaryDirectory(prefix="acklab-texts-") as name:
        yield Path(name)


def scenario(title: str, nodes: tuple[str, str], flows: list[str]) -> dict[str, Any]:
    one, other = nodes
    return {
        "title": title,
        "stop": {"when": "flows-complete", "at_most": "20s"},
        "link": [
            {"between": [one, other], "rate": "2Mbps", "delay": "10ms", "queue": {"kind": "drop-tail", "packets": 5}}
        ],
        "flow": [{"name": name, "from": one, "to": other, "size": {"segments": 20}} for name in flows],
    }


#: Directories to write to; what of an argument is no text is replaced unless it names a file.
directories = file_names().map(lambda name: os.fsencode(name).decode(errors="replace")[:60])

#: Names that a comparison's or a plan's file can hold.
labels = texts.filter(lambda text: text.strip() == text != "")

#: A title, two nodes and two flows; of names that differ.
described = st.builds(
    scenario,
    texts,
    st.lists(names, min_size=2, max_size=2, unique=True).map(tuple),
    st.lists(names, min_size=1, max_size=2, unique=True),
)


def put(place: Path, name: str, tree: Any) -> str:
    (place / name).write_text(json.dumps(tree), encoding="utf-8")
    return name


@cases(3)
@given(tree=described, out=directories)
def test_run(tree: dict[str, Any], out: str) -> None:
    with folder() as place:
        put(place, "s.json", tree)
        status, printed, _ = run(place, "run", "s.json", "--out", out, "--capture", "all")
        found = check_outputs(place, {"s.json"}, out)
        if status == 0:
            assert {"report.html", "flows.parquet"} <= {path.name for path in found}
            assert sum(path.suffix == ".pcapng" for path in found) == 2
            rows = json.loads((place / out / "summary.json").read_text(encoding="utf-8"))["flows"]
            assert [row["name"] for row in rows] == [flow["name"] for flow in tree["flow"]]


@cases(60)
@given(tree=described, file=file_names(".json"), changed=st.lists(texts, max_size=2))
def test_run_prints(tree: dict[str, Any], file: str, changed: list[str]) -> None:
    with folder() as place:
        put(place, file, tree)
        more = [word for text in changed for word in ("--set", text.replace("\0", ""))]
        file = f"./{file}"
        run(place, "run", file, *more)
        status, printed, _ = run(place, "run", file, "--json")
        if status == 0:
            assert json.loads(printed)["title"] == tree["title"]
        status, printed, _ = run(place, "run", file, "--show-expanded")
        if status == 0:
            expanded = loads(printed)
            assert expanded["title"] == tree["title"]
            assert [flow["name"] for flow in expanded["flow"]] == [flow["name"] for flow in tree["flow"]]
        status, printed, _ = run(place, "run", "--batch", file)
        run(place, "run", "--live", file, "--dry-run")
        run(place, "run", "--live", file, "--dry-run", "--json")


@cases(40)
@given(tree=described, key=texts, value=texts)
def test_scenarios_that_are_none(tree: dict[str, Any], key: str, value: str) -> None:
    with folder() as place:
        put(place, "s.json", {**tree, key: value})
        run(place, "run", "s.json")
        (place / "s.toml").write_text(f"{value}\n[{key}]\n", encoding="utf-8", errors="replace")
        run(place, "run", "s.toml")
        run(place, "sweep", "s.toml", "--vary", "seed=1,2")
        run(place, "compare", "s.toml", "--cases", "s.toml")


@cases(8)
@given(
    tree=described,
    axis=texts,
    choices=st.lists(texts, min_size=2, max_size=3, unique=True),
    metric=texts,
    title=texts,
    out=directories,
)
def test_sweep(tree: Any, axis: str, choices: list[str], metric: str, title: str, out: str) -> None:
    with folder() as place:
        put(place, "s.json", tree)
        sets = {name: {"link.0.queue.packets": 4 + number} for number, name in enumerate(choices)}
        plan = {
            "scenario": "s.json",
            "title": title,
            "alternatives": {axis: sets},
            "metrics": [f"{metric}: goodput", "rtt"],
            "seeds": 2,
        }
        (place / "p.toml").write_text(
            "\n".join(f"{key} = {inline(value)}" for key, value in plan.items()), encoding="utf-8"
        )
        status, _, _ = run(place, "sweep", "p.toml", "--out", out)
        found = check_outputs(place, {"s.json", "p.toml"}, out)
        if status == 0:
            assert {"sweep.html", "flows.csv", "flows.parquet", "summary.csv"} <= {path.name for path in found}
            status, printed, _ = run(place, "sweep", "p.toml", "--json")
            assert [point["at"][axis] for point in json.loads(printed)["points"]] == choices


@cases(6)
@given(
    tree=described,
    called=st.lists(labels, min_size=2, max_size=3, unique=True),
    under=st.lists(labels, min_size=1, max_size=2, unique=True),
    metric=texts,
    file=file_names(),
    out=directories,
)
def test_compare(tree: Any, called: list[str], under: list[str], metric: str, file: str, out: str) -> None:
    with folder() as place:
        put(place, file, tree)
        lines = [f"metrics = [{inline(f'{metric}: goodput')}]" if ":" not in metric else "", "seeds = 2"]
        for kind, given_names, key in (("case", called, "link.0.queue.packets"), ("situation", under, "seed")):
            for number, name in enumerate(given_names):
                lines += [f"[[{kind}]]", f"name = {inline(name)}", f'set = {{ "{key}" = {4 + number} }}']
        (place / "cases.toml").write_text("\n".join(lines), encoding="utf-8")
        status, _, _ = run(place, "compare", f"./{file}", "--cases", "cases.toml", f"--out=./{out}_")
        found = check_outputs(place, {file, "cases.toml"}, f"{out}_")
        if status == 0:
            assert {"comparison.html", "runs.parquet"} <= {path.name for path in found}
            status, printed, _ = run(place, "compare", f"./{file}", "--cases", "cases.toml", "--json")
            rows = json.loads(printed)["situations"][0]["ranking"]
            assert sorted(row["case"] for row in rows) == sorted(name.strip() for name in called)


@cases(4)
@given(files=st.lists(file_names(".pcap"), min_size=1, max_size=2, unique=True), out=directories)
def test_analyze(files: list[str], out: str) -> None:
    with folder() as place:
        for file in files:
            shutil.copy(CAPTURE, place / file)
        paths = [f"./{file}" for file in files]
        status, _, _ = run(place, "analyze", *paths, f"--out=./{out}_")
        found = check_outputs(place, {*files}, f"{out}_")
        if status == 0:
            assert sum(path.name == "analysis.html" for path in found) == len(files)
        status, printed, _ = run(place, "analyze", *paths, "--json")
        assert [len(json.loads(line)["connections"]) for line in printed.splitlines()] == [1] * len(files)


@cases(200)
@given(
    verb=st.sampled_from(["run", "analyze", "compare", "sweep", "reproduce", "schema", "doctor", ""]),
    words=st.lists(texts, min_size=1, max_size=3),
)
def test_command_lines(verb: str, words: list[str]) -> None:
    given_words = [word.replace("\0", "") for word in words if word.replace("\0", "") not in ("/", "..", ".")]
    with folder() as place:
        if verb not in ("doctor", "schema", "reproduce") or given_words:
            run(place, *([verb] if verb else []), *given_words)


@cases(400)
@given(text=texts, most=st.integers(2, 60))
def test_texts(text: str, most: int) -> None:
    shown = escapes.visible(text)
    assert escapes.visible(shown) == shown
    assert "\n" not in escapes.one_line(text)
    assert escapes.width(shown) == columns(shown)
    assert columns(escapes.short(shown, most)) <= most or columns(shown) <= most
    check_cell(escapes.cell(text))
    (name,) = escapes.file_names([text])
    assert (
        name not in ("", ".", "..")
        and "/" not in name
        and len(name.encode()) <= 255
        and not name.startswith((".", "-"))
    )
    assert json.loads(escapes.literal(json.dumps(text, ensure_ascii=False))) == text


@cases(100)
@given(rows=st.lists(st.tuples(texts, texts, st.integers().map(str)), min_size=1, max_size=4))
def test_columns_align(rows: list[tuple[str, str, str]]) -> None:
    lines = align(["a", "b", "c"], rows, names=2)
    assert len(lines) == len(rows) + 1
    ends = {columns(line) for line in lines}
    assert len(ends) == 1  # the last column is aligned to the right


def test_files_of_equal_names_on_some_file_systems_have_a_directory_each(tmp_path: Path) -> None:
    for name in ("A.pcap", "a.pcap"):
        shutil.copy(CAPTURE, tmp_path / name)
    status, _, _ = run(tmp_path, "analyze", "A.pcap", "a.pcap", "--out", "o")
    assert status == 0 and {"A", "a-2"} <= set(os.listdir(tmp_path / "o"))


@pytest.mark.parametrize("name", ["name", "from", "bytes", "seed", "point", "mean"])
def test_a_column_that_tables_have_is_refused_before_anything_runs(tmp_path: Path, name: str) -> None:
    plan = f'scenario = "s.json"\n[alternatives.{name}]\na = {{ "link.0.rate" = "1Mbps" }}\nb = {{ "link.0.rate" = "2Mbps" }}\n'
    (tmp_path / "p.toml").write_text(plan)
    put(tmp_path, "s.json", scenario("", ("S", "R"), ["f"]))
    status, _, said = run(tmp_path, "sweep", "p.toml", "--out", "o")
    assert (status, os.listdir(tmp_path)) == (2, ["p.toml", "s.json"]) or not (tmp_path / "o").exists()
    assert f"two columns would be called {name}" in said


def test_renamed_columns_and_cases_keep_their_runs(tmp_path: Path) -> None:
    put(tmp_path, "s.json", scenario("", ("S", "R"), ["f"]))
    for name in ("one", "other"):
        plan = f'scenario = "s.json"\n[alternatives.{name}]\n{name}a = {{ "link.0.rate" = "1Mbps" }}\n{name}b = {{ "link.0.rate" = "2Mbps" }}\n'
        (tmp_path / "p.toml").write_text(plan)
        status, printed, _ = run(tmp_path, "sweep", "p.toml", "--out", "o")
        assert status == 0
    assert "2 of them done before" in printed


def test_nothing_else_prints() -> None:
    """Only the gate to the terminal calls print or has the streams."""
    import ast

    package = ROOT / "python" / "acklab"
    for path in package.rglob("*.py"):
        if path.name == "terminal.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            called = node.func if isinstance(node, ast.Call) else None
            assert not (isinstance(called, ast.Name) and called.id == "print"), f"{path}:{node.lineno}"
            if isinstance(called, ast.Attribute) and called.attr in ("write", "writelines"):
                assert "std" not in ast.unparse(called.value), f"{path}:{node.lineno}"
