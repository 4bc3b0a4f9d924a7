"""Runs with their captures, and what tshark and tcptrace make of them."""

from __future__ import annotations

import functools
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import acklab
from acklab import _core

#: Where captures place the instant 0, in seconds since 1970.
EPOCH_S = 1_000_000_000
#: What tshark calls a segment that repeats.
RETRANSMISSION = tuple(f"tcp.analysis.{kind}retransmission" for kind in ("", "fast_", "spurious_"))
#: tshark takes a segment that repeats within the handshake's round trip after new data for reordered: for it that is a
#: matter of time only. At the sender's own interface nothing can have overtaken; there, these repeat too.
REPEATED = (*RETRANSMISSION, "tcp.analysis.out_of_order")
#: What is asked of every packet.
FIELDS = (
    *("frame.time_epoch", "frame.packet_flags_direction", "_ws.malformed", "_ws.expert.severity"),
    *("ip.checksum.status", "ip.dsfield.ecn", "tcp.checksum.status", "tcp.srcport", "tcp.dstport"),
    *("tcp.seq", "tcp.len", "tcp.ack", "tcp.flags.syn", "tcp.flags.fin", "tcp.flags.ece", "tcp.flags.cwr"),
    *("tcp.options.mss_val", "tcp.options.sack_perm", "tcp.options.timestamp.tsecr", "tcp.options.wscale.shift"),
    *("tcp.analysis.lost_segment", "tcp.analysis.ack_lost_segment", *REPEATED),
)


def needs(program: str) -> pytest.MarkDecorator:
    """Skips where a program is missing; its Debian package has its name."""
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"no {program} (Debian package {program})")


@dataclass
class Captured:
    """A run and the captures of all its link ends, in both formats."""

    run: acklab.Run
    directory: Path

    @property
    def flows(self) -> list[dict[str, Any]]:
        """The flow table's rows."""
        return self.run.summary()["flows"]

    def port(self, flow: str) -> int:
        """The port a transfer sends from: flows are numbered, and each repetition takes a number beyond."""
        name, _, connection = flow.partition("#")
        names = [row["name"] for row in self.flows if "#" not in row["name"]]
        return 35_000 + names.index(name) + (int(connection or 1) - 1) * len(names)

    def end_of(self, flow: dict[str, Any]) -> str:
        """The link end at which a flow's sender stands."""
        return next(end for end in _core.link_ends(self.run._result) if end.endswith(f"@{flow['from']}"))

    def file(self, end: str, ending: str = "pcapng") -> Path:
        """The capture taken at a link end."""
        return self.directory / f"{end.replace('->', '-')}.{ending}"

    def packets(self, end: str) -> list[Packet]:
        """What tshark sees at a link end."""
        return tshark(self.file(end))

    def sent(self, flow: dict[str, Any]) -> list[Packet]:
        """What tshark sees a flow's sender send."""
        port = str(self.port(flow["name"]))
        return [packet for packet in self.packets(self.end_of(flow)) if packet["tcp.srcport"] == port]

    def keep_alives(self, flow: dict[str, Any]) -> tuple[int, int]:
        """How many keep-alives reached the flow's sender, and how many of its answers left."""
        link, _ = self.end_of(flow).split("@")
        rows = pl.DataFrame(self.run.packets).filter(pl.col("flow") == flow["name"])
        back = "->".join(reversed(link.split("->")))
        asked = rows.filter(kind="probe", event="deliver", link=back).height
        return asked, rows.filter(kind="reply", event="dequeue", link=link).height

    def repeats(self, flow: dict[str, Any]) -> list[tuple[int, int]]:
        """Instant in nanoseconds and sequence unit of each retransmission that left the sender."""
        link, _ = self.end_of(flow).split("@")
        rows = pl.DataFrame(self.run.packets).filter(
            (pl.col("flow") == flow["name"])
            & (pl.col("event") == "dequeue")
            & (pl.col("link") == link)
            & pl.col("retransmit")
        )
        return [(nanoseconds(time), seq) for time, seq in rows.select("time_s", "seq").iter_rows()]


def capture(text: str, directory: Path) -> Captured:
    """Runs a scenario and captures every link end."""
    run = acklab.run(text)
    for ending in ("pcapng", "pcap"):
        _core.capture_all(run._result, ["all"], directory, format=ending)
    return Captured(run, directory)


def nanoseconds(time_s: float) -> int:
    """An instant of the simulation as captures write it."""
    return EPOCH_S * 10**9 + round(time_s * 1e9)


Packet = dict[str, str]
"""What tshark tells of a packet, by field; what a packet does not have is empty."""


@functools.cache
def tshark(file: Path) -> list[Packet]:
    """Every packet of a capture, checksums verified, sequence numbers as they stand."""
    arguments = ["tshark", "-n", "-r", str(file), "-T", "fields"]
    for option in ("ip.check_checksum:TRUE", "tcp.check_checksum:TRUE", "tcp.relative_sequence_numbers:FALSE"):
        arguments += ["-o", option]
    for field in FIELDS:
        arguments += ["-e", field]
    # tshark warns on standard error when it runs as root.
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=120, check=True)
    # tshark 4.4 (Debian 13) writes True and False where 4.0 (Debian 12) writes 1 and 0.
    bits = {"True": "1", "False": "0"}
    rows = (line.split("\t") for line in done.stdout.splitlines())
    return [dict(zip(FIELDS, (bits.get(value, value) for value in row), strict=True)) for row in rows]


def instant(packet: Packet) -> int:
    """When a packet was seen, in nanoseconds since 1970."""
    return int(packet["frame.time_epoch"].replace(".", ""))


def tcptrace(file: Path) -> dict[int, dict[str, str]]:
    """tcptrace's statistics (-lr) of each connection, by the port that sends the data."""
    done = subprocess.run(
        ["tcptrace", "-lrn", "--csv", str(file)], capture_output=True, text=True, timeout=120, check=True
    )
    lines = [line for line in done.stdout.splitlines() if line and not line.startswith("#")]
    names, *rows = ([cell.strip() for cell in line.split(",")] for line in lines)
    tables = (dict(zip(names, row, strict=False)) for row in rows)
    return {int(table["port_a"]): table for table in tables}


@dataclass
class RoundTrips:
    """Round trips by tcptrace's definition, in milliseconds."""

    samples: list[float]

    @classmethod
    def of(cls, captured: Captured, flow: dict[str, Any]) -> RoundTrips:
        """From the run's packet table.

        tcptrace times each segment of which an ACK names the end: not those that a cumulative ACK passes over, none
        that was sent twice (Karn), and none sent before the last retransmission of a segment below it ("post-loss").
        The SYN counts.
        """
        out, _ = captured.end_of(flow).split("@")
        back = "->".join(reversed(out.split("->")))
        rows = pl.DataFrame(captured.run.packets).filter(
            (pl.col("flow") == flow["name"])
            & (
                ((pl.col("event") == "dequeue") & (pl.col("link") == out) & (pl.col("kind") == "data"))
                | ((pl.col("event") == "deliver") & (pl.col("link") == back) & (pl.col("kind") == "ack"))
            )
        )
        outstanding: dict[int, list[Any]] = {}  # by first unit: end, instant, times sent
        samples = []
        for time, kind, seq, length, ack in rows.select("time_s", "kind", "seq", "len", "ack").iter_rows():
            if kind == "data":
                sent = outstanding.setdefault(seq, [seq + length, time, 0])
                sent[1:] = [time, sent[2] + 1]
                continue
            covered = sorted(seq for seq, sent in outstanding.items() if sent[0] <= ack)
            for seq in covered:
                end, instant, times = outstanding[seq]
                later = (outstanding[other] for other in covered if other < seq)
                if end == ack and times == 1 and not any(n > 1 and at > instant for _, at, n in later):
                    samples.append(1e3 * (time - instant))
            for seq in covered:
                del outstanding[seq]
        return cls(samples)

    @property
    def mean(self) -> float:
        """Their mean."""
        return sum(self.samples) / len(self.samples)
