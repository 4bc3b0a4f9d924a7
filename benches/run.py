"""Speed beside ns-2, in one go: `make bench`, or `python benches/run.py [--repeat N] [--only NAME ...]`.

CPU seconds (user and system) of whole processes, net of set-up on both sides: each figure is a run minus the same run that ends at
once. acklab and ns-2 take turns, so that a machine whose speed drifts slows both; what is quoted is the median of the pairwise ratios,
with their least and greatest. The same segments are delivered (to within a per mille, with 10,000 flows to within 1.3 %; ns-2 starts
its agents' clocks at random phases), with SACK, delayed ACKs and retransmission timers on both sides.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = ROOT / "tests/oracle/scripts/bench"
BULK = ROOT / "target/release/examples/bulk"
ACKLAB = ROOT / ".venv/bin/acklab"


def cpu(command: list[str]) -> tuple[float, str]:
    """CPU seconds of a command and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime), done.stdout


def acked(printed: str) -> int:
    """Segments acknowledged, as both sides print them."""
    return int(re.search(r"acked (-?\d+)", printed)[1])


def bulk(flows: int, mbps: int, seconds: float) -> tuple[float, int]:
    """acklab: `flows` bulk flows through one bottleneck."""
    spent, printed = cpu([str(BULK), str(flows), str(mbps), str(seconds)])
    return spent, acked(printed)


def ns2_bulk(flows: int, mbps: int, seconds: float) -> tuple[float, int]:
    """The same in ns-2, with the packet headers it does not need removed."""
    few = flows <= 1000
    script = SCRIPTS / ("dumbbell_bulk.tcl" if few else "big_bulk.tcl")
    words = [str(flows), str(mbps), str(seconds), *(["Sack1"] if few else [])]
    spent, printed = cpu(["ns", str(script), *words])
    return spent, acked(printed)


def sweep_file(directory: Path, sizes: range) -> Path:
    """Allman's sweep as scenarios, a line each: Reno and SACK, every and delayed, queues of 4 to 22 packets."""
    path = directory / f"sweep{len(sizes)}.jsonl"
    tail = {"kind": "drop-tail", "packets": 100_000}
    policies = ({"policy": "every"}, {"policy": "delayed", "timer": "0.1s"})
    with path.open("w") as out:
        for recovery in ("reno", "sack"):
            for policy in policies:
                for queue in range(4, 23):
                    for segments in sizes:
                        limited = {"kind": "drop-tail", "packets": queue}
                        sender = {
                            "stack": "ns2-1998",
                            "recovery": recovery,
                            "packet": 1000,
                            "window": 40,
                            "min_rto": "1s",
                        }
                        scenario = {
                            "stop": {"when": "flows-complete", "at_most": "3000s"},
                            "link": [
                                {"between": ["S", "G"], "rate": "10Mbps", "delay": "2ms", "queue": tail},
                                {
                                    "between": ["G", "R"],
                                    "rate": "1.5Mbps",
                                    "delay": "48ms",
                                    "queue": limited,
                                    "back": {"queue": tail},
                                },
                            ],
                            "flow": [
                                {
                                    "from": "S",
                                    "to": "R",
                                    "size": {"segments": segments},
                                    "sender": sender,
                                    "receiver": {"stack": "ns2-1998", "ack": policy},
                                }
                            ],
                        }
                        print(json.dumps(scenario), file=out)
    return path


def batch(file: Path, threads: int = 1) -> list[str]:
    """acklab: the command that runs a file of scenarios."""
    return [str(ACKLAB), "run", "--batch", str(file), "--threads", str(threads)]


def sweep(file: Path) -> float:
    """acklab: CPU seconds of a whole batch."""
    return cpu(batch(file))[0]


def wall(*commands: list[str]) -> float:
    """Seconds until all of the commands, started at once, have ended; each writes what it prints to a file of its own."""
    with contextlib.ExitStack() as open_files:
        files = [open_files.enter_context(tempfile.TemporaryFile()) for _ in commands]
        clock = time.perf_counter()
        running = [subprocess.Popen(words, stdout=file) for words, file in zip(commands, files, strict=True)]
        if any(process.wait() for process in running):
            raise SystemExit("a batch failed")
        return time.perf_counter() - clock


def bench_threads(file: Path, none: Path, repeat: int) -> None:
    """What a second thread adds, and a second process of one thread: no pool of threads does better than that on this machine.

    Seconds on the clock, a batch minus an empty one, each the least of `repeat`; all kinds take turns.
    """
    lines = file.read_text().splitlines(keepends=True)
    halves = [file.with_name(f"half{k}.jsonl") for k in range(2)]
    for k, half in enumerate(halves):
        half.write_text("".join(lines[k::2]))
    kinds = {
        "one": ([batch(file)], [batch(none)]),
        "two": ([batch(file, 2)], [batch(none, 2)]),
        "side by side": ([batch(half) for half in halves], [batch(none)] * 2),
    }
    seconds: dict[str, list[tuple[float, float]]] = {kind: [] for kind in kinds}
    for _ in range(repeat):
        for kind, (full, empty) in kinds.items():
            seconds[kind].append((wall(*full), wall(*empty)))
    one, two, apart = (min(full for full, _ in pairs) - min(empty for _, empty in pairs) for pairs in seconds.values())
    print(
        f"the same on 2 threads: {one / two / 2:.0%} of twice the speed ({one:.2f} s, {two:.2f} s on the clock, set-up taken off)"
    )
    print(f"{'':34} the machine's most, two processes with half each: {one / apart / 2:.0%} ({apart:.2f} s)")


def ns2_sweeps(sizes: int) -> Iterator[float]:
    """ns-2: the same transfers, many in a process so that it starts only 76 times; the seconds of each, its start-up taken off."""
    for recovery in ("Reno", "Sack1"):
        for policy in ("each", "delack"):
            for queue in range(4, 23):
                words = [f"kind={recovery}", f"ack={policy}", f"q={queue}"]
                full = cpu(["ns", str(SCRIPTS / "sweep_loop.tcl"), *words, f"n={sizes}"])[0]
                yield full - cpu(["ns", str(SCRIPTS / "sweep_loop.tcl"), *words, "n=0"])[0]


def bench_sweep(full: Path, none: Path) -> None:
    """The whole sweep once in ns-2, which takes minutes, and meanwhile five times in acklab; prints a row."""
    ours, theirs = [], 0.0
    for place, seconds in enumerate(ns2_sweeps(100)):
        theirs += seconds
        if place % 15 == 7:
            ours.append(sweep(full) - sweep(none))
    row("7,600 transfers, run --batch", ours, [theirs] * len(ours))


def row(name: str, ours: list[float], theirs: list[float]) -> None:
    """Prints the medians, and the ratio of the pairs."""
    ratios = sorted(b / a for a, b in zip(ours, theirs, strict=True))
    a, b = (statistics.median(side) for side in (ours, theirs))
    spread = f"{ratios[0]:.1f} to {ratios[-1]:.1f}"
    print(f"{name:34} {a:9.3f} {b:9.2f} {statistics.median(ratios):8.1f}x   {spread}", flush=True)


def compare(name: str, repeat: int, ours: Callable[[], float], theirs: Callable[[], float]) -> None:
    """Both in turn; prints a row."""
    pairs = [(ours(), theirs()) for _ in range(repeat)]
    row(name, [a for a, _ in pairs], [b for _, b in pairs])


def net(run: Callable[[float], tuple[float, int]], seconds: float) -> Callable[[], float]:
    """A run of `seconds` without its set-up."""
    return lambda: run(seconds)[0] - run(1e-6)[0]


def bench_bulk(flows: int, mbps: int, seconds: float, repeat: int) -> None:
    """One row of bulk flows, after a check that both deliver the same."""
    (a, ours), (b, theirs) = bulk(flows, mbps, seconds), ns2_bulk(flows, mbps, seconds)
    name = f"{flows} flows, {mbps} Mb/s, {seconds:g} s"
    compare(
        name, repeat, net(lambda t: bulk(flows, mbps, t), seconds), net(lambda t: ns2_bulk(flows, mbps, t), seconds)
    )
    print(
        f"{'':34} segments acknowledged: {ours} and {theirs}; set-up left in (one pair): {a:.2f} and {b:.2f} s, {b / a:.1f}x"
    )


def instructions(seconds: float = 10.0, flows: int = 4, queue: str = "drop-tail") -> float:
    """Instructions an acknowledged segment takes, counted by callgrind: the same on every run of a binary."""
    words = [str(BULK), str(flows), "100"]
    counts = []
    for t in (seconds, 1e-6):
        with tempfile.NamedTemporaryFile() as out:
            tool = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out.name}"]
            done = subprocess.run([*tool, *words, str(t), "sack", queue], capture_output=True, text=True, check=True)
        counts.append((int(re.search(r"Collected : (\d+)", done.stderr)[1]), acked(done.stdout)))
    return (counts[0][0] - counts[1][0]) / counts[0][1]


def fair_queue(repeat: int, flows: int = 1000, seconds: float = 20.0) -> None:
    """What a segment costs where the bottleneck has FQ-CoDel, beside drop-tail: runs in turns, set-up taken off."""

    def cost(queue: str) -> float:
        words = [str(BULK), str(flows), "100"]
        (spent, printed), (idle, _) = (cpu([*words, str(t), "sack", queue]) for t in (seconds, 1e-6))
        return (spent - idle) / acked(printed)

    ratios = sorted(cost("fq-codel") / cost("drop-tail") for _ in range(repeat))
    print(
        f"FQ-CoDel / drop-tail, {flows} flows, a segment: {statistics.median(ratios):.2f}   {ratios[0]:.2f} to {ratios[-1]:.2f}"
    )


def filters(acks: int = 2_000_000) -> None:
    """What an ACK costs in a queue that filters: a row a filter, a column a number of connections."""
    subprocess.run(["cargo", "build", "--release", "-q", "-p", "acklab-path", "--examples"], cwd=ROOT, check=True)
    printed = subprocess.run(
        [str(BULK.with_name("filter_cost")), str(acks)], capture_output=True, text=True, check=True
    ).stdout
    rows: dict[str, list[str]] = {}
    for name, _, cost in (line.split("\t") for line in printed.splitlines()):
        rows.setdefault(name, []).append(f"{float(cost):10.0f}")
    print(f"{'nanoseconds an ACK, connections:':34} {1:>10} {100:>10} {10_000:>10}")
    for name, costs in rows.items():
        print(f"{name:34} {' '.join(costs)}")


def memory(flows: int = 100_000) -> float:
    """Bytes a flow takes that has not started, so that no packets of its are in flight, beside those of a run with none."""

    def peak(n: int) -> int:
        shell = (
            f"import resource,subprocess;subprocess.run(['{BULK}','{n}','1000','0.000001','-','unstarted'],capture_output=True,check=True);"
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
        )
        return (
            int(subprocess.run([sys.executable, "-c", shell], capture_output=True, text=True, check=True).stdout) * 1024
        )

    return (peak(flows) - peak(100)) / (flows - 100)


def main() -> None:
    """Measures what was asked for, everything by default."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=9, help="pairs of runs a row (default 9)")
    parser.add_argument("--only", nargs="*", help="rows: 4 100 10000 sweep threads instructions memory queues filters")
    given = parser.parse_args()
    wanted = lambda name: not given.only or name in given.only
    subprocess.run(["cargo", "build", "--release", "-q", "-p", "acklab-sim", "--examples"], cwd=ROOT, check=True)
    beside = shutil.which("ns") is not None
    if beside:
        print(f"{'CPU seconds, set-up taken off':34} {'acklab':>9} {'ns-2':>9} {'ratio':>9}   least to greatest")
        for flows, mbps, seconds in ((4, 100, 60), (100, 100, 60), (10_000, 10_000, 5)):
            if wanted(str(flows)):
                bench_bulk(flows, mbps, seconds, given.repeat if flows < 1000 else 1)
    else:
        print("ns is not installed: only acklab is measured (apt-get install ns2)")
    with tempfile.TemporaryDirectory() as directory:
        full, none = sweep_file(Path(directory), range(5, 1000, 10)), Path(os.devnull)
        if wanted("sweep"):
            if beside:
                bench_sweep(full, none)
            else:
                print(f"7,600 transfers, run --batch: {sweep(full) - sweep(none):.3f} s")
        if wanted("threads"):
            bench_threads(full, none, max(7, given.repeat))
    if wanted("instructions") and shutil.which("valgrind"):
        print(f"instructions a segment, 4 flows: {instructions():.0f}")
        for queue in ("drop-tail", "fq-codel"):
            print(f"instructions a segment, 1,000 flows, {queue}: {instructions(5.0, 1000, queue):.0f}")
    if wanted("queues"):
        fair_queue(given.repeat)
    if wanted("filters"):
        filters()
    if wanted("memory"):
        print(f"bytes a flow at 100,000 flows: {memory():.0f}")


if __name__ == "__main__":
    main()
