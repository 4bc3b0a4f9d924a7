#!/usr/bin/env python3
"""Fits public captures of other projects, and prints what the fit of the first half predicts beside what was measured.

    python tests/capture/public.py DIR

The captures are not part of acklab. DIR holds clones of their repositories as DIR/OWNER/NAME; a file with another checksum is left out.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

from acklab.experiments.fit import FitError, fit
from acklab.experiments.fit.fit import Fit
from acklab.text.numbers import amount, change, seconds

#: Repository, path in it, SHA-256.
CAPTURES = [
    (
        "heistp/l4s-tests",
        "results/wifi/prague_fq_codel_wifi.pcap.gz",
        "f8d6dff3035964de67f489374d2dd06422884feddd03b20aebc0d6d337e2d5ba",
    ),
    (
        "heistp/l4s-tests",
        "results/wifi/cubic_fq_codel_wifi.pcap.gz",
        "26b68821f27457a9a177391ac2f41b82490466359a02e21a5f28cb835d3fe2bc",
    ),
    (
        "heistp/l4s-tests",
        "results/wifi/cubic_dualpi2_wifi.pcap.gz",
        "d992faf285b7cd0f84c316d88f643b1fa64405d518750605dd91cacf764701d0",
    ),
    (
        "heistp/l4s-tests",
        "results/wifi/prague_dualpi2_wifi.pcap.gz",
        "0998eb7a81702239f54f519309f53d5c9b7745715a8b4c9010e5eef20550e6db",
    ),
    ("blitz/tcptrace", "input/dsack.dmp.gz", "daef312f4e16bfc9c5e87464ed4a0226e403b36bc6657b84540c6427d1ea30e8"),
    (
        "OISF/suricata-verify",
        "tests/rule-hooks/http-body-hook-01/input.pcap",
        "4145c32e7fb06a6ab98d86759563b042b9c85797d2e04f243cd778a4190bd617",
    ),
    (
        "zeek/zeek",
        "testing/btest/Traces/http/no_crlf.pcap",
        "08874ca3f174f006e42f9c3323807fa62c9d8e595004a2b0f870b78bc0bb46c4",
    ),
    (
        "markofu/pcaps",
        "PracticalPacketAnalysis/ppa-capture-files/ftp-uploadfailed.pcap",
        "f3bc7cb9129bc1c30c8cb0aea715aa5e16697a0738ec95ba664c2280c1adaa70",
    ),
    (
        "zeek/zeek",
        "testing/btest/Traces/irc-dcc-send.pcapng",
        "fdb64642de04ae04d3f928afb67ccc3f8320cffaed77d6043e585c1c232701f3",
    ),
    (
        "OISF/suricata-verify",
        "tests/lua/lua-transform-11-bug-8173/suri-crash-104.16.3.34-only.pcap",
        "ec5ff8572dbf06e52eed48db39d97c484abc86bd86db773fc3c6a1d04a72d586",
    ),
]


def main(folder: Path) -> None:
    """Prints a row a capture, then the checksums."""
    print(
        "| capture | acknowledged, in | rate | base delay | policy | sender | replay | model | second half | predicted | verdict |\n|"
        + "---|" * 11
    )
    for number, (repository, path, checksum) in enumerate(CAPTURES, 1):
        file = folder / repository / path
        if not file.exists() or hashlib.sha256(file.read_bytes()).hexdigest() != checksum:
            print(f"| {number} | not there, or another file |" + " |" * 9)
            continue
        try:
            print(f"| {number} | {' | '.join(row(fit(file)))} |".replace("\u00a0", " "), flush=True)
        except FitError as error:
            print(f"| {number} | {error} |" + " |" * 9, flush=True)
    print("\n| capture | repository | path | SHA-256 |\n|---|---|---|---|")
    for number, (repository, path, checksum) in enumerate(CAPTURES, 1):
        print(f"| {number} | `{repository}` | `{path}` | `{checksum[:16]}` |")


def row(found: Fit) -> list[str]:
    """The cells of a capture."""
    values = {one.name: one for one in found.values}

    def sure(name: str, text: str) -> str:
        return text if values[name].determined else f"({text})"

    rate = values["rate"]
    bound = f"at least {amount(rate.low, 'b/s')}" if rate.high is None and rate.low else amount(rate.value, "b/s")
    names = found.model.names
    return [
        f"{amount(found.measured.bytes, 'B')}, {seconds(found.measured.end_s)}",
        sure("rate", bound),
        seconds(values["round trip"].value),
        sure("ACK policy", f"{values['ACK policy'].value}; {names['acks']}"),
        sure("sender", names["sender"]),
        f"{found.replay.score.end:+.1%}",
        f"{found.model.score.end:+.1%}, {found.model.score.curve:.1%}",
        f"{found.held_out.end:+.1%}" if found.held_out else "-",
        f"{change(found.held_out.low)} to {change(found.held_out.high)}{'' if found.held_out.covered else ': missed'}"
        if found.held_out
        else "-",
        "bad" if found.bad else "good",
    ]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
