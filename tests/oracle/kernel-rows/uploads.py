#!/usr/bin/env python3
"""Uploads between two Linux kernels with their defaults, under one clock, and the same in the simulator: ACK by ACK (`uploads.json.xz`).

    uploads.py             the page's table; needs no kernel
    uploads.py --write     puts it into the page
    uploads.py --make      the kernels' runs that are missing (needs `make kernel`, and `LINUX=7.3 make kernel`)
    uploads.py -v          each upload, with the first ACK that differs

The eight of `EIGHT` were there when the first rules were written. Of the others 24 were drawn afterwards, once, by the first of `SEEDS`. Those
of the second were drawn once the rules of the send buffer were written.
"""

import json
import lzma
import random
import shlex
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from engine import command

HERE = Path(__file__).parent
FILE = HERE / "uploads.json.xz"
PAGE, BEGIN = HERE.parents[2] / "docs" / "oracle" / "uploads.md", "<!-- begin uploads -->"
SEEDS = (34, 35)
MSS = 1448
#: Rate in Mb/s, delay in ms, bytes, and how the program reads.
EIGHT = [
    (5, 5, 2_000_000, "fast"), (5, 50, 2_000_000, "fast"), (20, 10, 4_000_000, "fast"), (20, 40, 6_000_000, "fast"),
    (50, 20, 8_000_000, "fast"), (100, 10, 15_000_000, "fast"), (200, 30, 20_000_000, "fast"), (300, 20, 25_000_000, "fast"),
]  # fmt: skip
#: What a program asks for: a quarter of a mebibyte or what is there; two thirds of a segment; a mebibyte, and it waits for all of it.
READS = {"fast": "262144", "small": "1000", "large": "1048576 all"}
#: `tcp_rmem[2]` of the machines, if an upload has not kept it.
MOST = {"6.12": 3984384, "7.3": 4034560}


def drawn(seed):
    """Twenty-four paths: 5 to 300 Mb/s, 5 to 50 ms, one to three seconds of the rate but 1 to 12 MB, and the three ways to read in turn."""
    rng, paths = random.Random(seed), []
    for number in range(24):
        rate, delay = round(5 * 60 ** rng.random(), 1), round(rng.uniform(5, 50), 1)
        size = min(12_000_000, max(1_000_000, int(rate * 125_000 * rng.uniform(1, 3))))
        paths.append((rate, delay, size, list(READS)[number % 3]))
    return paths


def grid():
    """(version, path) of every upload."""
    return [(version, path) for version in MOST for path in EIGHT + [path for seed in SEEDS for path in drawn(seed)]]


def link(path, ends):
    """The link, whose data go from S to R. A fifth part of a path has a smaller queue (`queue 20`), or packets that are lost (`lost 40 300`)."""
    kind, *numbers = path[4].split() if len(path) > 4 else ["queue", "20000"]
    shown = {"rate": f"{path[0]}Mbps", "delay": f"{path[1]}ms", "queue": {"kind": "drop-tail", "packets": 20_000}}
    if kind == "queue":
        return {"between": ends, **shown, "queue": {"kind": "drop-tail", "packets": int(numbers[0])}}
    lost = {**shown, "loss": {"list": [int(number) for number in numbers]}}
    there, back = (lost, shown) if ends[0] == "S" else (shown, lost)
    return {"between": ends, **there, "back": back}


def reads(path):
    """What the program asks for; a slow one sleeps after each 64 KiB, and takes 0.7 of the path's rate."""
    return READS.get(path[3]) or f"65536 pause {65_536 * 8 / (0.7e6 * path[0]):.4f}"


def frames(file):
    """(seconds, IPv4 packet) of a capture of raw IP with nanoseconds."""
    data = file.read_bytes()
    order = "<" if data[:4] == b"\x4d\x3c\xb2\xa1" else ">"
    at = 24
    while at < len(data):
        seconds, nanos, kept, _ = struct.unpack_from(order + "IIII", data, at)
        yield seconds % 1000 + nanos / 1e9, data[at + 16 : at + 16 + kept]
        at += 16 + kept


def segments(file, port):
    """(seconds, whether it goes to the port, flags, number, ACK, payload, timestamp) of each segment of TCP."""
    for at, packet in frames(file):
        if packet[0] >> 4 == 4 and packet[9] == 6:
            tcp = packet[(packet[0] & 15) * 4 :]
            header = (tcp[12] >> 4) * 4
            stamp = next((tcp[n + 2 : n + 6] for n in range(20, header - 9) if tcp[n : n + 2] == b"\x08\x0a"), bytes(4))
            total = struct.unpack_from(">H", packet, 2)[0]
            number, ack = struct.unpack_from(">II", tcp, 4)
            payload = total - (packet[0] & 15) * 4 - header
            yield (
                at,
                struct.unpack_from(">H", tcp, 2)[0] == port,
                tcp[13],
                number,
                ack,
                payload,
                int.from_bytes(stamp, "big"),
            )


def ticks(packets):
    """An instant at which the clock of timestamps turned, by what they say when."""
    (start, first), *_ = packets
    late = [(at - start) * 1e3 - (stamp - first) for at, stamp in packets]
    return start + (max(late) - 1 + min(late)) / 2e3


def made(version, path):
    """The upload by two kernels: ACK numbers in bytes with microseconds since the SYN, and the phases of the two clocks in seconds.

    `most` is the receiver's `tcp_rmem[2]`, which follows from the memory that was free when it started.
    """
    with tempfile.TemporaryDirectory() as folder:
        file, out = Path(folder) / "path.json", Path(folder) / "out"
        file.write_text(json.dumps({"stop": {"at": "100s"}, "link": [link(path, ["R", "S"])]}))
        program = f"python3 {shlex.quote(str(HERE / 'upload.py'))}"
        words = [*command(), "run", str(file), "--virtual", "--linux", version, "--out", str(out)]
        told = "cat /proc/sys/net/ipv4/tcp_rmem; exec"
        server = shlex.quote(f"{told} {program} sink 5000 {reads(path)}")
        words += ["--server", f"sh -c {server}", "--client", f"{program} send {{server}} 5000 {path[2]}"]
        subprocess.run(words, check=True, capture_output=True)
        sent = [packet for packet in segments(out / "S.pcap", 5000) if packet[1]]
        answers = [packet for packet in segments(out / "R.pcap", 5000) if not packet[1]]
        (output,) = (out / "nodes" / "R").glob("*.output")
        most = int(output.read_text().split()[2])
    opened, first = sent[0][0], sent[0][3]
    start = (opened - ticks([(packet[0], packet[6]) for packet in answers])) % 1e-3
    phase = (opened - ticks([(packet[0], packet[6]) for packet in sent]) - start) % 1e-3
    acks = [
        (round((at - opened) * 1e6), (ack - first) % 2**32)
        for at, _, flags, _, ack, payload, _ in answers
        if not payload and not flags & 2
    ]
    return {"acks": acks, "start": start, "phase": phase, "most": most}


def read(file=FILE):
    """{(version, path): the kernels' upload}, ACKs as (microseconds, bytes)."""
    if not file.exists():
        return {}
    found = {}
    for version, path, start, phase, times, numbers, *most in json.loads(lzma.decompress(file.read_bytes())):
        at, number, acks = 0, 0, []
        for more, further in zip(times, numbers):
            at, number = at + more, number + further
            acks.append((at, number))
        found[version, tuple(path)] = {
            "acks": acks,
            "start": start,
            "phase": phase,
            "most": most[0] if most else None,
            "segments": most[1] if most[1:] else None,
        }
    return found


def make(wanted=None, file=FILE):
    """Makes the uploads that are missing, path by path, and keeps each."""
    have, wanted = read(file), wanted or grid()
    for one in sorted(wanted, key=lambda one: wanted.index(("6.12", one[1]))):
        if one not in have:
            have[one] = made(*one)
            print(one, len(have[one]["acks"]), flush=True)
            keep({one: have[one] for one in sorted(have) if one in wanted}, file)


def keep(rows, file=FILE):
    """Writes these uploads."""

    def steps(values):
        return [later - earlier for earlier, later in zip([0, *values], values)]

    def line(one, row):
        numbers = (steps([ack[n] for ack in row["acks"]]) for n in (0, 1))
        return (
            *one,
            round(row["start"], 7),
            round(row["phase"], 7),
            *numbers,
            *filter(None, (row["most"], row.get("segments"))),
        )

    lines = [line(*item) for item in rows.items()]
    file.write_bytes(lzma.compress(json.dumps(lines, separators=(",", ":")).encode(), preset=9))


def scenario(version, path, row):
    """The same upload in the simulator."""
    most = row["most"] or MOST[version]
    ack = {"tick": "1ms", "read_size": int(reads(path).split()[0]), "most_memory": most}
    recovery = {"kind": "rack", "tick": "1ms", "phase": f"{row['phase']:.7f}s"}
    flow = {
        "name": "upload", "from": "S", "to": "R", "size": {"bytes": f"{path[2]}B"}, "start": f"{row['start']:.7f}s",
        "sender": {"stack": f"linux-{version}-defaults", "recovery": recovery, "send_memory": most},
        "receiver": {"ack": ack},
    }  # fmt: skip
    return {"stop": {"at": "100s"}, "link": [link(path, ["S", "R"])], "flow": [flow], "record": {"packets": True}}


def simulated(version, path, row):
    """Its ACKs, as the kernels'."""
    return [(round((at - row["start"]) * 1e6), ack) for at, ack in sent(scenario(version, path, row))]


def sent(tree):
    """Time and number of each ACK that the simulated receiver sends."""
    import polars

    import acklab

    rows = polars.DataFrame(acklab.run(tree).packets).filter(link="R->S", event="enqueue", kind="ack", syn=False)
    return rows.select("time_s", "ack").rows()


def until(acks, end):
    """The ACKs up to the first of the last byte, whose number is this; with a FIN it has the next one."""
    last = next((n for n, ack in enumerate(acks) if ack[1] >= end), len(acks) - 1)
    return [*acks[:last], (acks[last][0], min(acks[last][1], end))]


def judged(only=None, file=FILE):
    """{(version, path): (the kernels' ACKs, the simulator's, how many are the same numbers at first)}."""
    found = {}
    for one, row in read(file).items():
        if only is None or one in only:
            theirs, ours = (until(acks, one[1][2] + 1) for acks in (row["acks"], simulated(*one, row)))
            same = next((n for n, (a, b) in enumerate(zip(theirs, ours)) if a[1] != b[1]), min(len(theirs), len(ours)))
            found[one] = theirs, ours, same
    return found


def within(found, share=0.01):
    """How many have counts that differ by no more than this share."""
    return sum(abs(len(ours) / len(theirs) - 1) <= share for theirs, ours, _ in found.values())


def lines(found=None):
    """The page's tables."""
    found = found or judged()
    first, second = map(drawn, SEEDS)
    told = [
        "| uploads | Linux | ACK counts within 1 % | most | mean | series equal to the end | ACKs that both sent | last byte within 1 % |",
        "|---|---|---|---|---|---|---|---|",
    ]
    reads = ((f"second draw, {how}", [path for path in second if path[3] == how]) for how in READS)
    for name, paths in (("eight", EIGHT), ("first draw", first), ("second draw", second), *reads):
        for version in MOST:
            some = {one: row for one, row in found.items() if one[0] == version and one[1] in paths}
            off = [len(ours) / len(theirs) - 1 for theirs, ours, _ in some.values()]
            equal = sum(same == len(theirs) == len(ours) for theirs, ours, same in some.values())
            both = sum(len({ack for _, ack in theirs} & {ack for _, ack in ours}) for theirs, ours, _ in some.values())
            every = sum(len(theirs) for theirs, _, _ in some.values())
            ends = sum(abs(ours[-1][0] / theirs[-1][0] - 1) <= 0.01 for theirs, ours, _ in some.values())
            cells = f"{within(some)} of {len(some)} | {100 * max(off, key=abs):+.2f} % | {100 * sum(map(abs, off)) / len(off):.2f} %"
            told.append(f"| {name} | {version} | {cells} | {equal} | {100 * both / every:.0f} % | {ends} |")
    return told


def filled(text, table):
    """The page with this table."""
    start, end = text.index(BEGIN) + len(BEGIN), text.index("<!-- end uploads -->")
    return f"{text[:start]}\n{table}\n{text[end:]}"


def main():
    if "--make" in sys.argv:
        make()
        return
    found = judged()
    if "-v" in sys.argv:
        for (version, path), (theirs, ours, same) in found.items():
            shown = [(acks[same] if same < len(acks) else None) for acks in (theirs, ours)]
            print(
                version,
                *path,
                f"{len(theirs)} {len(ours)} {100 * (len(ours) / len(theirs) - 1):+.2f} % same {same}: {shown}",
            )
    table = "\n".join(lines(found))
    print(table)
    if "--write" in sys.argv:
        PAGE.write_text(filled(PAGE.read_text(), table))


if __name__ == "__main__":
    main()
