"""What kernels at nodes cost: `python benches/programs.py`. It needs the kernel of `make kernel`.

For each row a fresh run: processor seconds of all processes, and how many of them a virtual second takes. Bulk data is one TCP connection
a pair of nodes for ten virtual seconds, or for two where all pairs together send 1 Gb/s and more. Each pair has its own link with 20 ms of
round trip. Its receiver reads into one buffer of 128 KiB, as iperf3's does; idle pairs sleep for a hundred.
"""

from __future__ import annotations

import json
import resource
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SEND = "import socket,time\ns=socket.create_connection(('{%s}',80))\nend=time.time()+%g\nwhile time.time()<end: s.sendall(bytes(65536))"
TAKE = "import socket\ns,_=socket.create_server(('',80)).accept()\nb=bytearray(131072)\nwhile s.recv_into(b): pass"


def python(program: str) -> str:
    """A shell's words for a short program."""
    return f"exec {sys.executable} -S -c {shlex.quote(program)}"


def scenario(pairs: int, mbps: float, seconds: float, *, idle: bool) -> str:
    """Pairs of nodes, each with a link of its own; one without programs joins them, so that every node has routes."""
    lines = [f"stop.at = '{seconds + 5}s'"]
    for pair in range(pairs):
        server, client = f"S{pair}", f"C{pair}"
        lines += [
            f"[[link]]\nbetween = ['{server}', '{client}']\nrate = '{mbps}Mbps'\ndelay = '10ms'",
            "queue = { kind = 'drop-tail', packets = 1000 }",
        ]
        runs = (f"sleep {seconds}", f"sleep {seconds}") if idle else (python(TAKE), python(SEND % (server, seconds)))
        lines += [
            f"[[program]]\nat = '{server}'\nrun = {json.dumps(runs[0])}" + ("" if idle else "\nready = { port = 80 }"),
            f"[[program]]\nat = '{client}'\nrun = {json.dumps(runs[1])}",
        ]
    return "\n".join(lines)


def cost(text: str) -> tuple[float, float, float]:
    """Processor seconds, real seconds, and the instant of the scenario at which the last program ended."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "run.toml"
        file.write_text(text)
        before, since = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        command = [sys.executable, "-m", "acklab", "run", str(file), "--virtual", "--allow-programs", "--json"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(done.stderr + done.stdout[-2000:])
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, time.monotonic() - since, max(program["ended_s"] for program in json.loads(done.stdout)["programs"])


def main() -> None:
    """Prints a table."""
    print("nodes  Mb/s  virtual s  processor s  a virtual second  real s")
    rows = [(1, 10.0, 0.001, True), (1, 10.0, 100.0, True), (4, 10.0, 100.0, True)]
    rows += [
        (pairs, mbps, 10.0 if pairs * mbps < 1000 else 2.0, False) for pairs in (1, 4) for mbps in (10.0, 100.0, 1000.0)
    ]
    for pairs, mbps, seconds, idle in rows:
        spent, real, end = cost(scenario(pairs, mbps, seconds, idle=idle))
        said = "idle" if idle else f"{mbps:.0f}"
        print(
            f"{2 * pairs:5d}  {said:>4}  {end:9.1f}  {spent:11.2f}  {spent / max(end, 1):16.3f}  {real:6.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
