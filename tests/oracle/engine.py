"""Finding acklab and running many scenarios in one call."""

import json
import os
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

#: The sender of ns-2's TCP/Linux but for its congestion control (docs/oracle/NS2-SEMANTICS.md, section 11).
TCP_LINUX = {
    "stack": "ns2-2.35", "recovery": {"kind": "fack", "window": "rate-halving", "duplicates_restart_timer": True},
    "dup_thresh": 4, "tick": "1ms", "slow_start_at_ssthresh": True, "halving": "integer", "credit": {"kind": "abc", "limit": 1},
}  # fmt: skip


class NoAcklab(Exception):
    """acklab is nowhere to be found."""


def command():
    """The words that start acklab: $ACKLAB, the repository's virtual environment, or the PATH."""
    if os.environ.get("ACKLAB"):
        return shlex.split(os.environ["ACKLAB"])
    local = Path(__file__).resolve().parents[2] / ".venv" / "bin" / "acklab"
    found = str(local) if local.exists() else shutil.which("acklab")
    if not found:
        raise NoAcklab(f"no acklab: set ACKLAB, or build it so that {local} exists")
    return [found]


def run_batch(scenarios):
    """The outcomes of the scenarios, in order, one at a time; one that failed is {"error": ...}.

    All scenarios are made and spooled before the first runs, so that neither they nor the outcomes need be held in memory.
    """
    start = command()
    spool = tempfile.TemporaryFile("w+")
    count = 0
    for count, scenario in enumerate(scenarios, 1):
        spool.write(json.dumps(scenario) + "\n")
    spool.seek(0)
    return _outcomes(start, spool, count)


def _outcomes(start, spool, count):
    if not count:
        return
    with spool, tempfile.TemporaryFile("w+") as stderr:
        words = [*start, "run", "--batch", "-"]
        with subprocess.Popen(words, stdin=spool, stdout=subprocess.PIPE, stderr=stderr, text=True) as process:
            for line in process.stdout:
                if line.strip():
                    count -= 1
                    yield json.loads(line)
        stderr.seek(0)
        last = stderr.read().strip().splitlines()[-1:]
    for _ in range(count):
        yield {"error": "acklab gave no answer" + (f" ({last[0]})" if last else "")}
