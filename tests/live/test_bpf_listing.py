"""The eBPF congestion control that is built in is what its sources give."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest
from live_runs import ROOT


def test_the_listing_is_what_the_sources_give() -> None:
    if shutil.which("clang") is None:
        pytest.skip("no clang (Debian package clang)")
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / "bpf.py", "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    if "not compared" in done.stdout:
        pytest.skip(done.stdout.strip())
