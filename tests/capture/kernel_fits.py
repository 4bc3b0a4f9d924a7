#!/usr/bin/env python3
"""Blind fits of uploads between two Linux kernels in virtual time (`acklab run --virtual`), captured at either end.

    python tests/capture/kernel_fits.py --count 40 --seed 1 --keep DIR --out FILE

The kernels' senders and receivers share no code with the simulator; the path between them is acklab's. The draws depend on the seed
alone. DIR keeps the captures, so that a second fit needs no kernel (`make kernel`, `LINUX=7.3 make kernel`).
"""

from __future__ import annotations

import argparse
import json
import math
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import fits
import polars as pl

import acklab

VERSIONS = ("6.12", "7.3")
#: The kernel's own receiver, and ACKs chosen among its own.
POLICIES = ("linux", "linux", "linux", "every", "delayed")
#: A receiver's policy is what this share of its ACKs shows.
SHARE = 0.9


def drawn(seed: int, number: int) -> dict[str, Any]:
    """A path, an upload of 0.3 to 12 MB or at most 20 s of the rate, the two kernels, and the place of the capture."""
    draw = random.Random(f"kernels {seed} {number}")

    def between(low: float, high: float) -> float:
        return float(math.exp(draw.uniform(math.log(low), math.log(high))))

    rate, rtt = round(between(1e6, 100e6)), round(between(0.005, 0.2), 6)
    product = rate * rtt / 8 / 1500
    policy = draw.choice(POLICIES)
    return {
        "rate": rate, "rtt": rtt, "queue": max(round(product * between(0.3, 3)), 10),
        "loss": 0.0 if draw.random() < 0.7 else round(between(0.0005, 0.02), 6),
        "policy": policy, "segments": 1 if policy == "every" else 2 if policy == "linux" else draw.randint(2, 6), "timer": round(between(0.02, 0.2), 3),
        "control": draw.choice(["cubic", "cubic", "reno", "bbr"]), "bytes": round(min(between(3e5, 12e6), rate / 8 * 20)),
        "from": draw.choice(VERSIONS), "to": draw.choice(VERSIONS), "place": draw.choice(["sender", "receiver"]), "seed": draw.randint(1, 10**6),
    }  # fmt: skip


def scenario(truth: dict[str, Any]) -> dict[str, Any]:
    """The upload of a draw."""
    ack: Any = {"policy": truth["policy"]}
    if truth["policy"] == "delayed":
        ack |= {"segments": truth["segments"], "timer": f"{truth['timer']}s"}
    link = {
        "between": ["S", "R"], "rate": f"{truth['rate']}bps", "delay": f"{truth['rtt'] / 2:.9f}s",
        "queue": {"kind": "drop-tail", "packets": truth["queue"]}, "back": {"queue": {"kind": "drop-tail", "packets": 1000}},
    }  # fmt: skip
    if truth["loss"]:
        link["loss"] = {"rate": truth["loss"]}
    sender = {"stack": "linux", "control": truth["control"]}
    flow = {
        "from": "S",
        "to": "R",
        "size": {"bytes": f"{truth['bytes']}B"},
        "sender": sender,
        "receiver": {"stack": "linux", "ack": ack},
    }
    return {
        "seed": truth["seed"],
        "stop": {"when": "flows-complete", "at_most": "300s"},
        "link": [link],
        "flow": [flow],
    }


def captures(truth: dict[str, Any], number: int, keep: Path) -> Path:
    """The directory with ``sender.pcap`` and ``receiver.pcap``; it is made where it is not there."""
    folder = keep / f"{number:03}"
    if not (folder / "receiver.pcap").exists():
        words = [
            Path(sys.executable).with_name("acklab"),
            "run",
            "-",
            "--virtual",
            "--linux",
            f"S={truth['from']}",
            "--linux",
            f"R={truth['to']}",
        ]
        done = subprocess.run(
            [*words, "--out", folder], input=json.dumps(scenario(truth)), text=True, capture_output=True, check=False
        )
        if done.returncode:
            raise RuntimeError(f"draw {number}: {done.stderr}")
    return folder


def acknowledges(folder: Path) -> int | None:
    """The segments that nearly all ACKs of new data acknowledge where the receiver sends them; None if there is no such number."""
    found = acklab.analyze(folder / "receiver.pcap")
    row = max(found.rows(), key=lambda one: one["acked_bytes"])
    acks = pl.DataFrame(found.acks).filter((pl.col("direction") == row["direction"]) & (pl.col("acked_bytes") > 0))[
        "acked_segments"
    ]
    return next((count for count in (1, 2) if (acks == count).mean() >= SHARE), None)  # type: ignore[operator]


def one(truth: dict[str, Any], number: int, keep: Path) -> dict[str, Any]:
    """A fit beside its draw."""
    folder = captures(truth, number, keep)
    found = fits.fitted(truth, folder / f"{truth['place']}.pcap")
    if truth["policy"] == "linux" and not found["refused"]:
        usual = acknowledges(folder)
        named, chosen = found["fitted"]["ACK policy"][0], found["chosen"]["acks"]
        found["usual"] = usual
        found["policy_right"] |= usual == 1 and named == "every"
        found["policy_right"] |= usual == 2 and (named == "delayed" and chosen == "every 2 segments")
    if truth["policy"] == "delayed" and not found["refused"] and found["fitted"]["ACK policy"][0] == "thinned":
        # The ACKs that were not chosen leave gaps in the kernel's identifications, so this is what the capture shows.
        found["policy_right"] = found["chosen"]["acks"] == f"every {truth['segments']} segments"
    return found


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first draw")
    parser.add_argument("--keep", type=Path, required=True)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    rows = []
    for number in range(options.first, options.first + options.count):
        rows.append({"number": number, **one(drawn(options.seed, number), number, options.keep)})
        if options.out:
            with options.out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(rows[-1]) + "\n")
    fits.show(rows)


if __name__ == "__main__":
    main()
