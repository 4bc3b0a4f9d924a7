"""The pages' scripts: sound modules, joined without a trace of their files."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from acklab.report import page

HERE = Path(__file__).parent
CHECKER = Path(sys.prefix) / "npm/node_modules/.bin/tsc"


@pytest.mark.skipif(not CHECKER.exists(), reason="no tsc in the environment (tools/os-packages.sh, which needs npm)")
def test_the_modules_are_sound() -> None:
    done = subprocess.run(
        [CHECKER, "-p", HERE / "tsconfig.json"], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("entry", ["main.js", "static.js", "explorer.js", "explorer_worker.js"])
def test_modules_are_joined(entry: str) -> None:
    text = page.script(entry)
    assert not re.search(r"^\s*(import|export)\b|^\s*//", text, re.MULTILINE)
    names = re.findall(r"^(?:async )?(?:function|const|let|class) (\w+)", text, re.MULTILINE)
    assert len(names) == len(set(names)), "two modules have one name"
