"""What a segment costs the simulator, in instructions: the same on every run of a binary, however busy the machine is."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benches"))

import run as bench  # noqa: E402

# Measured, and a tenth more for other compilers. This is the goal (docs/validation.md, "Speed"): lower it with every gain.
REACHED = 1_300
MOST = 1.1 * REACHED


@pytest.mark.long
@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")
@pytest.mark.skipif(shutil.which("cargo") is None, reason="cargo is not installed")
def test_a_segment_takes_no_more_instructions_than_it_did():
    subprocess.run(["cargo", "build", "--release", "-q", "-p", "acklab-sim", "--example", "bulk"], cwd=ROOT, check=True)
    taken = bench.instructions()
    assert taken < MOST, f"{taken:.0f} instructions a segment, at most {MOST:.0f} were expected"


@pytest.mark.long
@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")
@pytest.mark.skipif(shutil.which("cargo") is None, reason="cargo is not installed")
def test_fq_codel_with_1000_flows_costs_at_most_twice_drop_tail():
    subprocess.run(["cargo", "build", "--release", "-q", "-p", "acklab-sim", "--example", "bulk"], cwd=ROOT, check=True)
    plain, fair = (bench.instructions(2.0, 1000, queue) for queue in ("drop-tail", "fq-codel"))
    assert fair < 2 * plain, f"{fair:.0f} instructions a segment, {plain:.0f} with drop-tail"
