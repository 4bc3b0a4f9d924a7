"""A quick run of each paper, made once for all tests that look at it, in whatever process they run."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from front import LONG, SLOW_PAPERS

COMMAND = Path(sys.executable).with_name("acklab")


@dataclass(frozen=True)
class Quick:
    """Where a quick run's pages are, what it said, and what it complained of. Nothing writes there afterwards."""

    out: Path
    said: dict[str, Any]
    stderr: str


@pytest.fixture(scope="session")
def quickly(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Quick]:
    """A paper, quickly, as a user would. The first process that asks for it makes it, the others wait."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    @cache
    def run(name: str) -> Quick:
        if name in SLOW_PAPERS and not LONG:
            pytest.skip("takes minutes: make test-all")
        out, said = shared / f"quick-{name}", shared / f"quick-{name}.json"
        with (shared / f"quick-{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not said.exists():
                words = [COMMAND, "reproduce", name, "--quick", "--json", "--out", str(out)]
                done = subprocess.run(words, capture_output=True, text=True, timeout=600, check=False)
                assert done.returncode == 0, done.stderr
                said.write_text(json.dumps([json.loads(done.stdout), done.stderr]), "utf-8")
        return Quick(out, *json.loads(said.read_text("utf-8")))

    return run
