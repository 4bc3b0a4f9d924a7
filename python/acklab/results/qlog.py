"""Logs of simulated flows as JSON-SEQ (draft-ietf-quic-qlog-main-schema, draft-ietf-quic-qlog-quic-events): one file an endpoint.

A packet's number counts the sender's transmissions, as QUIC's does. An ACK frame has the numbers that had arrived and whose data the
simulated ACK covers, at most :data:`MOST_RANGES` ranges. A flow of TCP is written in the same form, and its title says so.
"""

from __future__ import annotations

import json
from bisect import insort
from collections import deque
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any

import polars as pl

from ..text.terminal import file_names

#: Ranges of a frame, as many as common receivers remember.
MOST_RANGES = 32
SEPARATOR = "\x1e"
GONE = ("drop", "lose", "filter")
Json = dict[str, Any]


class LogError(ValueError):
    """A run of which no log can be written."""


def write_logs(run: Any, folder: Path) -> list[Path]:
    """Writes ``FLOW.sender.sqlog`` and ``FLOW.receiver.sqlog`` for each flow of a run that recorded its packets.

    Args:
        run: a :class:`acklab.Run` or a recording, with ``packets``; with ``series`` the sender's log has its windows and round trips.
        folder: a directory, made if it is missing.

    Raises:
        LogError: the run has not recorded its packets.
        OSError: a file cannot be written.
    """
    packets = getattr(run, "packets", None)
    if packets is None:
        raise LogError("a log needs packets: record = { packets = true }")
    folder.mkdir(parents=True, exist_ok=True)
    series = getattr(run, "series", None)
    written = []
    flows = _frame(run.flows).to_dicts()
    for flow, name in zip(flows, file_names(flow["name"] for flow in flows), strict=True):
        mine = _frame(packets, pl.col("flow").cast(pl.String) == flow["name"])
        told = None if series is None else _frame(series, pl.col("flow").cast(pl.String) == flow["name"])
        log = _Flow(flow, mine, told)
        for side in ("sender", "receiver"):
            path = folder / f"{name}.{side}.sqlog"
            with open(path, "w", encoding="ascii") as file:
                for record in (_head(run.title, flow, side), *log.events(side)):
                    file.write(f"{SEPARATOR}{json.dumps(record, separators=(',', ':'))}\n")
            written.append(path)
    return written


def _frame(table: Any, wanted: pl.Expr | None = None) -> pl.DataFrame:
    lazy = table if isinstance(table, pl.LazyFrame) else pl.DataFrame(table).lazy()
    return (lazy if wanted is None else lazy.filter(wanted)).collect()


def _head(title: str, flow: Mapping[str, Any], side: str) -> Json:
    about = "packet numbers count transmissions; losses that the sender declares are not recorded"
    return {
        "file_schema": "urn:ietf:params:qlog:file:sequential",
        "serialization_format": "application/qlog+json-seq",
        "title": f"{title or 'acklab'}: {flow['name']} at its {side}",
        "description": f"Simulated by acklab: {about}.",
        "trace": {
            "vantage_point": {
                "name": flow["from" if side == "sender" else "to"],
                "type": "client" if side == "sender" else "server",
            },
            "event_schemas": ["urn:ietf:params:qlog:events:quic-14"],
            "common_fields": {
                "group_id": flow["name"],
                "time_format": "relative_to_epoch",
                "reference_time": {"clock_type": "monotonic", "epoch": "unknown"},
            },
        },
    }


class _Flow:
    """The packets of one flow, each with its number."""

    def __init__(self, flow: Mapping[str, Any], packets: pl.DataFrame, series: pl.DataFrame | None) -> None:
        self.unit = flow["unit_bytes"]
        self.series = [] if series is None else series.to_dicts()
        data = packets.filter(pl.col("kind").cast(pl.String) == "data")["len"].max()
        self.segment = (data or 1) * self.unit
        #: What each endpoint saw: time, whether it sent it, and the packet.
        self.seen: dict[str, list[tuple[float, bool, Json]]] = {"sender": [], "receiver": []}
        self._follow(flow, packets)

    def _follow(self, flow: Mapping[str, Any], packets: pl.DataFrame) -> None:
        """Numbers what each end sends, and finds it again where it arrives."""
        away: dict[Any, deque[Json]] = {}
        received = _Received()
        starts = {"data": f"{flow['from']}->", "ack": f"{flow['to']}->"}
        ends = {"data": f"->{flow['to']}", "ack": f"->{flow['from']}"}
        numbers = {(kind, syn): count() for kind in starts for syn in (False, True)}
        for row in packets.iter_rows(named=True):
            kind = row["kind"]
            if kind not in starts:
                continue
            event, link = row["event"], row["link"]
            key = (
                (row["seq"], row["len"], row["ts_val"])
                if kind == "data"
                else (row["ack"], str(row["sack"]), row["ts_ecr"])
            )
            if event == "enqueue" and link.startswith(starts[kind]):
                one = self._sent(row, next(numbers[kind, row["syn"]]), received)
                away.setdefault((kind, key), deque()).append(one)
                self.seen["sender" if kind == "data" else "receiver"].append((row["time_s"], True, one))
            elif (event == "deliver" and link.endswith(ends[kind])) or event in GONE:
                waiting = away.get((kind, key))
                one_there = waiting.popleft() if waiting else None
                if one_there is not None and event == "deliver":
                    self.seen["receiver" if kind == "data" else "sender"].append((row["time_s"], False, one_there))
                    if kind == "data" and not row["syn"]:
                        received.take(
                            one_there["header"]["packet_number"], row["seq"], row["seq"] + row["len"], row["time_s"]
                        )

    def _sent(self, row: Mapping[str, Any], number: int, received: _Received) -> Json:
        header = {"packet_type": "initial" if row["syn"] else "1RTT", "packet_number": number}
        told: Json = {"header": header, "raw": {"length": row["size_bytes"]}}
        if row["syn"]:
            return told
        if row["kind"] == "data":
            # The unit 0 is the SYN's.
            place = {"stream_id": 0, "offset": max(0, row["seq"] - 1) * self.unit}
            told["frames"] = [{"frame_type": "stream", **place, "raw": {"payload_length": row["len"] * self.unit}}]
        else:
            ranges, delay_s = received.frame(row["ack"], row["sack"], row["time_s"])
            told["frames"] = (
                [{"frame_type": "ack", "ack_delay": _ms(delay_s), "acked_ranges": ranges}]
                if ranges
                else [{"frame_type": "padding"}]
            )
        return told

    def events(self, side: str) -> Iterator[Json]:
        """One endpoint's log."""
        changes = deque(self.series if side == "sender" else [])
        state = None
        for time_s, is_sent, packet in self.seen[side]:
            while changes and (changes[0]["time_s"] < time_s or (is_sent and changes[0]["time_s"] == time_s)):
                row = changes.popleft()
                yield from self._state(row, state)
                state = row["state"]
            yield {"time": _ms(time_s), "name": f"quic:packet_{'sent' if is_sent else 'received'}", "data": packet}
        for row in changes:
            yield from self._state(row, state)
            state = row["state"]

    def _state(self, row: Mapping[str, Any], before: str | None) -> Iterator[Json]:
        time = _ms(row["time_s"])
        if row["state"] != before:
            yield {
                "time": time,
                "name": "quic:congestion_state_updated",
                "data": {"new": row["state"].replace("-", "_")},
            }
        columns = {
            "congestion_window": "cwnd_segments",
            "bytes_in_flight": "flight_segments",
            "ssthresh": "ssthresh_segments",
        }
        data: Json = {name: round(row[column] * self.segment) for name, column in columns.items() if row[column] < 1e9}
        if row["rtt_s"] is not None:
            data["latest_rtt"] = _ms(row["rtt_s"])
        yield {"time": time, "name": "quic:recovery_metrics_updated", "data": data}


class _Received:
    """The numbers that have arrived, in ranges, with the data of those that no ACK has covered whole."""

    def __init__(self) -> None:
        self.ranges: list[list[int]] = []
        #: Packets that have arrived: number, data, time; those of covered data go into the ranges.
        self.waiting: list[tuple[int, int, int, float]] = []
        self.largest = (-1, 0.0)

    def take(self, number: int, start: int, end: int, time_s: float) -> None:
        """A packet arrives."""
        insort(self.waiting, (number, start, end, time_s))

    def frame(self, ack: int, sack: list[list[int]], time_s: float) -> tuple[list[list[int]], float]:
        """The ranges of an ACK, ascending, and how long it held the largest."""
        left = []
        for packet in self.waiting:
            number, start, end, came_s = packet
            if end <= ack or any(low <= start and end <= high for low, high in sack):
                self._add(number)
                self.largest = max(self.largest, (number, came_s))
            else:
                left.append(packet)
        self.waiting = left
        return [[low, high] for low, high in self.ranges[-MOST_RANGES:]], max(0.0, time_s - self.largest[1])

    def _add(self, number: int) -> None:
        """Joins a number to the ranges; it is mostly the next."""
        place = len(self.ranges)
        while place and self.ranges[place - 1][0] > number:
            place -= 1
        before = self.ranges[place - 1] if place else None
        after = self.ranges[place] if place < len(self.ranges) else None
        if before is not None and number <= before[1] + 1:
            before[1] = max(before[1], number)
        elif after is not None and number == after[0] - 1:
            after[0] = number
            return
        else:
            self.ranges.insert(place, [number, number])
            return
        if after is not None and before[1] + 1 >= after[0]:
            before[1] = max(before[1], after[1])
            del self.ranges[place]


def _ms(seconds: float) -> float:
    """Milliseconds, to the nanosecond."""
    return round(seconds * 1e3, 6)
