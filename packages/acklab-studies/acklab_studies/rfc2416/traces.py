"""The two traces, ACK by ACK, and what follows them."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median
from typing import Any, NamedTuple

import polars as pl

from acklab.report.charts import Axis, Line, Lines, Panel
from acklab.reproduce.experiments import Effort, Traces
from acklab.reproduce.measure import Measurement
from acklab.reproduce.paper import Compared, Drawn

from .setting import MODEM_BPS, PAPER, PRINTED, RECOVERIES, STARTS, transfer

NEXT, WITHIN_S = 20, 0.05
"""Packets after the third duplicate that are compared, and how far two times of theirs may differ."""
DELIVERED = range(10, 61)
"""Packets, from 1, whose deliveries are compared."""
BY_CAPACITY = "the modem's rate alone sets these times, before any retransmission"


class Ack(NamedTuple):
    """An ACK that reaches the sender: seconds, the packet that it covers, the packets that it releases, all from 1."""

    time_s: float
    covers: int
    releases: tuple[int, ...]


class Trace:
    """One transfer as its sender sees it, and when its packets first reach the receiver."""

    def __init__(self, result: Any) -> None:
        packets = pl.DataFrame(result.packets).with_columns(pl.col("link", "event").cast(pl.String))

        def rows(link: str, event: str, number: str) -> list[tuple[float, int]]:
            there = packets.filter((pl.col("link") == link) & (pl.col("event") == event))
            return list(zip(there["time_s"].to_list(), there[number].to_list(), strict=True))

        self.sent = [(time, seq + 1) for time, seq in rows("S->G", "enqueue", "seq")]
        self.acks = [
            Ack(time, ack, tuple(number for at, number in self.sent if at == time))
            for time, ack in rows("G->S", "deliver", "ack")
        ]
        self.delivered: dict[int, float] = {}
        for time, seq in rows("E->R", "deliver", "seq"):
            self.delivered.setdefault(seq + 1, time)
        self.completion_s = max(self.delivered.values())


Cells = Mapping[tuple[str, str], Trace]


def _cells(effort: Effort) -> dict[Any, str]:
    return {(recovery, name): transfer(recovery, start) for recovery in RECOVERIES for name, start in STARTS.items()}


RUNS = Traces("starts", "a start of one packet and of four, with each recovery", _cells, Trace)


def _times(trace: Trace, name: str) -> dict[str, Any]:
    return {f"{printed:g}": trace.acks[place].time_s for place, (printed, _, _) in enumerate(PRINTED[name])}


def _alike(trace: Trace, name: str) -> Measurement:
    same = [ack[1:] == printed[1:] for ack, printed in zip(trace.acks, PRINTED[name], strict=False)]
    return Measurement({"alike": sum(same)})


@PAPER.claim("one.times", RUNS, exact=BY_CAPACITY)
def times_of_a_start_of_one(runs: Cells) -> Measurement:
    times = _times(runs["tahoe", "one"], "one")
    del times["6.111"]
    return Measurement(times)


@PAPER.claim("one.duplicate", RUNS, exact=BY_CAPACITY)
def the_first_duplicate(runs: Cells) -> Measurement:
    note = "the ACK before arrives at 5.778 s, and the modem sends a packet in 0.833 s"
    return Measurement({"6.111": _times(runs["tahoe", "one"], "one")["6.111"]}, note=note)


@PAPER.claim("one.sends", RUNS)
def packets_of_a_start_of_one(runs: Cells) -> Measurement:
    return _alike(runs["tahoe", "one"], "one")


@PAPER.claim("four.times", RUNS, exact=BY_CAPACITY)
def times_of_a_start_of_four(runs: Cells) -> Measurement:
    return Measurement(_times(runs["tahoe", "four"], "four"))


@PAPER.claim("four.sends", RUNS)
def packets_of_a_start_of_four(runs: Cells) -> Measurement:
    return _alike(runs["tahoe", "four"], "four")


@PAPER.claim("bytes")
def bytes_between_two_acks() -> Measurement:
    times = [time for time, _, _ in PRINTED["one"]]
    each = (times[-1] - times[1]) / 7
    return Measurement(
        {"bytes": each * MODEM_BPS / 8}, note="the printed ACKs from 2.444 to 8.278 s are seven times of one packet"
    )


@PAPER.claim("modem")
def time_of_three_packets() -> Measurement:
    return Measurement(
        {"time": 3 * 1024 * 8 / MODEM_BPS}, note="3 packets of 1024 bytes at 9600 b/s; 2.5 s with 1000 bytes"
    )


@PAPER.claim("shift", RUNS, exact=BY_CAPACITY)
def how_much_earlier(runs: Cells) -> Measurement:
    return Measurement({"shift": _shift(runs)})


def _shift(runs: Cells) -> float:
    return runs["tahoe", "one"].acks[8].time_s - runs["tahoe", "four"].acks[5].time_s


@PAPER.claim("alike", RUNS)
def the_traces_from_there_on(runs: Cells) -> Measurement:
    shift, after = _shift(runs), {}
    for name, place in (("one", 8), ("four", 5)):
        trace = runs["tahoe", name]
        from_s = trace.acks[place].time_s
        after[name] = [(time, number) for time, number in trace.sent if time >= from_s][:NEXT]
    same = [
        number - 3 == other and abs(time - shift - at) <= WITHIN_S
        for (time, number), (at, other) in zip(after["one"], after["four"], strict=True)
    ]
    return Measurement({"share": 100 * sum(same) / NEXT})


@PAPER.claim("ahead", RUNS)
def how_far_ahead(runs: Cells) -> Measurement:
    return Measurement(
        {"ahead": median(_gained(runs, "tahoe"))},
        note="2.889 s less the modem's time for three packets of 1000 bytes, 2.5 s",
    )


def _gained(runs: Cells, recovery: str) -> list[float]:
    one, four = runs[recovery, "one"].delivered, runs[recovery, "four"].delivered
    return [one[number] - four[number] for number in DELIVERED]


@PAPER.claim("harmless", RUNS)
def no_harm(runs: Cells) -> Measurement:
    later = {one: runs[one, "four"].completion_s - runs[one, "one"].completion_s for one in RECOVERIES}
    return Measurement({"harm": later}, note="later timeouts decide; the length of a transfer is not printed")


@PAPER.figure("traces", "The traces", "Packets sent, with a start of one packet and of four", "traces", [RUNS])
def traces(runs: Cells) -> Drawn:
    lines, compared = [], []
    for name, colour, marker in (("one", "blue", "o"), ("four", "orange", "s")):
        trace = runs["tahoe", name]
        early = [(time, number) for time, number in trace.sent if time < 16]
        times, numbers = map(list, zip(*early, strict=True))
        lines.append(Line(f"start of {name}", times, numbers, colour, dash="", marker=marker))
        for (printed, covers, _), ack in zip(PRINTED[name], trace.acks, strict=False):
            compared.append(
                Compared(f"start of {name}, ACK of packet {covers}", f"{printed:.3f} s", f"{ack.time_s:.3f} s")
            )
    panel = Panel("", Axis("time (s)", low=0), Axis("packet", low=0), lines)
    return Drawn(
        [Lines("traces", "Packets that the sender sends (Tahoe)", [panel])],
        {},
        compared,
        "The text's slips: 6.111 s should be 6.611 s, 1024 bytes should be 1000, and 2.66 s should be 2.56 s (2.50 s for 1000 bytes). Its "
        "discussion names a delayed-ACK timer; the printed ACKs come one a packet, and the first would be later with such a timer.",
        transfer("tahoe", 4),
    )
