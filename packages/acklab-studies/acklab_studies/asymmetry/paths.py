"""The return path and its remedies, measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import polars as pl

from acklab.report.charts import Axis, Line, Lines, Panel
from acklab.reproduce.experiments import Effort, Traces, records
from acklab.reproduce.measure import Measurement
from acklab.reproduce.paper import Compared, Drawn

from .setting import ACK, GAPS, LONG, PACKET, PAPER, RATIO_S, SHORT, SMALL, SMALL_S, SPAN_S, WINDOW, both, gap, remedy

REMEDIES = {
    "none": "none",
    "acc": "ACK congestion control",
    "filtered": "ACK filtering",
    "counted": "and counting packets",
    "adapted": "and bursts of 3",
    "respaced": "reconstruction of ns-2",
    "reconstructed": "reconstruction of RFC 3449",
}
MODEM_BPS = 28_800


class Loads:
    """What a run's links tell: loads in percent, and the mean queue of the return path in packets."""

    def __init__(self, result: Any) -> None:
        links = {(one["from"], one["to"]): one for one in pl.DataFrame(result.links).to_dicts()}
        self.there = 100 * links["G", "H"]["utilisation"]
        self.back = 100 * links["H", "G"]["utilisation"]
        self.queue = links["H", "G"]["mean_queue_packets"]


class Path(Loads):
    """And its packets: when it ended, the most that left at one instant, and when which arrived."""

    def __init__(self, result: Any) -> None:
        super().__init__(result)
        self.time_s = pl.DataFrame(result.flows)["finished_s"][0]
        packets = pl.DataFrame(result.packets)
        packets = packets.with_columns(pl.col("link", "event", "kind").cast(pl.String)).filter(pl.col("kind") == "data")
        sent = packets.filter((pl.col("link") == "S->G") & (pl.col("event") == "enqueue"))
        self.burst = max(Counter(sent["time_s"].to_list()).values())
        came = packets.filter((pl.col("link") == "H->R") & (pl.col("event") == "deliver"))
        self.arrivals = list(zip(came["time_s"].to_list(), came["seq"].to_list(), strict=True))


class Dropped:
    """Where the queue drops ACKs: those that are sent over those that arrive, and the mean number of packets that leave at one instant."""

    def __init__(self, result: Any) -> None:
        packets = (
            pl.DataFrame(result.packets)
            .filter(pl.col("time_s") >= SMALL_S[0])
            .with_columns(pl.col("link", "event", "kind").cast(pl.String))
        )

        def seen(link: str, event: str, kind: str) -> pl.DataFrame:
            return packets.filter((pl.col("link") == link) & (pl.col("event") == event) & (pl.col("kind") == kind))

        self.ratio = seen("R->H", "deliver", "ack").height / seen("H->G", "deliver", "ack").height
        self.burst = float(seen("S->G", "enqueue", "data").group_by("time_s").len()["len"].mean())  # type: ignore[arg-type]


Cells = Mapping[Any, Path]
Ratios = Mapping[Any, Loads]


def _gaps(effort: Effort) -> dict[Any, str]:
    return {(packets, until): gap(packets, until) for packets in (*GAPS["few"], *GAPS["enough"]) for until in RATIO_S}


def _small() -> str:
    return records(gap(1, SMALL_S[1], SMALL), "packets")


def _remedies(effort: Effort) -> dict[Any, str]:
    return {(name, size): remedy(name, size) for name in REMEDIES for size in (LONG, SHORT)}


RATIOS = Traces("gaps", "an ACK for 1 to 12 packets over 50 kb/s", _gaps, Loads)
DROPPED = Traces(
    "small queue",
    "an ACK for each packet over 50 kb/s, through 10 packets",
    lambda effort: {"small": _small()},
    Dropped,
)
RUNS = Traces("remedies", "a transfer of 2000 and of 100 packets with each remedy", _remedies, Path)
TWO_WAY = Traces("both", "data in both directions, ACKs first", lambda effort: {"both": both()}, Path)


@PAPER.claim("k")
def normalized_ratio() -> Measurement:
    return Measurement({"k": (10e6 / 50e3) / (PACKET / ACK)}, note="200 over 25")


def _load(runs: Ratios, way: str, packets: int) -> float:
    """From the first instant to the second, in percent."""
    first, second = RATIO_S
    upto = [until * getattr(runs[packets, until], way) for until in RATIO_S]
    return float((upto[1] - upto[0]) / (second - first))


@PAPER.claim("saturates", RATIOS)
def the_way_back_first(runs: Ratios) -> Measurement:
    few = GAPS["few"]
    return Measurement({way: {packets: _load(runs, way, packets) for packets in few} for way in ("back", "there")})


@PAPER.claim("suffices", RATIOS)
def enough_packets_an_ack(runs: Ratios) -> Measurement:
    return Measurement({"there": {packets: _load(runs, "there", packets) for packets in GAPS["enough"]}})


@PAPER.claim("passed", DROPPED)
def one_of_k(runs: Mapping[Any, Dropped]) -> Measurement:
    return Measurement({"ratio": runs["small"].ratio})


@PAPER.claim("bursts", DROPPED)
def bursts_of_k(runs: Mapping[Any, Dropped]) -> Measurement:
    return Measurement({"burst": runs["small"].burst})


@PAPER.claim("packet")
def time_of_a_packet() -> Measurement:
    return Measurement({"time": {size: 1000 * size * 8 / MODEM_BPS for size in (1000, 1024)}})


@PAPER.claim("most")
def a_window_a_packet() -> Measurement:
    return Measurement(
        {"rate": WINDOW * PACKET * 8 / (PACKET * 8 / MODEM_BPS) / 1e6},
        note="100 times the rate of the return path: a window an ACK",
    )


@PAPER.claim("both", TWO_WAY)
def data_both_ways(runs: Cells) -> Measurement:
    low, high = SPAN_S
    numbers = {seq for at, seq in runs["both"].arrivals if low <= at < high}
    return Measurement({"rate": len(numbers) * PACKET * 8 / (high - low) / 1e6})


@PAPER.claim("acc", RUNS)
def ack_congestion_control(runs: Cells) -> Measurement:
    with_it, without = runs["acc", LONG], runs["none", LONG]
    note = (
        "RFC 3449 prints no number: half was asked here, before any run; why the queue falls by less was not examined"
    )
    return Measurement({"queue": with_it.queue / without.queue, "rate": without.time_s / with_it.time_s}, note=note)


@PAPER.claim("af", RUNS)
def ack_filtering(runs: Cells) -> Measurement:
    with_it, without = runs["filtered", LONG], runs["none", LONG]
    growth = runs["counted", SHORT].time_s / runs["filtered", SHORT].time_s
    return Measurement(
        {"queue": with_it.queue / without.queue, "burst": with_it.burst / without.burst, "growth": growth}
    )


@PAPER.claim("sa", RUNS)
def sender_adaptation(runs: Cells) -> Measurement:
    with_it, without = runs["adapted", LONG], runs["filtered", LONG]
    return Measurement({"burst": with_it.burst, "time": with_it.time_s / without.time_s})


@PAPER.claim("ar", RUNS)
def ack_reconstruction(runs: Cells) -> Measurement:
    time = runs["respaced", SHORT].time_s / runs["filtered", SHORT].time_s
    note = "ns-2's reconstructor lets ACKs go as far apart as they arrive, 11.1 ms here, so the sender gets an ACK no sooner"
    return Measurement({"time": time, "burst": runs["respaced", LONG].burst / runs["filtered", LONG].burst}, note=note)


@PAPER.figure("remedies", "Remedies", "Packets that arrive, of a transfer of 100", "paths", [RUNS])
def remedies(runs: Cells) -> Drawn:
    colours = ("slate", "gold", "blue", "orange", "green", "purple", "pink")
    lines, compared = [], []
    for (name, label), colour in zip(REMEDIES.items(), colours, strict=True):
        times, numbers = map(list, zip(*runs[name, SHORT].arrivals, strict=True))
        lines.append(Line(label, times, [number + 1 for number in numbers], colour, dash=""))
        long = runs[name, LONG]
        said = f"{long.time_s:.2f} s, queue back {long.queue:.1f}, burst {long.burst}; 100 packets {runs[name, SHORT].time_s:.2f} s"
        compared.append(Compared(f"2000 packets, {label}", "not printed", said))
    panel = Panel("", Axis("time (s)", low=0), Axis("packet", low=0), lines)
    note = "The talk and RFC 3449 print no such figure; the table has what the claims use."
    return Drawn([Lines("remedies", "Packets that arrive", [panel])], {}, compared, note, remedy("none", SHORT))
