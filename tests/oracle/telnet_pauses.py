#!/usr/bin/env python3
"""Measure the pauses of ns-2's tcplib telnet source, and write their quantiles as crates/sim/src/tcplib.rs has them.

    telnet_pauses.py            what ns-2 does, as Rust (needs ns)
    telnet_pauses.py --check    other draws of ns-2 beside crates/sim/src/tcplib.rs: the largest distance of the two

Nothing of ns-2's table is read: its application types into a trace (scripts/telnet_pauses.tcl), and the times between its
writes are sorted.
"""

import argparse
import bisect
import re
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
RUST = HERE.parent.parent / "crates" / "sim" / "src" / "tcplib.rs"
SECONDS = 100_000
"""Of typing a seed: some 90,000 pauses."""


def pauses(seed: int, seconds: int = SECONDS) -> list[float]:
    """Pauses of one session in ns-2, in seconds."""
    command = ["ns", str(HERE / "scripts" / "telnet_pauses.tcl"), str(seed), str(seconds)]
    trace = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    times = [float(line.split()[1]) for line in trace.splitlines() if line.startswith("+")]
    return [later - earlier for earlier, later in zip(times, times[1:], strict=False)]


def quantiles(ordered: list[float], low: float, high: float) -> list[float]:
    """101 quantiles from `low` to `high`, both included."""
    last = len(ordered) - 1
    return [ordered[round((low + (high - low) * k / 100) * last)] for k in range(101)]


def table(name: str, about: str, values: list[float]) -> str:
    """One Rust array."""
    rows = [", ".join(f"{v:.6f}" for v in values[k : k + 10]) for k in range(0, len(values), 10)]
    return f"/// {about}\npub const {name}: [f64; 101] = [\n" + "".join(f"    {row},\n" for row in rows) + "];\n"


def rust(ordered: list[float]) -> str:
    """The file."""
    return (
        "//! Pauses between keystrokes as ns-2's tcplib source makes them: quantiles of a sample, in seconds.\n//!\n"
        f"//! Written by tests/oracle/telnet_pauses.py from {len(ordered):,} pauses.\n\n"
        "#![allow(clippy::unreadable_literal)]\n\n"
        + table("PERCENTILES", "Quantiles 0, 0.01, ... 1.", quantiles(ordered, 0.0, 1.0))
        + "\n"
        + table(
            "TAIL",
            "Quantiles 0.99, 0.9901, ... 1: the longest pauses, which carry much of the mean.",
            quantiles(ordered, 0.99, 1.0),
        )
    )


def known() -> list[tuple[float, float]]:
    """Quantiles of the Rust file: (pause, share of pauses that are at most as long)."""
    arrays = re.findall(r": \[f64; 101\] = \[(.*?)\];", RUST.read_text("utf-8"), re.S)
    body, tail = ([float(v) for v in array.split(",") if v.strip()] for array in arrays)
    return [(v, k / 100) for k, v in enumerate(body[:-1])] + [(v, 0.99 + k / 10_000) for k, v in enumerate(tail)]


def distance(sample: list[float]) -> float:
    """Largest difference between the file's distribution and a sample's, at the file's quantiles."""
    ordered = sorted(sample)
    return max(abs(bisect.bisect_right(ordered, pause) / len(ordered) - share) for pause, share in known())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare the Rust file with other draws of ns-2")
    if parser.parse_args().check:
        print(f"largest distance {distance(pauses(9)):.4f}")
    else:
        print(rust(sorted(pause for seed in (1, 2, 3, 4) for pause in pauses(seed))), end="")


if __name__ == "__main__":
    main()
