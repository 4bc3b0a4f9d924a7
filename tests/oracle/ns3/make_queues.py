#!/usr/bin/env python3
"""Build queues.cc, run every case of queue_cases.py, and keep what ns-3's queue discs did in queues/CASE.txt.gz.

make_queues.py [CASE ...]   all cases, or those whose name contains one of these words
"""

import gzip
import json
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "qdiscs")]
from make_data import flow_hash  # noqa: E402
from mrg32k3a import Mrg32k3a  # noqa: E402
from queue_cases import all_cases  # noqa: E402


def build(program: Path) -> None:
    libraries = [f"-lns3-{name}" for name in ("traffic-control", "network", "core")]
    flags = ["-std=c++17", "-O1", "-Wall", "-Wextra", "-fno-access-control"]
    subprocess.run(["g++", *flags, HERE / "queues.cc", "-o", program, *libraries], check=True)


def job(case: dict) -> str:
    """A case as queues.cc reads it. A queue with hashes draws their perturbation first."""
    perturbation = int(Mrg32k3a(12345).u01() * 2**32)
    lines = [f"set ns3::{name} {value}" for name, value in case["set"].items()]
    lines += [f"disc ns3::{case['disc']}", f"quantum {case['quantum']}", f"rate {case['rate']}"]
    lines.append(f"draws {int(case['buckets'] > 0)}")
    lines += case["changes"]
    for packet in case["packets"]:
        bucket = flow_hash(packet["flow"] << 16, perturbation) * case["buckets"] >> 32
        lines.append(f"packet {packet['at']} {packet['flow']} {bucket} {packet['size']} {packet['ecn']}")
    return "\n".join(lines) + "\n"


def main() -> None:
    (HERE / "queues").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "queues"
        build(program)
        for case in all_cases():
            if sys.argv[1:] and not any(word in case["name"] for word in sys.argv[1:]):
                continue
            log = subprocess.run([program], input=job(case), capture_output=True, text=True, check=True).stdout
            head = {key: case[key] for key in ("queue", "rate", "server") if case[key]}
            if "pie" in case["name"]:
                head["update_first"] = 0  # ns-3's first update is at once
            text = json.dumps(head) + "\n" + log
            (HERE / "queues" / f"{case['name']}.txt.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))
            print(case["name"], log.count("\n"), "lines,", log.count(" x "), "drops", flush=True)


if __name__ == "__main__":
    main()
