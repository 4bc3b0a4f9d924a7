#!/usr/bin/env python3
"""What changed in Linux's ACKs from 6.12 to 7.3: the uploads of `uploads.py` and `uploads_hard.py`, and the rule that makes each difference.

    versions.py          the tables of docs/oracle/linux-versions.md; needs no kernel
    versions.py --write  puts them into the page

Both kernels made the same uploads. The simulator makes them by the rules of 6.12, with one rule of 7.3 more at a time.
"""

import sys
from pathlib import Path

import uploads
import uploads_hard

PAGE = Path(__file__).resolve().parents[3] / "docs" / "oracle" / "linux-versions.md"
#: Rules of 7.3 that replace those of 6.12, in the order in which they are added.
MEMORY = (("second_memory", {"second_memory": 2432}), ("growth", {"growth": "7.3"}))
SACKS = (("sack_share", {"sack_share": 0.33}), ("sack_slack", {"sack_slack": "10us"}))


def counted(path, row, rules):
    """ACKs of the simulator by the rules of 6.12 and these, up to the first of the last byte."""
    tree = uploads.scenario("6.12", path, row)
    tree["flow"][0]["receiver"]["ack"] |= rules

    import acklab

    packets = acklab.run(tree).packets
    columns = zip(packets["time_s"], packets["link"], packets["event"], packets["kind"], packets["ack"], packets["syn"])
    acks = [
        (at, ack)
        for at, name, event, kind, ack, syn in columns
        if (name, event, kind) == ("R->S", "enqueue", "ack") and not syn
    ]
    return len(uploads.until(acks, path[2] + 1))


def table(rows, paths, steps):
    """ACKs of both kernels on each path, and of the simulator with one rule more at a time."""
    told = [
        f"| path | Linux 6.12 | Linux 7.3 | change | rules of 6.12 | {' | '.join(f'and `{name}`' for name, _ in steps)} |"
    ]
    told.append("|" + "---|" * (5 + len(steps)))
    for path in paths:
        if not all((version, path) in rows for version in uploads.MOST):
            continue
        old, new = (len(uploads.until(rows[version, path]["acks"], path[2] + 1)) for version in uploads.MOST)
        rules, ours = {}, [counted(path, rows["6.12", path], {})]
        for _, more in steps:
            rules |= more
            ours.append(counted(path, rows["6.12", path], rules))
        more = f", {path[4]}" if len(path) > 4 else ""
        name = f"{path[0]} Mb/s, {path[1]} ms, {path[2] / 1e6:.1f} MB{more}"
        told.append(f"| {name} | {old} | {new} | {100 * (new / old - 1):+.1f} % | {' | '.join(map(str, ours))} |")
    return told


def overall():
    """How the counts of all uploads without losses differ between the kernels, by the path's rate."""
    rows = uploads.read()
    told = ["| rate | uploads | 7.3 for 6.12: mean | least | most |", "|---|---|---|---|---|"]
    for low, high in ((0, 20), (20, 100), (100, 1000)):
        paths = {path for _, path in rows if low <= path[0] < high}
        counts = [
            [len(uploads.until(rows[version, path]["acks"], path[2] + 1)) for version in uploads.MOST] for path in paths
        ]
        off = [100 * (new / old - 1) for old, new in counts]
        name = f"{low} to {high} Mb/s" if high < 1000 else f"{low} Mb/s and more"
        told.append(f"| {name} | {len(off)} | {sum(off) / len(off):+.1f} % | {min(off):+.1f} % | {max(off):+.1f} % |")
    return told


def tables():
    """{name: the table's lines}."""
    hard = [path for path in uploads_hard.drawn() if path[3] != "slow"]
    return {
        "overall": overall(),
        "memory": table(uploads.read(), uploads.EIGHT, MEMORY),
        "sacks": table(
            uploads.read(uploads_hard.FILE), hard, (("memory's rules", {**MEMORY[0][1], **MEMORY[1][1]}), *SACKS)
        ),
    }


def filled(text, found):
    """The page with these tables."""
    for name, lines in found.items():
        begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
        start, stop = text.index(begin) + len(begin), text.index(end)
        text = text[:start] + "\n" + "\n".join(lines) + "\n" + text[stop:]
    return text


def main():
    found = tables()
    print("\n\n".join("\n".join(lines) for lines in found.values()))
    if "--write" in sys.argv:
        PAGE.write_text(filled(PAGE.read_text(), found))


if __name__ == "__main__":
    main()
