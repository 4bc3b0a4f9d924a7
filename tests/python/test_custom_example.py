"""The example of a congestion control, an ACK policy and a queue of one's own (examples/custom) builds outside the workspace, and runs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.skipif(shutil.which("cargo") is None, reason="cargo is not installed")
def test_a_program_runs_its_own_algorithms():
    example = ROOT / "examples" / "custom"
    # The workspace's versions, which are downloaded already.
    shutil.copy(ROOT / "Cargo.lock", example / "Cargo.lock")
    command = ["cargo", "run", "--quiet", "--offline", "--manifest-path", str(example / "Cargo.toml")]
    environment = {**os.environ, "CARGO_TARGET_DIR": str(ROOT / "target")}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    found = dict(re.findall(r"^(\w+): .* with (\d+) ACKs, .*$", done.stdout, re.MULTILINE))
    queues = dict(re.findall(r"^(\w+): .* ACKs, ([\d.]+) packets in the queue", done.stdout, re.MULTILINE))
    assert found.keys() == {"rfc", "own", "queue"}
    assert int(found["own"]) < int(found["rfc"]), "an ACK for four segments, not for two"
    assert float(queues["own"]) < 1.0 < float(queues["rfc"]), "the queue stays empty"
    assert 1.0 < float(queues["queue"]) <= 20.0 < float(queues["rfc"]), "at most 20 wait"
