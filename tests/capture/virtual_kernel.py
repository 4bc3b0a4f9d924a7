#!/usr/bin/env python3
"""Makes kernel/virtual.tar.xz: captures of Linux in virtual time (`acklab run --virtual`), whose truth is known.

The acknowledging end is the kernel's own receiver, or the kernel's ACKs chosen by a policy of the scenario. The same kernel
makes the same bytes; those committed are of Linux 6.12.
"""

from __future__ import annotations

import io
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ARCHIVE = Path(__file__).parent / "kernel" / "virtual.tar.xz"
EVERY, SECOND = "{ policy = 'every' }", "{ policy = 'delayed', timer = '40ms' }"
REGULAR = ("every",)
#: One policy, or quick ACKs before it, or again after a loss.
DELAYED = ("delayed", "quick-then-delayed", "by-phase")

#: Of the kernel's ACKs some were not chosen, so that their identifications have gaps.
SHAPED = ("thinned",)


@dataclass(frozen=True)
class Case:
    """A capture at both ends: what acknowledges, what its ACKs may be called, and the path."""

    ack: str
    right: tuple[str, ...]
    there: str = ""
    back: str = ""
    sender: str = ""
    rate: str = "5Mbps"
    delay: str = "20ms"


#: Losses of single segments, and of three in a row.
LOSSES = "loss = { list = [40, 41, 42, 90, 200], only = 'payload' }, "
CASES = {
    "Linux's own receiver": Case("{ policy = 'linux' }", REGULAR),
    "Linux's own receiver, listed losses": Case("{ policy = 'linux' }", REGULAR, LOSSES),
    "every segment": Case(EVERY, REGULAR),
    "every 2nd, 40 ms": Case(SECOND, ("delayed",)),
    "every 2nd, 200 ms": Case("{ policy = 'delayed', timer = '200ms' }", ("delayed",)),
    "every 4th": Case("{ policy = 'delayed', timer = '100ms', segments = 4 }", ("delayed", *SHAPED)),
    "every 8th": Case("{ policy = 'delayed', timer = '100ms', segments = 8 }", ("delayed", *SHAPED)),
    "quick, then every 2nd": Case("{ policy = 'daass', phase = 'heuristic', timer = '100ms' }", ("quick-then-delayed", "by-phase", "every", "delayed")),
    "each 100th of a second or so": Case("{ policy = 'periodic', beta = 4, rtt = 'timestamps' }", ("periodic", *SHAPED)),
    "smartacking": Case("{ policy = 'smart', window = 'estimate', rtt = 'timestamps' }", ("varying", "every", *SHAPED)),
    "2 parts a segment": Case("{ policy = 'divide', pieces = 2, when = 'always' }", ("divided",)),
    "every 2nd, listed losses": Case(SECOND, ("delayed",), LOSSES),
    "every 2nd, one packet in 50 overtaken": Case(SECOND, ("delayed",), "stages = [{ kind = 'reorder', rate = 0.02, by = '15ms' }], "),
    "every 2nd, one packet in 50 twice": Case(SECOND, ("delayed",), "stages = [{ kind = 'duplicate', rate = 0.02 }], "),
    "every 2nd, no timestamps": Case(SECOND, ("delayed",), sender=", timestamps = false"),
    "every 2nd, BBR": Case(SECOND, ("delayed",), sender=", control = 'bbr'"),
    "every 2nd, short path": Case(SECOND, ("delayed",), rate="100Mbps", delay="150us"),
    "every segment, filtered": Case(EVERY, ("thinned",), back="back = { rate = '20kbps', queue = { kind = 'drop-tail', packets = 100, filter = { kind = 'static', threshold = 1 } } }, "),
}  # fmt: skip


def scenario(case: Case) -> str:
    """The run that makes a case's captures."""
    return f"""
        stop = {{ when = "flows-complete", at_most = "60s" }}
        link = [{{ between = ["S", "R"], rate = "{case.rate}", delay = "{case.delay}", {case.there}{case.back}
                   queue = {{ kind = "drop-tail", packets = 60 }} }}]
        flow = [{{ from = "S", to = "R", size = {{ bytes = "400kB" }}, sender = {{ stack = "linux"{case.sender} }},
                   receiver = {{ stack = "linux", ack = {case.ack} }} }}]
    """


def captures() -> Iterator[tuple[str, Case, str, bytes]]:
    """Name, case, end and pcap file of each."""
    with tarfile.open(ARCHIVE) as archive:
        for name, case in CASES.items():
            for end in ("sender", "receiver"):
                file = archive.extractfile(f"{name}, {end}.pcap")
                assert file is not None
                yield name, case, end, file.read()


def make() -> None:
    """Runs every case and writes the archive."""
    with tarfile.open(ARCHIVE, "w:xz", preset=9) as archive, tempfile.TemporaryDirectory() as folder:
        for name, case in CASES.items():
            out = Path(folder, "out")
            subprocess.run(
                ["acklab", "run", "-", "--virtual", "--out", out], input=scenario(case), text=True, check=True
            )
            for end in ("sender", "receiver"):
                content = (out / f"{end}.pcap").read_bytes()
                entry = tarfile.TarInfo(f"{name}, {end}.pcap")
                entry.size = len(content)
                archive.addfile(entry, io.BytesIO(content))


if __name__ == "__main__":
    make()
