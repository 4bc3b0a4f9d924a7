#!/usr/bin/env python3
"""The uploads of `uploads.py` by Linux 6.1, 6.12 and 7.3, with both ends and the path in one kernel (`inside.json.xz`).

    inside.py             the tables of docs/oracle/linux-versions.md; needs no kernel
    inside.py --write     puts them into the page
    inside.py --make      the kernels' runs that are missing (`make kernel`, `LINUX=6.1 make kernel`, `LINUX=7.3 make kernel`)
    inside.py -v          each upload, with the first ACK that differs

Two nodes need a schedule in shared memory, which Linux 6.1 does not have. This way needs a clock that jumps, and no more.

The path is late by some microseconds a packet. The simulator's links are longer by as much as each run's first ACK shows. This was added when three
uploads (of `EIGHT`) had shown why: their series are the simulator's to the end with it, and differ from the 50th to 142nd ACK on without it.

The criteria, from before all runs but three of the first path:

- The way is right if 6.12 sends as many ACKs as between two nodes, within 1 %, and has its last byte at the same time within 0.2 %, on each path.
- The rules of a version hold if their ACK counts are within 1 % on 95 % of the paths, and the last byte within 1 % on each.
- The rows show a rule of 6.1 if with the rule of 6.12 in its place the mean difference in ACKs is at least twice as large.
"""

import base64
import ctypes
import json
import subprocess
import sys
import zlib
from pathlib import Path

import uploads
import versions

HERE = Path(__file__).parent
FILE, PAGE = HERE / "inside.json.xz", HERE.parents[2] / "docs" / "oracle" / "linux-versions.md"
VERSIONS = ("6.1", "6.12", "7.3")
PATHS = uploads.EIGHT + [path for seed in uploads.SEEDS for path in uploads.drawn(seed)]
#: linux/personality.h: ADDR_NO_RANDOMIZE.
FIXED_ADDRESSES = 0x40000
#: What a segment takes of these cards.
MEMORY = 2176
#: Rules of 6.12 in place of those of 6.1, one by one.
REPLACED = {"`growth`": {"receiver": {"growth": "6.12"}}, "`segmentation`": {"sender": {"segmentation": "linux"}}}


#: What `simulated` has made.
SIMULATED = {}


def seen(version, path):
    """What `both_ends.py` saw in a kernel of this version."""
    from acklab.engines import kernel

    words = [
        *(
            str(kernel.find(version)),
            f"mem={kernel.NODE_MEMORY}M",
            "root=/dev/root",
            "rootfstype=hostfs",
            "rootflags=/",
            "ro",
            "quiet",
        ),
        *(
            "time-travel=inf-cpu",
            f"time-travel-start={kernel.EPOCH_NS}",
            "con=null",
            "con0=null,fd:1",
            f"init={sys.executable}",
            "--",
        ),
        *("-I", "-S", "-B", str(HERE / "both_ends.py"), *map(str, path[:3]), *uploads.reads(path).split()),
    ]
    # Memory, and so `tcp_rmem[2]`, follows from where the kernel's heap begins.
    fixed = lambda: ctypes.CDLL(None).personality(FIXED_ADDRESSES)
    done = subprocess.run(
        words, env=dict(kernel.environment(1, 0, 1)), cwd="/", capture_output=True, check=False, preexec_fn=fixed
    )
    for line in done.stdout.splitlines():
        if line.startswith(kernel.MARK):
            return json.loads(zlib.decompress(base64.b64decode(line[len(kernel.MARK) :])))
    raise SystemExit(f"{version} {path}: {kernel.why(done.stdout.decode(errors='replace'), done.returncode)}")


def made(version, path):
    """The upload, as `uploads.made` has it. Both ends have the one clock, whose milliseconds are the timestamps."""
    found = seen(version, path)
    if found["memory"] != MEMORY:
        raise SystemExit(f"{version} {path}: a segment takes {found['memory']} bytes, not {MEMORY}")
    opened, first = found["sent"][0][0], found["sent"][0][2]
    acks = [
        (round((at - opened) / 1e3), (ack - first) % 2**32)
        for at, flags, _, ack, payload, _ in found["answers"]
        if not payload and not flags & 2
    ]
    segments = sum(payload > 0 for *_, payload, _ in found["sent"])
    return {"acks": acks, "start": opened % 10**6 / 1e9, "phase": 0.0, "most": found["most"], "segments": segments}


def make():
    """Makes the uploads that are missing, path by path, and keeps each."""
    have = uploads.read(FILE)
    for one in [(version, path) for path in PATHS for version in VERSIONS]:
        if one not in have:
            have[one] = made(*one)
            print(one, len(have[one]["acks"]), flush=True)
            uploads.keep({one: have[one] for one in sorted(have)}, FILE)


def late(path, row):
    """By how many milliseconds each packet comes late: the first ACK of data, after three ways and four packets of 60, 60, 52 and 1500 bytes."""
    return (row["acks"][0][0] / 1e3 - 3 * path[1] - (60 + 60 + 52 + 1500) * 8e-3 / path[0]) / 3


def simulated(one, row, replaced, exact=False):
    """The simulator's ACKs by the version's rules, some replaced, up to the first of the last byte. Packets are as late, and take as much memory."""
    if (key := (one, *replaced, exact)) in SIMULATED:
        return SIMULATED[key]
    version, path = one
    delay = path[1] if exact else round(path[1] + late(path, row), 6)
    tree = uploads.scenario(version, (path[0], delay, *path[2:]), row)
    (flow,) = tree["flow"]
    flow["receiver"]["ack"] |= {"segment_memory": MEMORY, "second_memory": 0}
    for end, rules in replaced.items():
        (flow[end]["ack"] if end == "receiver" else flow[end]).update(rules)

    acks = [(round((at - row["start"]) * 1e6), ack) for at, ack in uploads.sent(tree)]
    SIMULATED[key] = uploads.until(acks, one[1][2] + 1)
    return SIMULATED[key]


def kernels(file=FILE):
    """{(version, path): the kernel's row, with its ACKs up to the first of the last byte}."""
    return {one: row | {"acks": uploads.until(row["acks"], one[1][2] + 1)} for one, row in uploads.read(file).items()}


def paths(rows):
    """Those that all versions made."""
    return [path for path in PATHS if all((version, path) in rows for version in VERSIONS)]


def same(some, others):
    """How many ACKs have the same numbers at first."""
    return next((n for n, (a, b) in enumerate(zip(some, others)) if a[1] != b[1]), min(len(some), len(others)))


def agreement(name, pairs):
    """A line of the table of pairs of series, each of one upload."""
    off = [len(ours) / len(theirs) - 1 for theirs, ours in pairs]
    ends = [abs(ours[-1][0] / theirs[-1][0] - 1) for theirs, ours in pairs]
    equal = sum(same(theirs, ours) == len(theirs) == len(ours) for theirs, ours in pairs)
    both = sum(len({ack for _, ack in theirs} & {ack for _, ack in ours}) for theirs, ours in pairs) / sum(
        len(theirs) for theirs, _ in pairs
    )
    cells = f"{sum(abs(one) <= 0.01 for one in off)} of {len(off)} | {100 * max(off, key=abs):+.2f} % | {100 * sum(map(abs, off)) / len(off):.2f} %"
    return f"| {name} | {cells} | {equal} | {100 * both:.0f} % | {100 * max(ends):.2f} % |"


def told(path):
    """A path's name."""
    return f"{path[0]} Mb/s, {path[1]} ms, {path[2] / 1e6:.1f} MB"


def eight(rows):
    """ACKs, last byte and segments of the three versions on the eight paths."""
    lines = [
        "| path | ACKs of 6.1 | 6.12 | 7.3 | 6.1 for 6.12 | first that differs | last byte, s: 6.1 | 6.12 | 7.3 | segments: 6.1 | 6.12 | 7.3 |"
    ]
    lines.append("|" + "---|" * 12)
    for path in uploads.EIGHT:
        three = [rows[version, path] for version in VERSIONS]
        counts = [len(row["acks"]) for row in three]
        first = same(three[0]["acks"], three[1]["acks"]) + 1
        ends = " | ".join(f"{row['acks'][-1][0] / 1e6:.3f}" for row in three)
        segments = " | ".join(str(row["segments"]) for row in three)
        lines.append(
            f"| {told(path)} | {' | '.join(map(str, counts))} | {100 * (counts[0] / counts[1] - 1):+.1f} % | {first} | {ends} | {segments} |"
        )
    return lines


def overall(rows):
    """How the counts of 6.1 differ from those of 6.12, by the path's rate and by how the program reads."""
    lines = [
        "| uploads | number | ACKs of 6.1 for 6.12: mean | least | most | last byte: most |",
        "|---|---|---|---|---|---|",
    ]
    rates = {"0 to 20 Mb/s": range(20), "20 to 100 Mb/s": range(20, 100), "100 Mb/s and more": range(100, 1000)}
    parts = {name: [path for path in paths(rows) if int(path[0]) in span] for name, span in rates.items()}
    parts |= {f"reads {how}": [path for path in paths(rows) if path[3] == how] for how in uploads.READS}
    for name, some in parts.items():
        pairs = [[rows[version, path]["acks"] for version in ("6.1", "6.12")] for path in some]
        off = [100 * (len(new) / len(old) - 1) for new, old in pairs]
        ends = [100 * (new[-1][0] / old[-1][0] - 1) for new, old in pairs]
        lines.append(
            f"| {name} | {len(off)} | {sum(off) / len(off):+.1f} % | {min(off):+.1f} % | {max(off):+.1f} % | {max(ends, key=abs):+.2f} % |"
        )
    return lines


def judged(rows):
    """How well the kernels agree with themselves between nodes, and the simulator with them."""
    between = kernels(uploads.FILE)
    lines = [
        "| what, for what | ACK counts within 1 % | most | mean | series equal to the end | ACKs that both sent | last byte: most |"
    ]
    lines.append("|" + "---|" * 7)
    lines.append(
        agreement(
            "6.12 between two kernels, for inside one",
            [(rows["6.12", path]["acks"], between["6.12", path]["acks"]) for path in paths(rows)],
        )
    )
    for version in VERSIONS:
        ways = {f"rules of {version}, for Linux {version}": ({}, False), "the same, packets not late": ({}, True)}
        if version == "6.1":
            ways |= {f"the same with {name} of 6.12": (rules, False) for name, rules in REPLACED.items()}
        for name, way in ways.items():
            lines.append(
                agreement(
                    name,
                    [
                        (rows[version, path]["acks"], simulated((version, path), rows[version, path], *way))
                        for path in paths(rows)
                    ],
                )
            )
    return lines


def tables():
    """{name: the table's lines}."""
    rows = kernels()
    return {"inside": eight(rows), "inside-all": overall(rows), "inside-rules": judged(rows)}


def main():
    if "--make" in sys.argv:
        make()
        return
    if "-v" in sys.argv:
        for one, row in kernels().items():
            ours = simulated(one, row, {})
            at = same(row["acks"], ours)
            shown = [(acks[at] if at < len(acks) else None) for acks in (row["acks"], ours)]
            print(
                *one,
                len(row["acks"]),
                len(ours),
                f"{100 * (len(ours) / len(row['acks']) - 1):+.2f} % same {at}: {shown}",
                flush=True,
            )
        return
    found = tables()
    print("\n\n".join("\n".join(lines) for lines in found.values()))
    if "--write" in sys.argv:
        PAGE.write_text(versions.filled(PAGE.read_text(), found))


if __name__ == "__main__":
    main()
