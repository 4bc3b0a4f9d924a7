#!/usr/bin/env python3
"""Receivers by name: draws connections to known and to unknown receivers, captures them at either end, and counts what is said.

    python tests/capture/receivers.py --count 100 --seed 1
    python tests/capture/receivers.py --kernels DIR --seed 1 --count 40    # the captures that kernel_fits.py keeps

The paths and senders are those of fits.py. Half of the receivers are not known, or not alone. Some have other policies of acklab, which stand
for unknown receivers in the odds. Others have rules that no odds contain: those of QUIC programs, and a path that thins ACKs.
"""

from __future__ import annotations

import argparse
import collections
import json
import random
import tempfile
from pathlib import Path
from typing import Any

import fits
import kernel_fits

import acklab
from acklab.experiments.fit import FitError
from acklab.experiments.fit import receivers as by_name
from acklab.experiments.fit.measure import direction, measure
from acklab.experiments.fit.search import Search

#: What is drawn: the receiver's keys, beside its name; stages of the forward and the return direction.
GRO = [{"kind": "gro", "coalesce": "50us"}]
UNKNOWN: dict[str, dict[str, Any]] = {
    "daass": {"ack": {"policy": "daass"}},
    "periodic": {"ack": {"policy": "periodic", "interval": "20ms"}},
    "smart": {"ack": {"policy": "smart"}},
    "thinned by the path": {"ack": "linux", "back": [{"kind": "thin", "every": 4, "hold": "10ms"}]},
    "quic-go": {"ack": "quic-go"},
    "x-net": {"ack": "x-net"},
    "s2n-quic": {"ack": "s2n-quic"},
}
#: Those that the odds contain, by their name there: a name that has it is not wrong.
STANDING = {"daass": by_name.AFTER, "periodic": by_name.CLOCK, "smart": by_name.ROOM}


def drawn(seed: int, number: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """A truth of fits.py with another receiver, and its scenario."""
    draw = random.Random(f"receivers {seed} {number}")
    truth = fits.drawn(seed, number)
    if draw.random() < 1 / 2:
        several = by_name.known(draw.choice([3, 5, 6]))
        name = draw.choice(list(several)[:6] if draw.random() < 0.7 else list(several)[6:])
        ack, stages, back = several[name][by_name.ACK], several[name].get(by_name.STAGES), None
    else:
        name = draw.choice(list(UNKNOWN))
        ack, stages, back = UNKNOWN[name]["ack"], None, UNKNOWN[name].get("back")
    if stages:
        # Segments are merged where they come within the time of an interrupt.
        truth |= {
            "rate": draw.uniform(3e8, 2e9),
            "rtt": draw.uniform(0.001, 0.02),
            "writes": [],
            "bytes": draw.randint(2_000_000, 20_000_000),
        }
        truth["queue"] = max(round(truth["rate"] * truth["rtt"] / 12_000), 50)
    scenario = fits.scenario(truth)
    scenario["flow"][0]["receiver"]["ack"] = ack
    if stages:
        scenario["link"][2]["stages"] = stages
    if back:
        scenario["link"][1]["back"]["stages"] = back
    return {**truth, "receiver": name}, scenario


def said(path: Path) -> dict[str, Any]:
    """What is said of a capture."""
    found = acklab.analyze(path)
    try:
        measured = measure(found, direction(found))
        search = Search(measured)
        replay, _ = search.best(measured.curve)
    except FitError as error:
        return {"names": [], "known": False, "refused": str(error)}
    named = by_name.name(measured, search, replay, found)
    if named is None:
        return {"names": [], "known": False, "refused": "too few ACKs"}
    shown = {"names": list(named.names), "known": named.known, "far": named.far, "odds": dict(named.odds)}
    return {**shown, "cost": replay.cost, "fits": named.cost, "refused": ""}


def one(seed: int, number: int) -> dict[str, Any]:
    """A draw, and what is said of its capture."""
    truth, scenario = drawn(seed, number)
    with tempfile.TemporaryDirectory() as folder:
        run = acklab.run(json.dumps(scenario))
        path = run.capture(fits.ENDS[truth["place"]], path=Path(folder) / "x.pcapng")
        return {
            "number": number,
            "receiver": truth["receiver"],
            "place": truth["place"],
            "rate": truth["rate"],
            "loss": truth["loss"],
            **said(path),
        }


def kernel(seed: int, number: int, folder: Path) -> dict[str, Any]:
    """An upload between two kernels, and what is said of its capture."""
    truth = kernel_fits.drawn(seed, number)
    name = f"kernel {truth['to']}" if truth["policy"] == "linux" else f"kernel, {truth['policy']} {truth['segments']}"
    path = kernel_fits.captures(truth, number, folder) / f"{truth['place']}.pcap"
    return {
        "number": number,
        "receiver": name,
        "place": truth["place"],
        "rate": truth["rate"],
        "loss": truth["loss"],
        **said(path),
    }


def verdict(row: dict[str, Any]) -> str:
    """What a user reads."""
    if row["refused"]:
        return "not fitted"
    return by_name.called(row["names"]) if row["known"] else "silent"


def show(rows: list[dict[str, Any]]) -> None:
    """Prints the confusion table."""
    counts = collections.Counter((row["receiver"], verdict(row)) for row in rows)
    print("| receiver | said | times |\n|---|---|---|")
    for (receiver, what), count in sorted(counts.items()):
        print(f"| {receiver} | {what} | {count} |")
    print("\n| what | share | interval | of |\n|---|---|---|---|")
    known = [row for row in rows if row["receiver"] not in UNKNOWN]
    unknown = [row for row in rows if row["receiver"] in UNKNOWN]
    said = [row for row in known if row["known"]]
    print(f"| a known receiver is named | {fits.shares(len(said), len(known))} |")
    print(f"| the name is right | {fits.shares(sum(map(right, said)), len(said))} |")
    for what, some in (
        ("in the odds", [row for row in unknown if row["receiver"] in STANDING]),
        ("not in the odds", [row for row in unknown if row["receiver"] not in STANDING]),
    ):
        wrong = sum(bool(row["known"]) and not right(row) for row in some)
        print(f"| another receiver, {what}, has a wrong name | {fits.shares(wrong, len(some))} |")


def right(row: dict[str, Any]) -> bool:
    """Whether the receiver is among the names; any of Linux is right for each of its versions."""
    names, receiver = row["names"], row["receiver"]
    if receiver in UNKNOWN:
        return any(one.startswith(STANDING.get(receiver, "?")) for one in names)
    kernel = receiver.startswith(("Linux", "kernel 6", "kernel 7"))
    if not kernel and receiver.startswith("kernel, "):
        return any(
            one.startswith({"1": "every segment", "2": "every second"}.get(receiver[-1], f"every {receiver[-1]} "))
            for one in names
        )
    return any(one.startswith("Linux") if kernel else one == receiver for one in names)


def main() -> None:
    """Draws, and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kernels", type=Path)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    rows = []
    for number in range(options.count):
        rows.append(kernel(options.seed, number, options.kernels) if options.kernels else one(options.seed, number))
        if options.out:
            with options.out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(rows[-1]) + "\n")
    show(rows)


if __name__ == "__main__":
    main()
