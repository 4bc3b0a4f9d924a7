"""A congestion control is one file, or one directory: no other code names it but the lists, the rules and the checks of its parameters."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

HOME = "crates/tcp/src/sender/congestion/control/"
#: Beside its own files: the list of controls, the tables of rules, checks of parameters, and what a kernel can do of them.
MAY = (
    f"{HOME}mod.rs",
    f"{HOME}linux/",
    "crates/tcp/src/rules/",
    "crates/scenario/src/conflicts.rs",
    "crates/live/src/",
)
#: `fixed` counts marks as `dctcp` does.
SHARED = {"dctcp": (f"{HOME}fixed.rs",)}


@pytest.mark.parametrize("control", ["veno", "cubic", "westwood", "vegas", "dctcp", "prague", "fixed", "bbr", "bbr3"])
def test_a_control_is_named_in_its_own_files(control: str) -> None:
    own = (f"{HOME}{control}.rs", f"{HOME}{control}/", *MAY, *SHARED.get(control, ()))
    named = re.compile(
        rf"\b(?:ControlKind|Control)::{control.capitalize()}\b|\b{control.capitalize()}Rules\b|\bcontrol::{control}\b|\b{control}::{control.capitalize()}"
    )
    found = []
    for path in sorted((ROOT / "crates").glob("*/src/**/*.rs")):
        name = path.relative_to(ROOT).as_posix()
        if name.startswith(own):
            continue
        # Comments may name a control; tests at a file's end may use one.
        code = path.read_text("utf-8").partition("#[cfg(test)]")[0]
        lines = (line.partition("//")[0] for line in code.splitlines())
        found += [f"{name}:{number}: {line.strip()}" for number, line in enumerate(lines, 1) if named.search(line)]
    assert not found, "\n".join(found)
