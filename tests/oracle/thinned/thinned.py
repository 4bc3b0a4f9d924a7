#!/usr/bin/env python3
"""Marks that Linux counts where ACKs are thinned, before and since its heuristic, beside the simulator (`thinned.csv`).

    thinned.py             the page's tables, from the recorded rows; needs no kernel
    thinned.py --make      makes the rows (needs `LINUX=7.3 make kernel`)

Two kernels have a path of acklab between them that marks a share of the data and thins ACKs. The sender has BBR, which answers no mark, so that
only the counts differ. Both ends ask for accurate ECN. The counts are the kernels' own (`tcp_info`): what came marked at the receiver
(`tcpi_received_ce`), and what the sender counts (`tcpi_delivered_ce`).

`since` is Linux 7.3, whose heuristic of commit 7885ce0147 decides where ACKs have no option. `before` is the same kernel with one number changed: its
comparison of the average with four packets an ACK has 65,535 64ths instead of 256, which no average exceeds. With the option both decide by the bytes,
on which the heuristic has no effect: the rows of the two must then be equal.
"""

from __future__ import annotations

import csv
import json
import re
import socket
import struct
import sys
import tempfile
import time
import unittest.mock
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve()
ROWS = HERE.parent / "thinned.csv"
#: The simulator's rule of each.
KERNELS = {"before": "linux", "since": "linux-thinned"}
#: `cmpw $0x100, pkts_acked_ewma(%rbx)` and `cmovbe`, in the one kernel that `LINUX=7.3 make kernel` builds.
COMPARISON = re.compile(rb"(\x66\x81\xbb..\0\0)\x00\x01(\x0f\x46)", re.DOTALL)
ASKED = ("kernel", "opens", "option", "acks", "share", "seed")
#: Who opens the connection. A simulated sender does.
OPENS = ("sender", "receiver")
#: `tcp_ecn_option` of each: never, and on each ACK, which is the kernel's default; and who opens. With the option the average counts no more.
OPTIONS = {"off": 0, "always": 2}
OPENED = {"off": OPENS, "always": ("sender",)}
TOLD = ("came", "counted", "segments")
#: Stages of the ACKs' way. The kernel's receiver has an ACK for two segments or so, so one of 16 covers about 32.
THIN: dict[str, list[dict[str, Any]]] = {
    "all": [],
    "1 of 4, blind": [{"kind": "thin", "every": 4, "hold": "10ms", "blind": True}],
    "1 of 16, blind": [{"kind": "thin", "every": 16, "hold": "10ms", "blind": True}],
}
SHARES = (0.01, 0.1, 0.25)
SEEDS = (1,)
SECONDS, PORT = 2, 5000


def grid() -> Iterator[tuple[str, float, int]]:
    """What each row of a kernel is asked."""
    yield from product(THIN, SHARES, SEEDS)


def path(acks: str, share: float, seed: int) -> dict[str, Any]:
    """100 Mb/s and 20 ms."""
    link = {
        "between": ["S", "R"], "rate": "100Mbps", "delay": "10ms", "queue": {"kind": "drop-tail", "packets": 1000},
        "stages": [{"kind": "mark", "rate": share, "only": "data"}], "back": {"stages": THIN[acks]},
    }  # fmt: skip
    return {"seed": seed, "stop": {"at": f"{SECONDS + 4}s"}, "link": [link]}


def info(one: socket.socket) -> dict[str, int]:
    """The counts of a socket (`struct tcp_info`)."""
    found = one.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 512)
    word = lambda at: struct.unpack_from("=I", found, at)[0]
    return {"segments": word(192), "counted": word(196), "came": word(248)}


def joined(peer: str | None) -> socket.socket:
    """The connection, which the end that is given its peer opens."""
    if peer:
        return socket.create_connection((peer, PORT))
    with socket.create_server(("", PORT)) as listening:
        return listening.accept()[0]


def send(peer: str | None = None) -> None:
    """At S: sends for some seconds, and prints its counts when all is acknowledged."""
    one = joined(peer)
    one.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"bbr")
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        one.sendall(bytes(50_000))
    one.shutdown(socket.SHUT_WR)
    one.recv(1)
    print(json.dumps(info(one)), flush=True)


def take(peer: str | None = None) -> None:
    """At R: reads to the end, and prints its counts."""
    one = joined(peer)
    while one.recv(1 << 20):
        pass
    print(json.dumps(info(one)), flush=True)
    one.close()


def without_heuristic(kernel: Path, folder: Path) -> Path:
    """A copy of a kernel in which no average exceeds the threshold."""
    code, places = COMPARISON.subn(lambda found: found[1] + b"\xff\xff" + found[2], kernel.read_bytes())
    if places != 1:
        raise SystemExit(f"{kernel} has the comparison {places} times")
    copy = folder / "before"
    copy.write_bytes(code)
    copy.chmod(0o755)
    return copy


def between_kernels(binary: Path, opens: str, option: str, acks: str, share: float, seed: int) -> dict[str, int]:
    """A row's counts."""
    from acklab import _core
    from acklab.engines import kernel, programs

    words = (f"sysctl.net.ipv4.{name}={value}" for name, value in (("tcp_ecn", 3), ("tcp_ecn_option", OPTIONS[option])))
    plain, more = kernel.command, list(words)
    program = f"{sys.executable} -S {HERE}"
    tree = path(acks, share, seed)
    ends = [("R", "--take"), ("S", "--send")]
    (server, serves), (client, asks) = ends if opens == "sender" else ends[::-1]
    tree["program"] = [
        {"at": server, "run": f"{program} {serves}", "ready": {"port": PORT}},
        {"at": client, "run": f"{program} {asks} {{{server}}}"},
    ]
    told = {}
    with (
        unittest.mock.patch.dict("os.environ", {kernel.VARIABLE: str(binary)}),
        unittest.mock.patch.object(kernel, "command", lambda *given: plain(*given, *more)),
    ):
        for one in programs.run(_core.Programs(json.dumps(tree))).programs:
            if one.status != 0 and not one.stopped:
                raise SystemExit(f"{one.at}: {one.output.decode(errors='replace')}")
            told[one.at] = json.loads(one.output)
    return {"came": told["R"]["came"], "counted": told["S"]["counted"], "segments": told["S"]["segments"]}


def simulated(kernel: str, option: str, acks: str, share: float, seed: int) -> tuple[int, int]:
    """The simulator's counts: what came, and what its sender counts by the same rule."""
    import acklab

    rules = {"stack": "linux", "control": "bbr", "ecn": True, "accurate_ecn": True, "ace": KERNELS[kernel]}
    flow = {
        "name": "f",
        "from": "S",
        "to": "R",
        "size": "unlimited",
        "sender": rules,
        "receiver": {"stack": "linux", "accecn_option": option},
    }
    tree = path(acks, share, seed)
    found = acklab.run(json.dumps({**tree, "stop": {"at": f"{SECONDS}s"}, "flow": [flow]})).summary()["flows"][0]
    return found["marks_received"], found["marks_counted"]


def read() -> list[dict[str, str]]:
    """The recorded rows."""
    with ROWS.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def make() -> None:
    """Makes the rows."""
    from acklab.engines import kernel

    with tempfile.TemporaryDirectory() as folder, ROWS.open("w", encoding="utf-8", newline="") as file:
        linux = Path(kernel.find("7.3"))
        binaries = {"before": without_heuristic(linux, Path(folder)), "since": linux}
        out = csv.DictWriter(file, (*ASKED, *TOLD), lineterminator="\n")
        out.writeheader()
        for option, opens, asked, name in (
            (word, *one) for word in OPTIONS for one in product(OPENED[word], grid(), KERNELS)
        ):
            row = {
                **dict(zip(ASKED, (name, opens, option, *asked), strict=True)),
                **between_kernels(binaries[name], opens, option, *asked),
            }
            out.writerow(row)
            file.flush()
            print(*row.values(), flush=True)


def lines(option: str = "off") -> Iterator[str]:
    """A table of the page: marks counted in percent of those that came."""
    found = {tuple(row[name] for name in ASKED): (int(row["came"]), int(row["counted"])) for row in read()}
    named = [("", ", simulator", ", receiver opens")[: 1 + len(OPENED[option])] for _ in KERNELS]
    head = ["ACKs", "marked", *(kernel + word for kernel, words in zip(KERNELS, named, strict=True) for word in words)]
    yield f"| {' | '.join(head)} |"
    yield "|" + "---|" * len(head)
    for asked in grid():
        cells = []
        for kernel in KERNELS:
            theirs = [found[(kernel, opens, option, *map(str, asked))] for opens in OPENED[option]]
            theirs.insert(1, simulated(kernel, option, *asked))
            cells += [f"{100 * counted / came:,.0f}" for came, counted in theirs]
        yield f"| {asked[0]} | {100 * asked[1]:g} % | {' | '.join(cells)} |"


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--send", *peer]:
            send(*peer)
        case ["--take", *peer]:
            take(*peer)
        case ["--make"]:
            make()
        case _:
            print("\n\n".join("\n".join(lines(option)) for option in OPTIONS))
