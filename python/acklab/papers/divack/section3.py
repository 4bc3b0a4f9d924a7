"""Section III-A: division where the medium is shared (Figures 2 and 3)."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from ...reproduce.experiments import Effort, Traces, records
from ...reproduce.grid import Array
from ...reproduce.measure import Measurement
from ...scenario.draws import Draws
from ...study.intervals import Sample
from .registry import PAPER
from .setting import PAYLOAD, Client

RATES = (250, 500, 750, 1000, 1500, 2000, 3000)
"""W_bw, kb/s. The paper shows the first and 2000."""
MEDIA = ("802.11b", "802.11b without RTS", "802.11n", "Ethernet")
SHOWN_RATES = (250, 2000)
SEEDS = tuple(range(1, 13))
BURST_S, BURST, PIECES = 10.0, 80, 10
END_S = 25.0
SSTHRESH = 20


def divided(burst_s: float = BURST_S) -> Client:
    """Ten pieces for each of 80 segments from an instant on, in congestion avoidance."""
    return Client("divca1", PIECES, ack=(("start", f"{burst_s:g}s"), ("burst", BURST)))


DIVIDED = divided()
EARLY_S = 1.0
"""Where a fast wire's window is still about that of slow start's end."""
WHOLE = Client("every")


def _medium(medium: str) -> dict[str, Any]:
    """What is between the access point and the station."""
    if medium == "Ethernet":
        wire = {"between": ["AP", "M"], "rate": "10Mbps", "delay": "1us", "queue": {"kind": "drop-tail", "packets": 50}}
        return {"link": [wire]}
    mac: dict[str, Any] = {"phy": "802.11n" if medium == "802.11n" else "802.11b"}
    if medium == "802.11b":
        mac["rts_threshold"] = "0B"
    queue = {"kind": "drop-tail", "waiting": 50}
    return {"wlan": [{"name": "wlan", "ap": "AP", "stations": ["M"], "queue": queue, "mac": mac}]}


def station(client: Client, kbps: int, medium: str, seed: int) -> str:
    """Figure 2: a server W behind a wire of so many kb/s, an access point, and a receiving station M."""
    parts = _medium(medium)
    wire = {
        "between": ["W", "AP"],
        "rate": f"{kbps}kbps",
        "delay": "50ms",
        "queue": {"kind": "drop-tail", "packets": 50},
    }
    stack = {
        "base": "ns2-2.35",
        "recovery": "newreno",
        "sequence": "bytes",
        "packet": PAYLOAD,
        "window": 100000,
        "initial_ssthresh": SSTHRESH,
        "rtt_filter": {"phase": f"{Draws(seed, 'phases').uniform(0, 0.01):.12f}s"},
    }
    tree = {
        "seed": seed,
        "stop": {"at": f"{END_S:g}s"},
        **parts,
        "link": [wire, *parts.get("link", [])],
        "stack": {"host": stack},
        "flow": [
            {
                "name": "f",
                "from": "W",
                "to": "M",
                "sender": {"stack": "host", **client.rules()},
                "receiver": {"stack": "host", "ack": client.receiver()},
            }
        ],
    }
    return json.dumps(tree, separators=(",", ":"))


@dataclass(frozen=True)
class Burst:
    """A transfer around the interval in which ACKs are divided."""

    times: Array
    windows: Array
    """cwnd in segments."""
    begin_s: float
    end_s: float
    """When the first and the last ACK of the 80 segments reach the sender."""
    cwnd: float
    """At the end of the interval."""
    acks: int
    """ACKs the station sent for these segments."""
    arrived: int
    """How many of them reached the sender."""
    on_medium: int
    """Link directions on the medium that data or ACKs crossed."""


def read(result: Any, burst_s: float = BURST_S) -> Burst:
    """Reads a recorded transfer."""
    packets = pl.DataFrame(result.packets).with_columns(pl.col("link", "event", "kind").cast(pl.String))
    acks = packets.filter(pl.col("kind") == "ack")
    sent = acks.filter((pl.col("link") == "M->AP") & (pl.col("event") == "enqueue")).select("time_s", "ack")
    came = acks.filter((pl.col("link") == "AP->W") & (pl.col("event") == "deliver")).select("time_s", "ack")
    sent_s, asked = (sent[name].to_numpy() for name in ("time_s", "ack"))
    came_s, heard = (came[name].to_numpy() for name in ("time_s", "ack"))
    before = int(asked[sent_s < burst_s].max(initial=0))
    last = before + BURST * PAYLOAD
    end = float(came_s[heard >= last].min(initial=END_S))
    started = float(came_s[heard > before].min(initial=END_S))
    series = pl.DataFrame(result.series).select("time_s", "cwnd_segments")
    times, windows = series["time_s"].to_numpy(), series["cwnd_segments"].to_numpy()
    place = max(int(np.searchsorted(times, end, side="right")) - 1, 0)
    both = packets.filter(pl.col("link").is_in(["AP->M", "M->AP"]) & (pl.col("event") == "deliver"))["link"].n_unique()
    return Burst(
        times,
        windows,
        started,
        end,
        float(windows[place]),
        int(((asked > before) & (asked <= last) & (sent_s >= burst_s)).sum()),
        int(((heard > before) & (heard <= last)).sum()),
        int(both),
    )


def _cells(effort: Effort) -> Mapping[Hashable, str]:
    cells: dict[Hashable, str] = {}
    seeds = SEEDS[:4] if effort.quick else SEEDS
    rates = SHOWN_RATES if effort.quick else RATES
    for medium in MEDIA:
        for kbps in rates:
            for seed in seeds:
                for name, client in (("divided", DIVIDED), ("whole", WHOLE)):
                    cells[medium, kbps, name, seed] = station(client, kbps, medium, seed)
    return {key: records(text, "packets", "series") for key, text in cells.items()}


BURSTS = Traces(
    "divack bursts", "80 segments acknowledged in ten pieces each, over wires and shared media", _cells, read
)
Bursts = Mapping[Hashable, Burst]


def _early(effort: Effort) -> Mapping[Hashable, str]:
    cells = {
        (medium, 2000, name, seed): station(client, 2000, medium, seed)
        for medium in MEDIA
        for seed in (SEEDS[:4] if effort.quick else SEEDS)
        for name, client in (("divided", divided(EARLY_S)), ("whole", WHOLE))
    }
    return {key: records(text, "packets", "series") for key, text in cells.items()}


EARLY = Traces(
    "divack early bursts", "the same at 2000 kb/s while the window is small", _early, partial(read, burst_s=EARLY_S)
)


def ratios(bursts: Bursts, medium: str, kbps: int) -> Sample:
    """cwnd after the interval over that of the same seed without division."""
    keys = [k for k in bursts if isinstance(k, tuple) and k[:3] == (medium, kbps, "divided")]
    return Sample.of([bursts[key].cwnd / bursts[medium, kbps, "whole", key[3]].cwnd for key in keys])


def rates(bursts: Bursts) -> list[int]:
    """The wires that were run."""
    return sorted({key[1] for key in bursts if isinstance(key, tuple)})


def _said(bursts: Bursts, kbps: int) -> str:
    runs = [b for k, b in bursts.items() if isinstance(k, tuple) and k[:3] == ("802.11b", kbps, "divided")]
    plain = [b for k, b in bursts.items() if isinstance(k, tuple) and k[:3] == ("802.11b", kbps, "whole")]
    windows = [float(np.mean([b.cwnd for b in group])) for group in (plain, runs)]
    others = ", ".join(f"{m} {ratios(bursts, m, kbps).value:.2f}" for m in MEDIA[1:])
    return (
        f"{windows[1]:.1f} against {windows[0]:.1f} segments; {np.mean([b.arrived for b in runs]):.0f} of the ACKs of these segments "
        f"reach the sender. The same ratio elsewhere: {others}"
    )


@PAPER.claim("fig3a", BURSTS)
def rises_behind_a_slow_wire(bursts: Bursts) -> Measurement:
    return Measurement({"ratio": ratios(bursts, "802.11b", 250)}, _said(bursts, 250))


@PAPER.claim("fig3b", BURSTS, EARLY)
def unnoticeable_behind_a_fast_wire(bursts: Bursts, early: Bursts) -> Measurement:
    plain = np.mean([b.cwnd for k, b in early.items() if isinstance(k, tuple) and k[::2] == ("802.11b", "whole")])
    small = ", ".join(f"{m} {ratios(early, m, 2000).value:.2f}" for m in MEDIA)
    return Measurement(
        {"ratio": ratios(bursts, "802.11b", 2000)},
        f"{_said(bursts, 2000)}. The instant matters: from {EARLY_S:g} s on, where 1-apdp ends at {plain:.0f} segments, it is {small}",
    )
