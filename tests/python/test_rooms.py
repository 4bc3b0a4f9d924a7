"""The rooms of the Python package: what each may import stands below it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "python" / "acklab"
#: From the top down. A room imports from rooms further down, and from the extension.
ROOMS = (
    *("__main__", "cli", "__init__", "compare", "dataset", "loading"),
    *(
        "papers",
        "reproduce",
        "experiments",
        "study",
        "models",
        "captures",
        "runs",
        "render",
        "figures",
        "report",
        "plot",
    ),
    *("mahimahi", "scenario", "engines", "results", "text", "_core"),
)


def room(path: Path) -> str:
    """The room of a module: a directory, or a module that stands alone."""
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def imported(path: Path) -> Iterator[tuple[int, str]]:
    """The line and the room of each import of our own, wherever in the module it stands."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            home = path.parents[node.level - 1].relative_to(PACKAGE).parts
            parts = (*home, *(node.module or "").split(".")) if node.module else home
            for found in {parts[0]} if parts else {alias.name for alias in node.names}:
                yield node.lineno, found
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            yield from (
                (node.lineno, (name.split(".") + ["__init__"])[1]) for name in names if name.split(".")[0] == "acklab"
            )


def test_every_module_is_in_a_room() -> None:
    assert {room(path) for path in PACKAGE.rglob("*.py") if "examples" not in path.parts} <= set(ROOMS)


def test_imports_point_down() -> None:
    upward = [
        f"{path.relative_to(PACKAGE)}:{line}: {here} imports from {there}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for here in [room(path)]
        for line, there in imported(path)
        if there not in ROOMS or (there != here and ROOMS.index(there) < ROOMS.index(here))
    ]
    assert not upward
