"""Sections I to III: division byte by byte, over a WLAN, and Figures 1 to 4."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from ...report.charts import Axis, Line, Lines, Mark, Panel
from ...reproduce.experiments import Effort, Traces, records
from ...reproduce.grid import Array
from ...reproduce.measure import Measurement
from ...reproduce.paper import Compared, Drawn
from ...scenario.draws import Draws
from ...study.intervals import Sample, split
from .setting import PAPER, PAYLOAD, Client


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
    lasted_s: float
    """From the first segment sent to the last."""
    twice: int
    """Bytes received that had come before."""
    dropped: Array
    """First bytes of segments that were lost."""


def exchanged(result: Any) -> Exchange:
    """Reads a recorded exchange."""
    packets = pl.DataFrame(result.packets).with_columns(pl.col("link", "event", "kind").cast(pl.String))
    there = packets.filter(pl.col("kind") == "data")
    left = there.filter(pl.col("event") == "enqueue").select("time_s", "seq", "len")
    came = there.filter(pl.col("event") == "deliver").select("time_s", "seq", "len")
    back = packets.filter(pl.col("kind") == "ack")
    asked = back.filter(pl.col("event") == "enqueue").select("time_s", "ack")
    twice = int(came["len"].sum()) - _covered(came["seq"].to_numpy(), came["len"].to_numpy())
    lasted = float(left["time_s"][-1] - left["time_s"][0])
    lost = there.filter(pl.col("event").is_in(["lose", "drop"]))["seq"].to_numpy()
    heard = back.filter(pl.col("event") == "deliver")["time_s"]
    sent, both = _with_arrivals(left, came["time_s"]), _with_arrivals(asked, heard)
    return Exchange(sent, both, _rounds(packets), left.height, lasted, twice, lost)


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
        "tiny open": exchange(HALVES, 0.95, rate="1Gbps"),
    }
    for seed in LOSSY_SEEDS[: 3 if effort.quick else None]:
        for name, client in (("off", HALVES), ("on", HELD)):
            cells[name, seed] = exchange(client, 120, "300kB", WINDOW, LOSS, seed)
    return {key: records(scenario, "packets") for key, scenario in cells.items()}


SHOWN = Traces("divack packets", "Figures 1 and 4, packet by packet", _shown, exchanged)
Shown = Mapping[Hashable, Exchange]


def first_round(found: Exchange) -> Array:
    """The segments that the first segment's ACKs released."""
    return found.rounds[1]


@PAPER.claim("fig4.four", SHOWN)
def four_segments(shown: Shown) -> Measurement:
    sizes = first_round(shown["fig4"])
    return Measurement(
        {
            "all": len(sizes),
            "full": int((sizes == PAYLOAD).sum()),
            "half": int((sizes == PAYLOAD // 2).sum()),
        },
    )


def medians(found: Exchange) -> list[float]:
    """Median size by round trip, in segments."""
    return [float(np.median(sizes)) / PAYLOAD for sizes in found.rounds]


@PAPER.claim("fig4.tiny", SHOWN)
def segments_shrink(shown: Shown) -> Measurement:
    late = np.concatenate(shown["tiny open"].rounds[8:12])
    return Measurement({"share": float(np.mean(late == 1))})


@PAPER.claim("fig4.packets", SHOWN)
def more_segments_and_bytes_twice(shown: Shown) -> Measurement:
    def over(name: str) -> tuple[float, float]:
        runs = [found for key, found in shown.items() if isinstance(key, tuple) and key[0] == name]
        packets = sum(f.segments for f in runs) / sum(f.lasted_s for f in runs)
        return packets, sum(f.twice for f in runs) / len(runs)

    off, on = over("off"), over("on")
    return Measurement(
        {"packets": {"off": off[0], "on": on[0]}, "twice": {"off": off[1], "on": on[1]}},
    )


# --- Section III-A: division where the medium is shared (Figures 2 and 3)


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
    return Burst(
        times,
        windows,
        started,
        end,
        float(windows[place]),
        int(((asked > before) & (asked <= last) & (sent_s >= burst_s)).sum()),
        int(((heard > before) & (heard <= last)).sum()),
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


def ratios(bursts: Bursts, medium: str, kbps: int) -> Sample:
    """cwnd after the interval over that of the same seed without division."""
    keys = [k for k in bursts if isinstance(k, tuple) and k[:3] == (medium, kbps, "divided")]
    return Sample.of([bursts[key].cwnd / bursts[medium, kbps, "whole", key[3]].cwnd for key in keys])


def rates(bursts: Bursts) -> list[int]:
    """The wires that were run."""
    return sorted({key[1] for key in bursts if isinstance(key, tuple)})


@PAPER.claim("fig3a", BURSTS)
def rises_behind_a_slow_wire(bursts: Bursts) -> Measurement:
    return Measurement({"ratio": ratios(bursts, "802.11b", 250)})


@PAPER.claim("fig3b", BURSTS)
def unnoticeable_behind_a_fast_wire(bursts: Bursts) -> Measurement:
    return Measurement({"ratio": ratios(bursts, "802.11b", 2000)})


# --- Figures 1, 3 and 4: single exchanges, and division over a shared medium


def ladder(found: Exchange, title: str, until_ms: float) -> Panel:
    """Packets between sender (left) and receiver (right); time runs downward."""
    lines: list[Line] = []

    def arrow(
        name: str, colour: str, dash: str, width: float, ends: tuple[float, float], left: float, came: Any
    ) -> None:
        if 1000 * left < until_ms and came is not None:
            lines.append(Line(name, ends, [1000 * left, 1000 * came], colour, dash, width=width))

    for left, length, came in found.sent.select("time_s", "len", "arrived_s").iter_rows():
        if length == PAYLOAD:
            arrow("full segment", "blue", "-", 1.8, (0, 1), left, came)
        else:
            arrow("smaller segment", "orange", "-", 1.2, (0, 1), left, came)
    for left, came in found.acks.select("time_s", "arrived_s").iter_rows():
        arrow("ACK", "green", "--", 1.0, (1, 0), left, came)
    x = Axis("", low=-0.02, high=1.02, ticks=(0, 1), words=("sender", "receiver"))
    return Panel(title, x, Axis("time (ms)", low=until_ms, high=-5), lines)


@PAPER.figure("figure-1", "Figure 1", "One segment, three ACKs", "I", [SHOWN])
def figure_1(shown: Shown) -> Drawn:
    found = shown["fig1"]
    table = found.acks.select("time_s", "ack")
    start = int(found.sent["seq"][1])
    numbers = [int(a) for a in table["ack"].to_list() if int(a) > start][:3]
    return Drawn(
        [
            Lines(
                "figure-1",
                "A recorded transfer: each segment is acknowledged by byte, byte, rest",
                [ladder(found, "three ACKs a segment, 6 ms apart; 1 Mb/s, 50 ms", 215)],
                3.6,
            )
        ],
        {"acks": table},
        [
            Compared(
                f"ACKs of bytes {start} to {start + PAYLOAD - 1}",
                "X + 1, X + 2, X + Y + 1",
                ", ".join(map(str, numbers)),
            )
        ],
        scenario=exchange(BYTES, 0.4, rate=SLOW),
    )


@PAPER.figure("figure-3", "Figure 3", "Division over a shared medium", "III", [BURSTS])
def figure_3(bursts: Bursts) -> Drawn:
    panels = []
    for kbps in (250, 2000):
        lines, marks = [], []
        for name, words, colour in (("whole", "1-apdp", "every"), ("divided", f"{PIECES} divacks a segment", "pink")):
            found = bursts["802.11b", kbps, name, 1]
            shown = found.times >= 5
            lines.append(Line(words, found.times[shown], found.windows[shown], colour, step=True))
            if name == "divided":
                marks = [Mark(found.begin_s, "", vertical=True), Mark(found.end_s, f"{BURST} segments", vertical=True)]
        panels.append(
            Panel(f"W_bw = {kbps} kb/s", Axis("time (s)", low=5, high=20), Axis("cwnd (segments)", low=0), lines, marks)
        )
    swept = rates(bursts)
    level = split(len(swept) * len(MEDIA))
    colours = dict(zip(MEDIA, ("pink", "purple", "green", "slate"), strict=True))
    lines, rows = [], []
    for medium in MEDIA:
        samples = [ratios(bursts, medium, r) for r in swept]
        spread = [s.interval(level).half_width for s in samples]
        dash = "--" if medium == "Ethernet" else "-"
        lines.append(Line(medium, swept, [s.value for s in samples], colours[medium], dash, marker="o", spread=spread))
        rows += [
            {"medium": medium, "wire_kbps": r, "cwnd_ratio": s.value, "half_width": w, "seeds": len(s.values)}
            for r, s, w in zip(swept, samples, spread, strict=True)
        ]
    x = Axis("rate of the wire (kb/s)", log=True, ticks=swept)
    after = Panel(
        "cwnd after the interval over that with 1-apdp",
        x,
        Axis("ratio", low=0),
        lines,
        [Mark(1.15, "1.15"), Mark(1.3, "1.3")],
    )
    return Drawn(
        [
            Lines("figure-3", "cwnd around the interval (between the marks), 802.11b, seed 1", panels),
            Lines("figure-3-sweep", "What division gains, by wire and medium; 95 % intervals over seeds", [after]),
        ],
        {"ratio": pl.DataFrame(rows)},
        [
            Compared(f"{kbps} kb/s: cwnd over 1-apdp's", wanted, f"{ratios(bursts, '802.11b', kbps).value:.2f}")
            for kbps, wanted in ((250, "noticeably rises"), (2000, "unnoticeable"))
        ],
        "802.11n sends up to 64 KiB at once and acknowledges it in a block: the pieces of many ACKs share one access to the medium, and "
        "the medium no longer protects the sender. Ethernet has no contention at all.",
        scenario=station(DIVIDED, 250, "802.11b", 1),
    )


@PAPER.figure("figure-4", "Figure 4", "Small segments without Nagle's rule", "III", [SHOWN])
def figure_4(shown: Shown) -> Drawn:
    panels = [ladder(shown["fig4"], "Nagle off, two ACKs a segment", 190), ladder(shown["fig4 held"], "Nagle on", 190)]
    sizes = Axis("bytes in a segment", log=True)
    histogram, rows = [], []
    shades = ("blue", "sky", "green", "orange", "red", "purple")
    for number, colour in zip((1, 3, 5, 7, 9, 11), shades, strict=True):
        values = shown["tiny"].rounds[number]
        found, count = np.unique(values, return_counts=True)
        share = 100 * np.cumsum(count) / count.sum()
        histogram.append(Line(f"round trip {number}", found, share, colour, step=True))
    for key, name in (("tiny", "off"), ("tiny held", "on")):
        for number, values in enumerate(shown[key].rounds[:12]):
            found, count = np.unique(values, return_counts=True)
            rows += [
                {"nagle": name, "round_trip": number, "segment_bytes": int(b), "segments": int(n)}
                for b, n in zip(found, count, strict=True)
            ]
    by_round = []
    for key, words, colour in (
        ("tiny", "Nagle off, 64 kB window", "pink"),
        ("tiny open", "Nagle off, slow start goes on", "orange"),
        ("tiny held", "Nagle on", "every"),
    ):
        median = [PAYLOAD * m for m in medians(shown[key])[:12]]
        by_round.append(Line(words, range(len(median)), median, colour, marker="o"))
    four = first_round(shown["fig4"])
    return Drawn(
        [
            Lines("figure-4", "The first round trips, recorded", panels, 4.4),
            Lines(
                "figure-4-sizes",
                "Bytes a segment carries, by round trip; 64 kB advertised",
                [
                    Panel(
                        "distribution, Nagle off",
                        sizes,
                        Axis("segments of at most that (%)", low=0, high=100),
                        histogram,
                    ),
                ],
            ),
            Lines(
                "figure-4-median",
                "The median segment",
                [Panel("median", Axis("round trip"), Axis("bytes", log=True), by_round)],
            ),
        ],
        {"sizes": pl.DataFrame(rows)},
        [
            Compared(
                "segments that the first segment's ACKs release",
                "4: 2 full, 2 half",
                f"{len(four)}: {', '.join(map(str, four))} B",
            ),
            Compared("the same with Nagle's rule", "", f"{len(first_round(shown['fig4 held']))}, all full"),
        ],
        scenario=exchange(replace(HALVES, ack=APART), 0.3, rate=SLOW),
    )
