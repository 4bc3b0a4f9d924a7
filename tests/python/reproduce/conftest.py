"""A quick run of each paper, made once for all tests that look at it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

COMMAND = Path(sys.executable).with_name("acklab")


@dataclass(frozen=True)
class Quick:
    """Where a quick run's pages are, what it said, and what it complained of."""

    out: Path
    said: dict[str, Any]
    stderr: str


@pytest.fixture(scope="session")
def quickly(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Quick]:
    """A paper, quickly, as a user would."""
    found: dict[str, Quick] = {}

    def run(name: str) -> Quick:
        if name not in found:
            out = tmp_path_factory.mktemp(name)
            words = [COMMAND, "reproduce", name, "--quick", "--json", "--out", str(out)]
            done = subprocess.run(words, capture_output=True, text=True, timeout=600, check=False)
            assert done.returncode == 0, done.stderr
            found[name] = Quick(out, json.loads(done.stdout), done.stderr)
        return found[name]

    return run
