"""The rooms of the Python package: what each may import stands below it, and no module imports itself through others."""

from __future__ import annotations

import ast
import graphlib
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "python" / "acklab"
#: From the top down. A room imports from lower floors, and on its own from rooms further right; all import from the extension.
FLOORS = (
    ("__main__", "cli", "__init__"),
    ("papers", "reproduce"),
    ("study",),
    ("captures", "runs"),
    ("report", "plot", "scenario", "engines"),
    ("results", "text"),
)
ROOMS = [*(room for floor in FLOORS for room in floor), "_core"]
MODULES = {
    ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
    if "examples" not in path.parts
}


def imported(path: Path) -> Iterator[tuple[int, str]]:
    """The line and the module of each import of our own, wherever in the file it stands, but for those that only type checkers read."""
    tree = ast.parse(path.read_text("utf-8"))
    unread = {
        node
        for test in ast.walk(tree)
        if isinstance(test, ast.If) and ast.unparse(test.test).endswith("TYPE_CHECKING")
        for part in test.body
        for node in ast.walk(part)
    }
    for node in ast.walk(tree):
        if node in unread:
            continue
        if isinstance(node, ast.ImportFrom) and node.level:
            home = [*path.parents[node.level - 1].relative_to(PACKAGE).parts, *(node.module or "").split(".")]
            base = ".".join(part for part in home if part)
            for name in node.names:
                whole = f"{base}.{name.name}".removeprefix(".")
                yield node.lineno, whole if whole in MODULES or not base else base
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            yield from (
                (node.lineno, name.partition(".")[2] or "__init__") for name in names if name.split(".")[0] == "acklab"
            )


def test_there_are_twelve_rooms() -> None:
    rooms = {name.split(".")[0] for name in MODULES}
    assert rooms == set(ROOMS) - {"_core"} and len(rooms - {"__main__", "__init__"}) == 12


def test_imports_point_down() -> None:
    upward = [
        f"{path.relative_to(PACKAGE)}:{line}: {here} imports from {there}"
        for name, path in MODULES.items()
        for line, target in imported(path)
        for here, there in [(name.split(".")[0], target.split(".")[0])]
        if there not in ROOMS or ROOMS.index(there) < ROOMS.index(here)
    ]
    assert not upward


def test_no_module_imports_itself_through_others() -> None:
    needs = {name: {target for _, target in imported(path)} - {name} for name, path in MODULES.items()}
    graphlib.TopologicalSorter(needs).prepare()
