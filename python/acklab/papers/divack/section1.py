"""Section I and section III-B: Figures 1 and 4, drawn from recorded transfers over one link."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from ...reproduce.experiments import Effort, Traces, records
from ...reproduce.grid import Array
from ...reproduce.measure import Measurement
from .registry import PAPER
from .setting import PAYLOAD, Client


def exchange(
    client: Client,
    seconds: float,
    size: str | None = None,
    window: int = 100000,
    loss: float = 0,
    seed: int = 1,
    rate: str = "10Mbps",
) -> str:
    """One transfer over 50 ms, from a window of one segment and without a SYN: Figure 4's sender."""
    link: dict[str, Any] = {
        "between": ["S", "R"],
        "rate": rate,
        "delay": "50ms",
        "queue": {"kind": "drop-tail", "packets": 100000},
        **({"loss": {"rate": loss}} if loss else {}),
    }
    stack = {
        "base": "ns2-2.35",
        "recovery": "newreno",
        "sequence": "bytes",
        "packet": PAYLOAD,
        "window": window,
        "syn": False,
        "initial_window": 1,
        "min_rto": "1s",
        "immediate_on_syn": False,
    }
    tree = {
        "seed": seed,
        "stop": {"when": "flows-complete", "at_most": f"{seconds:g}s"},
        "link": [link],
        "stack": {"host": stack},
        "flow": [
            {
                "name": "f",
                "from": "S",
                "to": "R",
                "size": {"bytes": size} if size else "unlimited",
                "sender": {"stack": "host", **client.rules()},
                "receiver": {"stack": "host", "ack": client.receiver()},
            }
        ],
    }
    return json.dumps(tree, separators=(",", ":"))


@dataclass(frozen=True)
class Exchange:
    """What crossed the link."""

    sent: pl.DataFrame
    """Data: when it left and arrived, first byte, bytes."""
    acks: pl.DataFrame
    """ACKs: when they left and arrived, their number."""
    rounds: list[Array]
    """Sizes of the segments sent in each round trip; none where something was sent again."""
    segments: int
    unique: int
    """Bytes received."""
    twice: int
    """Bytes received that had come before."""
    dropped: Array
    """First bytes of segments that were lost."""


def read(result: Any) -> Exchange:
    """Reads a recorded exchange."""
    packets = pl.DataFrame(result.packets).with_columns(pl.col("link", "event", "kind").cast(pl.String))
    there = packets.filter(pl.col("kind") == "data")
    left = there.filter(pl.col("event") == "enqueue").select("time_s", "seq", "len")
    came = there.filter(pl.col("event") == "deliver").select("time_s", "seq", "len")
    back = packets.filter(pl.col("kind") == "ack")
    asked = back.filter(pl.col("event") == "enqueue").select("time_s", "ack")
    total, unique = int(came["len"].sum()), _covered(came["seq"].to_numpy(), came["len"].to_numpy())
    lost = there.filter(pl.col("event").is_in(["lose", "drop"]))["seq"].to_numpy()
    heard = back.filter(pl.col("event") == "deliver")["time_s"]
    sent, both = _with_arrivals(left, came["time_s"]), _with_arrivals(asked, heard)
    return Exchange(sent, both, _rounds(packets), left.height, unique, total - unique, lost)


def _with_arrivals(left: pl.DataFrame, came: pl.Series) -> pl.DataFrame:
    """When each packet arrived, where none is lost: in the order in which they left; null for what is on its way."""
    times = came.to_list()[: left.height]
    return left.with_columns(arrived_s=pl.Series([*times, *[None] * (left.height - len(times))], dtype=pl.Float64))


def _covered(starts: Array, lengths: Array) -> int:
    """Bytes in at least one of the runs."""
    order = np.argsort(starts, kind="stable")
    covered = end = 0
    for start, length in zip(starts[order].tolist(), lengths[order].tolist(), strict=True):
        covered += max(0, start + length - max(start, end))
        end = max(end, start + length)
    return int(covered)


def _rounds(packets: pl.DataFrame) -> list[Array]:
    """Sizes by round trip: what an ACK of data of one round releases belongs to the next."""
    there = (pl.col("kind") == "data") & (pl.col("event") == "enqueue")
    back = (pl.col("kind") == "ack") & (pl.col("event") == "deliver")
    events = packets.filter(there | back).select("seq", "len", "ack", "retransmit")
    if events["retransmit"].any():
        return []
    rounds: list[list[int]] = []
    ends: list[int] = []  # one past the last byte of each round
    acked = 0
    for seq, length, ack, _ in events.iter_rows():
        if ack is not None:
            acked = max(acked, ack)
            continue
        number = 1 + bisect_left(ends, acked) if acked else 0
        if number == len(rounds):
            rounds.append([])
            ends.append(0)
        rounds[number].append(length)
        ends[number] = max(ends[number], seq + length)
    return [np.array(sizes) for sizes in rounds]


SLOW = "1Mbps"
"""Slow enough to see single packets in a diagram."""
APART = (("spacing", "6ms"),)
HALVES = Client("div1", 2, sender=(("sequence", {"nagle": "off", "sws_avoidance": False}),))
"""Two ACKs a segment, and a sender that fills its window to the byte."""
HELD = Client("div1", 2, sender=(("sequence", {"nagle": "on", "sws_avoidance": False}),))
BYTES = Client("div1", 3, ack=(("parts", "bytes"), *APART))
WINDOW = 44
"""Segments of 1460 bytes in 64 kB: once the window is full, each piece of an ACK frees no more than itself."""
LOSS = 0.005
LOSSY_SEEDS = tuple(range(1, 11))


def _shown(effort: Effort) -> Mapping[Hashable, str]:
    cells: dict[Hashable, str] = {
        "fig1": exchange(BYTES, 0.4, rate=SLOW),
        "fig4": exchange(replace(HALVES, ack=APART), 0.3, rate=SLOW),
        "fig4 held": exchange(replace(HELD, ack=APART), 0.3, rate=SLOW),
        "fig8": exchange(Client("div1", 16, credit="abc", limit=2.0), 30, "400kB"),
        "tiny": exchange(HALVES, 2.2, window=WINDOW),
        "tiny held": exchange(HELD, 2.2, window=WINDOW),
        "tiny open": exchange(HALVES, 0.75),
    }
    for seed in LOSSY_SEEDS[: 3 if effort.quick else None]:
        for name, client in (("off", HALVES), ("on", HELD)):
            cells[name, seed] = exchange(client, 120, "300kB", WINDOW, LOSS, seed)
    return {key: records(scenario, "packets") for key, scenario in cells.items()}


SHOWN = Traces("divack packets", "Figures 1 and 4, packet by packet", _shown, read)
Shown = Mapping[Hashable, Exchange]


def first_round(found: Exchange) -> Array:
    """The segments that the first segment's ACKs released."""
    return found.rounds[1]


@PAPER.claim("fig4.four", SHOWN)
def four_segments(shown: Shown) -> Measurement:
    sizes = first_round(shown["fig4"])
    held = first_round(shown["fig4 held"])
    return Measurement(
        {"full": int((sizes == PAYLOAD).sum()), "half": int((sizes == PAYLOAD // 2).sum())},
        f"of {len(sizes)} segments; with Nagle's rule the same ACKs release {len(held)}, all full",
    )


def medians(found: Exchange) -> list[float]:
    """Median size by round trip, in segments."""
    return [float(np.median(sizes)) / PAYLOAD for sizes in found.rounds]


@PAPER.claim("fig4.tiny", SHOWN)
def segments_shrink(shown: Shown) -> Measurement:
    tiny, opening = medians(shown["tiny"]), medians(shown["tiny open"])
    late = np.concatenate(shown["tiny"].rounds[8:12])
    return Measurement(
        {"median": float(np.median(late)) / PAYLOAD},
        f"with 64 kB advertised: {float(np.mean(late == 1)) * 100:.0f} % of the late segments carry one byte, the median is "
        f"{np.median(late):.0f} B; medians by round trip {', '.join(f'{m:.2f}' for m in tiny[:9])} of a segment. While slow "
        f"start goes on without a limit each ACK still releases a full segment, and the median stays at {opening[-1]:.2f}",
    )


@PAPER.claim("fig4.packets", SHOWN)
def more_segments_and_bytes_twice(shown: Shown) -> Measurement:
    def over(name: str) -> tuple[float, float]:
        runs = [found for key, found in shown.items() if isinstance(key, tuple) and key[0] == name]
        packets = 1000 * sum(f.segments for f in runs) / sum(f.unique for f in runs)
        return packets, sum(f.twice for f in runs) / len(runs)

    off, on = over("off"), over("on")
    return Measurement(
        {"packets": {"off": off[0], "on": on[0]}, "twice": {"off": off[1], "on": on[1]}},
        f"300 kB with {LOSS:.1%} of the segments lost: {off[0]:.1f} against {on[0]:.2f} segments a kilobyte, {off[1]:.0f} against "
        f"{on[1]:.0f} bytes received twice in a transfer",
    )
