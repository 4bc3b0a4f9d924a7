"""The simulator's stacks of the zoo's names beside the programs: tables of docs/oracle/zoo-simulated.md. ``write.py`` puts them there."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import acklab
from acklab_zoo.paths import CLIENT, PATHS, SERVER, Path
from acklab_zoo.tables import Table

RENO, CUBIC = "reno", "cubic"


@dataclass(frozen=True)
class Handshake:
    """Packets of the handshake, in bytes from the header of IP on, until the server's first data leave.

    The client opens with ``opens``. The server answers with ``answers``. ``finishes`` are the client's last packets of the handshake, whose
    arrival lets the server send ``confirms``; ``asks`` are those up to the request. ``acks`` are packets of the client that count as ACKs and
    answer none of the data. An Initial that elicits an ACK has 1200 bytes at least (RFC 9000 section 14.1), so each has full size.
    """

    opens: int
    answers: int
    finishes: int
    confirms: int
    asks: int
    acks: int = 0

    def data_s(self, path: Path) -> float:
        """When the first data leave the server, in seconds after the client's first packet."""
        rate = 1e6 * path.rate_mbps / 8
        back = _bytes_per_s(path.back["rate"]) if "rate" in path.back else rate
        answered = path.rtt_s + self.opens / back + self.answers / rate
        finished = answered + path.rtt_s / 2 + self.finishes / back
        return max(finished + self.confirms / rate, finished + self.asks / back)


def _bytes_per_s(rate: str) -> float:
    """A rate in kbps or Mbps."""
    units = {"kbps": 1e3, "Mbps": 1e6}
    return float(rate[:-4]) * units[rate[-4:]] / 8


def _ends(
    packet: int,
    header: int,
    initial: float,
    control: str,
    slow_start: str,
    ack: int,
    *,
    share: float = 0.0,
    burst: int = 10,
    skip: tuple[int, float, float] = (0, 1.0, 0.0),
    **more: str,
) -> dict[str, Any]:
    """A sender, and the bytes of its receiver's ACKs. A share of 0 does not pace."""
    pacing = {"kind": "spread", "share": share, "burst": burst} if share else "off"
    sizes = {"packet": packet, "header": header, "initial_window": initial}
    skips = dict(zip(("skip", "skip_growth", "skip_windows"), skip, strict=True))
    sender = {
        "stack": "quic",
        **sizes,
        "control": {"kind": control, "slow_start": slow_start},
        "pacing": pacing,
        **skips,
        **more,
    }
    return {"sender": sender, "receiver": {"stack": "quic", "ack_size": ack}}


#: Senders, as far as the stack `quic` states them. First the payload of a packet (once the path's MTU is found) and the bytes besides. Then
#: initial window in packets, control, slow start, an ACK's bytes, pacing, and which packet numbers are left out (`skip`, its growth, windows).
#:
#: Pacing and bursts were chosen by runs of another draw, seed 11, and not by the sources alone. quic-go's, quinn's and s2n-quic's pacers let
#: their packets go in bursts whose credit covers what an ACK releases, so here they do not pace. x-net's 0.8 of a round trip was a little too fast.
ENDS = {
    # internal/congestion/cubic_sender.go (reno), hybrid_slow_start.go, pacer.go; internal/ackhandler/packet_number_generator.go
    "quic-go": _ends(1257, 51, 32, RENO, "hystart-delay", 60, skip=(259, 2.0, 0.0)),
    # quic/congestion_reno.go, pacer.go, skip.go; maxStreamReadBufferSize in config.go
    "x-net": _ends(1164, 62, 10, RENO, "standard", 60, share=0.85, skip=(160, 1.8, 0.0), window="1048576B"),
    # quinn-proto congestion/cubic.rs, connection/pacing.rs, connection/spaces.rs (PacketNumberFilter)
    "quinn": _ends(1416, 64, 8.4, CUBIC, "standard", 64, skip=(32, 2.0, 0.0)),
    # s2n-quic-core recovery/cubic.rs, hybrid_slow_start.rs, pacing.rs; s2n-quic-transport space/application.rs
    "s2n-quic": _ends(1427, 73, 8.2, CUBIC, "hystart-delay", 81, skip=(30, 1.0, 2.25)),
    # quiche recovery/congestion/cubic.rs, hystart.rs; packet.rs (arm_skip_counter)
    "quiche": _ends(1310, 68, 10, CUBIC, "hystart++", 72, share=0.8, skip=(30, 1.0, 2.25)),
    # congestion/reno.py; QuicRttMonitor in base.py ends slow start for good where the round trip grows; QuicPacketPacer in recovery.py
    "aioquic": _ends(1166, 62, 10, RENO, "hystart-delay", 60, share=0.8, burst=3),
}
#: quic-go looks for the path's MTU by halves, and probes each five round trips (`mtuProbeDelay`, mtu_discoverer.go).
#: On the paths of seed 11 a step takes about nine of the mean round trips.
GROWN = {"quic-go": (86, 129, 151, 162)}
_PROBE_ROUND_TRIPS = 9
#: Handshakes, from the packets of the path `plain`. quinn's first packets are smaller than its later ones, eleven more in a download: five of
#: its ACKs. s2n-quic's client sends two more at its start than the simulator's. Go's ClientHello takes two packets (X25519MLKEM768 in crypto/tls).
HANDSHAKES = {
    "quic-go": Handshake(2616, 1308, 1441, 333, 60),
    "x-net": Handshake(2456, 1228, 2520, 0, 0),
    "quinn": Handshake(1228, 1228, 1228, 1701, 1584, acks=7),
    "s2n-quic": Handshake(1228, 1228, 1228, 1671, 81, acks=3),
    "quiche": Handshake(1228, 3684, 1378, 0, 0),
    "aioquic": Handshake(1228, 1228, 1228, 252, 66),
}
SHOWN = ("plain", "fast", "geo", "burst-loss", "shallow", "slow-back")


@dataclass(frozen=True)
class Told:
    """What is compared: data packets that arrived, ACKs until the last of them, and seconds from the client's first packet to the last byte."""

    packets: int
    acks: int
    time_s: float

    @property
    def per_ack(self) -> float:
        """Packets an ACK."""
        return self.packets / self.acks


def simulated(name: str, path: Path) -> Told:
    """A simulated download from and to the stack of this name.

    The simulator's server opens the connection; the time until its data leave is that of the stack's handshake instead. ACKs are counted
    without the answer to the SYN and that of the last packet.
    """
    found = _run(name, path, 0)
    if name in GROWN:
        found = _run(name, path, _grown(GROWN[name], found["flows"][0]))
    flow, link, handshake = found["flows"][0], found["links"][0], HANDSHAKES[name]
    arrived = flow["segments_sent"] - flow["syns_sent"] - link["drops"] - link["lost"]
    return Told(arrived, flow["acks_sent"] - 2 + handshake.acks, handshake.data_s(path) + flow["last_data_s"])


def _run(name: str, path: Path, larger: int) -> dict[str, Any]:
    """The run's summary, with packets of so many bytes more than at first."""
    tree = path.scenario(name, 1)
    ends = {**ENDS[name], "receiver": {**ENDS[name]["receiver"], "ack": name}}
    ends["sender"] = {**ends["sender"], "packet": ends["sender"]["packet"] + larger}
    tree["flow"] = [{"name": "f", "from": SERVER, "to": CLIENT, "size": {"bytes": f"{path.request}B"}, **ends}]
    tree["stop"] = {"when": "flows-complete", "at_most": "120s"}
    return dict(acklab.run(json.dumps(tree)).summary())


def _grown(sizes: tuple[int, ...], flow: Mapping[str, Any]) -> int:
    """By how many bytes the flow's packets are larger on the mean: each step takes so many of its mean round trips."""
    step, end = _PROBE_ROUND_TRIPS * flow["mean_rtt_s"], flow["last_data_s"]
    begins = [min(end, step * (number + 1)) for number in range(len(sizes))]
    spans = zip(begins, [*begins[1:], end], strict=True)
    return round(sum(size * (to - begin) for size, (begin, to) in zip(sizes, spans, strict=True)) / end)


def of(row: Mapping[str, Any]) -> Told:
    """The same of a program's run."""
    return Told(row["packets"], row["acks"], row["completion_s"])


def differ(ours: float, real: float) -> float:
    """By how many per cent ours is larger."""
    return 100 * (ours / real - 1)


def tables(rows: Iterable[Mapping[str, Any]]) -> list[Table]:
    """Packets an ACK, ACKs, and times: the stack, the simulator, and by how much it differs."""
    by = {
        (row["receiver"], row["path"]): of(row) for row in rows if row["sender"] == row["receiver"] and "per_ack" in row
    }
    made = {
        (name, path): (by[name, path], simulated(name, PATHS[path]))
        for name in ENDS
        for path in SHOWN
        if (name, path) in by
    }

    def cell(name: str, path: str, key: str, shown: str) -> str:
        if (name, path) not in made:
            return ""
        real, ours = (getattr(told, key) for told in made[name, path])
        return f"{real:{shown}}, {ours:{shown}} ({differ(ours, real):+.1f} %)"

    kinds = [
        ("simulated", "Packets an ACK in the simulator", "per_ack", ".2f", "Packets an ACK"),
        ("simulated-acks", "ACKs in the simulator", "acks", "d", "ACKs"),
        ("simulated-times", "Times in the simulator", "time_s", ".3f", "Seconds"),
    ]
    return [
        Table(name, title, f"{what} of the stack, of the simulator's stack of this name, and the difference.", ["stack", *SHOWN],
              [[stack, *(cell(stack, path, key, shown) for path in SHOWN)] for stack in ENDS])
        for name, title, key, shown, what in kinds
    ]  # fmt: skip
