"""What an analysis prints: a template for each kind of fact, of at most 20 words; a field is a column of ``connections``, or a value beside it."""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping
from typing import Any

from ..text.counts import grouped
from ..text.numbers import amount, seconds

CAUSES = {
    "application": ("application_limited_s", "idle application"),
    "receiver-window": ("window_limited_s", "receiver's window"),
    "closed-window": ("closed_limited_s", "closed window"),
    "recovery": ("recovery_limited_s", "losses and repair"),
    "slow-start": ("slow_start_limited_s", "slow start"),
    "path-rate": ("path_limited_s", "path's rate"),
    "ack-path": ("ack_path_limited_s", "late ACKs"),
    "cwnd": ("cwnd_limited_s", "congestion window"),
    "sender-window": ("sender_window_limited_s", "sender's window"),
    "network": ("network_limited_s", "not known"),
}
"""The causes of ``limits``: the column of their seconds, and their name in tables."""

TEMPLATES = {
    # What limits a direction.
    "limit": "Limit: {cause}, {share} of {limits_s}.",
    "limit mixed": "Limit: no cause for more than half of {limits_s}.",
    "limit network": "Limit: not known for {share} of {limits_s}.",
    "limit short": "Limit: too few data, {segments} segments in {limits_s}.",
    "limit unknown": "Limit: not known, because {why}.",
    # The evidence of a cause.
    "application": "nothing to send",
    "receiver-window": "up to {window_limit_max_bytes}",
    "receiver-window rate": "up to {window_limit_max_bytes} in {path_rtt_min_s}: {window_bps}",
    "closed-window": "window of 0 for {zero_window_s}",
    "recovery": "{resent} resent, {late} late, timeouts {timeout_wait_s}",
    "slow-start": "initial window {initial_window_bytes}",
    "path-rate": "link {bottleneck_bps}, full without a queue {path_filled_s}",
    "path-rate queue": "a queue stands",
    "ack-path": "ACKs late by {acks_late_median_s}",
    "cwnd": "no queue stands",
    "sender-window": "never more than {max_flight_bytes} in flight",
    # The receiver's policy.
    "every": "An ACK for every segment, at once: {policy_evidence} of {policy_of} ACKs.",
    "delayed": "An ACK for every {ack_every} segments: {policy_evidence} of {policy_of} ACKs.",
    "quick-then-delayed": "After {quick_segments} quick ACKs, one for every {ack_every} segments: {policy_evidence} of {policy_of} ACKs.",
    "by-phase": "Outside quick phases an ACK for every {ack_every} segments: {policy_evidence} of {policy_of} ACKs.",
    "waits": "ACKs wait for a timer: {policy_evidence} of {policy_of}.",
    "periodic": "An ACK about every {ack_period_s}; {policy_evidence} of {policy_of} cover three segments or more.",
    "varying": "No fixed number of segments an ACK; the commonest has {policy_evidence} of {policy_of} ACKs.",
    "divided": "Divided ACKs: {policy_evidence} of {policy_of} segments were acknowledged in parts.",
    "spoofed": "Duplicate ACKs that no segment called for: {policy_evidence} of {policy_of} ACKs.",
    "optimistic": "ACKs before their data arrive: {policy_evidence} of {policy_of} ACKs.",
    "thinned": "ACKs are lost or filtered before here: {policy_evidence}, beside {policy_of} that passed.",
    "undecided": "ACK policy not decided: {why}.",
    # What else a direction shows, where each of its values is known and not 0.
    "timer": "Delayed-ACK timer: {timer_low_s} to {timer_high_s}, by {lone_held} lone segments.",
    "again": "Quick ACKs again {quick_again} times, for {quick_again_segments} segments; {after_loss} after a loss.",
    "late answer": "The SYN was answered late, after {late_answer_s}.",
    "late ack": "The handshake's last ACK was late, after {late_ack_s}.",
    "split": "Handshake answered after {split_answer_s}, data from nearer: a proxy, or a late answer.",
    "series": "Two series of sequence numbers alternate ({series_returns} changes): a device rewrites them, or two connections.",
    "copies": "{copies} packets passed twice, the same in everything; copies count as resent.",
    "lacking": "The capture lacks {lacking_bytes} of {acked_bytes} that were acknowledged.",
    "bottleneck": "Bottleneck: {bottleneck_bps} ({bottleneck_low_bps} to {bottleneck_high_bps}), by {bottleneck_trains} trains that met a queue.",
    "offloaded": "{offloaded} packets hold several segments (TSO or GRO): their own times are not seen.",
    "compressed": "{compressed_acks} ACKs come closer than what they acknowledge.",
    "probes": "{probes} keep-alives of the receiver, or answers to keep-alives.",
    "echoes": "{ece} ACKs with the ECE bit, {ce} data packets marked; ECN {ecn}.",
    "counter": "Marks by the ACKs' counter: {ace_marks}; data packets marked here: {ce}.",
    "fell back": "Accurate ECN was asked for; agreed on: {ecn}.",
    "closed": "{zero_window} segments advertise a window of 0.",
    "fault": "Fault of RFC 2525, section {section}: {name}{when} ({shown}).",
    "held": "Waits for delayed ACKs: {delayed_ack_wait_s}.",
    # Where it was captured.
    "receiver": "Captured near the receiver: {receiver} to it and back, {sender} to the sender.",
    "sender": "Captured near the sender: {sender} to it and back, {receiver} to the receiver; delays contain the path.",
    "both": "Captured near both ends: {receiver} to the receiver and back, {sender} to the sender.",
    "between": "Captured between the ends: {receiver} to the receiver and back, {sender} to the sender.",
    "unknown": "Captured at an unknown place: {receiver} to the receiver and back, {sender} to the sender.",
    "no acks": "Only one direction was captured: no ACK passed here.",
    "no data": "Only one direction was captured: no data passed here.",
}  # fmt: skip

WHY = {
    "two-series": "two series of sequence numbers alternate",
    "no-acks": "no ACK passed here",
    "no-data": "no data passed here",
    "lacks-data": "the capture lacks too much of the data",
    "lacks-acks": "data beyond the receiver's window, so the capture lacks ACKs",
    "distance-late": "only the other direction shows the distance to the sender",
    "no-distance": "no handshake and no timestamps show the distance to the sender",
    "coarse-clock": "the capture's clock is too coarse",
    "few-acks": "plain ACKs: {policy_evidence}, needed: {policy_of}",
    "few-plain-acks": "{policy_evidence} of {policy_of} ACKs are plain",
    "few-outside-quick": "ACKs outside quick phases: {policy_evidence}, needed: {policy_of}",
    "unexplained-duplicates": "{policy_evidence} of {policy_of} ACKs are duplicates without a cause",
    "partial-acks": "{policy_evidence} of {policy_of} ACKs end inside a packet",
    "acks-missing": "ACKs may be missing between those that passed",
    "as-it-comes": "most ACKs cover all that had come",
    "waits": "the others waited",
    "others": "no rule fits the others",
}
"""Why a limit or a policy is not known."""

QLOG = {
    "rule": "An ACK for every {usual_packets} packets in order: {usual_acks} of {ordered_acks} ACKs.",
    "every": "An ACK for every packet in order: {usual_acks} of {ordered_acks} ACKs.",
    "mean": "No fixed number of packets an ACK: {packets_per_ack} in the mean of {new_acks}.",
    "none": "No ACK frame covers a packet that asks for one.",
    "gaps": "ACKs at gaps or for late packets: {around} of {new_acks}.",
    "timer": "ACKs that a timer sent: {timer_acks}, {timer_s} after the oldest packet (median).",
    "no timer": "No ACK in order waited for a timer; a packet waited {hold_max_s} at most.",
    "missing": "Missing packet numbers: {missing}, lost or skipped by the sender.",
    "field": "ACK Delay {delay_field_median_s}, from the newest packet (RFC 9000 section 13.2.5); held {hold_median_s} from the oldest (medians).",
}
"""What a log of a QUIC endpoint shows."""

FAULTS = {
    "no initial slow start": "{segments} segments before the first ACK of data; RFC 6928 allows {allowed}",
    "initial RTO too low": "the SYN was sent again after {wait_s}; RFC 6298 begins with 1 s",
    "the retransmission timer does not back off": "the same segment again after {shortest_s} to {longest_s}",
    "no slow start after a timeout": "the first ACK after it released {segments} segments",
    "the window is not deflated after a recovery": "{segments} segments at its last ACK; {flight_bytes} in flight, {before_bytes} before",
    "data above a gap is not retained": "the ACK of the retransmission covers it alone; {segments} segments above had passed",
    "stretch ACKs": "{acks_of_more} of {plain_acks} ACKs are for more than two segments",
    "options are missing from the MSS calculation": "{largest_bytes} beside timestamps; the MSS leaves {allowed_bytes}",
}
"""The evidence of a fault of RFC 2525."""

NOTES = {
    "not_ip": "passed over: {not_ip} packets without IP",
    "not_tcp": "passed over: {not_tcp} packets without TCP",
    "udp": "UDP among them: {udp}; like QUIC: {quic}",
    "cut": "passed over: {cut} packets cut before the end of their TCP header",
    "malformed": "passed over: {malformed} malformed packets",
    "tunnels": "tunnels opened, whose connections count: {kinds}",
    "fragments": "{fragments} fragments, put together to {reassembled} segments; {overlapping} left out, whose parts overlap",
    "links": "link types that are not read: {links}",
    "backward": "{backward} packets earlier than the one before, by up to {backward_s}: simultaneous with their connection's last",
    "clock_steps": "the clock goes back by more than a second {clock_steps} times; time goes on from where it was",
    "tick_s": "the clock counts in steps of {tick_s}: spans below ten steps are not known",
    "still": "all packets have the same time: no span and no rate is known",
    "wild_times": "{wild_times} times that do not go with those before and after: taken as that before",
    "options_cut": "{options_cut} packets cut within the TCP options, which may be missing (capture 128 bytes of each)",
    "untimed": "{untimed} packets without a time, not read (simple packet blocks)",
    "unfollowed": "{unfollowed} segments not looked at: of connections beyond {followed} (split or filter the capture)",
    "forgotten": "{forgotten} segments and gaps forgotten, too many were outstanding: later ACKs may be counted wrongly",
    "rows_left_out": "{rows_left_out} rows left out of the tables of ACKs and segments, which have room for {room}",
    "damaged": "the file is damaged, what stands before counts: {damaged}",
    "broken_off": "the file breaks off, within a packet or its compressed data; what stands before counts",
}
"""What is odd about a file, by the count that is not 0."""

#: How a column is shown, by the end of its name.
UNITS: dict[str, Callable[[float], str]] = {
    "_s": seconds,
    "_bytes": lambda value: amount(value, "B"),
    "_bps": lambda value: amount(value, "b/s"),
}


def shown(name: str, value: Any) -> str:
    """A column's value with its unit; ``-`` where there is none."""
    if value is None or isinstance(value, str):
        return value or "-"
    for ending, words in UNITS.items():
        if name.endswith(ending):
            return words(value) if value else "0"
    return f"{value:.2f}" if isinstance(value, float) else grouped(value)


def filled(template: str, values: Mapping[str, Any]) -> str:
    """A template with its values."""
    return template.format_map({name: shown(name, values[name]) for name in fields(template)})


def fields(template: str) -> list[str]:
    """The values that a template names.

    >>> fields("{resent} resent, {late} late")
    ['resent', 'late']
    """
    return [name for _, name, _, _ in string.Formatter().parse(template) if name is not None]
