"""The extension is what its stub says, and types guide whoever uses the package."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROGRAM = """\
import acklab
from acklab.scenario import DropTail, Flow, Link, Scenario, Sender, Size

scenario = Scenario(
    links=[Link(between=["S", "R"], rate="1Mbps", delay="1ms", queue=DropTail(packets=3))],
    flows=[Flow(from_="S", to="R", size=Size(segments=3), sender=Sender(stack="rfc"))],
)
run: acklab.Run = acklab.run(scenario, seed=3, **{"flow.0.start": "1s"})
end: float = run.end_s
table: acklab.Table | None = run.series
for told in acklab.run_batch([scenario, scenario.to_dict(), "{}"], threads=2):
    print(told["flows"])
simulation: acklab.Simulation = acklab.simulation(scenario)
simulation.run_until(3)
print(simulation.clone().run().json(records=False))
wrong: int = run.title
"""


def test_the_stub_is_the_module() -> None:
    command = [sys.executable, "-m", "mypy.stubtest", "acklab._core"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_a_program_is_checked(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    command = [sys.executable, "-m", "mypy", "--strict", "program.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert len(lines) == 1 and lines[0].startswith("program.py:16:"), done.stdout
