"""The package in Pyodide: the wheel that tools/pyodide.py makes, loaded by node, gives this machine's numbers."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import acklab
from front import LONG, RECORDED

ROOT = Path(__file__).resolve().parents[2]
PYODIDE = Path(sys.prefix) / "npm/node_modules/pyodide/pyodide.mjs"

PROGRAM = f"""
import acklab
run = acklab.run({RECORDED!r})
print(run.json())
try:
    acklab.run({RECORDED.replace("1.5Mbps", "1.5Mbs")!r})
except acklab.ScenarioError as error:
    print(str(error).splitlines()[0])
for told in acklab.run_batch([{RECORDED!r}, "title = 3"], seed=2):
    print(told.get("error") or told["flows"][0]["completion_s"])
"""


@pytest.mark.skipif(not LONG, reason="builds the wheel: make test-all")
@pytest.mark.skipif(
    not PYODIDE.exists() or not shutil.which("node"), reason="no Pyodide (docs/howto/pyodide.md) or no node"
)
def test_a_run_in_pyodide_is_the_run_of_this_machine(tmp_path: Path) -> None:
    subprocess.run([sys.executable, ROOT / "tools/pyodide.py", tmp_path], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    (tmp_path / "program.py").write_text(PROGRAM)
    command = ["node", ROOT / "tests/python/pyodide.mjs", PYODIDE, wheel, tmp_path / "program.py"]
    there = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stdout.splitlines()
    assert there[0] == acklab.run(RECORDED).json()
    assert "did you mean `Mbps`" in there[1]
    assert (
        there[2] == str(acklab.run(RECORDED, seed=2).summary()["flows"][0]["completion_s"])
        and "title = 3: must be a text" in there[3]
    )
