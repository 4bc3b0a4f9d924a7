#!/usr/bin/env python3
"""Verdicts of `acklab analyze` on captures whose truth is known, as a confusion matrix: simulated and then disturbed, and of kernels.

confusion.py             prints docs/reference/verdicts.md
confusion.py PATH ...    only these paths (see ALL); for a test
"""

from __future__ import annotations

import random
import struct
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from virtual_kernel import DELAYED, captures

import acklab
from acklab.captures.text import policy
from acklab.text.templates import sentence

HERE = Path(__file__).parent
#: Instant in nanoseconds, and the packet: raw IPv4, whole.
Frames = list[tuple[int, bytes]]
#: Of whoever acknowledges, something is wrong; or of the path.
ACCUSATIONS = ("divided", "spoofed", "optimistic", "thinned")
#: No word on the policy.
SILENT = ("undecided", "varying")


@dataclass(frozen=True)
class Truth:
    """What made a capture: a receiver's policy, and what its ACKs may be called."""

    name: str
    ack: str
    right: tuple[str, ...]
    sender: str = ""
    back: str = ""


FILTER = "{ kind = 'static', threshold = 1 }"
TRUTHS = (
    Truth("every segment", "{ policy = 'every' }", ("every",)),
    Truth("every 2nd, 40 ms", "{ policy = 'delayed', timer = '40ms' }", ("delayed",)),
    Truth("every 2nd, 200 ms", "{ policy = 'delayed', timer = '200ms' }", ("delayed",)),
    Truth("every 4th", "{ policy = 'delayed', timer = '100ms', segments = 4 }", ("delayed",)),
    Truth("every 8th", "{ policy = 'delayed', timer = '100ms', segments = 8 }", ("delayed",)),
    Truth("Linux", "{ policy = 'linux', autotune = false }", ("quick-then-delayed", "delayed", "by-phase")),
    Truth(
        "quick, then every 2nd",
        "{ policy = 'daass', phase = 'oracle', timer = '100ms' }",
        ("quick-then-delayed", "by-phase", "every"),
    ),
    Truth("each 100th of a second or so", "{ policy = 'periodic', beta = 4 }", ("periodic",)),
    Truth("smartacking", "{ policy = 'smart' }", ("varying", "every")),
    Truth("16 parts a segment", "{ policy = 'divide', pieces = 16 }", ("divided",)),
    Truth("2 parts a segment", "{ policy = 'divide', pieces = 2 }", ("divided",)),
    Truth("3 forged duplicates", "{ policy = 'spoof', duplicates = 3 }", ("spoofed",)),
    Truth("8 segments ahead", "{ policy = 'optimistic', ahead = 8 }", ("optimistic",)),
    Truth("every segment, filtered", "{ policy = 'every' }", ("thinned",), back=FILTER),
    Truth("every 2nd, filtered", "{ policy = 'delayed', timer = '100ms' }", ("thinned",), back=FILTER),
    Truth(
        "every 2nd, no timestamps",
        "{ policy = 'delayed', timer = '100ms' }",
        ("delayed",),
        sender=", timestamps = false",
    ),
)

#: Rate, delay and queue of the narrow link.
PATHS = {
    "dsl": ("5Mbps", "20ms", 60),
    "lan": ("1Gbps", "150us", 400),
    "long": ("20Mbps", "120ms", 150),
}
#: Receivers of Linux 6.18 in real time (tests/capture/kernel/make.py), and what their ACKs may be called.
REAL = {
    "reading": ("reads each segment", ("every",)),
    "quickack": ("`quickack` on its route", ("every",)),
    "asleep": ("reads rarely", DELAYED),
    "lone": ("reads rarely lone segments", DELAYED),
    "losses": ("reads rarely, listed losses", DELAYED),
    "repeats": ("reads rarely, some packets twice", DELAYED),
    "offload": ("reads rarely, TSO", DELAYED),
    "thinned": ("`quickack`, two of three ACKs lost", ("thinned",)),
}
#: What stands for a path where the captures are of kernels (tests/capture/virtual_kernel.py).
LINUX = "Linux"
ALL = [*PATHS, LINUX]


def simulated(truth: Truth, path: str, folder: Path) -> dict[str, Frames]:
    """The capture at both ends."""
    rate, delay, queue = PATHS[path]
    back = (
        f", back = {{ rate = '20kbps', queue = {{ kind = 'drop-tail', packets = 100, filter = {truth.back} }} }}"
        if truth.back
        else ""
    )
    run = acklab.run(f"""
        stop = {{ when = "flows-complete", at_most = "200s" }}
        link = [
            {{ between = ["S", "G"], rate = "1Gbps", delay = "50us" }},
            {{ between = ["G", "H"], rate = "{rate}", delay = "{delay}", queue = {{ kind = "drop-tail", packets = {queue} }}{back} }},
            {{ between = ["H", "R"], rate = "1Gbps", delay = "50us" }},
        ]
        flow = [{{ from = "S", to = "R", size = {{ segments = 700 }}, sender = {{ packet = 1460{truth.sender} }},
                  receiver = {{ ack = {truth.ack} }} }}]
        record = {{ packets = true }}
    """)
    found = {}
    for end, link in (("sender", "S->G@S"), ("receiver", "H->R@R")):
        found[end] = read(run.capture(link, path=folder / f"{end}.pcap").read_bytes())
    return found


def read(data: bytes) -> Frames:
    """The packets of a pcap file with nanoseconds."""
    at, frames = 24, []
    while at < len(data):
        secs, nanos, kept, length = struct.unpack_from("<IIII", data, at)
        frames.append((secs * 10**9 + nanos, data[at + 16 : at + 16 + kept].ljust(length, b"\0")))
        at += 16 + kept
    return frames


def write(frames: Frames, file: Path) -> None:
    """The same; bytes beyond 120 are left out."""
    out = [struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 120, 101)]
    for time, data in frames:
        out.append(struct.pack("<IIII", time // 10**9, time % 10**9, min(len(data), 120), len(data)) + data[:120])
    file.write_bytes(b"".join(out))


def is_data(data: bytes) -> bool:
    """Whether it goes from the sender to the receiver."""
    return data[12] == 10 and data[15] == 1


def payload(data: bytes) -> int:
    """Its bytes."""
    return len(data) - 20 - (data[32] >> 4) * 4


def sequence(data: bytes) -> int:
    """Its first number."""
    return int.from_bytes(data[24:28], "big")


def numbered(data: bytes, identification: int) -> bytes:
    """The same with another identification."""
    return data[:4] + struct.pack(">H", identification & 0xFFFF) + data[6:]


# ---- disturbances ----------------------------------------------------------------------------------------------------
Disturb = Callable[[Frames, random.Random], Frames]


def as_it_is(frames: Frames, _: random.Random) -> Frames:
    """as it is"""
    return frames


def joined(frames: Frames, most: int, within: int) -> Frames:
    """Full segments that follow each other are one packet: what TSO hands to an interface, and GRO to the stack."""
    out: Frames = []
    for time, data in frames:
        if out and is_data(data) and payload(data) > 1000:
            before, last = out[-1]
            follows = is_data(last) and payload(last) > 0 and sequence(last) + payload(last) == sequence(data)
            if follows and payload(last) % payload(data) == 0 and len(last) < most and time - before <= within:
                whole = last + bytes(payload(data))
                out[-1] = (before, whole[:2] + struct.pack(">H", len(whole)) + whole[4:])
                continue
        out.append((time, data))
    return out


def tso(frames: Frames, _: random.Random) -> Frames:
    """segments put together (TSO)"""
    return joined(frames, 40_000, 100_000)


def gro(frames: Frames, draw: random.Random) -> Frames:
    """segments and their ACKs put together (GRO)"""
    # What comes within 4 ms is handed over together, and one ACK answers all of it.
    out: Frames = []
    for time, data in frames:
        if out and not is_data(data) and payload(data) == 0 and draw.random() < 0.7:
            at = next((k for k in range(len(out) - 1, max(-1, len(out) - 4), -1) if not is_data(out[k][1])), None)
            if at is not None and time - out[at][0] < 4_000_000 and data[33] == 16 and out[at][1][33] == 16:
                del out[at]
        out.append((time, data))
    return joined(out, 40_000, 4_000_000)


def host_wide(frames: Frames, draw: random.Random) -> Frames:
    """identifications count all traffic of the host"""
    numbers = {True: 0, False: 0}
    out = []
    for time, data in frames:
        numbers[is_data(data)] += 1 + (int(draw.expovariate(0.6)) if draw.random() < 0.5 else 0)
        out.append((time, numbered(data, numbers[is_data(data)])))
    return out


def busy(frames: Frames, draw: random.Random) -> Frames:
    """the same, with as many packets elsewhere as segments here"""
    number, last, out = 0, None, []
    for time, data in frames:
        if not is_data(data):
            ack = int.from_bytes(data[28:32], "big")
            number += 1 + (0 if last is None else round(draw.gauss(1, 0.4) * max(0, ack - last) / 1448))
            last, data = ack, numbered(data, number)
        out.append((time, data))
    return out


def unnumbered(frames: Frames, _: random.Random) -> Frames:
    """identifications are 0"""
    return [(time, numbered(data, 0)) for time, data in frames]


def copied(frames: Frames, draw: random.Random) -> Frames:
    """every packet twice"""
    return sorted(
        [*frames, *((time + draw.randrange(2000, 9000), data) for time, data in frames)], key=lambda it: it[0]
    )


def copied_unnumbered(frames: Frames, draw: random.Random) -> Frames:
    """every packet twice, identifications are 0"""
    return copied(unnumbered(frames, draw), draw)


def translated(frames: Frames, draw: random.Random) -> Frames:
    """both sides of a NAT"""
    inside = []
    for time, data in frames:
        at = 12 if is_data(data) else 16
        inside.append((time + draw.randrange(3000, 9000), data[:at] + bytes([192, 168, 0, 9]) + data[at + 4 :]))
    return sorted([*frames, *inside], key=lambda it: it[0])


def reordered(frames: Frames, draw: random.Random) -> Frames:
    """swapped by up to 18 µs"""
    return sorted(frames, key=lambda it: it[0] + draw.randrange(0, 18_000))


def stepped(frames: Frames, _: random.Random) -> Frames:
    """the clock is set back by a minute"""
    half = len(frames) // 2
    return [(time - (60 * 10**9 if k >= half else 0), data) for k, (time, data) in enumerate(frames)]


def wild(frames: Frames, draw: random.Random) -> Frames:
    """three times are years off"""
    off = {draw.randrange(5, len(frames)): 10**17 for _ in range(3)}
    return [(time + off.get(k, 0), data) for k, (time, data) in enumerate(frames)]


def missed(frames: Frames, draw: random.Random) -> Frames:
    """the capture lacks 2 % of the packets"""
    return [frame for frame in frames if draw.random() > 0.02]


def late_start(frames: Frames, _: random.Random) -> Frames:
    """without its beginning"""
    return frames[60:]


def data_only(frames: Frames, _: random.Random) -> Frames:
    """only the data"""
    return [frame for frame in frames if is_data(frame[1])]


def acks_only(frames: Frames, _: random.Random) -> Frames:
    """only the ACKs"""
    return [frame for frame in frames if not is_data(frame[1])]


def older(frames: Frames, draw: random.Random) -> Frames:
    """ACKs of an older connection among them"""
    out = []
    for time, data in frames:
        out.append((time, data))
        if not is_data(data) and draw.random() < 0.01:
            out.append((time + 50, data[:28] + struct.pack(">I", draw.getrandbits(32)) + data[32:]))
    return out


DISTURBANCES: tuple[Disturb, ...] = (
    *(as_it_is, tso, gro, host_wide, busy, unnumbered, copied, copied_unnumbered, translated),
    *(reordered, stepped, wild, missed, late_start, data_only, acks_only, older),
)
#: What can only be so at one end.
ONLY = {tso: "sender", gro: "receiver"}


@dataclass(frozen=True)
class Judged:
    """A verdict beside the truth."""

    truth: Truth
    path: str
    end: str
    disturbance: str
    verdict: str
    finding: str

    @property
    def right(self) -> bool:
        """Whether it is what the truth may be called; at its own end a filtered receiver looks like what it is."""
        if self.truth.back and self.end == "receiver":
            return self.verdict in ("thinned", "every", "delayed", "quick-then-delayed", "by-phase")
        return self.verdict in self.truth.right

    @property
    def wrong(self) -> bool:
        """Whether it is something else, and not silence."""
        return not self.right and self.verdict not in SILENT

    @property
    def accused(self) -> bool:
        """Whether it wrongly says of receiver or path that they do what they should not."""
        return self.wrong and self.verdict in ACCUSATIONS


def taken(paths: list[str], folder: Path) -> Iterator[tuple[Truth, str, str, Frames]]:
    """Every truth on every path, at both ends; and those of kernels."""
    for path in paths:
        if path != LINUX:
            for truth in TRUTHS:
                for end, frames in simulated(truth, path, folder).items():
                    yield truth, path, end, frames
            continue
        for name, case, end, capture in captures():
            yield Truth(name, case.ack, case.right, back=case.back), path, end, read(capture)
        for name, (about, right) in REAL.items():
            for file in sorted(HERE.glob(f"kernel/{name}-*.pcap")):
                yield Truth(about, "", right), path, file.stem.partition("-")[2], read(file.read_bytes())


def judged(paths: list[str]) -> Iterator[Judged]:
    """Every capture, disturbed in every way."""
    with tempfile.TemporaryDirectory() as name:
        file = Path(name, "disturbed.pcap")
        for truth, path, end, frames in taken(paths, file.parent):
            for number, disturb in enumerate(DISTURBANCES):
                if ONLY.get(disturb, end) != end:
                    continue
                write(disturb(frames, random.Random(number)), file)
                for row in acklab.analyze(file, packets=False).summary()["connections"]:
                    if row["direction"] == 0 or disturb is acks_only:
                        about = (disturb.__doc__ or "").strip()
                        yield Judged(truth, path, end, about, row["policy"], sentence(policy(row)))


def table(found: list[Judged], of: Callable[[Judged], str]) -> list[str]:
    """Verdicts by something."""
    verdicts = [name for name in (*ORDER, *SILENT) if any(it.verdict == name for it in found)]
    lines = ["| | " + " | ".join(verdicts) + " | right | silent | wrong |", "|---" * (len(verdicts) + 4) + "|"]
    for group in dict.fromkeys(map(of, found)):
        rows = [it for it in found if of(it) == group]
        count = Counter(it.verdict for it in rows)
        right, wrong = sum(it.right for it in rows), sum(it.wrong for it in rows)
        cells = [str(count[name] or "") for name in verdicts] + [str(right), str(len(rows) - right - wrong), str(wrong)]
        lines.append(f"| {group} | " + " | ".join(cells) + " |")
    return lines


ORDER = ("every", "delayed", "quick-then-delayed", "by-phase", "periodic", *ACCUSATIONS)


def page(found: list[Judged]) -> str:
    """docs/reference/verdicts.md."""
    simulations, kernels = ([it for it in found if (it.path == LINUX) is real] for real in (False, True))
    lines = [
        "# Verdicts and the truth",
        "",
        "`acklab analyze` on captures whose receivers are known: of simulations, and of Linux 6.12 and 6.18. The captures are",
        "taken at the sender and at the receiver, and disturbed as real captures are. `tests/capture/confusion.py` makes this page; a",
        "test compares it. A verdict is right, silent or vague (`undecided`, `varying`), or wrong. It accuses if it says `divided`,",
        "`spoofed`, `optimistic` or `thinned` of a receiver or path that is not.",
        "",
        "| captures of | verdicts | right | silent or vague | wrong | of these accusing |",
        "|---|---|---|---|---|---|",
        *(counts(of, some) for of, some in (("simulations", simulations), ("Linux", kernels), ("both", found)) if some),
        "",
        "## By disturbance",
        "",
        *table(found, lambda it: it.disturbance),
    ]
    about = "; ".join(f"`{path}`: {rate}, {delay}, {queue} packets" for path, (rate, delay, queue) in PATHS.items())
    lines += ["", f"The narrow link's rate, delay and queue: {about}."]
    return "\n".join(lines) + "\n"


def counts(of: str, found: list[Judged]) -> str:
    """A line of the first table."""
    right, wrong, accused = (
        sum(judgement) for judgement in zip(*((it.right, it.wrong, it.accused) for it in found), strict=True)
    )
    numbers = [f"{n} ({100 * n / len(found):.1f} %)" for n in (right, len(found) - right - wrong, wrong)]
    return f"| {of} | {len(found)} | {' | '.join(numbers)} | {accused} |"


def main() -> None:
    """Prints the page; wrong verdicts go to standard error."""
    found = list(judged(sys.argv[1:] or ALL))
    for it in found:
        if it.wrong:
            print(
                f"{it.truth.name} | {it.path} | {it.end} | {it.disturbance}: {it.verdict}: {it.finding}",
                file=sys.stderr,
            )
    print(page(found), end="")


if __name__ == "__main__":
    main()
