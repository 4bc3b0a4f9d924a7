"""Fixtures of the front's tests."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from front import COMMAND, TWO_HOPS, Acklab, inside


@pytest.fixture
def acklab_command() -> Acklab:
    """Runs the command and gives its result, text in and text out; in a process of its own if others take part."""

    def run(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        if not {"--virtual", "--live", "--engine", "doctor"} & {*arguments}:
            return inside(*arguments, stdin=stdin)
        return subprocess.run(
            [COMMAND, *arguments], input=stdin, capture_output=True, text=True, timeout=120, check=False
        )

    return run


@pytest.fixture
def two_hops(tmp_path: Path) -> Path:
    """A scenario file."""
    path = tmp_path / "two-hops.toml"
    path.write_text(TWO_HOPS, encoding="utf-8")
    return path
