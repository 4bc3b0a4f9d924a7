"""The simulator's stacks of the zoo's names beside the programs: tables of docs/oracle/zoo.md. ``write.py`` puts them there."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import acklab
from acklab.experiments.zoo.paths import CLIENT, PATHS, SERVER, Path
from acklab.experiments.zoo.tables import Table

RENO, CUBIC = "reno", "cubic"


def _sender(packet: int, window: float, control: str, slow_start: str, share: float) -> dict[str, Any]:
    pacing = {"kind": "spread", "share": share, "burst": 10}
    return {"stack": "quic", "packet": packet, "initial_window": window, "control": {"kind": control, "slow_start": slow_start}, "pacing": pacing}


#: Senders, as far as the stack `quic` states them: payload of a packet (once the path's MTU is found), initial window in packets, control,
#: slow start, pacing. quic-go's packets grow from 1280 to 1452 bytes within a download; here they have one size. The
#: stacks' own rules that end slow start by the round trip (quic-go, s2n-quic, quiche, aioquic) are HyStart++ here.
SENDERS = {
    "quic-go": _sender(1250, 32, RENO, "hystart++", 0.8),  # NewCubicSender(reno), internal/congestion/cubic_sender.go; pacer.go
    "x-net": _sender(1167, 10, RENO, "standard", 0.8),  # newReno, congestion_reno.go; pacer.go
    "quinn": _sender(1419, 8.3, CUBIC, "standard", 0.8),  # CubicConfig, congestion/cubic.rs; connection/pacing.rs
    "s2n-quic": _sender(1437, 8.2, CUBIC, "hystart++", 0.8),  # recovery/cubic.rs, hybrid_slow_start.rs, pacing.rs of s2n-quic-core
    "quiche": _sender(1310, 10, CUBIC, "hystart++", 0.8),  # recovery/congestion/cubic.rs, hystart.rs
    "aioquic": _sender(1167, 10, RENO, "hystart++", 1.0),  # congestion/reno.py, RttMonitor in base.py; QuicPacketPacer in recovery.py
}
SHOWN = ("plain", "fast", "geo", "burst-loss", "shallow", "slow-back")
#: Packets of the handshake that take time on the link of the data, each full.
_HANDSHAKE = 3


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

    The simulator's server opens the connection, so its data leave half a round trip earlier. ACKs are counted without the answer to the SYN
    and that of the last packet, as in the captures.
    """
    tree = path.scenario(name, 1)
    ends = {"sender": SENDERS[name], "receiver": {"stack": "quic", "ack": name}}
    tree["flow"] = [{"name": "f", "from": SERVER, "to": CLIENT, "size": {"bytes": f"{path.request}B"}, **ends}]
    tree["stop"] = {"when": "flows-complete", "at_most": "120s"}
    found = acklab.run(json.dumps(tree)).summary()
    flow, link = found["flows"][0], found["links"][0]
    arrived = flow["segments_sent"] - flow["syns_sent"] - link["drops"] - link["lost"]
    handshake = 1.5 * path.rtt_s + _HANDSHAKE * 8 * 1228 / (1e6 * path.rate_mbps)
    return Told(arrived, flow["acks_sent"] - 2, handshake + flow["last_data_s"])


def of(row: Mapping[str, Any]) -> Told:
    """The same of a program's run."""
    return Told(row["packets"], row["acks"], row["completion_s"])


def differ(ours: float, real: float) -> float:
    """By how many per cent ours is larger."""
    return 100 * (ours / real - 1)


def tables(rows: Iterable[Mapping[str, Any]]) -> list[Table]:
    """Packets an ACK, ACKs, and times: the stack, the simulator, and by how much it differs."""
    by = {(row["receiver"], row["path"]): of(row) for row in rows if row["sender"] == row["receiver"] and "per_ack" in row}
    made = {(name, path): (by[name, path], simulated(name, PATHS[path])) for name in SENDERS for path in SHOWN if (name, path) in by}

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
              [[stack, *(cell(stack, path, key, shown) for path in SHOWN)] for stack in SENDERS])
        for name, title, key, shown, what in kinds
    ]  # fmt: skip
