"""What the tests of live runs share: running one, and knowing when the machine does not let them."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
COMMAND = Path(sys.executable).with_name("acklab")

#: Lateness the ratios below can bear: a twentieth of the shortest round trip tried.
LATE = "2ms"
#: How often an invalid run is tried again; once a machine was too busy so often, later tests have a single try.
TRIES = 3
#: Set by the first test that gave up.
too_busy: list[str] = []


def wait_until(holds: Callable[[], object]) -> None:
    """Waits ten seconds at most."""
    for _ in range(200):
        if holds():
            return
        time.sleep(0.05)
    pytest.fail("it never came")


@cache
def found() -> dict[str, Any]:
    """What `acklab doctor` says of live runs."""
    done = subprocess.run([COMMAND, "doctor", "--json"], capture_output=True, text=True, timeout=60, check=True)
    live: dict[str, Any] = json.loads(done.stdout)["live"]
    return live


def missing() -> str:
    """Why this machine has no live runs; empty if it has."""
    return "; ".join(found()["missing"])


def senders_missing() -> str:
    """Why this kernel does not take the scenario's senders; empty if it does."""
    return missing() or found()["sender"] or ""


def emulate(scenario: str, *arguments: str) -> dict[str, Any]:
    """Runs a scenario's text live, with the simulation beside it; skips where the machine does not let it."""
    if why := missing():
        pytest.skip(f"no live runs here: {why}")
    command = [COMMAND, "run", "--live", "-", "--json", "--beside", "--late", LATE, *arguments]
    said = ""
    for _ in range(1 if too_busy else TRIES):
        done = subprocess.run(command, input=scenario, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode in (0, 1) and done.stdout, done.stderr
        result: dict[str, Any] = json.loads(done.stdout)
        if result["valid"]:
            assert done.returncode == 0
            return result
        said = result["why"][-1]
        assert done.returncode == 1 and said in done.stderr
    too_busy.append(said)
    pytest.skip(f"the machine is too busy for live runs: {said}")


def beside(title: str, result: dict[str, Any]) -> None:
    """Prints the first flow's numbers, simulated and live (pytest -rP shows them)."""
    real, virtual = result["flows"][0], result["simulated"]["flows"][0]
    print(f"{title:<24} simulated | live")
    for key in ("goodput_bps", "segments_sent", "retransmits", "timeouts", "acks_sent", "acks_filtered", "min_rtt_s"):
        print(f"  {key:<22} {virtual[key]:>9.6g} | {real[key]:.6g}")
