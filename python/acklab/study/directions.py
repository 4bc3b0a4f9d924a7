"""Directions of all metrics: whether more or less is better, or neither, each with its reason.

A metric has a direction where its value alone says which of two runs is better. A count that grows with what is carried has none:
a transfer that is twice as fast has twice the ACKs, drops and air time of a second.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

MORE, LESS, NEITHER = 1, -1, 0

#: Words for the directions.
WORDS = {MORE: "more", LESS: "less", NEITHER: "neither"}


@dataclass(frozen=True)
class Direction:
    """Which values are better, and why."""

    better: int
    why: str


def _each(better: int, why: str, *names: str) -> dict[str, Direction]:
    return dict.fromkeys(names, Direction(better, why))


_CARRIED = "grows with what is carried"
_GIVEN = "follows from the scenario alone"
_WAIT = "what waits arrives later"

DIRECTIONS: Mapping[str, Direction] = {
    **_each(LESS, "a transfer ends earlier", "completion"),
    **_each(MORE, "more data in the same time", "goodput", "transfer-rate"),
    **_each(MORE, "more equal shares", "fairness"),
    **_each(LESS, _WAIT, "rtt", "queue-delay"),
    **_each(LESS, "less of what is sent is sent twice", "retransmits"),
    **_each(LESS, "data behind a loss waits shorter", "repair"),
    **_each(NEITHER, "a link may be busy with data or with overhead", "utilisation"),
    **_each(NEITHER, "grows with the data that the ACKs serve", "ack-share"),
    **_each(LESS, "the same data for fewer bytes of ACKs", "ack-overhead"),
}

FLOW_DIRECTIONS: Mapping[str, Direction] = {
    **_each(MORE, "more transfers are done", "completed"),
    **_each(NEITHER, _GIVEN, "start_s"),
    **_each(NEITHER, "has the start's own time in it", "first_data_s"),
    **_each(LESS, "a transfer ends earlier", "finished_s", "completion_s"),
    **_each(NEITHER, "long for an endless transfer, short for one that stalls", "last_data_s"),
    **_each(MORE, "more is delivered", "bytes"),
    **_each(MORE, "more data in the same time", "goodput_bps"),
    **_each(NEITHER, _CARRIED, "segments_sent", "syns_sent", "retransmits"),
    **_each(LESS, "each holds its transfer up for a retransmission timeout", "timeouts"),
    **_each(NEITHER, _CARRIED, "fast_retransmits", "recoveries", "repair_s"),
    **_each(NEITHER, "a reaction; its effect is in the other metrics", "window_cuts", "undone"),
    **_each(NEITHER, "what a sender found of its receiver, not a result", "false_acks"),
    **_each(NEITHER, _CARRIED, "marks_received", "marks_counted"),
    **_each(NEITHER, "an input of the control, not a result", "marked_share"),
    **_each(NEITHER, _CARRIED, "acks_sent", "acks_received", "acks_dropped", "acks_filtered", "acks_created"),
    **_each(MORE, "more is delivered", "segments_acked"),
    **_each(NEITHER, "a means, no result", "cwnd_segments", "ssthresh_segments"),
    **_each(LESS, _WAIT, "mean_rtt_s", "min_rtt_s"),
    **_each(NEITHER, _GIVEN, "unit_bytes"),
}

LINK_DIRECTIONS: Mapping[str, Direction] = {
    **_each(NEITHER, _GIVEN, "rate_bps", "delay_s"),
    **_each(NEITHER, _CARRIED, "packets", "bytes", "ack_packets", "ack_bytes", "drops", "lost", "filtered"),
    **_each(NEITHER, _CARRIED, "reordered", "duplicated", "thinned"),
    **_each(LESS, _WAIT, "mean_queue_packets", "max_queue_packets"),
    **_each(NEITHER, _CARRIED, "sent_wait_s", "removed_wait_s"),
    **_each(NEITHER, "a link may be busy with data or with overhead", "utilisation"),
    **_each(NEITHER, _CARRIED, "attempts", "collisions", "retries", "retry_drops", "airtime_s"),
}
