"""Files of qlog (draft-ietf-quic-qlog-main-schema), as the drafts and stacks in use write them: JSON, JSON-SEQ, lines of JSON.

Every value is untrusted: what has another type than the drafts say is left out, never guessed.
"""

from __future__ import annotations

import gzip
import json
import math
import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple

from ...text.templates import Fact, fact
from ...text.terminal import one_line, replaced

#: The byte before each record of JSON-SEQ (RFC 7464).
RECORD = b"\x1e"
#: Bytes of a file in one JSON text, and of one record of the others.
MOST_TEXT, MOST_PIECE = 1 << 26, 1 << 24
GZIP = b"\x1f\x8b"

Json = dict[str, Any]


class QlogError(ValueError):
    """A file that is no qlog, or breaks its rules."""


class Event(NamedTuple):
    """One event: seconds, its name without the schema's prefix, its data, and the connection it is about."""

    time_s: float
    name: str
    data: Json
    group: str


class Trace(NamedTuple):
    """A trace: its texts, and its events in the file's order."""

    title: str
    vantage: str
    events: Iterator[Event]


def is_qlog(path: str | Path) -> bool:
    """Whether a file begins as qlog does, compressed by gzip or not; captures begin otherwise. A pipe is not read, since its bytes come only once.

    Raises:
        OSError: it cannot be read.
    """
    if not stat.S_ISREG(os.stat(path).st_mode):
        return False
    try:
        with _undamaged(), _opened(path) as file:
            return file.read(256).lstrip()[:1] in (b"{", RECORD)
    except QlogError:
        return False


@contextmanager
def _undamaged() -> Iterator[None]:
    """While compressed data are read: damage is an error of the file."""
    try:
        yield
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise QlogError(f"its compressed data breaks off or is damaged: {one_line(str(error))}") from None


def _opened(path: str | Path) -> IO[bytes]:
    with open(path, "rb") as file:
        packed = file.read(2) == GZIP
    return gzip.open(path) if packed else open(path, "rb")  # type: ignore[return-value]


def traces(path: str | Path, notes: list[Fact]) -> Iterator[Trace]:
    """A file's traces, one after the other; what is odd about the file is added to ``notes``.

    Raises:
        QlogError: it is no qlog.
        OSError: it cannot be read.
    """
    with _undamaged(), _opened(path) as file:
        alone = _alone(file)
        file.seek(0)
        if alone:
            yield _sequence(file, notes)
        else:
            yield from _whole(file, notes)


def _alone(file: IO[bytes]) -> bool:
    """Whether each event is a record of its own: behind a separator, or on a line."""
    head = file.readline(MOST_PIECE)
    if head.lstrip().startswith(RECORD):
        return True
    try:
        return "traces" not in _json(head)
    except QlogError:
        return False


def _json(text: bytes) -> Json:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise QlogError(f"it is no JSON: {one_line(str(error))}") from None
    if not isinstance(found, dict):
        raise QlogError("a record is no JSON object")
    return found


def _whole(file: IO[bytes], notes: list[Fact]) -> Iterator[Trace]:
    """The traces of a file that is one JSON text."""
    text = file.read(MOST_TEXT + 1)
    if len(text) > MOST_TEXT:
        raise QlogError(f"one JSON text of more than {MOST_TEXT >> 20} MiB; JSON-SEQ has no such limit")
    found = _json(text).get("traces")
    if not isinstance(found, list):
        raise QlogError('it has no list "traces"')
    odd = 0
    for told in found:
        if isinstance(told, dict) and isinstance(told.get("events"), list):
            if "event_fields" in told:
                raise QlogError(
                    "its events are lists of fields, as before draft-ietf-quic-qlog-main-schema-00; they are not read"
                )
            yield _trace(told, iter(told["events"]), notes)
        else:
            odd += 1
    if odd:
        notes.append(fact("qlog-traces", traces=odd))


def _sequence(file: IO[bytes], notes: list[Fact]) -> Trace:
    """The trace of a file of records, its events read as they are asked for."""
    pieces = _pieces(file, notes)
    head = _json(next(pieces, b""))
    told = head.get("trace")
    if not isinstance(told, dict):
        raise QlogError('its first record has no "trace"')

    def events() -> Iterator[Any]:
        odd = 0
        for piece in pieces:
            try:
                found = _json(piece)
            except QlogError:
                odd += 1
            else:
                yield found
        if odd:
            notes.append(fact("qlog-records", records=odd))

    return _trace(told, events(), notes)


def _pieces(file: IO[bytes], notes: list[Fact]) -> Iterator[bytes]:
    """The records, by separators where the file has them, by lines otherwise."""
    separator = RECORD if file.read(1) == RECORD else b"\n"
    file.seek(0)
    rest = b""
    while chunk := _chunk(file, 1 << 20, notes):
        *found, rest = (rest + chunk).split(separator)
        yield from filter(None, map(bytes.strip, found))
        if len(rest) > MOST_PIECE:
            raise QlogError(f"a record of more than {MOST_PIECE >> 20} MiB")
    if rest.strip():
        if not rest.endswith(b"\n"):
            try:
                json.loads(rest)
            except (ValueError, RecursionError):
                notes.append(fact("qlog-broken"))
                return
        yield rest.strip()


def _chunk(file: IO[bytes], size: int, notes: list[Fact]) -> bytes:
    """The next bytes, at most ``size``; those before the end of a compressed file that breaks off count."""
    parts: list[bytes] = []
    try:
        while (left := size - sum(map(len, parts))) and (part := file.read1(left)):  # type: ignore[attr-defined]
            parts.append(part)
    except EOFError:
        if not parts:
            notes.append(fact("qlog-broken"))
    return b"".join(parts)


def _trace(told: Json, events: Iterator[Any], notes: list[Fact]) -> Trace:
    common, vantage, settings = (
        part if isinstance(part := told.get(key), dict) else {}
        for key in ("common_fields", "vantage_point", "configuration")
    )
    title = told.get("title") or vantage.get("name") or ""
    unit = 1e-6 if settings.get("time_units") == "us" else 1e-3
    kind = str(common.get("time_format", ""))
    group = _text(common.get("group_id")) or _text(common.get("ODCID"))
    return Trace(
        one_line(_text(title)), _text(vantage.get("type")) or "unknown", _events(events, kind, unit, group, notes)
    )


def _events(
    events: Iterator[Any], common_kind: str, unit: float, common_group: str, notes: list[Fact]
) -> Iterator[Event]:
    """Events with times in seconds: from the trace's first, where they are of a clock; else from its reference."""
    last, first, odd = 0.0, None, 0
    for told in _read(events):
        time = number(told, "time")
        name = told.get("name") if isinstance(told, dict) else None
        if time is None or not isinstance(name, str):
            odd += 1
            continue
        kind = told.get("time_format", common_kind)
        last = last + time if kind in ("delta", "relative_to_previous_event") else time
        # Times of a clock would need all digits of a double for the date; 0.3 and earlier do not say of which kind theirs are.
        if first is None:
            first = last if last >= 1e9 else 0.0
        data = told.get("data")
        group = _text(told.get("group_id")) or common_group
        yield Event((last - first) * unit, name.rpartition(":")[2], data if isinstance(data, dict) else {}, group)
    if odd:
        notes.append(fact("qlog-untimed", records=odd))


def _read(events: Iterator[Any]) -> Iterator[Any]:
    """The same events; damage that is met on the way is an error of the file."""
    with _undamaged():
        yield from events


def _text(value: Any) -> str:
    return replaced(value) if isinstance(value, str) else ""


def word(told: Any, *keys: str) -> str:
    """The first of these that is a text and not empty; else an empty one."""
    return next((found for key in keys if (found := _text(told.get(key) if isinstance(told, dict) else None))), "")


def number(told: Any, *keys: str) -> float | None:
    """The first of these that is a finite number."""
    for key in keys:
        value = told.get(key) if isinstance(told, dict) else None
        # No number of a log is larger than 64 bits.
        if (
            isinstance(value, (int, float))
            and not isinstance(value, bool)
            and abs(value) < 2**64
            and math.isfinite(value)
        ):
            return float(value)
    return None


def whole(told: Any, *keys: str) -> int | None:
    """The first of these that is a whole number from 0 on; 0.3 and earlier also write them as texts."""
    for key in keys:
        value = told.get(key) if isinstance(told, dict) else None
        if isinstance(value, str) and value.isdecimal() and len(value) < 20:
            return int(value)
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**64:
            return value
    return None
