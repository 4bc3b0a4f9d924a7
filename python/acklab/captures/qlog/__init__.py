"""Logs of QUIC endpoints (qlog): what they say of ACKs, and logs of simulated flows."""

from __future__ import annotations

import os
import statistics
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...results.result import Result
from ...text.numbers import counted
from ...text.templates import Fact, fact
from .connection import COLUMNS, Connection, Direction, Row
from .reading import QlogError, is_qlog, traces

if TYPE_CHECKING:
    from ...results.directory import Folder

__all__ = ["COLUMNS", "QlogAnalysis", "QlogError", "analyze_qlog", "is_qlog"]

#: Time from a packet to an ACK above which a timer, not the packet, sent it, in seconds.
AT_ONCE_S = 1e-4
#: Round trips of a log of quinn below this are taken to be in a wrong unit, in seconds.
QUINN_S = 1e-3
TABLES = ("connections", "phases", "acks", "metrics")
NAMES = (*(f"{table}.parquet" for table in TABLES), "analysis.json", "analysis.html")


class QlogAnalysis(Result):
    """What logs say; each table is a polars frame.

    Attributes:
        file: the file's name.
        connections: one row a direction of a connection, with the columns of :data:`COLUMNS`.
        phases: the same counts of ACKs by the sender's phase, or by ``start`` and ``later``, and by whether packets came in order.
        acks: one row an ACK frame.
        metrics: windows in bytes and round trips in seconds, at each update.
        notes: what is odd about the file.
    """

    verb = "analyze"

    def __init__(self, file: str, found: list[Connection], notes: list[Fact]) -> None:
        import polars as pl

        self.file, self.notes = file, notes
        self.rows = [
            row(one, way)
            for one in found
            for way in (one.sent, one.received)
            if way.eliciting or way.acks or (way.packets and not one.has_frames)
        ]
        ways = [(one, way) for one in found for way in (one.sent, one.received)]
        self.drawn = {(one.number, way.data): way.drawn for one, way in ways}
        self.connections = pl.DataFrame(self.rows, infer_schema_length=None)
        phases = [{"connection": one.number, **told} for one, way in ways for told in by_phase(way)]
        self.phases = pl.DataFrame(phases, infer_schema_length=None)
        acks = [{"connection": one.number, **ack} for one, way in ways for ack in way.acks]
        self.acks = pl.DataFrame(acks, infer_schema_length=None)
        metrics = [{"connection": one.number, **told} for one in found for told in one.metrics]
        self.metrics = pl.DataFrame(metrics, infer_schema_length=None)

    @property
    def text(self) -> str:
        """Facts and tables, as a terminal shows them."""
        from .page import as_text

        return as_text(self)

    def __repr__(self) -> str:
        return f"<QlogAnalysis of {self.file!r}: {counted(len(self.rows), 'direction')} of connections; print() shows them>"

    def frames(self) -> dict[str, Any]:
        """The tables as polars frames."""
        return {name: getattr(self, name) for name in TABLES}

    def html(self) -> str:
        """The page's text."""
        from .page import page

        return page(self)

    def summary(self) -> dict[str, Any]:
        """The connections as plain Python values."""
        return {
            "file": self.file,
            "notes": [note.plain() for note in self.notes],
            "connections": self.rows,
            "phases": self.phases.to_dicts(),
        }

    def write_into(self, folder: Folder) -> None:
        """Writes tables, ``analysis.json`` and the page ``analysis.html`` to a directory that is held."""
        import json

        from ...results.frames import write_parquet

        with folder.replacing({"qlog": self.file}) as scratch:
            for name in TABLES:
                write_parquet(getattr(self, name), scratch / f"{name}.parquet")
            (scratch / "analysis.json").write_text(json.dumps(self.summary()) + "\n", encoding="utf-8")
            (scratch / "analysis.html").write_text(self.html(), encoding="utf-8")


def analyze_qlog(path: str | os.PathLike[str]) -> QlogAnalysis:
    """Reads a qlog file: JSON or JSON-SEQ, of draft-02 (0.3) or later, as it is or compressed by gzip.

    Raises:
        QlogError: it is no qlog.
        OSError: it cannot be read.
    """
    name = os.fsencode(path).decode(errors="replace")
    notes: list[Fact] = []
    found: dict[tuple[int, str], Connection] = {}
    for number, trace in enumerate(traces(Path(path), notes)):
        for event in trace.events:
            key = number, event.group
            if key not in found:
                found[key] = Connection(len(found), trace.title, trace.vantage, event.group)
            found[key].take(event)
    if not found:
        raise QlogError("it has no event")
    if not any(way.acks for one in found.values() for way in (one.sent, one.received)):
        notes.append(fact("qlog-no-frames"))
    if any(
        "quinn" in str(one.title).lower() and 0 < (told.get("smoothed_rtt_s") or 0) < QUINN_S
        for one in found.values()
        for told in one.metrics
    ):
        notes.append(fact("qlog-quinn"))
    return QlogAnalysis(name, list(found.values()), notes)


def counts(acks: list[Row], sent: bool) -> Row:
    """What some ACKs of one direction amount to."""
    new = [ack for ack in acks if ack["packets"]]
    ordered = [ack for ack in new if ack["in_order"]]
    timed = [ack for ack in ordered if ack["newest_s"] > AT_ONCE_S]
    fields = [ack["delay_field_s"] for ack in new if ack["delay_field_s"] is not None]
    holds = [ack["hold_s"] for ack in new]
    usual = min(statistics.multimode(ack["packets"] for ack in ordered), default=None)
    return {
        "acks": len(acks),
        "acks_alone": sum(ack["alone"] for ack in acks),
        "new_acks": len(new),
        "packets_per_ack": _of(statistics.fmean, (ack["packets"] for ack in new)),
        "ordered_acks": len(ordered),
        **_of_packets(ordered),
        "usual_packets": usual,
        "usual_acks": sum(ack["packets"] == usual for ack in ordered),
        "ranges_mean": _of(statistics.fmean, (ack["ranges"] for ack in acks)),
        "ranges_max": _of(max, (ack["ranges"] for ack in acks)),
        "delay_field_median_s": _of(statistics.median, fields),
        "delay_field_max_s": _of(max, fields),
        "hold_median_s": _of(statistics.median, holds),
        "hold_max_s": _of(max, holds),
        "timer_acks": None if sent else len(timed),
        "timer_s": None if sent else _of(statistics.median, (ack["hold_s"] for ack in timed)),
    }


def _of_packets(acks: list[Row]) -> Row:
    """ACKs by how many packets they cover for the first time."""
    covered = [ack["packets"] for ack in acks]
    return {
        "acks_of_one": covered.count(1),
        "acks_of_two": covered.count(2),
        "acks_of_more": sum(many > 2 for many in covered),
    }


def row(one: Connection, way: Direction) -> Row:
    """A direction's row of ``connections``."""
    sent = way is one.sent
    trips = [told["latest_rtt_s"] for told in one.metrics if told["latest_rtt_s"] is not None] if sent else []
    least = [told["min_rtt_s"] for told in one.metrics if told["min_rtt_s"] is not None] if sent else []
    windows = [told["cwnd_bytes"] for told in one.metrics if told["cwnd_bytes"] is not None] if sent else []
    limit = one.parameters.get("remote" if sent else "local", {}).get("max_ack_delay")
    known = isinstance(limit, (int, float)) and not isinstance(limit, bool) and 0 <= limit < 2**14
    return {
        **{"connection": one.number, "data": way.data, "title": one.title, "vantage": one.vantage, "group": one.group},
        **{"start_s": one.start_s, "duration_s": one.end_s - (one.start_s or 0.0)},
        **{
            "packets": way.packets,
            "eliciting": way.eliciting if one.has_frames else None,
            "bytes": way.bytes,
            "lost": way.lost if sent else None,
        },
        "missing": None if sent or way.numbers is None else max(way.numbers[1] - way.numbers[0] + 1 - way.packets, 0),
        **counts(way.acks, sent),
        "max_ack_delay_s": limit / 1e3 if limit is not None and known else None,
        "rtt_min_s": _of(min, least or trips),
        "rtt_median_s": _of(statistics.median, trips),
        "cwnd_max_bytes": _of(max, windows),
        "cwnd_last_bytes": windows[-1] if windows else None,
    }


def by_phase(way: Direction) -> list[Row]:
    """The counts of ACKs in each phase, packets in order apart from those around gaps."""
    groups: dict[tuple[str, bool], list[Row]] = {}
    for ack in way.acks:
        if ack["packets"]:
            groups.setdefault((ack["phase"], ack["in_order"]), []).append(ack)
    return [
        {
            "data": way.data,
            "phase": phase,
            "in_order": in_order,
            **counts(acks, way.data == "sent"),
            **_of_packets(acks),
        }
        for (phase, in_order), acks in groups.items()
    ]


def _of(measure: Callable[[Any], float], values: Iterable[float]) -> float | None:
    found = list(values)
    return measure(found) if found else None
