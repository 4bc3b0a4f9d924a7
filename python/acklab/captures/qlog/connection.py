"""What one endpoint's log tells of a connection: its packets, each ACK frame with what it covered, windows and round trips."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable
from typing import Any

from .reading import Event, Json, number, whole, word

#: Columns of the table ``connections``, each with its meaning.
COLUMNS: dict[str, str] = {
    "connection": "Number, from 0, in the order of their first events.",
    "data": "`sent`: data that the log's endpoint sends, and the ACKs that it receives; `received`: the other way.",
    "title": "The trace's title, or the endpoint's name.",
    "vantage": "`client`, `server`, `network` or `unknown`.",
    "group": "The connection's name in the log.",
    "start_s": "Its first event; from the trace's first where the log has times of day.",
    "duration_s": "From its first event to its last.",
    "packets": "Packets 1-RTT and 0-RTT of this direction.",
    "eliciting": "Those that ask for an ACK; null where the log has no frames.",
    "bytes": "Their bytes, as the log counts them.",
    "lost": "Those that the log calls lost; null for `received`, and where it calls none lost, because a log need not have such events.",
    "missing": "Packet numbers between the least and the largest that this end did not receive: lost, or skipped by the sender; null for `sent`.",
    "acks": "ACK frames for them.",
    "acks_alone": "Those in packets that ask for no ACK.",
    "new_acks": "Those that cover a packet which asks for an ACK, for the first time.",
    "packets_per_ack": "Packets that ask for an ACK, covered for the first time: mean over `new_acks`.",
    "ordered_acks": "`new_acks` whose packets follow each other and the largest before: no new gap, no late packet.",
    "acks_of_one": "Those of them that cover one packet. In a phase at gaps, its ACKs that do.",
    "acks_of_two": "Those of two.",
    "acks_of_more": "Those of more.",
    "usual_packets": "The number that most of them cover, the smallest of several.",
    "usual_acks": "How many cover that number.",
    "ranges_mean": "Ranges an ACK frame, mean.",
    "ranges_max": "Most ranges in a frame.",
    "delay_field_median_s": "The field ACK Delay, median over `new_acks`.",
    "delay_field_max_s": "Its largest.",
    "hold_median_s": "Of an ACK, from the oldest packet that it covers for the first time: received to its leaving, or sent to its coming (a round trip).",
    "hold_max_s": "The longest.",
    "timer_acks": "`ordered_acks` that left more than 0.1 ms after the newest packet they cover: a timer sent them; null for `sent`.",
    "timer_s": "Their `hold_s`, median; null without any.",
    "max_ack_delay_s": "The transport parameter of the receiver.",
    "rtt_min_s": "Least round trip that the endpoint measured; null for `received`.",
    "rtt_median_s": "Median of its samples; null for `received`.",
    "cwnd_max_bytes": "Largest congestion window; null for `received`.",
    "cwnd_last_bytes": "The last; null for `received`.",
}

#: Frames that ask for no ACK (RFC 9000 section 13.2.1).
SILENT = frozenset(("ack", "padding", "connection_close"))
#: Packets of the space in which data travel.
DATA = frozenset(("1RTT", "0RTT", "1rtt", "0rtt"))
#: Packets that an ACK might still cover; older ones are forgotten.
MOST_PENDING = 10_000
#: Packets that are remembered for a chart.
MOST_KEPT = 4_000
#: Packets that ask for an ACK of a connection's start: as many as Chromium acknowledges before it thins its ACKs.
START = 100

Row = dict[str, Any]


class Direction:
    """Data one way, and the ACKs of it: ``sent`` by the log's endpoint, or ``received``."""

    def __init__(self, data: str) -> None:
        self.data = data
        self.packets = self.eliciting = self.bytes = 0
        #: Packets that the log calls lost; None before it calls any so, because a log need not have such events.
        self.lost: int | None = None
        self.acks: list[Row] = []
        #: Time, number and bytes of packets, all or every second, fourth, ... of them.
        self.drawn: list[tuple[float, int, int]] = []
        self.step = 1
        #: Number and time of packets that no ACK has covered; whether each asks for one.
        self.pending: list[tuple[int, float, bool]] = []
        self.largest = -1
        #: The least and the largest number of its packets.
        self.numbers: tuple[int, int] | None = None
        self.covered = 0
        self.first_s: float | None = None
        self.last_s = 0.0

    def packet(self, time_s: float, space_number: int, asks: bool, size: int) -> None:
        """A packet of data."""
        self.packets += 1
        self.eliciting += asks
        self.bytes += size
        self.first_s = time_s if self.first_s is None else self.first_s
        self.last_s = time_s
        if self.packets % self.step == 0:
            self.drawn.append((time_s, space_number, size * self.step))
            if len(self.drawn) > MOST_KEPT:
                self.drawn, self.step = (
                    [(time, number_, 2 * size) for time, number_, size in self.drawn[1::2]],
                    2 * self.step,
                )
        least, most = self.numbers or (space_number, space_number)
        self.numbers = min(least, space_number), max(most, space_number)
        insort(self.pending, (space_number, time_s, asks))
        if len(self.pending) > MOST_PENDING:
            del self.pending[: MOST_PENDING // 2]

    def ack(self, time_s: float, frame: Json, alone: bool, phase: str | None) -> None:
        """An ACK frame for this direction's packets."""
        ranges = _ranges(frame)
        if not ranges:
            return
        covered: list[tuple[int, float, bool]] = []
        for low, high in ranges:
            left, right = bisect_left(self.pending, (low,)), bisect_right(self.pending, (high, float("inf"), True))
            covered += self.pending[left:right]
            del self.pending[left:right]
        covered.sort()
        asking = [packet for packet in covered if packet[2]]
        numbers = [packet[0] for packet in covered]
        in_order = bool(numbers) and numbers == list(range(self.largest + 1, self.largest + 1 + len(numbers)))
        in_order = in_order and all(a[1] <= b[1] for a, b in zip(covered, covered[1:], strict=False))
        if self.largest < 0 and numbers:  # the log or the space may begin anywhere
            in_order = numbers == list(range(numbers[0], numbers[0] + len(numbers)))
        highest = max(high for _, high in ranges)
        self.largest = max(self.largest, highest)
        field = number(frame, "ack_delay")
        early = self.covered < START
        self.covered += len(asking)
        self.acks.append(
            {
                "time_s": time_s,
                "data": self.data,
                "largest": highest,
                "ranges": len(ranges),
                "packets": len(asking),
                "in_order": in_order,
                "alone": alone,
                "delay_field_s": None if field is None else field / 1e3,
                "hold_s": time_s - min(packet[1] for packet in asking) if asking else None,
                "newest_s": time_s - max(packet[1] for packet in asking) if asking else None,
                "marked": whole(frame, "ce"),
                "phase": phase or ("start" if early else "later"),
            }
        )


class Connection:
    """A connection in one endpoint's log."""

    def __init__(self, number_: int, title: str, vantage: str, group: str) -> None:
        self.number, self.title, self.vantage, self.group = number_, title, vantage, group
        self.sent, self.received = Direction("sent"), Direction("received")
        self.metrics: list[Row] = []
        self.parameters: dict[str, Json] = {}
        self.state: str | None = None
        #: Whether any packet is logged with its frames; without, nothing is known of ACKs.
        self.has_frames = False
        self.start_s: float | None = None
        self.end_s = 0.0
        self._latest: Row = {}

    def take(self, event: Event) -> None:
        """One event of the log, in the log's order."""
        self.start_s = event.time_s if self.start_s is None else self.start_s
        self.end_s = max(self.end_s, event.time_s)
        taken = _TAKEN.get(event.name)
        if taken is not None:
            taken(self, event.time_s, event.data)

    def _packet_sent(self, time_s: float, data: Json) -> None:
        self._packet(time_s, data, self.sent, self.received, None)

    def _packet_received(self, time_s: float, data: Json) -> None:
        self._packet(time_s, data, self.received, self.sent, self._phase())

    def _packet(
        self, time_s: float, data: Json, carries: Direction, acknowledges: Direction, phase: str | None
    ) -> None:
        header = data.get("header")
        if not isinstance(header, dict) or (word(header, "packet_type") or word(data, "packet_type")) not in DATA:
            return
        found = data.get("frames")
        self.has_frames = self.has_frames or bool(found)
        frames = [frame for frame in found if isinstance(frame, dict)] if isinstance(found, list) else []
        asks = any(word(frame, "frame_type") not in SILENT for frame in frames)
        space_number = whole(header, "packet_number")
        if space_number is not None:
            size = whole(data.get("raw"), "length") or whole(header, "packet_size", "length") or 0
            carries.packet(time_s, space_number, asks, size)
        for frame in frames:
            if frame.get("frame_type") == "ack":
                acknowledges.ack(time_s, frame, not asks, phase)

    def _packet_lost(self, _time_s: float, data: Json) -> None:
        header = data.get("header")
        kind = word(header if isinstance(header, dict) else data, "packet_type") or word(data, "type")
        self.sent.lost = (self.sent.lost or 0) + (kind in DATA)

    def _metrics_updated(self, time_s: float, data: Json) -> None:
        keys = {
            "cwnd_bytes": ("congestion_window", "cwnd"),
            "ssthresh_bytes": ("ssthresh",),
            "flight_bytes": ("bytes_in_flight",),
        }
        row: Row = {name: number(data, *old) for name, old in keys.items()}
        for name in ("latest_rtt", "smoothed_rtt", "min_rtt", "rtt_variance"):
            value = number(data, name)
            row[f"{name}_s"] = None if value is None else value / 1e3
        self._latest.update({key: value for key, value in row.items() if value is not None})
        self.metrics.append({"time_s": time_s, **row})

    def _congestion_state_updated(self, _time_s: float, data: Json) -> None:
        self.state = word(data, "new")[:40] or None

    def _parameters_set(self, _time_s: float, data: Json) -> None:
        owner = data.get("initiator", data.get("owner"))
        if owner in ("local", "remote"):
            self.parameters[owner] = data

    def _phase(self) -> str | None:
        """The sender's phase: as the log says, else by its window and threshold, if the log has them."""
        if self.state is not None:
            return self.state.replace("_", "-").lower()
        window, threshold = self._latest.get("cwnd_bytes"), self._latest.get("ssthresh_bytes")
        if window is None:
            return None
        return "slow-start" if threshold is None or window < threshold else "congestion-avoidance"


#: What each event tells, by its name.
_TAKEN: dict[str, Callable[[Connection, float, Json], None]] = {
    "packet_sent": Connection._packet_sent,
    "packet_received": Connection._packet_received,
    "packet_lost": Connection._packet_lost,
    "metrics_updated": Connection._metrics_updated,
    "recovery_metrics_updated": Connection._metrics_updated,
    "congestion_state_updated": Connection._congestion_state_updated,
    "parameters_set": Connection._parameters_set,
}


def _ranges(frame: Json) -> list[tuple[int, int]]:
    """The ranges of packet numbers of an ACK frame, each with both ends."""
    found = frame.get("acked_ranges")
    ranges = []
    for told in found if isinstance(found, list) else []:
        ends = told if isinstance(told, list) and len(told) in (1, 2) else [told]
        numbers = [whole({"n": end}, "n") for end in ends]
        if None not in numbers and numbers[0] <= numbers[-1]:  # type: ignore[operator]
            ranges.append((numbers[0], numbers[-1]))
    return ranges  # type: ignore[return-value]
