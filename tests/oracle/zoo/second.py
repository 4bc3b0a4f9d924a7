"""A second draw of paths for the named stacks, made after the senders' values: ``second.json`` and ``second.json.gz`` beside this file.

    second.py             the tables of docs/oracle/zoo-simulated.md; needs no kernel
    second.py --make [N]  runs the stacks on the drawn paths that are missing, at most N (make zoo, LINUX=7.3 make kernel)
    second.py --replay    gives the recorded arrivals to the receivers of these names (cargo)

Paths are drawn as in ``drawn.py``, with another seed. This script, its criteria, the receivers' and the senders' values were committed
before its first run.

ACKs are the client's packets of less than 1000 bytes that leave after the first arrival of a packet of 1000 bytes, and before the last arrival
of data. So neither the handshake, nor the client's probes of the path's MTU, nor its close count.

There are two judgements. *The pair*: the simulator's sender and receiver on the same path; the same if ACK counts are within 2 % and completion
within 1 %. *The receiver alone*: the recorded arrivals are given to the policy; the same if ACK counts are within 2 %.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path as File
from statistics import median
from typing import Any

sys.path.insert(0, str(File(__file__).parent))

import drawn  # noqa: E402
import simulated  # noqa: E402

from acklab_zoo import output
from acklab_zoo.members import MEMBERS
from acklab_zoo.packets import Download
from acklab_zoo.paths import Path
from acklab_zoo.run import pair, row
from acklab_zoo.tables import Table

FILE = File(__file__).parent / "second.json"
ARRIVALS = FILE.with_suffix(".json.gz")
SEED = 20261126
COUNT = 60
#: Bytes from the header of IP on of a packet that is no ACK.
FULL = 1000
_HEADERS = 28
#: Packet numbers before the first data, which the policy must know: HANDSHAKE_DONE, and one that is left out.
_BEFORE = {"x-net": 2}


def paths() -> list[tuple[str, Path]]:
    """A stack and a path, sixty times."""
    return drawn.paths(SEED, COUNT)


def look(seen: Download) -> dict[str, Any]:
    """ACKs as this draw counts them, and each packet from the first full one on.

    ``arrivals`` are time in us, number among the departures, and payload; ``answers`` the times of the ACKs.
    """
    begin = int((seen.bytes >= FULL - _HEADERS).argmax())
    first, last = seen.arrived_s[begin], seen.arrived_s[-1]
    sent = seen.back_s[(seen.back_s >= first) & (seen.back_s < last) & (seen.back_bytes < FULL)]
    micro = lambda times: [round(1e6 * float(time - first)) for time in times]  # noqa: E731
    arrivals = zip(
        micro(seen.arrived_s[begin:]), seen.number[begin:].tolist(), seen.bytes[begin:].tolist(), strict=True
    )
    return {"data_acks": len(sent), "arrivals": [list(each) for each in arrivals], "answers": micro(sent)}


def make(most: int) -> None:
    """Runs what is missing, and writes after each run."""
    rows: list[dict[str, Any]] = output.read(FILE) if FILE.exists() else []
    packets = _packets()
    there = {each["path"] for each in rows}
    for name, path in paths():
        if path.about in there or not most:
            continue
        made = row(pair(name, name, MEMBERS, "7.3"), path.about, 1, path, look)
        packets[path.about] = {key: made.pop(key) for key in ("arrivals", "answers") if key in made}
        rows.append(made)
        FILE.write_text(output.plain(rows), "utf-8")
        ARRIVALS.write_bytes(gzip.compress(json.dumps(packets).encode(), mtime=0))
        most -= 1


def _packets() -> dict[str, dict[str, Any]]:
    return dict(json.loads(gzip.decompress(ARRIVALS.read_bytes()))) if ARRIVALS.exists() else {}


def lines(name: str, arrivals: list[list[int]]) -> str:
    """The arrivals as the example `replay` reads them, with the bytes of the stream alone."""
    besides = simulated.ENDS[name]["sender"]["header"] - _HEADERS
    return "".join(
        f"{time} {number + _BEFORE.get(name, 0)} {payload - besides}\n" for time, number, payload in arrivals
    )


def replay() -> None:
    """Notes in each row how many ACKs the policy of its name sends for the recorded arrivals."""
    rows, packets = output.read(FILE), _packets()
    for each in rows:
        if "error" not in each:
            arrivals = packets[each["path"]]["arrivals"]
            command = ["cargo", "run", "-q", "-p", "acklab-tcp", "--example", "replay", "--", each["receiver"]]
            told = subprocess.run(
                command, input=lines(each["receiver"], arrivals), capture_output=True, text=True, check=True
            )
            each["replayed_acks"] = sum(int(time) < arrivals[-1][0] for time in told.stdout.split())
    FILE.write_text(output.plain(rows), "utf-8")


def pairs() -> list[tuple[str, bool, float, float]]:
    """Of each path that was run: stack, whether its queue is deep, and by how many per cent ACKs and time differ."""
    rows, found = {each["path"]: each for each in output.read(FILE)}, []
    for name, path in paths():
        if (each := rows.get(path.about)) is None:
            continue
        deep = path.packets == drawn.DEEP
        if "error" in each:
            found.append((name, deep, float("inf"), float("inf")))
            continue
        ours = simulated.simulated(name, path)
        found.append(
            (
                name,
                deep,
                simulated.differ(ours.acks, each["data_acks"]),
                simulated.differ(ours.time_s, each["completion_s"]),
            )
        )
    return found


def tables() -> list[Table]:
    """The two judgements."""
    found = pairs()
    groups = [(name, [each for each in found if each[0] == name]) for name in drawn.STACKS]
    groups += [
        (f"all, {what}", [each for each in found if each[1] == deep])
        for what, deep in (("deep queue", True), ("limited queue", False))
    ]
    cells = [[name, *_agreement(group)] for name, group in [*groups, ("all", found)]]
    heads = [
        "stack",
        "paths",
        "ACKs within 2 %",
        "median, most %",
        "time within 1 %",
        "median, most %",
        "ACKs and time",
    ]
    about = "Differences of the simulator from the stack on the paths of the second draw, in per cent; absolute values."
    return [Table("second", "The second draw", about, heads, cells), _alone()]


def _agreement(group: list[tuple[str, bool, float, float]]) -> list[str]:
    acks, times = ([abs(each[at]) for each in group] for at in (2, 3))
    acks_ok, times_ok = (
        [each <= 100 * most for each in column] for column, most in ((acks, drawn.MOST_ACKS), (times, drawn.MOST_TIME))
    )
    both = sum(a and t for a, t in zip(acks_ok, times_ok, strict=True))
    shown = [f"{median(column):.1f}, {max(column):.1f}" for column in (acks, times)]
    return [str(len(group)), str(sum(acks_ok)), shown[0], str(sum(times_ok)), shown[1], str(both)]


def _alone() -> Table:
    rows = [each for each in output.read(FILE) if "replayed_acks" in each]

    def cells(name: str, group: list[Mapping[str, Any]]) -> list[str]:
        off = [simulated.differ(each["replayed_acks"], each["data_acks"]) for each in group]
        within = sum(abs(each) <= 100 * drawn.MOST_ACKS for each in off)
        return (
            [name, str(len(off)), str(within), f"{median(off):+.1f}", f"{max(map(abs, off)):.1f}"]
            if off
            else [name, "0", "0", "-", "-"]
        )

    groups = [(name, [each for each in rows if each["receiver"] == name]) for name in drawn.STACKS]
    about = "ACKs of the policy for the stack's recorded arrivals, against those of the stack."
    heads = ["receiver", "paths", "ACKs within 2 %", "median %", "most %, absolute"]
    return Table(
        "alone", "Receivers alone", about, heads, [cells(name, group) for name, group in [*groups, ("all", rows)]]
    )


if __name__ == "__main__":
    if "--make" in sys.argv:
        make(int(sys.argv[2]) if len(sys.argv) > 2 else COUNT)
    elif "--replay" in sys.argv:
        replay()
    else:
        print("\n\n".join(table.markdown() for table in tables()))
