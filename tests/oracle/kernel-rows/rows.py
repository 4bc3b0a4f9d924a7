#!/usr/bin/env python3
"""Transfers between the two ends of a Linux in virtual time (`rows.csv`): the grid, and how a row is made.

    rows.py [N]       make the rows that are missing, at most N (needs `make kernel`)
    rows.py --fresh   make all of them anew
    rows.py --again N make N of the recorded rows again, and say which are not the same

Each row is one boot of Linux 6.12 with a clock of its own, so it is exact: the same scenario gives the same bytes. `check.py` judges the
stack `linux` by the rows, without a kernel.
"""

import csv
import itertools
import random
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

HERE = Path(__file__).parent
ROWS = HERE / "rows.csv"
#: What a row was asked, and what the kernel did.
ASKED = ["path", "loss", "control", "acks", "size", "seed"]
COUNTS = ["segments_sent", "retransmits", "timeouts", "fast_retransmits"]
#: ACKs agree within two, or within so much of the kernel's count. The simulator counts the receiver's FIN, too, after which a kernel's
#: run mostly has ended.
NEAR = 0.01
TOLD = [*COUNTS, "acks_sent", "last_data_s", "completion_s"]

#: Rate, one-way delay, queue in packets.
PATHS = {
    "slow": ("1Mbps", "50ms", 12),
    "short": ("2Mbps", "5ms", 10),
    "dsl": ("5Mbps", "20ms", 20),
    "cable": ("10Mbps", "25ms", 40),
    "deep": ("4Mbps", "30ms", 100),
    "shallow": ("10Mbps", "40ms", 5),
    "far": ("20Mbps", "100ms", 80),
}
#: Losses of the data's direction, and of the ACKs'.
LOSSES = {
    "none": ({}, {}),
    "one": ({"loss": {"list": [25]}}, {}),
    "three": ({"loss": {"list": [25, 27, 30]}}, {}),
    "tail": ({"loss": {"list": [29, 30]}}, {}),
    "rate": ({"loss": {"rate": 0.01}}, {}),
    "heavy": ({"loss": {"rate": 0.04}}, {}),
    "acks": ({}, {"loss": {"rate": 0.2}}),
}
ACKS = {
    "linux": {"policy": "linux", "window": 4345, "buffer": 10922, "autotune": False, "tick": "1ms"},
    "delayed": {"policy": "delayed", "timer": "40ms"},
}
#: The kernel's clock ticks every millisecond (tools/kernel), as its timers show at these instants.
CLOCK = {"tick": "1ms", "phase": "32.1837ms"}
SIZES = [30, 200, 1000]
CONTROLS = ["reno", "cubic"]
#: On two paths and three losses only.
RARER = ["vegas", "veno", "westwood", "bbr"]


def grid():
    """What every row is asked."""
    for values in itertools.product(PATHS, LOSSES, CONTROLS, ACKS, SIZES, (1,)):
        yield dict(zip(ASKED, values))
    for values in itertools.product(("dsl", "cable"), ("none", "one", "rate"), RARER, ACKS, SIZES, (1,)):
        yield dict(zip(ASKED, values))


def scenario(asked):
    """A row's scenario, for the simulator and for the kernel."""
    rate, delay, packets = PATHS[asked["path"]]
    there, back = LOSSES[asked["loss"]]
    return between(rate, delay, packets, there, back, asked)


def between(rate, delay, packets, there, back, asked):
    """One transfer by the stack `linux` over one link."""
    wide = {"queue": {"kind": "drop-tail", "packets": 10000}}
    link = {"between": ["S", "R"], "rate": rate, "delay": delay, "queue": {"kind": "drop-tail", "packets": packets}}
    # CUBIC is the stack's own: Linux's differs from RFC 9438's.
    control = {} if asked["control"] == "cubic" else {"control": asked["control"]}
    clock = {"recovery": CLOCK}
    return {
        "title": " ".join(str(asked[key]) for key in ASKED),
        "seed": int(asked["seed"]),
        "stop": {"when": "flows-complete", "at_most": "300s"},
        "link": [link | there | {"back": wide | back}],
        "flow": [{
            "name": "f", "from": "S", "to": "R", "size": {"segments": int(asked["size"])},
            "sender": {"stack": "linux"} | clock | control, "receiver": {"stack": "linux", "ack": ACKS[asked["acks"]]},
        }],
    }  # fmt: skip


def read(path=ROWS):
    """The rows."""
    with path.open() as file:
        return list(csv.DictReader(file))


def told(answer):
    """What a run's summary says of its transfers: a part for each."""
    return {name: "/".join(str(flow[name]) for flow in answer["flows"]) for name in TOLD}


def alike(row, answer):
    """What of a row the simulator does otherwise, by column."""
    ours = told(answer)
    # Of several flows in one direction a kernel does not tell whose recoveries it counts.
    differ = [name for name in COUNTS if row[name] != ours[name] and "None" not in row[name]]
    # At the receiver: a kernel's last segment has a FIN, which is acknowledged at once, and the simulator's has none.
    pairs = list(zip(ours["last_data_s"].split("/"), row["last_data_s"].split("/")))
    if "None" in ours["last_data_s"] or any(
        abs(float(here) - float(there)) > 0.01 * float(there) for here, there in pairs
    ):
        differ.append("last_data_s")
    return differ


def acks(row, answer):
    """Each flow's ACKs, the kernel's and the simulator's."""
    return [tuple(map(int, pair)) for pair in zip(row["acks_sent"].split("/"), told(answer)["acks_sent"].split("/"))]


def acks_agree(row, answer):
    """Whether the ACKs of every flow agree."""
    return all(abs(ours - theirs) <= max(2, NEAR * theirs) for theirs, ours in acks(row, answer))


def judged(words=(), grid=None):
    """(row, the simulator's answer, columns that differ) of every row of a grid (this one), or of those with these words."""
    from engine import run_batch

    grid = grid or sys.modules[__name__]
    chosen = [row for row in read(grid.ROWS) if all(word in [row[key] for key in grid.ASKED] for word in words)]
    for row, answer in zip(chosen, run_batch(map(grid.scenario, chosen))):
        yield row, answer, ["error"] if "error" in answer else alike(row, answer)


def make(most, fresh, grid_of):
    """Makes rows of a grid, in its order, and keeps them as they come."""
    import acklab

    asked_of, path, wanted = grid_of.ASKED, grid_of.ROWS, list(grid_of.grid())
    key = lambda asked: tuple(str(asked[name]) for name in asked_of)
    have = {key(row): row for row in (read(path) if path.exists() and not fresh else [])}
    missing = [asked for asked in wanted if key(asked) not in have]
    # Those of a part are of the whole grid.
    missing = random.Random(1).sample(missing, len(missing))[:most]
    for asked, answer in zip(missing, acklab.run_batch(map(grid_of.scenario, missing), engine="kernel")):
        if "error" in answer:
            raise SystemExit(f"{asked}: {answer['error']}")
        have[key(asked)] = asked | told(answer)
        if len(have) % 20 == 0 or asked is missing[-1]:
            with path.open("w", newline="") as file:
                out = csv.DictWriter(file, [*asked_of, *TOLD], lineterminator="\n")
                out.writeheader()
                out.writerows(have[key(one)] for one in wanted if key(one) in have)
            print(f"{len(have)} of {len(wanted)} rows", flush=True)


def again(count, grid_of):
    """Makes so many of the recorded rows again."""
    import acklab

    chosen = random.Random(2).sample(read(grid_of.ROWS), count)
    same = 0
    for row, answer in zip(chosen, acklab.run_batch(map(grid_of.scenario, chosen), engine="kernel")):
        now = {name: answer["error"] for name in TOLD} if "error" in answer else told(answer)
        differ = [f"{name} {row[name]} {now[name]}" for name in TOLD if row[name] != now[name]]
        same += not differ
        if differ:
            print(*(row[key] for key in grid_of.ASKED), "|", ", ".join(differ), flush=True)
    print(f"{same} of {count} rows are the same again")


def main(words, grid_of):
    """The command line of a grid's module."""
    if words[:1] == ["--again"]:
        return again(int(words[1]), grid_of)
    make(int(words[0]) if words and words[0].isdigit() else None, "--fresh" in words, grid_of)


if __name__ == "__main__":
    main(sys.argv[1:], sys.modules[__name__])
