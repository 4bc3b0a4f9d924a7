"""What a command imports: counted, because seconds differ between machines."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = """
import json, sys
from acklab.cli import main
try:
    main(sys.argv[2:])
except SystemExit:
    pass
with open(sys.argv[1], "w") as file:
    json.dump(sorted(sys.modules), file)
"""
#: Libraries and parts that take some milliseconds each, and most of them tens.
HEAVY = {
    "altair",
    "dataclasses",
    "duckdb",
    "hashlib",
    "inspect",
    "lzma",
    "matplotlib",
    "numpy",
    "optuna",
    "pandas",
    "polars",
    "pyarrow",
    "shtab",
}
HEAVY |= {
    "acklab.scenario",
    "acklab.report",
    "acklab.plot",
    "acklab.study",
    "acklab.papers",
    "acklab.captures",
    "importlib.metadata",
}


def imported(tmp_path: Path, *arguments: str) -> set[str]:
    told = tmp_path / "modules.json"
    subprocess.run([sys.executable, "-c", PROGRAM, told, *arguments], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return set(json.loads(told.read_text()))


@pytest.mark.parametrize(
    ("arguments", "verbs", "most"),
    [
        (["--help"], set(), 11),
        (["run", "--help"], {"run"}, 22),
        (["run", "examples/allman1998.toml"], {"run"}, 31),
        (["analyze", "--help"], {"analyze"}, 13),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_command_imports_what_it_uses(arguments: list[str], verbs: set[str], most: int, tmp_path: Path) -> None:
    found = imported(tmp_path, *arguments)
    ours = {name for name in found if name.split(".")[0] == "acklab"}
    assert not found & HEAVY
    assert len(ours) <= most, sorted(ours)
    other = {"analyze", "compare", "demo", "drill", "infer", "reproduce", "run", "sweep", "tune"} - verbs
    assert not {f"acklab.cli.{verb}" for verb in other} & ours
    assert "pathlib" not in found or arguments[0] == "analyze", "it takes 6 ms of the command's 70"
    if "--help" in arguments:
        assert "acklab._core" not in ours, "the extension is large, and help does not need it"


def test_the_package_imports_names_when_they_are_asked_for() -> None:
    program = "import sys, acklab; before = set(sys.modules); acklab.Scenario; print('acklab._core' in before, 'acklab.scenario' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]
    program = "import acklab, sys; print(*[name for name in acklab.__all__ if not hasattr(acklab, name)], callable(acklab.run))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True"]
