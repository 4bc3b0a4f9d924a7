"""Section 2: what slow start and congestion avoidance make of fewer ACKs."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

import numpy as np

from ...reproduce.measure import Measurement
from ..trace import Transfer
from .registry import PAPER
from .runs import LOSS_FREE, OVERSHOOT, OVERSHOOT_QUEUES
from .setting import RTT_S, WINDOW

Recorded = Mapping[Hashable, Transfer]


def without_queueing(transfer: Transfer, time_s: float) -> float:
    """An ACK's arrival less what its chain of round trips spent waiting and being transmitted.

    The ACK answers a segment that answered an ACK, and so on back to the first segment. Each of these round trips
    counts as the propagation delay only.
    """
    first_sent = {s.seq: s for s in reversed(transfer.sent)}
    arrivals = {}
    acked = 0
    for ack in transfer.acks:
        acked += ack.covers
        arrivals[ack.time_s] = acked - 1
    rounds = 0
    while time_s > 0:
        sent = first_sent[arrivals[time_s]]
        rounds, time_s = rounds + 1, sent.time_s
    return rounds * RTT_S


@PAPER.claim("eq1", LOSS_FREE)
def slow_start_time(recorded: Recorded) -> Measurement:
    every = recorded["reno", "every"]
    reached = every.reaches(WINDOW)
    return Measurement(
        {"time": without_queueing(every, reached)},
        f"the window has 40 segments after {reached:.3f} s; without queueing and transmission, six whole round trips",
    )


@PAPER.claim("eq2", LOSS_FREE)
def slow_start_time_with_delayed_acks(recorded: Recorded) -> Measurement:
    every, delayed = (recorded["reno", m].reaches(WINDOW) for m in ("every", "delayed"))
    return Measurement({"ratio": delayed / every}, f"{delayed:.3f} s against {every:.3f} s, queueing included")


def growth_per_round(transfer: Transfer) -> float:
    """Slope of the window in congestion avoidance, in segments a round trip, until the next loss or a full window."""
    if not transfer.fast_retransmits:
        return float("nan")
    start = transfer.fast_retransmits[0]
    later = [s.time_s for s in transfer.fast_retransmits[1:]] + [t.time_s for t in transfer.timeouts]
    end = min([*later, transfer.sent[-1].time_s])
    rounds: dict[int, float] = {}
    for sent in transfer.sent:
        if sent.acked >= start.top and sent.time_s < end and sent.window not in rounds:
            rounds[sent.window] = transfer.state_before(sent.time_s + 1e-9)[1]
    windows = np.array([(k, w) for k, w in rounds.items() if w <= WINDOW])
    return float(np.polyfit(windows[:, 0], windows[:, 1], 1)[0])


@PAPER.claim("sec2.ca", OVERSHOOT)
def congestion_avoidance(recorded: Recorded) -> Measurement:
    lossy = {m: max(q for q in OVERSHOOT_QUEUES if recorded[m, q].fast_retransmits) for m in ("every", "delayed")}
    return Measurement(
        {m: growth_per_round(recorded[m, q]) for m, q in lossy.items()},
        f"fitted after the first loss in the largest queue that has one, of {lossy['every']} and {lossy['delayed']} packets",
    )
