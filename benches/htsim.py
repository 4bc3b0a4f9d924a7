"""Speed beside htsim: `python benches/htsim.py DIR [--repeat N]`, where DIR is a clone of https://github.com/Broadcom/csg-htsim.

The published numbers are of its commit 841d9e7be46bb968eece766aa4b6c044c7799f67. Needs g++ and make. As in benches/run.py, figures
are CPU seconds net of set-up, and both take turns. On both sides: NewReno, an ACK for every segment of 1,000 bytes, three links each
way. htsim's TCP has no SACK and no delayed ACKs, reads its retransmission timers every 10 ms, and has no handshake.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from pathlib import Path

from run import BULK, ROOT, acked, compare, cpu, net


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clone", type=Path, help="a clone of htsim")
    parser.add_argument("--repeat", type=int, default=9, help="pairs of runs a row (default 9)")
    given = parser.parse_args()
    subprocess.run(["cargo", "build", "--release", "-q", "-p", "acklab-sim", "--example", "bulk"], cwd=ROOT, check=True)
    library = given.clone / "sim"
    subprocess.run(
        ["make", "-s", "libhtsim.a", "CFLAGS=-std=c++14 -O3 -fPIE -w"],
        cwd=library,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "bulk")
        source = Path(__file__).with_name("htsim.cpp")
        subprocess.run(
            ["g++", "-std=c++14", "-O3", "-w", f"-I{library}", source, library / "libhtsim.a", "-o", program],
            check=True,
        )

        def one(command: list[str]) -> tuple[float, int]:
            spent, printed = cpu(command)
            return spent, acked(printed)

        print(f"{'CPU seconds, set-up taken off':34} {'acklab':>9} {'htsim':>9} {'ratio':>9}   least to greatest")
        for flows in (4, 100):
            ours = lambda t, flows=flows: one([str(BULK), str(flows), "100", str(t), "newreno", "every"])
            theirs = lambda t, flows=flows: one([str(program), str(flows), "100", str(t)])
            compare(f"{flows} flows, 100 Mb/s, 60 s", given.repeat, net(ours, 60), net(theirs, 60))
            print(f"{'':34} segments acknowledged: {ours(60)[1]} and {theirs(60)[1]}")


if __name__ == "__main__":
    main()
