#!/usr/bin/env python3
"""Build loss_list.cc, run every case of cases.toml, write loss_list.jsonl (one JSON object a case).

make_data.py            writes the reference data anew
make_data.py --check    runs everything and compares with the committed data instead
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import tomllib

HERE = pathlib.Path(__file__).parent
DATA = HERE / "loss_list.jsonl"
# Named one by one: Debian's ns3-*.pc files ask for libraries that its own package does not need.
LIBRARIES = ["internet", "point-to-point", "traffic-control", "network", "core"]


def build(program):
    subprocess.run(
        ["g++", "-std=c++17", "-O1", "-Wall", "-Wextra", HERE / "loss_list.cc", "-o", program]
        + [f"-lns3-{name}" for name in LIBRARIES],
        check=True,
    )


def argument(key, value):
    if isinstance(value, list):
        value = ",".join(map(str, value))
    return f"--{key}={str(value).lower() if isinstance(value, bool) else value}"


def run(program, case):
    arguments = [argument(key, value) for key, value in case.items() if key != "about"]
    done = subprocess.run([program, *arguments], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{case['id']}: ns-3 failed or did not finish the transfer\n{done.stdout}{done.stderr}")
    result = json.loads(done.stdout)
    for asked, happened in (("lose", "drops"), ("lose_acks", "ack_drops")):
        missed = sorted(set(result[asked]) - {row[0] for row in result[happened]})
        if missed:
            sys.exit(f"{case['id']}: {asked} names {missed}, which were never offered")
    return done.stdout


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--check", action="store_true", help="compare with the committed data, write nothing")
    check = options.parse_args().check

    cases = tomllib.loads((HERE / "cases.toml").read_text())["case"]
    if len({case["id"] for case in cases}) != len(cases):
        sys.exit("cases.toml: an id is used twice")
    with tempfile.TemporaryDirectory() as directory:
        program = pathlib.Path(directory) / "loss_list"
        build(program)
        lines = [run(program, case) for case in cases]

    if not check:
        DATA.write_text("".join(lines))
        print(f"{len(lines)} cases written to {DATA.name}")
    elif DATA.read_text() != "".join(lines):
        sys.exit(f"{DATA.name} differs from what ns-3 says now")
    else:
        print(f"{len(lines)} cases, all as committed")


if __name__ == "__main__":
    main()
